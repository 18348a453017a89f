//go:build linux

package agentclients

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/test/agentmodel"
	"github.com/dougu-go/dougu/internal/test/screencast"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

const (
	// captureHome is the home directory in captures. A sandbox mounts the directory of the test there, because programs print it.
	captureHome = "/home/dev"
	// captureImages is the directory of the pictures, which have the names of the clients.
	captureImages = "../../../docs/images"
	// maxCapture limits a picture, in bytes.
	maxCapture = 150_000
	// capturePrompt is the task that is typed in each client.
	capturePrompt = "Find the code that computes the discount of a voucher."
)

// captureCall is the call of the stand-in model, and captureAnswer its text after the result.
var captureCall = agentmodel.Step{Text: "I search for it.", Server: "cursorcli", Tool: "searchDocuments", Args: object{"query": "discount of a voucher", "limit": 2}}

const captureAnswer = "The function discount in pricing.go computes it, from the percentages in vouchers."

// captureClient is a client whose terminal is captured.
type captureClient struct {
	name, title string
	client      string // name in clientInfo
	// configure names the stand-in model in the configuration, after the command install.
	configure func(r *run)
	environ   []string // more than the environment of the matrix has
	ready     string   // text of the first screen, when the client accepts a task
	approval  string   // text of the question before a call; "" if the client asks none
	expand    string   // keys that show the whole result; "" if it is shown anyway
	expanded  string   // text of that view
}

var captureClients = []captureClient{
	{
		name: "claude-code", title: "Claude Code", client: "claude-code", ready: "❯",
		configure: func(r *run) {
			r.write(".claude/settings.json", string(encode(object{"permissions": object{"defaultMode": "default"}})))
			r.merge(".claude.json", object{
				"hasCompletedOnboarding": true, "theme": "dark", "customApiKeyResponses": object{"approved": []string{"sk-test"}},
				"projects": object{captureHome + "/shop": object{"hasTrustDialogAccepted": true}},
			})
		},
		environ:  []string{"ANTHROPIC_MODEL=stand-in", "ANTHROPIC_CUSTOM_MODEL_OPTION=stand-in", "ANTHROPIC_CUSTOM_MODEL_OPTION_NAME=stand-in"},
		approval: "Do you want to proceed?", expand: "\x0f", expanded: "pricing.go:6-9",
	},
	{
		name: "codex", title: "Codex", client: "codex-mcp-client", ready: "Ask Codex",
		configure: func(r *run) {
			r.write(".codex/config.toml", fmt.Sprintf("model = \"stand-in\"\nmodel_provider = \"stub\"\n[model_providers.stub]\nname = \"stub\"\nbase_url = %q\nwire_api = \"responses\"\nenv_key = \"STUB_KEY\"\n%s\n[projects.%q]\ntrust_level = \"trusted\"\n",
				r.model+"/v1", r.read(".codex/config.toml"), captureHome+"/shop"))
		},
		expand: "\x14", expanded: "pricing.go:6-9",
	},
	{
		name: "gemini", title: "Gemini CLI", client: "gemini-cli-mcp-client", ready: "Type your message", approval: "Allow execution",
		configure: func(r *run) { r.merge(".gemini/settings.json", settingsOf("gemini-api-key")) },
		environ:   []string{"GEMINI_MODEL=stand-in"},
	},
}

// TestCaptures_Current compares the pictures with our program: each shows the present output of the command install, and the present
// result of the call. With -update it records them first.
func TestCaptures_Current(t *testing.T) {
	if *update {
		recordCaptures(t)
	}
	home := t.TempDir()
	bin := filepath.Join(home, "go", "bin", "cursorcli")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, dougu+"/examples/cursorcli").CombinedOutput(); err != nil {
		t.Fatalf("build cursorcli: %v\n%s", err, out)
	}
	project := filepath.Join(home, "shop")
	if err := os.CopyFS(project, os.DirFS("testdata/shop")); err != nil {
		t.Fatal(err)
	}
	for _, c := range captureClients {
		t.Run(c.name, func(t *testing.T) {
			picture, err := os.ReadFile(capturePicture(c.name))
			if err != nil {
				t.Fatal(err)
			}
			if len(picture) > maxCapture {
				t.Errorf("the picture has %d bytes, of at most %d", len(picture), maxCapture)
			}
			frames, err := screencast.Text(picture)
			if err != nil {
				t.Fatal(err)
			}
			if path := regexp.MustCompile(`/(tmp|root|work|Users|home/[^d])[/\w]*`).Find(picture); path != nil {
				t.Errorf("the picture has the path %s", path)
			}
			shown := screencast.Squeeze(strings.Join(frames, "\n"))
			want := []string{"go install " + dougu + "/examples/cursorcli@latest", "cursorcli install " + c.name, capturePrompt, captureAnswer}
			want = append(want, installLines(t, c.name, home, bin)...)
			want = append(want, resultLines(t, c.client, project, bin)...)
			for _, line := range want {
				if !strings.Contains(shown, screencast.Squeeze(line)) {
					t.Errorf("the picture lacks %q; run go test ./internal/test/agentclients -run Captures -update", line)
				}
			}
		})
	}
}

