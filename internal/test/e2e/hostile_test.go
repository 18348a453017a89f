//go:build unix

package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"
)

const (
	outsideSecret  = "OUTSIDE_SECRET_5f1c9a"
	variableSecret = "variableSecret7b2e41d0"
	// hostileTime ends a process that hangs.
	hostileTime = 10 * time.Second
)

// readCalls are harmless calls of tools, by program.
func readCalls() map[string][]string {
	return map[string][]string{
		"chunks":      {"find_file", "pattern=*"},
		"cqm":         {"getProjectContext"},
		"cursorcli":   {"list_directory", "path=."},
		"editor":      {"list_directory", "path=."},
		"gateway":     {"gateway_servers"},
		"kuromajutsu": {"list_roles"},
	}
}

// hostileCase is a file of testdata/hostile. Its first line is "# PROGRAM: ATTEMPT".
// Each section begins with "-- PATH [KIND [ARGUMENT]] --"; a path may be quoted as in
// Go. The kinds are exec, link TARGET, fifo, dir, sparse SIZE, utf16 and times N, which
// repeats the text.
type hostileCase struct {
	name, program string
	sections      []hostileSection
}

type hostileSection struct{ path, kind, argument, text string }

func readHostileCases(t *testing.T) []hostileCase {
	t.Helper()
	files, err := filepath.Glob("testdata/hostile/*.txt")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	var cases []hostileCase
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c := hostileCase{name: strings.TrimSuffix(filepath.Base(file), ".txt")}
		for line := range strings.Lines(string(data)) {
			header, isHeader := strings.CutPrefix(strings.TrimSuffix(line, " --\n"), "-- ")
			switch {
			case c.program == "":
				program, _, _ := strings.Cut(line, ":")
				if c.program = strings.TrimPrefix(program, "# "); readCalls()[c.program] == nil {
					t.Fatalf("%s: the first line is %q", file, line)
				}
			case isHeader && strings.HasSuffix(line, " --\n"):
				c.sections = append(c.sections, parseHostileHeader(t, header))
			default:
				c.sections[len(c.sections)-1].text += line
			}
		}
		cases = append(cases, c)
	}
	return cases
}

func parseHostileHeader(t *testing.T, header string) hostileSection {
	t.Helper()
	var s hostileSection
	if strings.HasPrefix(header, `"`) {
		quoted, err := strconv.QuotedPrefix(header)
		if err != nil {
			t.Fatalf("the path in %q: %v", header, err)
		}
		if s.path, err = strconv.Unquote(quoted); err != nil {
			t.Fatal(err)
		}
		header = header[len(quoted):]
	} else {
		s.path, header, _ = strings.Cut(header, " ")
	}
	s.kind, s.argument, _ = strings.Cut(strings.TrimSpace(header), " ")
	return s
}

// TestHostileProjects starts the programs in projects that try to make them run programs, access files outside, or contact an
// address. At the level deep every program is started in each project, otherwise only the program that the project attacks.
func TestHostileProjects(t *testing.T) {
	t.Parallel()
	programs := make(map[string]string)
	for program := range readCalls() {
		programs[program] = builder.Build(t, "../../../examples/"+program, false) // built without the race detector, because it is started thousands of times
	}
	t.Run("Approval", func(t *testing.T) { testHostileApproval(t, programs) })
	for _, c := range readHostileCases(t) {
		all := []string{c.program}
		if os.Getenv("DOUGU_LEVEL") == "deep" {
			all = slices.Sorted(maps.Keys(programs))
		}
		for _, program := range all {
			t.Run(c.name+"/"+program, func(t *testing.T) {
				t.Parallel()
				p := newHostileProject(t, programs[program])
				for _, s := range c.sections {
					p.add(t, s)
				}
				before := p.snapshot(t)
				p.run(t, "doctor")
				p.run(t, "tools")
				p.run(t, append([]string{"call"}, readCalls()[program]...)...)
				p.run(t, "serve")
				p.check(t, before)
			})
		}
	}
}

// hostileProject is a project and its targets.
type hostileProject struct {
	program                   string
	top, dir, outside, canary string
	marker                    string // file to which every canary appends its name
	url                       string
	requests                  atomic.Int64
	replacer                  *strings.Replacer
	environ                   []string
}

