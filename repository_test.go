package dougu_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
)

const module = "github.com/dougu-go/dougu/"

// source is one Go file that is not a test.
type source struct {
	name string // with slashes, from the root of the repository
	file *ast.File
}

// sources parses every Go file of the module that is not a test.
func sources(t *testing.T, fset *token.FileSet) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules" || entry.Name() == "bench" || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		all = append(all, source{filepath.ToSlash(name), file})
		return err
	})
	if err != nil || len(all) < 50 {
		t.Fatalf("found %d files: %v", len(all), err)
	}
	return all
}

// Every goroutine has an owner that waits for its end: package group alone
// starts them.
func TestGoroutinesHaveOwners(t *testing.T) {
	fset := token.NewFileSet()
	for _, s := range sources(t, fset) {
		if strings.HasPrefix(s.name, "internal/group/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if statement, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s: a bare go statement; start it with group.Group.Go", fset.Position(statement.Pos()))
			}
			return true
		})
	}
}

// Imports point one way.
func TestDependenciesPointOneWay(t *testing.T) {
	// What a package, and all below it, may import of this module; the longest
	// prefix counts. Others may import anything.
	const scanners = "tools/chunking/parse/outline/internal/"
	outline := []string{"tools/chunking/parse", "tools/chunking/parse/internal/cparams", scanners + "lex", scanners + "clike", scanners + "gosource", scanners + "java", scanners + "kotlin", scanners + "python", scanners + "script", scanners + "swift"}
	allowed := map[string][]string{
		"mcp":                               {"internal/wait", "internal/jsonx", "internal/nearest", "internal/group", "internal/uritemplate", "mcp/schema"},
		"mcp/schema":                        {"internal/jsonx", "internal/nearest", "mcp/schema", "mcp/schema/internal/format", "mcp/schema/internal/pattern", "mcp/schema/internal/phrase"},
		"mcp/mcptest":                       {"internal/group", "mcp", "transport"},
		"internal/jsonx":                    {},
		"internal/need":                     {},
		"internal/wait":                     {},
		"internal/glob":                     {},
		"internal/cursor":                   {},
		"internal/ledger":                   {"mcp"},
		"internal/group":                    {},
		"internal/nearest":                  {},
		"internal/rpc":                      {"internal/jsonx", "internal/group"},
		"internal/legacy":                   {"internal/jsonx", "internal/group", "mcp"},
		"internal/peer":                     {"internal/jsonx", "internal/legacy", "internal/rpc", "mcp"},
		"internal/rootfs":                   {},
		"internal/textfile":                 {},
		"internal/process":                  {"internal/group"},
		"internal/covercheck":               {},
		"internal/ignore":                   {},
		"internal/grep":                     {},
		"internal/edit":                     {"internal/nearest", "internal/textdiff", "internal/textfile"},
		"internal/textdiff":                 {},
		"internal/rotate":                   {"internal/rootfs"},
		"internal/logfile":                  {"internal/rotate", "internal/group"},
		"internal/config":                   {"internal/group", "internal/jsonx", "internal/nearest"},
		"internal/calllog":                  {"internal/jsonx", "mcp"},
		"internal/clients":                  {"internal/nearest", "internal/rootfs", "internal/textdiff"},
		"security":                          {"internal/wait", "internal/rootfs", "internal/nearest", "internal/ignore", "internal/group", "internal/rotate"},
		"security/auth":                     {"mcp"},
		"internal/uritemplate":              {},
		"internal/origin":                   {"internal/jsonx"},
		"internal/sse":                      {},
		"internal/mcpheader":                {"internal/jsonx"},
		"transport":                         {"internal/jsonx", "internal/group", "internal/legacy", "internal/peer", "internal/rpc", "internal/process", "mcp"},
		"transport/streamhttp":              {"internal/wait", "internal/jsonx", "internal/group", "internal/legacy", "internal/peer", "internal/rpc", "internal/origin", "internal/sse", "internal/mcpheader", "mcp", "transport"},
		"transport/websocket":               {"internal/group", "internal/origin", "mcp", "transport"},
		"tools":                             {"mcp", "security", "internal/group"},
		"tools/fs":                          {"internal/glob", "internal/cursor", "internal/ledger", "mcp", "mcp/schema", "security", "tools", "internal/textfile", "internal/nearest", "internal/group", "internal/grep", "internal/edit", "internal/textdiff"},
		"tools/telemetry":                   {"internal/wait", "mcp", "security", "tools", "internal/group", "internal/jsonx", "internal/rootfs"},
		"tools/chunking/parse":              {},
		"tools/chunking/parse/golang":       {"tools/chunking/parse"},
		"tools/chunking/parse/outline":      outline,
		"tools/chunking/parse/treesitter":   {"internal/group", "tools/chunking/parse", "tools/chunking/parse/internal/cparams"},
		"tools/chunking/parse/sourcekitten": {"internal/group", "internal/process", "tools/chunking/parse"},
		"tools/chunking/parse/builtin":      {"tools/chunking/parse", "tools/chunking/parse/golang", "tools/chunking/parse/outline", "tools/chunking/parse/treesitter"},
		"tools/chunking/index":              {"internal/wait", "internal/group", "internal/jsonx", "internal/rootfs", "security", "tools/chunking/parse"},
		"tools/chunking/repomap":            {"internal/group", "tools/chunking/index", "tools/chunking/parse"},
		"tools/chunking/graph":              {"tools/chunking/index", "tools/chunking/parse"},
		"tools/chunking/sqlite":             {"tools/chunking/graph", "tools/chunking/index", "tools/chunking/parse"},
		"tools/chunking":                    {"internal/textfile", "internal/cursor", "internal/glob", "internal/group", "internal/ledger", "internal/nearest", "internal/textdiff", "mcp", "security", "tools", "tools/chunking/index", "tools/chunking/parse", "tools/chunking/parse/builtin", "tools/chunking/graph", "tools/chunking/repomap"},
		"internal/cli":                      {"mcp", "transport", "transport/streamhttp", "transport/websocket", "internal/clients", "internal/textdiff", "internal/rootfs"},
	}
	for _, s := range sources(t, token.NewFileSet()) {
		rules, ok := rulesFor(allowed, path.Dir(s.name))
		for _, spec := range s.file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			ours, found := strings.CutPrefix(imported, module)
			switch {
			case !found:
			case strings.HasPrefix(ours, "examples"):
				t.Errorf("%s imports %s: nothing imports examples", s.name, ours)
			case ok && !slices.Contains(rules, ours):
				t.Errorf("%s must not import %s", s.name, ours)
			}
		}
	}
}