// installLines returns the output of the command install on a terminal.
func installLines(t *testing.T, client, home, bin string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin, "install", client)
	cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + filepath.Dir(bin), "TERM=xterm-256color", "LANG=C.UTF-8"}
	screen := screencast.Start(t, cmd, 400, 30).Await("undoes this.")
	return strings.Split(strings.ReplaceAll(screen.String(), home, captureHome), "\n")
}

// resultLines returns the lines of the result of the call, without scores and the state of the index.
func resultLines(t *testing.T, client, project, bin string) (lines []string) {
	t.Helper()
	c, err := mcp.Connect(t.Context(), transport.Command{Path: bin, Dir: project, Env: []string{"HOME=" + filepath.Dir(project)}}, mcp.Implementation{Name: client, Version: "1.0.0"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	result, err := c.CallTool(t.Context(), captureCall.Tool, captureCall.Args, nil)
	if err != nil || result.IsError {
		t.Fatalf("the call has the result %+v: %v", result, err)
	}
	for _, block := range result.Blocks() {
		text, ok := block.(mcp.TextContent)
		if !ok {
			continue
		}
		for line := range strings.Lines(text.Text) {
			if !strings.HasPrefix(line, "[") {
				line, _, _ = strings.Cut(strings.TrimSuffix(line, "\n"), " (0.")
				lines = append(lines, line)
			}
		}
	}
	if len(lines) < 5 {
		t.Errorf("the result has %d lines", len(lines))
	}
	return lines
}

// recordCaptures records the terminals from the installation to the first answer.
func recordCaptures(t *testing.T) {
	_, err := exec.LookPath("bwrap")
	testrequire.Deep(t, err == nil, "bwrap", "install bubblewrap")
	proxy := moduleProxy(t)
	for _, c := range captureClients {
		s := newCaptureSession(t, c, proxy)
		s.install()
		s.converse()
		title := fmt.Sprintf("%s %s with cursorcli. A stand-in plays the model: its words are fixed, all else is real.", c.title, s.run.program.version(t))
		picture := screencast.SVG(title, s.frames)
		t.Logf("%d frames, %d bytes; the last one:\n%s", len(s.frames), len(picture), s.frames[len(s.frames)-1].Screen)
		writeFile(t, capturePicture(c.name), string(picture))
	}
}

func capturePicture(client string) string { return filepath.Join(captureImages, client+".svg") }

// captureSession is a shell in a terminal, with the recorded frames.
type captureSession struct {
	t        *testing.T
	client   captureClient
	run      *run
	terminal *screencast.Terminal
	frames   []screencast.Frame
}

// newCaptureSession starts a shell in the project, in a sandbox with a home directory of its own.
func newCaptureSession(t *testing.T, c captureClient, proxy string) *captureSession {
	t.Helper()
	s := &captureSession{t: t, client: c, run: &run{t: t, home: t.TempDir()}}
	for _, p := range agentPrograms {
		if p.name == c.name {
			s.run.program = p
		}
	}
	programPath(t, s.run.program.bin)
	s.run.model = agentmodel.Start(t, s.model())
	s.run.project = filepath.Join(s.run.home, "shop")
	if err := os.CopyFS(s.run.project, os.DirFS("testdata/shop")); err != nil {
		t.Fatal(err)
	}
	programs, err := filepath.Abs("programs/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	caches, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	build, modules, _ := strings.Cut(strings.TrimSpace(string(caches)), "\n")
	args := []string{
		"--dev-bind", "/", "/", "--tmpfs", "/home", "--bind", s.run.home, captureHome, "--proc", "/proc", "--unshare-pid", "--die-with-parent", "--clearenv", "--chdir", captureHome + "/shop",
		"--ro-bind", programs, "/home/node_modules", "--ro-bind", filepath.Join(modules, "cache", "download"), "/home/modules", "--ro-bind", proxy, "/home/proxy", "--bind", build, "/home/build",
	}
	environ := []string{
		"HOME=" + captureHome, "USER=dev", "PATH=" + captureHome + "/go/bin:/home/node_modules/.bin:" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "PS1=$ ",
		"GOCACHE=/home/build", "GOPROXY=file:///home/proxy,file:///home/modules,https://proxy.golang.org", "GONOSUMDB=" + dougu + "/*," + dougu, "GOFLAGS=-modcacherw -trimpath", "GOTOOLCHAIN=local",
		"GODEBUG=goindex=0", // the index in the build cache takes a version of a module for immutable
	}
	for _, e := range append(append(environ, s.run.program.environ(s.run)...), c.environ...) {
		name, value, _ := strings.Cut(e, "=")
		args = append(args, "--setenv", name, value)
	}
	s.terminal = screencast.Start(t, exec.CommandContext(t.Context(), "bwrap", append(args, "bash", "--norc", "--noprofile")...), 100, 30)
	s.terminal.Await("$")
	return s
}

// model returns the turns of the stand-in: a search for the tool where models need one, the call, and the answer.
func (s *captureSession) model() func(*agentmodel.Request) agentmodel.Step {
	steps := []agentmodel.Step{captureCall, {Text: captureAnswer}}
	if search := s.run.program.search; search != nil {
		steps = append([]agentmodel.Step{search([]string{"mcp__cursorcli__" + captureCall.Tool})}, steps...)
	}
	play := agentmodel.Play(capturePrompt, steps)
	return func(r *agentmodel.Request) agentmodel.Step {
		if len(r.Tools) == 0 {
			return agentmodel.Step{Text: "OK"} // a title of the conversation
		}
		return play(r)
	}
}

// show adds a frame.
func (s *captureSession) show(screen screencast.Screen, shown time.Duration) {
	s.frames = append(s.frames, screencast.Frame{Screen: screen, Shown: shown})
}

// enter types a text word by word, with a frame for each, and then Enter.
func (s *captureSession) enter(text string) {
	words := strings.SplitAfter(text, " ")
	for i, word := range words {
		s.terminal.Type(word)
		s.show(s.terminal.Await(strings.Join(words[:i+1], "")), 250*time.Millisecond)
	}
	s.terminal.Type("\r")
}

// install installs the program and enters it in the configuration of the client.
func (s *captureSession) install() {
	s.enter("go install " + dougu + "/examples/cursorcli@latest")
	s.show(s.terminal.AwaitFunc("the end of go install", func(screen screencast.Screen) bool {
		lines := screen.Lines()
		return lines[0] != "$ go install "+dougu+"/examples/cursorcli@latest" && strings.HasSuffix(screen.String(), "\n$") || strings.Count("\n"+screen.String(), "\n$") == 2
	}), time.Second)
	if _, err := os.Stat(filepath.Join(s.run.home, "go", "bin", "cursorcli")); err != nil {
		s.t.Fatalf("go install has not installed cursorcli: %v\n%s", err, s.terminal.Screen())
	}
	s.terminal.Type("clear\r")
	s.terminal.AwaitFunc("an empty screen", func(screen screencast.Screen) bool { return screen.String() == "$" })
	s.enter("cursorcli install " + s.client.name)
	s.show(s.terminal.Await("undoes this.", "$"), 4*time.Second)
	s.client.configure(s.run)
}

// converse starts the client, types the task, and approves the call.
func (s *captureSession) converse() {
	s.enter(s.run.program.bin)
	s.show(s.terminal.Await(s.client.ready), 1500*time.Millisecond)
	s.enter(capturePrompt)
	if s.client.approval != "" {
		s.show(s.terminal.Await(s.client.approval), 3*time.Second)
		s.terminal.Type("\r")
	}
	s.show(s.terminal.Await(captureAnswer), 3*time.Second)
	if s.client.expand != "" {
		s.terminal.Type(s.client.expand)
		s.show(s.terminal.Await(s.client.expanded, captureAnswer), 3*time.Second)
	}
	s.frames[len(s.frames)-1].Shown = 6 * time.Second
}

const (
	dougu = "github.com/dougu-go/dougu"
	// douguVersion is the version of the next release, which the go.mod files require.
	douguVersion = "v0.1.0"
)

// moduleProxy writes the committed modules that cursorcli needs to a directory in the layout of a module proxy
// (https://go.dev/ref/mod#goproxy-protocol), because the version of the next release is on no server.
func moduleProxy(t *testing.T) string {
	t.Helper()
	proxy, root := t.TempDir(), "../../.."
	git := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", root}, args...)...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %s: %v", args, err)
		}
		return string(out)
	}
	nested := strings.Fields(git("ls-files", "*/go.mod"))
	for _, module := range []string{".", "tools", "examples"} {
		at := filepath.Join(proxy, path.Join(dougu, module), "@v")
		requirements, err := os.ReadFile(filepath.Join(root, module, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		info, err := json.Marshal(object{"Version": douguVersion, "Time": "2026-01-01T00:00:00Z"})
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(at, douguVersion+".mod"), string(requirements))
		writeFile(t, filepath.Join(at, douguVersion+".info"), string(info))
		writeFile(t, filepath.Join(at, "list"), douguVersion+"\n")
		args := []string{"archive", "--format=zip", "--prefix=" + path.Join(dougu, module) + "@" + douguVersion + "/", "--output=" + filepath.Join(at, douguVersion+".zip")}
		tree := "HEAD:" + module
		if module == "." {
			tree = "HEAD"
		}
		args = append(args, tree, "--", ".")
		for _, file := range nested {
			if below, ok := strings.CutPrefix(path.Dir(file), strings.TrimPrefix(module+"/", "./")); ok && below != "" {
				args = append(args, ":(exclude)"+below)
			}
		}
		git(args...)
	}
	return proxy
}