func newHostileProject(t *testing.T, program string) *hostileProject {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &hostileProject{
		program: program, top: top, dir: filepath.Join(top, "project"), outside: filepath.Join(top, "outside"), marker: filepath.Join(top, "marker"),
	}
	p.canary = filepath.Join(p.dir, "canary.sh")
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.requests.Add(1)
		http.Error(w, "refused", http.StatusTeapot)
	}))
	t.Cleanup(listener.Close)
	p.url = listener.URL
	script := "#!/bin/sh\necho \"$0 $*\" >>'" + p.marker + "'\n"
	for name, text := range map[string]string{
		p.canary: script, filepath.Join(p.outside, "canary.sh"): script,
		filepath.Join(p.outside, "secret.txt"):  outsideSecret + "\n",
		filepath.Join(p.outside, "secret.yaml"): outsideSecret + ":\n  " + outsideSecret + ": " + outsideSecret + "\n",
		filepath.Join(p.outside, "secret.go"):   "package secret\n\nfunc " + outsideSecret + "() {}\n",
		filepath.Join(top, "home/.keep"):        "",
	} {
		writeHostile(t, name, text, 0o755)
	}
	// Programs that the user installed may run and are hidden from the test.
	for _, name := range []string{"gopls", "clangd", "black", "prettier", "typescript-language-server", "pyright-langserver", "agent", "cursor-agent", "claude", "codex", "gemini", "code", "nvim", "emacsclient"} {
		writeHostile(t, filepath.Join(top, "bin", name), "#!/bin/sh\nexit 1\n", 0o755)
	}
	p.replacer = strings.NewReplacer("$CANARY", p.canary, "$PROJECT", p.dir, "$OUTSIDE", p.outside, "$WSURL", "ws"+strings.TrimPrefix(p.url, "http"), "$URL", p.url, "$SCRIPT", strings.TrimSuffix(script, "\n"))
	home := filepath.Join(top, "home")
	p.environ = []string{
		"HOME=" + home, "PATH=" + filepath.Join(top, "bin") + ":/usr/bin:/bin", "TMPDIR=" + filepath.Join(top, "tmp"), "AWS_SECRET_ACCESS_KEY=" + variableSecret,
		"XDG_CONFIG_HOME=" + home + "/.config", "XDG_CACHE_HOME=" + home + "/.cache", "XDG_STATE_HOME=" + home + "/.local/state", "XDG_RUNTIME_DIR=" + filepath.Join(top, "tmp"),
		"HTTPS_PROXY=" + p.url, "HTTP_PROXY=" + p.url, "GORACE=atexit_sleep_ms=0",
	}
	writeHostile(t, filepath.Join(top, "tmp/.keep"), "", 0o600)
	return p
}

func writeHostile(t *testing.T, name, text string, perm fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), perm)); err != nil {
		t.Fatal(err)
	}
}

