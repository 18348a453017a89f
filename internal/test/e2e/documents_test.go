//go:build unix

package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/jwt"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// notRun maps prefixes of commands in documents that are not run to the reason.
var notRun = map[string]string{
	"go install": "it takes a released version; the tests of releases install the modules from a proxy of their own",
	"go test":    "it is the run of tests itself",
	"go build":   "the stages of .ci/run run it",
	"go vet":     "the stages of .ci/run run it",
	".ci/":       "it is the run of tests itself",
	"npm ":       "the stages of .ci/run run it",
	"scripts/":   "the stages of .ci/run run it",
	"go -C release run . -out ../dist -verify":                     "the stage release of .ci/run runs it",
	"go -C release run . -targets linux/amd64 -programs cursorcli": "the tests of releases run it",
	"OTEL_EXPORTER_OTLP_ENDPOINT":                                  "it is a program of another module, whose tests run it",
	"(Get-FileHash":                                                "it needs PowerShell",
	"editor install-server python":                                 "it asks on a terminal; the tests of installations run it",
	"editor install-server ruff":                                   "it asks on a terminal; the tests of installations run it",
	"docker":                                                       "it needs a released image",
	"podman":                                                       "it needs a released image",
	"skopeo":                                                       "it needs a released image",
	"crew":                                                         "the tests of several machines run it",
}

// prepare maps prefixes of commands to functions that make what the command needs beside the files of every project.
var prepare = map[string]func(t *testing.T, p *documentProject){
	"gateway login": func(t *testing.T, p *documentProject) {
		writeHostile(t, filepath.Join(p.dir, "mcp.json"), fmt.Sprintf(`{"mcpServers":{"issues":{"url":%q,"gateway":{"oauth":{}}}}}`, startLoginServer(t)), 0o600)
	},
	"cursorcli install vscode -vscode-profile": func(t *testing.T, p *documentProject) {
		writeHostile(t, filepath.Join(p.home, ".config/Code/User/globalStorage/storage.json"), `{"userDataProfiles":[{"name":"Work","location":"-6b3f"}]}`, 0o600)
	},
	"editor install-extension": func(t *testing.T, p *documentProject) {
		dir := filepath.Join(p.home, ".local", "bin")
		for _, name := range []string{"code", "nvim"} {
			writeHostile(t, filepath.Join(dir, name), standInCode, 0o700)
		}
		p.environ = append(p.environ, "TEST_PATH="+os.Getenv("PATH"), "STAND_IN="+dir, "PATH="+dir+":"+strings.TrimPrefix(p.environ[0], "PATH="))
	},
	"git checkout": func(t *testing.T, p *documentProject) {
		for _, args := range []string{"init -q", "-c user.name=a -c user.email=a@example.com commit -q --allow-empty -m a", "tag v1.2.3"} {
			if out, err := p.run(t, "git "+args, false); err != nil {
				t.Fatalf("git %s: %v\n%s", args, err, out)
			}
		}
	},
}

// startLoginServer starts a server that requires tokens of an authorization server, whose users agree to everything.
func startLoginServer(t *testing.T) (url string) {
	t.Helper()
	issuer := authtest.New(t)
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	handler := httpserver.NewHandler(mcp.NewServer(mcp.Implementation{Name: "guarded", Version: "1"}, nil), nil)
	t.Cleanup(func() { _ = handler.Shutdown(context.Background()) })
	url = web.URL + "/mcp"
	mux.Handle("/", (&auth.Resource{
		URL: url, AuthorizationServers: []string{issuer.URL}, Log: slog.New(slog.DiscardHandler),
		Verifier: &jwt.Verifier{Issuers: []string{issuer.URL}, Audiences: []string{url}},
	}).Wrap(handler))
	return url
}

// block is a block of code in a document.
type block struct{ document, language, text string }