func rulesFor(allowed map[string][]string, dir string) ([]string, bool) {
	for ; dir != "."; dir = path.Dir(dir) {
		if rules, ok := allowed[dir]; ok {
			return rules, true
		}
	}
	return nil, false
}

// Heavy dependencies stay out of what every server links.
func TestWhatEveryServerLinksIsLight(t *testing.T) {
	for _, s := range sources(t, token.NewFileSet()) {
		if !strings.HasPrefix(s.name, "mcp/") && !strings.HasPrefix(s.name, "transport/") || strings.HasPrefix(s.name, "mcp/schema/reference/") || strings.HasPrefix(s.name, "transport/websocket/") {
			continue // what has an import path of its own is linked by those who name it
		}
		for _, spec := range s.file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") && !strings.HasPrefix(imported, module) &&
				!slices.Contains([]string{"github.com/invopop/jsonschema", "github.com/hashicorp/go-multierror", "golang.org/x/sys/unix", "golang.org/x/sys/windows"}, imported) {
				t.Errorf("%s imports %s", s.name, imported)
			}
		}
	}
}

// toolCodes are the codes of tool errors beside those of package security.
var toolCodes = map[string]string{
	"AMBIGUOUS_CHUNK":         "Several chunks can be meant. | Give one of the ids that the error names.",
	"CHUNK_NOT_FOUND":         "No chunk is called that. | list_functions_in_file and search_symbols show what there is.",
	"DOES_NOT_PARSE":          "With the new code the file would not parse any more, or it declares nothing. Nothing was changed. | Check its brackets and quotes.",
	"NOT_ANALYZED":            "The question is about a whole project, and none was analysed. | Call analyze_project.",
	"NOT_SOURCE":              "The file is in no known language, binary or too long. | Give its language, or read it with a tool for files.",
	"STALE_CHUNK":             "The chunk is not what the caller has read. | Read it again and apply the change to what is there.",
	"BAD_RANGE":               "The file does not have these lines or bytes.",
	"BINARY_FILE":             "The file is not text; read it with encoding binary.",
	"DESTRUCTIVE_NOT_ALLOWED": "Neither a setting nor the user allows this to be deleted or overwritten.",
	"EDIT_AMBIGUOUS":          "The text of an edit stands at several places; add lines around it, or say which line is near.",
	"EDIT_COUNT_MISMATCH":     "The text of an edit does not stand at the expected number of places.",
	"EDIT_NO_MATCH":           "The text of an edit does not stand in the file; the message shows the lines that are most like it.",
	"INVALID_PATTERN":         "The pattern is not a regular expression that is known here (RE2), or is too large.",
	"READ_REQUIRED":           "The file must be read before it is overwritten.",
	"DECLINED":                "The user did not agree.",
	"INVALID_ANSWER":          "The client's answer to a question does not fit the form.",
	"INVALID_CURSOR":          "The cursor is not one of this list's.",
	"INVALID_RESULT":          "A result does not fit its schema.",
	"MALFORMED_TEXT":          "The file is not in the encoding that was named.",
	"MISSING_CAPABILITY":      "The client does not offer what the tool needs.",
	"RESULT_TOO_LARGE":        "The result is larger than an answer may be.",
	"UNAVAILABLE":             "The tools are being exchanged.",
	"UNENCODABLE_CHARACTER":   "The encoding of the file lacks a character of the new content.",
	"UNKNOWN_ENCODING":        "The encoding is not one that is known.",
	"UNKNOWN_LINE_END_POLICY": "The line-end policy is not one that is known.",
}