// add creates the file or directory of a section.
func (p *hostileProject) add(t *testing.T, s hostileSection) {
	t.Helper()
	path, text, argument := filepath.Join(p.dir, s.path), p.replacer.Replace(s.text), p.replacer.Replace(s.argument)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	number := func() int64 {
		n, err := strconv.ParseInt(argument, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	switch s.kind {
	case "":
		writeHostile(t, path, text, 0o644)
	case "exec":
		writeHostile(t, path, text, 0o755)
	case "link":
		if err := os.Symlink(argument, path); err != nil {
			t.Fatal(err)
		}
	case "fifo":
		if err := syscall.Mkfifo(path, 0o644); err != nil {
			t.Fatal(err)
		}
	case "dir":
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
	case "sparse":
		writeHostile(t, path, "", 0o644)
		if err := os.Truncate(path, number()); err != nil {
			t.Fatal(err)
		}
	case "utf16":
		data := binary.LittleEndian.AppendUint16(nil, 0xFEFF)
		for _, unit := range utf16.Encode([]rune(text)) {
			data = binary.LittleEndian.AppendUint16(data, unit)
		}
		writeHostile(t, path, string(data), 0o644)
	case "times":
		writeHostile(t, path, strings.Repeat(strings.TrimSuffix(text, "\n"), int(number())), 0o644)
	default:
		t.Fatalf("unknown kind %q", s.kind)
	}
}

// run runs a command in the project, and returns its output.
func (p *hostileProject) run(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hostileTime)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, p.program, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = p.dir, p.environ, &out, &out, time.Second
	if args[0] == "serve" {
		cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n")
	}
	err := cmd.Run()
	what := filepath.Base(p.program) + " " + strings.Join(args, " ")
	switch {
	case ctx.Err() != nil:
		t.Errorf("%s has not ended after %v\n%s", what, hostileTime, tail(out.String()))
	case cmd.ProcessState == nil:
		t.Fatalf("%s: %v", what, err)
	case !cmd.ProcessState.Exited():
		t.Errorf("%s: %v\n%s", what, cmd.ProcessState, tail(out.String()))
	}
	for _, words := range []string{"panic:", "goroutine ", outsideSecret, variableSecret} {
		if strings.Contains(out.String(), words) {
			t.Errorf("%s says %q\n%s", what, words, tail(out.String()))
		}
	}
	return out.String()
}

// snapshot describes all files outside the project.
func (p *hostileProject) snapshot(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(p.outside, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v %v", path, info.Mode(), info.ModTime())
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %x", sha256.Sum256(data))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// check fails the test if a canary ran, a file outside changed, an address was contacted, or a secret was stored.
func (p *hostileProject) check(t *testing.T, before string) {
	t.Helper()
	if ran, err := os.ReadFile(p.marker); err == nil {
		t.Errorf("a program has run: %s", ran)
	}
	if n := p.requests.Load(); n != 0 {
		t.Errorf("%d requests were made", n)
	}
	if after := p.snapshot(t); after != before {
		t.Errorf("outside there was\n%s\nand now is\n%s", before, after)
	}
	for _, dir := range []string{"project", "home", "tmp"} {
		err := filepath.WalkDir(filepath.Join(p.top, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			if info, err := d.Info(); err != nil || info.Size() > 16<<20 {
				return err
			}
			data, err := os.ReadFile(path)
			for _, secret := range []string{outsideSecret, variableSecret} {
				if bytes.Contains(data, []byte(secret)) {
					t.Errorf("%s has %s", path, secret)
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// testHostileApproval follows the approval of a project's setting from the first request to its end.
func testHostileApproval(t *testing.T, programs map[string]string) {
	t.Parallel()
	for _, c := range []struct{ program, file, key, text, other string }{
		{"cursorcli", ".cursorcli-mcp/config.json", "security.allowDestructiveOperations", `{"security":{"allowDestructiveOperations":true}}`, ""},
		{"cursorcli", ".cursorcli-mcp/config.json", "tools.fileOperations.allowedDirectories", `{"tools":{"fileOperations":{"allowedDirectories":["$OUTSIDE"]}}}`, `{"tools":{"fileOperations":{"allowedDirectories":["$OUTSIDE","."]}}}`},
		{"cursorcli", ".cursorcli-mcp/config.json", "server.requestTimeoutMs", `{"server":{"requestTimeoutMs":60000}}`, `{"server":{"requestTimeoutMs":60001}}`},
		{"cursorcli", ".cursorcli-mcp/config.json", "tools.fileOperations.maxFileSize", `{"tools":{"fileOperations":{"maxFileSize":99999999}}}`, `{"tools":{"fileOperations":{"maxFileSize":99999998}}}`},
		{"kuromajutsu", "kuromajutsu.config.yaml", "agent.claudeProgram", "agent:\n  claudeProgram: $OUTSIDE/a\n", "agent:\n  claudeProgram: $OUTSIDE/b\n"},
		{"kuromajutsu", "kuromajutsu.config.yaml", "history.path", "history:\n  path: $OUTSIDE/a.db\n", "history:\n  path: $OUTSIDE/b.db\n"},
		{"kuromajutsu", "kuromajutsu.config.yaml", "dashboard.host", "dashboard:\n  host: 127.0.0.2\n", "dashboard:\n  host: 127.0.0.3\n"},
		{"cqm", "cqm-mcp.yaml", "index.path", "index:\n  path: $OUTSIDE/a\n", "index:\n  path: $OUTSIDE/b\n"},
		{"cqm", "cqm-mcp.yaml", "logging.file", "logging:\n  file: $OUTSIDE/a.log\n", "logging:\n  file: $OUTSIDE/b.log\n"},
		{"cqm", "cqm-mcp.yaml", "embeddings.model", "embeddings:\n  model: a\n", "embeddings:\n  model: b\n"},
		{"cqm", "cqm-mcp.yaml", "plugins.config.github.url", "plugins:\n  config:\n    github:\n      url: $URL/a\n", "plugins:\n  config:\n    github:\n      url: $URL/b\n"},
		{"gateway", "mcp.json", "mcpServers.x", `{"mcpServers":{"x":{"command":"$CANARY"}}}`, `{"mcpServers":{"x":{"command":"$CANARY","args":["b"]}}}`},
	} {
		t.Run(c.program+"/"+c.key, func(t *testing.T) {
			t.Parallel()
			p := newHostileProject(t, programs[c.program])
			write := func(text string) { writeHostile(t, filepath.Join(p.dir, c.file), p.replacer.Replace(text), 0o644) }
			waits := func() bool {
				out := p.run(t, "doctor")
				waits, approved := strings.Contains(out, c.key+": ") && strings.Contains(out, "waits for your approval"), strings.Contains(out, c.key+": ") && strings.Contains(out, "is approved")
				if waits == approved || waits && !strings.Contains(out, c.program+" trust") {
					t.Errorf("doctor says\n%s", out)
				}
				return waits
			}
			write(c.text)
			if !waits() {
				t.Error("it does not wait at first")
			}
			p.run(t, "trust", "-yes")
			if waits() {
				t.Error("it waits after its approval")
			}
			if c.other != "" {
				write(c.other)
				if !waits() {
					t.Error("another value does not wait")
				}
				write(c.text)
			}
			p.run(t, "untrust")
			if !waits() {
				t.Error("it does not wait after untrust")
			}
		})
	}
}