// documentBlocks returns the blocks of code of the documents. Those of the benchmarks have tests of their own.
func documentBlocks(t *testing.T) []block {
	t.Helper()
	documents, err := filepath.Glob("../../../docs/*.md")
	below, err2 := filepath.Glob("../../../docs/*/*.md")
	if err := errors.Join(err, err2); err != nil || len(documents) < 20 || len(below) < 10 {
		t.Fatalf("%d documents, %d in directories: %v", len(documents), len(below), err)
	}
	documents = append(documents, below...)
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "tools/agents/replay/README.md", "tools/editor/vscode/extension/README.md"} {
		documents = append(documents, filepath.Join("../../..", name))
	}
	var all []block
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		open := false
		b := block{document: filepath.Base(document)}
		if slices.Contains(below, document) {
			b.document = filepath.Base(filepath.Dir(document)) + "/" + b.document
		}
		for line := range strings.Lines(string(text)) {
			fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
			switch {
			case isFence && !open:
				open, b.language, b.text = true, fence, ""
			case isFence:
				open = false
				all = append(all, b)
			case open:
				b.text += line
			}
		}
		if open {
			t.Errorf("%s: a block has no end", document)
		}
	}
	return all
}

// documentCommand is a command of a block of shell in a document.
type documentCommand struct{ document, text string }

// documentCommands returns the commands of all blocks of shell, without their comments.
func documentCommands(t *testing.T) []documentCommand {
	t.Helper()
	comment := regexp.MustCompile(`(^|\s)#(\s.*)?$`)
	var all []documentCommand
	for _, b := range documentBlocks(t) {
		if b.language == "ini" {
			all = append(all, serviceCommands(t, b)...)
		}
		if b.language != "sh" {
			continue
		}
		for line := range strings.Lines(strings.ReplaceAll(b.text, "\\\n", " ")) {
			for command := range strings.SplitSeq(comment.ReplaceAllString(strings.TrimRight(line, "\n"), ""), ";") {
				if command = strings.TrimSpace(command); command != "" {
					all = append(all, documentCommand{b.document, command})
				}
			}
		}
	}
	return all
}

// serviceCommands returns the commands of a unit of systemd, with the file names that a project has. Other lines than sections and
// settings fail the test.
func serviceCommands(t *testing.T, unit block) (all []documentCommand) {
	t.Helper()
	line := regexp.MustCompile(`^(\[[A-Z][a-z]+\]|[A-Z][A-Za-z]+=.+|)$`)
	for text := range strings.Lines(unit.text) {
		text = strings.TrimSuffix(text, "\n")
		if !line.MatchString(text) {
			t.Errorf("%s: the unit has the line %q", unit.document, text)
		}
		if command, ok := strings.CutPrefix(text, "ExecStart=/usr/local/bin/"); ok {
			all = append(all, documentCommand{unit.document, strings.ReplaceAll(command, "%d/", "")})
		}
	}
	if len(all) == 0 {
		t.Errorf("%s: the unit starts nothing", unit.document)
	}
	return all
}

// documentProject is a project in which the commands of the documents run, with the programs in PATH.
type documentProject struct {
	dir, home string
	environ   []string
}

func newDocumentProject(t *testing.T, programs string) *documentProject {
	t.Helper()
	const archive = "cursorcli_1.2.3_linux_amd64.tar.gz" // as of a release
	p := &documentProject{dir: t.TempDir(), home: t.TempDir()}
	server, err := filepath.Abs("node/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"FILE":                      "package a\n\nfunc A() {}\n",
		"a.go":                      "package a\n\n// A parses the request line.\nfunc A() {}\n",
		"a.txt":                     "a text\n",
		"go.mod":                    "module a\n\ngo 1.22\n",
		"path/to/project/a.go":      "package a\n\n// A parses the request line.\nfunc A() {}\n",
		"path/to/project/.git/HEAD": "ref: refs/heads/main\n",
		"tokens":                    "alice=0123456789abcdef0123456789abcdef\n",
		"README.md":                 "# A\n",
		"SHA256SUMS":                fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(archive)), archive),
		archive:                     archive,
		"mine/" + archive:           archive,
		"mcp.json":                  fmt.Sprintf(`{"mcpServers":{"files":{"command":"node","args":[%q,%q]}}}`, server, p.dir),
	} {
		writeHostile(t, filepath.Join(p.dir, name), text, 0o600)
	}
	p.environ = []string{
		"PATH=" + programs + ":" + os.Getenv("PATH"), "HOME=" + p.home, "TMPDIR=" + t.TempDir(), "GORACE=atexit_sleep_ms=0", "FAKEAGENT_SPEED=0",
		"XDG_CONFIG_HOME=" + filepath.Join(p.home, ".config"), "XDG_STATE_HOME=" + filepath.Join(p.home, "state"), "XDG_CACHE_HOME=" + filepath.Join(p.home, "cache"),
	}
	return p
}