// The table of error codes is complete: every code that the source has is in it.
func TestErrorCodesAreDocumented(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("# Error codes\n\nA tool that fails answers with `isError`, a text that begins with a code, and a next step. Programs find both in the result's\n" +
		"`_meta[\"io.github.dougu-go/error\"]`, with the reason and the path where a rule refused one.\n\n| code | meaning | next step |\n|---|---|---|\n")
	known := maps.Clone(toolCodes)
	for _, info := range security.Codes() {
		known[string(info.Code)] = info.Meaning + " | " + info.Next
	}
	for _, code := range slices.Sorted(maps.Keys(known)) {
		meaning := known[code]
		if !strings.Contains(meaning, " | ") {
			meaning += " | "
		}
		fmt.Fprintf(&doc, "| `%s` | %s |\n", code, meaning)
	}
	doc.WriteString("\n## Reasons\n\nWhy a path was refused.\n\n| reason | code |\n|---|---|\n")
	for _, reason := range []security.Reason{security.PathTraversal, security.OutsideProjectRoot, security.BlockedPattern, security.ProtectedFile, security.ReadOnlyRoot} {
		fmt.Fprintf(&doc, "| `%s` | `PERMISSION_DENIED` |\n", reason)
	}
	fmt.Fprintf(&doc, "| `%s` | `INVALID_PARAMS` |\n", security.UnsafeName)
	const file = "docs/errors.md"
	if os.Getenv("DOUGU_UPDATE") == "1" {
		if err := os.WriteFile(file, []byte(doc.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != doc.String() {
		t.Errorf("%s is not what the code says (%v); run this test with DOUGU_UPDATE=1", file, err)
	}

	code := regexp.MustCompile(`^[A-Z]{3,}(_[A-Z]+)+$|^DECLINED$|^TIMEOUT$|^UNAVAILABLE$`)
	reasons := []string{"PATH_TRAVERSAL", "OUTSIDE_PROJECT_ROOT", "BLOCKED_PATTERN", "PROTECTED_FILE", "READ_ONLY_ROOT", "UNSAFE_NAME"}
	for _, s := range sources(t, token.NewFileSet()) {
		if strings.HasPrefix(s.name, "internal/e2e/") || strings.HasPrefix(s.name, "internal/conformance/") ||
			strings.HasPrefix(s.name, "internal/clients/") { // where such names are variables of the environment
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(literal.Value)
			if _, documented := known[text]; code.MatchString(text) && !strings.HasPrefix(text, "DOUGU_") && !documented && !slices.Contains(reasons, text) {
				t.Errorf("%s: the code %s is not in %s", s.name, text, file)
			}
			return true
		})
	}
}

// Every snippet of the documents is part of a Go file, so that it is compiled.
func TestSnippetsAreCompiled(t *testing.T) {
	var code []string
	documents := []string{"README.md"}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return filepath.SkipDir
		case strings.HasPrefix(filepath.ToSlash(name), "docs/") && strings.HasSuffix(name, ".md"):
			documents = append(documents, name)
		case strings.HasSuffix(name, ".go"):
			text, err := os.ReadFile(name)
			code = append(code, unindented(string(text)))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, rest := range strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "```go\n")[1:] {
			snippet, _, _ := strings.Cut(rest, "```")
			found++
			if !slices.ContainsFunc(code, func(file string) bool { return strings.Contains(file, unindented(snippet)) }) {
				t.Errorf("%s: no Go file has this snippet:\n%s", document, snippet)
			}
		}
	}
	if found < 7 {
		t.Errorf("found %d snippets", found)
	}
}

// unindented is text whose lines begin with their first character.
func unindented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		out.WriteString(strings.TrimLeft(strings.TrimSuffix(line, "\n"), "\t ") + "\n")
	}
	return out.String()
}

// The repository speaks of the product and in files that can be read at once.
func TestFilesHoldOneIdea(t *testing.T) {
	const most = 400
	fset := token.NewFileSet()
	for _, s := range sources(t, fset) {
		if lines := fset.Position(s.file.End()).Line; lines > most {
			t.Errorf("%s has %d lines; a file holds one idea in about %d", s.name, lines, most)
		}
	}
}
