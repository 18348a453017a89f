package terminal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/need"
	"github.com/dougu-go/dougu/tools/terminal"
)

// Confined commands work in the project and touch nothing else.
func TestCommandsAreConfined(t *testing.T) {
	need.Thing(t, terminal.ConfinementSupported(), "Landlock", "run it on Linux 5.13 or newer")
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	more := t.TempDir()
	p := newProject(t, setup{options: terminal.Options{Confine: &terminal.Confinement{Write: []string{more}}}})
	for line, ok := range map[string]bool{
		"echo a >inside && cat inside && rm inside": true,
		"mktemp":                          true,
		"echo a >" + more + "/b":          true,
		"cat " + secret:                   false,
		"echo a >" + outside + "/new":     false,
		"cat /etc/passwd":                 false,
		"(setsid cat /etc/passwd) 2>&1":   false,
		"kill -0 $PPID":                   false,
		"echo a | tee /dev/null | grep a": true,
	} {
		if r := p.run(t, terminal.CommandArgs{Command: line}); ok != (r.ExitCode == 0) {
			t.Errorf("%s: %+v", line, r)
		}
	}
	if r := p.run(t, terminal.CommandArgs{Command: "test -t 0 && cat " + secret, PTY: true}); !strings.Contains(r.Stdout, "denied") {
		t.Errorf("on a terminal: %+v", r)
	}
	readOnly := newProject(t, setup{readOnly: true, files: map[string]string{"file": "text"}, options: terminal.Options{Confine: &terminal.Confinement{}}})
	if r := readOnly.run(t, terminal.CommandArgs{Command: "cat file && ! echo x >file"}); r.ExitCode != 0 || r.Stdout != "text" {
		t.Errorf("in a read-only project: %+v", r)
	}
}