// handshake opens a session.
const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"

// lasting matches commands that run until they are interrupted.
var lasting = regexp.MustCompile(` -http | demo\b| watch\b`)

// run runs a command with a session as its input. A lasting command is interrupted once it serves or watches.
func (p *documentProject) run(t *testing.T, command string, lasts bool) (output string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out lockedBuffer
	if !strings.Contains(command, "|") {
		command = "exec " + command // signals reach the program, not the shell
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = p.dir, p.environ, strings.NewReader(handshake), &out, &out, time.Second
	if !lasts {
		err = cmd.Run()
		return out.String(), errors.Join(err, ctx.Err())
	}
	cmd.Stdin = nil
	if err := cmd.Start(); err != nil {
		return "", err
	}
	for !ready.MatchString(out.String()) && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	err = cmd.Wait()
	return out.String(), errors.Join(err, ctx.Err())
}

// fakeAgent is the program of recorded agents.
const fakeAgent = "fakeagent"

// ready matches the message of a program that serves or watches.
var ready = regexp.MustCompile(`http://|Following changes`)

// TestDocuments_Commands runs the commands of README.md and of docs/.
func TestDocuments_Commands(t *testing.T) {
	t.Parallel()
	programs := t.TempDir()
	for _, name := range []string{"cursorcli", "chunks", "editor", "kuromajutsu", "cqm", "gateway", "notes", fakeAgent} {
		pkg := "../../../examples/" + name
		if name == fakeAgent {
			pkg = "../../../tools/agents/replay/" + name
		}
		buildInto(t, programs, pkg)
	}
	// The browser of a user who agrees to everything.
	writeHostile(t, filepath.Join(programs, "xdg-open"), "#!/bin/sh\nexec node -e 'fetch(process.argv[1]).then(r => r.text())' \"$1\"\n", 0o700)
	ran := 0
	for _, c := range documentCommands(t) {
		if reason := reasonNotToRun(c.text); reason != "" {
			continue
		}
		ran++
		t.Run(c.document+"/"+c.text, func(t *testing.T) {
			t.Parallel()
			command := strings.ReplaceAll(c.text, "go run ./examples/", "")
			command = regexp.MustCompile(`(127\.0\.0\.1):[0-9]+( |$)`).ReplaceAllString(command, "${1}:0${2}")
			command = strings.ReplaceAll(command, "/tmp/mine/", "mine/")
			if value, isExport := strings.CutPrefix(command, "export DOUGU_TOKEN="); isExport {
				command = "test -n " + value
			}
			p := newDocumentProject(t, programs)
			if c.document == "gateway-logins.md" {
				writeHostile(t, filepath.Join(p.dir, "mcp.json"), `{"mcpServers":{"issues":{"url":"https://issues.example.com/mcp","gateway":{"oauth":{}}}}}`, 0o600)
			}
			for beginning, make := range prepare {
				if strings.HasPrefix(c.text, beginning) {
					make(t, p)
				}
			}
			if strings.HasPrefix(c.document, "gateway") { // a gateway starts the servers of a project after the user's approval
				needNode(t)
				if out, err := p.run(t, "gateway trust -yes", false); err != nil {
					t.Fatalf("gateway trust: %v\n%s", err, out)
				}
			}
			out, err := p.run(t, command, lasting.MatchString(command+" "))
			if err != nil || strings.Contains(out, "panic:") {
				t.Errorf("%s: %v\n%s", command, err, tail(out))
			}
			if strings.HasPrefix(command, "gateway login") && !strings.Contains(out, "You are logged in") {
				t.Errorf("%s: no login\n%s", command, tail(out))
			}
		})
	}
	if ran < 50 {
		t.Errorf("%d commands were run", ran)
	}
}

// reasonNotToRun returns the reason why a command is not run, or "".
func reasonNotToRun(command string) string {
	for beginning, reason := range notRun {
		if command == beginning || strings.HasPrefix(command, beginning) {
			return reason
		}
	}
	return ""
}

// shownSettings are the programs that read the settings in documents.
var shownSettings = map[string]struct {
	program, file, language string
	environ                 []string
	lasts                   bool
}{
	"agents.md":  {program: "kuromajutsu", file: "kuromajutsu.config.yaml", language: "yaml"},
	"search.md":  {program: "cqm", file: "cqm-mcp.yaml", language: "yaml", environ: []string{"CQM_TOKEN=0123456789abcdef0123456789abcdef", "GITHUB_TOKEN=x"}, lasts: true},
	"gateway.md": {program: "gateway", file: "mcp.json", language: "json", environ: []string{"ISSUES_TOKEN=x"}},
}

// TestDocuments_Configurations starts programs with the settings of the documents.
func TestDocuments_Configurations(t *testing.T) {
	t.Parallel()
	for document, shown := range shownSettings {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			blocks := slices.DeleteFunc(documentBlocks(t), func(b block) bool { return b.document != document || b.language != shown.language })
			if len(blocks) == 0 {
				t.Fatal("no settings are shown")
			}
			programs := t.TempDir()
			buildInto(t, programs, "../../../examples/"+shown.program)
			for _, b := range blocks {
				settings := strings.Replace(b.text, "port: 8765", "port: "+freePort(t), 1)
				p := newDocumentProject(t, programs)
				p.environ = append(p.environ, shown.environ...)
				writeHostile(t, filepath.Join(p.dir, shown.file), settings, 0o600)
				out, err := p.run(t, shown.program+" serve -config "+shown.file, shown.lasts)
				if err != nil || strings.Contains(out, "level=ERROR") || strings.Contains(out, "is ignored") {
					t.Errorf("%s with\n%s\n%v\n%s", shown.program, settings, err, tail(out))
				}
			}
		})
	}
}

