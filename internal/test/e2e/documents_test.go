//go:build unix

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// notRun maps prefixes of commands in documents that are not run to the reason.
var notRun = map[string]string{
	"go test":                     "the tests themselves",
	"go install":                  "it takes a released version",
	"git checkout":                "it needs a release",
	"go -C release":               "the tests of releases run it",
	"OTEL_EXPORTER_OTLP_ENDPOINT": "it is a program of another module, whose tests run it",
	"sha256sum":                   "it needs a release",
	"(Get-FileHash":               "it needs a release and PowerShell",
	"docker":                      "it needs a released image",
	"podman":                      "it needs a released image",
	"gateway login":               "it opens a page of an authorization server",
	"cursorcli install vscode -vscode-profile": "it needs a profile of VS Code",
	"skopeo": "it needs a released image",
	"crew":   "the tests of several machines run it",
	"go run ./examples/editor -root path/to/project -unity": "it needs Unity",
}

// documentCommand is a command of a block of shell in a document.
type documentCommand struct{ document, text string }

// documentCommands returns the commands of all blocks of shell, without their comments.
func documentCommands(t *testing.T) []documentCommand {
	t.Helper()
	documents, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(documents) < 20 {
		t.Fatalf("%d documents: %v", len(documents), err)
	}
	comment := regexp.MustCompile(`(^|\s)#(\s.*)?$`)
	var all []documentCommand
	for _, document := range append(documents, "../../../README.md") {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, rest := range strings.Split(string(text), "```sh\n")[1:] {
			block, _, _ := strings.Cut(rest, "```")
			block = strings.ReplaceAll(block, "\\\n", " ")
			for line := range strings.Lines(block) {
				for command := range strings.SplitSeq(comment.ReplaceAllString(strings.TrimRight(line, "\n"), ""), ";") {
					if command = strings.TrimSpace(command); command != "" {
						all = append(all, documentCommand{filepath.Base(document), command})
					}
				}
			}
		}
	}
	return all
}

// documentProject is a project in which the commands of the documents run, with the programs in PATH.
type documentProject struct {
	dir     string
	environ []string
}

func newDocumentProject(t *testing.T, programs string) *documentProject {
	t.Helper()
	p := &documentProject{dir: t.TempDir()}
	home := t.TempDir()
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
		"mcp.json":                  fmt.Sprintf(`{"mcpServers":{"files":{"command":"node","args":[%q,%q]}}}`, server, p.dir),
	} {
		writeHostile(t, filepath.Join(p.dir, name), text, 0o600)
	}
	p.environ = []string{
		"PATH=" + programs + ":" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + t.TempDir(), "GORACE=atexit_sleep_ms=0", "BROWSER=true",
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_STATE_HOME=" + filepath.Join(home, "state"), "XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
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
	cmd := exec.CommandContext(ctx, "sh", "-c", "exec "+command)
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

// ready matches the message of a program that serves or watches.
var ready = regexp.MustCompile(`http://|Following changes`)

// TestDocuments_Commands runs the commands of README.md and of docs/.
func TestDocuments_Commands(t *testing.T) {
	t.Parallel()
	programs := t.TempDir()
	for _, name := range []string{"cursorcli", "chunks", "editor", "kuromajutsu", "cqm", "gateway", "notes"} {
		if err := os.Rename(buildWith(t, "../../../examples/"+name, false), filepath.Join(programs, name)); err != nil {
			t.Fatal(err)
		}
	}
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
			if value, isExport := strings.CutPrefix(command, "export DOUGU_TOKEN="); isExport {
				command = "test -n " + value
			}
			p := newDocumentProject(t, programs)
			if c.document == "gateway-logins.md" {
				writeHostile(t, filepath.Join(p.dir, "mcp.json"), `{"mcpServers":{"issues":{"url":"https://issues.example.com/mcp","gateway":{"oauth":{}}}}}`, 0o600)
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
		})
	}
	if ran < 30 {
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

// TestDocuments_Configurations starts programs with the settings of the documents.
func TestDocuments_Configurations(t *testing.T) {
	t.Parallel()
	for document, shown := range map[string]struct {
		program, file, language string
		environ                 []string
		lasts                   bool
	}{
		"agents.md":  {program: "kuromajutsu", file: "kuromajutsu.config.yaml", language: "yaml"},
		"search.md":  {program: "cqm", file: "cqm-mcp.yaml", language: "yaml", environ: []string{"CQM_TOKEN=0123456789abcdef0123456789abcdef", "GITHUB_TOKEN=x"}, lasts: true},
		"gateway.md": {program: "gateway", file: "mcp.json", language: "json", environ: []string{"ISSUES_TOKEN=x"}},
	} {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile("../../../docs/" + document)
			if err != nil {
				t.Fatal(err)
			}
			blocks := strings.Split(string(text), "```"+shown.language+"\n")[1:]
			if len(blocks) == 0 {
				t.Fatal("no settings are shown")
			}
			programs := t.TempDir()
			if err := os.Rename(buildWith(t, "../../../examples/"+shown.program, false), filepath.Join(programs, shown.program)); err != nil {
				t.Fatal(err)
			}
			for _, rest := range blocks {
				block, _, _ := strings.Cut(rest, "```")
				block = strings.Replace(block, "port: 8765", "port: "+freePort(t), 1)
				p := newDocumentProject(t, programs)
				p.environ = append(p.environ, shown.environ...)
				writeHostile(t, filepath.Join(p.dir, shown.file), block, 0o600)
				out, err := p.run(t, shown.program+" serve -config "+shown.file, shown.lasts)
				if err != nil || strings.Contains(out, "level=ERROR") {
					t.Errorf("%s with\n%s\n%v\n%s", shown.program, block, err, tail(out))
				}
			}
		})
	}
}

// Every reason in notRun must match a command of a document.
func TestDocuments_UnusedReasons(t *testing.T) {
	commands := documentCommands(t)
	for beginning := range notRun {
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
