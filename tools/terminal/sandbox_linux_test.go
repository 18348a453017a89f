package terminal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/terminal"
)

func TestExecute_Sandbox(t *testing.T) {
	outside, more := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := newProject(t, setup{sandbox: &sandbox.Options{Write: []string{more}}, files: map[string]string{".vscode/tasks.json": "{}"}})
	for line, ok := range map[string]bool{
		"echo a >inside && cat inside && rm inside": true,
		"mktemp":                           true,
		"echo a >" + more + "/b":           true,
		"cat " + secret:                    false,
		"echo a >" + outside + "/new":      false,
		"(setsid cat " + secret + ") 2>&1": false,
		"kill -0 $PPID && test $PPID != 1": false,
		"echo a | tee /dev/null | grep a":  true,
		"echo x >.vscode/tasks.json":       false,
	} {
		if r := p.run(t, terminal.CommandArgs{Command: line}); ok != (r.ExitCode == 0) {
			t.Errorf("%s: %+v", line, r)
		}
	}
	if r := p.run(t, terminal.CommandArgs{Command: "test -t 0 && ! cat " + secret, PTY: true}); r.ExitCode != 0 {
		t.Errorf("on a terminal: %+v", r)
	}
	readOnly := newProject(t, setup{readOnly: true, files: map[string]string{"file": "text"}, sandbox: &sandbox.Options{}})
	if r := readOnly.run(t, terminal.CommandArgs{Command: "cat file && ! echo x >file"}); r.ExitCode != 0 || r.Stdout != "text" {
		t.Errorf("in a read-only project: %+v", r)
	}
}

// A command in a sandbox ends, and is ended, like another one.
func TestExecute_SandboxEnds(t *testing.T) {
	p := newProject(t, setup{sandbox: &sandbox.Options{}})
	if r := p.run(t, terminal.CommandArgs{Command: "kill -TERM $$"}); r.Signal != "SIGTERM" {
		t.Errorf("a command that ends by a signal: %+v", r)
	}
	if r := p.run(t, terminal.CommandArgs{Command: "cat", Stdin: new("text")}); r.Stdout != "text" {
		t.Errorf("input: %+v", r)
	}
	r := p.run(t, terminal.CommandArgs{Command: "trap 'echo caught; exit 3' TERM; echo ready; while :; do sleep 0.01; done", Background: true})
	p.readUntil(t, r.ProcessID, "ready")
	if _, err := p.Kill(t.Context(), terminal.KillArgs{ProcessID: r.ProcessID, Signal: "SIGTERM"}); err != nil {
		t.Fatal(err)
	}
	if end, _ := p.awaitEnd(t, r.ProcessID); end.ExitCode != 3 {
		t.Errorf("a command that handles a signal: %+v", end)
	}
	r = p.run(t, terminal.CommandArgs{Command: "echo begun; sleep 1000 & echo $! >left", Background: false})
	if !r.LeftBehind || r.ExitCode != 0 {
		t.Errorf("a command that leaves something behind: %+v", r)
	}
	if _, err := p.Kill(t.Context(), terminal.KillArgs{ProcessID: r.ProcessID}); err != nil {
		t.Error(err)
	}
	if r = p.run(t, terminal.CommandArgs{Command: "sleep 1000 >/dev/null 2>&1 </dev/null & echo $!"}); !r.LeftBehind || r.ExitCode != 0 {
		t.Errorf("a command that leaves something quiet behind: %+v", r)
	}
	if r = p.run(t, terminal.CommandArgs{Command: "true"}); r.LeftBehind || r.ProcessID != "" {
		t.Errorf("a command that leaves nothing behind: %+v", r)
	}
	began := time.Now()
	if _, err := p.Execute(t.Context(), terminal.CommandArgs{Command: "sleep 1000 & trap '' TERM; wait", Timeout: 100}); err == nil || time.Since(began) > hang {
		t.Errorf("a command that takes too long: %v after %v", err, time.Since(began))
	}
}

// A sandbox cannot prevent the creation of a new file with a protected name; the file is renamed afterwards.
func TestExecute_SandboxProtectedNames(t *testing.T) {
	p := newProject(t, setup{sandbox: &sandbox.Options{}, files: map[string]string{"file": ""}})
	r := p.run(t, terminal.CommandArgs{Command: "echo '{}' >.mcp.json; mkdir -p .vscode && echo '{}' >.vscode/tasks.json; ln -s file .envrc"})
	if len(r.Refused) != 3 || !strings.Contains(r.TextContent(), ".mcp.json.refused") {
		t.Errorf("%+v", r)
	}
	for _, name := range []string{".mcp.json", ".vscode", ".envrc"} {
		if _, err := os.Lstat(filepath.Join(p.dir, name)); err == nil {
			t.Errorf("%s exists", name)
		}
		if _, err := os.Lstat(filepath.Join(p.dir, name+sandbox.RefusedSuffix)); err != nil {
			t.Error(err)
		}
	}
}

// The answer names an alternative to changing the configuration of the repository.
func TestCommandResult_GitConfiguration(t *testing.T) {
	r := terminal.CommandResult{ExitCode: 4, Stderr: "error: could not write config file .git/config: Device or resource busy\n"}
	if text := r.TextContent(); !strings.Contains(text, "git -c KEY=VALUE") {
		t.Error(text)
	}
}