// checkedLanguages are the languages of blocks in documents, with the test that runs, compiles or parses them.
var checkedLanguages = map[string]string{
	"sh":      "TestDocuments_Commands",
	"go":      "TestDocuments_SnippetsCompile in package repository",
	"yaml":    "TestDocuments_Configurations",
	"json":    "TestDocuments_Configurations or TestDocuments_ToolCalls",
	"js":      "TestDocuments_JavaScript",
	"elisp":   "TestDocuments_EmacsLisp",
	"ini":     "TestDocuments_Commands",
	"mermaid": "none: it is a picture",
	"":        "none: it is a picture or an excerpt of output",
}

// TestDocuments_BlockLanguages checks that no block of code is left out of the tests.
func TestDocuments_BlockLanguages(t *testing.T) {
	command := regexp.MustCompile(`(?m)^(go|cursorcli|chunks|editor|kuromajutsu|cqm|gateway|notes|npm|git|docker) `)
	for _, b := range documentBlocks(t) {
		_, known := checkedLanguages[b.language]
		_, configures := shownSettings[b.document]
		switch {
		case !known:
			t.Errorf("%s: no test checks blocks in %q:\n%s", b.document, b.language, b.text)
		case b.language == "" && command.MatchString(b.text):
			t.Errorf("%s: a block with commands is not marked as sh:\n%s", b.document, b.text)
		case (b.language == "yaml" || b.language == "json" && !strings.HasPrefix(b.text, `{"name"`)) && !configures:
			t.Errorf("%s: no program reads these settings:\n%s", b.document, b.text)
		}
	}
}

