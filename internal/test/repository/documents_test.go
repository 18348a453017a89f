package repository_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every snippet of the documents is part of a Go file, so that it is compiled.
func TestDocuments_SnippetsCompile(t *testing.T) {
	code := compiledFiles(t)
	found := 0
	for _, document := range documents(t) {
		snippets := goSnippets(readText(t, document))
		found += len(snippets)
		for _, snippet := range snippets {
			if !isCompiled(snippet, code) {
				t.Errorf("%s: no Go file has this snippet:\n%s", document, snippet)
			}
		}
	}
	if found < 40 {
		t.Errorf("found %d snippets", found)
	}
}

// A snippet that differs from the code in more than its indentation is wrong.
func TestDocuments_WrongSnippet(t *testing.T) {
	code := []string{unindented("func f() {\n\tif ok {\n\t\treturn\n\t}\n}\n")}
	page := "Text.\n\n```go\nif ok {\n\treturn\n}\n```\n\n```go\nif !ok {\n\treturn\n}\n```\n"
	snippets := goSnippets(page)
	if len(snippets) != 2 || !isCompiled(snippets[0], code) || isCompiled(snippets[1], code) {
		t.Errorf("the snippets are %q", snippets)
	}
}

// The messages in the tables of docs/guide/troubleshooting.md are those of the code.
func TestDocuments_Messages(t *testing.T) {
	files, _ := sources(t)
	var literals []string
	for _, s := range files {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					literals = append(literals, text)
				}
			}
			return true
		})
	}
	checked := 0
	for line := range strings.Lines(readText(t, "docs/guide/troubleshooting.md")) {
		message, isMessage := strings.CutPrefix(line, "| `")
		if !isMessage {
			continue
		}
		message, _, _ = strings.Cut(message, "`")
		checked++
		if !slices.ContainsFunc(literals, func(text string) bool { return hasMessage(text, message) }) {
			t.Errorf("no text of the code has the message %q", message)
		}
	}
	if checked < 15 {
		t.Errorf("%d messages were checked", checked)
	}
}

// hasMessage reports whether a text, or a format, has a message in which … stands for a verb or for more text.
func hasMessage(text, message string) bool {
	for part := range strings.SplitSeq(message, "…") {
		before, after, ok := strings.Cut(text, strings.TrimSpace(part))
		if !ok {
			return false
		}
		_, text = before, after
	}
	return true
}

// Links in the documents lead to files of the repository, and to headings of documents.
func TestDocuments_Links(t *testing.T) {
	checked := 0
	for _, document := range documents(t) {
		for _, link := range localLinks(readText(t, document)) {
			checked++
			if problem := checkLink(t, document, link); problem != "" {
				t.Errorf("%s: %s", document, problem)
			}
		}
	}
	if checked < 150 {
		t.Errorf("%d links were checked", checked)
	}
}

var (
	codeBlock = regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]*`")
	textLink  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	notSlug   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// localLinks returns the targets of links outside of code, without addresses of the web.
func localLinks(text string) []string {
	var links []string
	for _, m := range textLink.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		if !strings.Contains(m[1], ":") {
			links = append(links, m[1])
		}
	}
	return links
}

// checkLink returns the problem of a link in a document, or "".
func checkLink(t *testing.T, document, link string) string {
	t.Helper()
	file, anchor, hasAnchor := strings.Cut(link, "#")
	target := document
	if file != "" {
		target = path.Join(path.Dir(document), file)
	}
	if _, err := os.Stat(target); err != nil {
		return fmt.Sprintf("%s leads nowhere", link)
	}
	if hasAnchor && strings.HasSuffix(target, ".md") && !slices.Contains(anchors(readText(t, target)), anchor) {
		return fmt.Sprintf("%s leads to no heading", link)
	}
	return ""
}

// anchors returns the anchors of the headings of a document, as GitHub makes them.
func anchors(text string) []string {
	var all []string
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		title := textLink.ReplaceAllString(strings.ReplaceAll(m[1], "[", ""), "")
		all = append(all, strings.ReplaceAll(strings.ToLower(notSlug.ReplaceAllString(title, "")), " ", "-"))
	}
	return all
}

// A link to a missing file or heading is found.
func TestDocuments_WrongLinks(t *testing.T) {
	const page = "# A heading, with [words](b.md)\n[a](#a-heading-with-words) `[code](none.md)`\n"
	if links := localLinks(page); !slices.Equal(links, []string{"b.md", "#a-heading-with-words"}) {
		t.Errorf("the links are %q", links)
	}
	if got := anchors(page); !slices.Equal(got, []string{"a-heading-with-words"}) {
		t.Errorf("the anchors are %q", got)
	}
	for link, ok := range map[string]bool{"docs/design.md#packages": true, "docs/design.md#boxes": false, "docs/designs.md": false, "mcp": true} {
		if problem := checkLink(t, "README.md", link); (problem == "") != ok {
			t.Errorf("%s: %q", link, problem)
		}
	}
}

// documents returns README.md and the documents below docs.
func documents(t *testing.T) []string {
	t.Helper()
	all := []string{"README.md"}
	walk(t, "docs", ".md", func(name string) { all = append(all, name) })
	if len(all) < 40 {
		t.Fatalf("found %d documents", len(all))
	}
	return all
}

// compiledFiles returns the text of every Go file but test data, without indentation.
func compiledFiles(t *testing.T) []string {
	t.Helper()
	var code []string
	walk(t, ".", ".go", func(name string) {
		if !slices.Contains(strings.Split(name, "/"), "testdata") {
			code = append(code, unindented(readText(t, name)))
		}
	})
	return code
}

// walk calls f with the files below a directory whose names have a suffix.
func walk(t *testing.T, dir, suffix string, f func(name string)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return filepath.SkipDir
		case !entry.IsDir() && strings.HasSuffix(name, suffix):
			f(filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// readText returns the text of a file with line ends of Unix.
func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// goSnippets returns the blocks of Go in a document.
func goSnippets(text string) []string {
	var snippets []string
	for _, rest := range strings.Split(text, "```go\n")[1:] {
		snippet, _, _ := strings.Cut(rest, "```")
		snippets = append(snippets, snippet)
	}
	return snippets
}

// isCompiled reports whether one of the files has a snippet, whatever its indentation.
func isCompiled(snippet string, code []string) bool {
	return slices.ContainsFunc(code, func(file string) bool { return strings.Contains(file, unindented(snippet)) })
}

// unindented is text whose lines begin with their first character.
func unindented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		out.WriteString(strings.TrimLeft(strings.TrimSuffix(line, "\n"), "\t ") + "\n")
	}
	return out.String()
}