// TestDocuments_ToolCalls checks that the calls of tools in documents have the name and arguments of a tool of the editor.
func TestDocuments_ToolCalls(t *testing.T) {
	t.Parallel()
	programs := t.TempDir()
	buildInto(t, programs, "../../../examples/editor")
	p := newDocumentProject(t, programs)
	writeHostile(t, filepath.Join(programs, "gopls"), "#!/bin/sh\nexit 1\n", 0o700) // refactorings are listed with a language server
	out, err := p.run(t, "editor tools -json -symbols", false)
	if err != nil {
		t.Fatal(err, out)
	}
	type schema struct {
		Properties map[string]any
		Required   []string
	}
	schemas := make(map[string]schema)
	for line := range strings.Lines(out) {
		var tool struct {
			Name        string
			InputSchema schema
		}
		if json.Unmarshal([]byte(line), &tool) == nil {
			schemas[tool.Name] = tool.InputSchema
		}
	}
	checked := 0
	for _, b := range documentBlocks(t) {
		if b.language != "json" || !strings.HasPrefix(b.text, `{"name"`) {
			continue
		}
		for line := range strings.Lines(b.text) {
			var call struct {
				Name      string
				Arguments map[string]any
			}
			if err := json.Unmarshal([]byte(line), &call); err != nil {
				t.Errorf("%s: %s: %v", b.document, line, err)
				continue
			}
			checked++
			tool, ok := schemas[call.Name]
			if !ok {
				t.Errorf("%s: there is no tool %s", b.document, call.Name)
			}
			for name := range call.Arguments {
				if tool.Properties[name] == nil {
					t.Errorf("%s: %s has no argument %s", b.document, call.Name, name)
				}
			}
			for _, name := range tool.Required {
				if call.Arguments[name] == nil {
					t.Errorf("%s: the call of %s lacks %s", b.document, call.Name, name)
				}
			}
		}
	}
	if checked == 0 {
		t.Error("no call was checked")
	}
}

// TestDocuments_JavaScript parses the blocks of JavaScript.
func TestDocuments_JavaScript(t *testing.T) {
	t.Parallel()
	node := needNode(t)
	checkBlocks(t, "js", "block.mjs", node, "--check")
}

// TestDocuments_EmacsLisp reads the blocks of Emacs Lisp.
func TestDocuments_EmacsLisp(t *testing.T) {
	t.Parallel()
	emacs, err := exec.LookPath("emacs")
	testrequire.Deep(t, err == nil, "emacs", "apt-get install emacs-nox")
	checkBlocks(t, "elisp", "block.el", emacs, "--batch", "--quick", "--eval", "(check-parens)", "--visit")
}

// checkBlocks runs a program on each block in a language, as a file with this name.
func checkBlocks(t *testing.T, language, file, program string, args ...string) {
	t.Helper()
	checked := 0
	for _, b := range documentBlocks(t) {
		if b.language != language {
			continue
		}
		checked++
		path := filepath.Join(t.TempDir(), file)
		writeHostile(t, path, b.text, 0o600)
		if out, err := exec.CommandContext(t.Context(), program, append(args, path)...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", b.document, err, b.text, out)
		}
	}
	if checked == 0 {
		t.Errorf("no document has a block in %s", language)
	}
}

// Every reason in notRun, and every function in prepare, must match a command of a document.
func TestDocuments_UnusedReasons(t *testing.T) {
	commands := documentCommands(t)
	for _, beginning := range append(slices.Collect(maps.Keys(notRun)), slices.Collect(maps.Keys(prepare))...) {
		found := false
		for _, c := range commands {
			found = found || strings.HasPrefix(c.text, beginning)
		}
		if !found {
			t.Errorf("no document has a command that begins with %q", beginning)
		}
	}
}

// lockedBuffer is a buffer for concurrent writing and reading.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
