package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// TestProcess_CommandsEndWithServer starts commands that detach themselves, in a server that ends in several ways. The test finds the
// commands by the variable HOME of the server.
func TestProcess_CommandsEndWithServer(t *testing.T) {
	t.Parallel()
	// A program that is started with SIGHUP ignored (nohup) ignores it, too. Programs started while this program catches the signal
	// do not.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hangups) })
	cursorcli := build(t, "../../../examples/cursorcli")
	forms := []string{
		"sleep 86400 & echo started",
		"setsid sleep 86400 >/dev/null 2>&1 & echo started",
		"nohup setsid sh -c 'trap \"\" TERM HUP; sleep 86400; sleep 86400' >/dev/null 2>&1 & echo started",
		"(setsid sh -c 'sleep 86400 & sleep 86400 &' &) >/dev/null 2>&1; echo started",
	}
	for name, end := range map[string]func(s *server) error{
		"SIGKILL":      func(s *server) error { return s.cmd.Process.Kill() },
		"SIGHUP":       func(s *server) error { return s.cmd.Process.Signal(syscall.SIGHUP) },
		"SIGTERM":      func(s *server) error { return s.cmd.Process.Signal(syscall.SIGTERM) },
		"closed input": func(s *server) error { return s.stdin.Close() },
	} {
		for _, sandbox := range []string{"off", "auto"} {
			t.Run(name+"/sandbox "+sandbox, func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				cmd := exec.Command(cursorcli, "-profile", "coding", "-commands-sandbox", sandbox)
				cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "HOME="+home)
				p := launchCommand(t, cmd)
				s := attend(t, cmd, p.stdin, follow("standard output", p.stdout), follow("standard error", p.stderr))
				for i, form := range forms {
					arguments, err := json.Marshal(map[string]any{"command": form, "waitMs": 0})
					if err != nil {
						t.Fatal(err)
					}
					s.send(modernCall(i+1, "execute_command", string(arguments)))
					if m := s.answer(i + 1); m.Error != nil {
						t.Fatalf("%s: %s", form, m.Error.Message)
					}
				}
				eventually(t, "the commands run", func() bool { return bytes.Count(commandLines(home), []byte("sleep")) >= len(forms) })
				if err := end(s); err != nil {
					t.Fatal(err)
				}
				s.waits()
				eventually(t, fmt.Sprintf("the end of all commands after %s", name), func() bool { return len(commandLines(home)) == 0 })
			})
		}
	}
}

// commandLines returns the command lines of all processes with the given HOME.
func commandLines(home string) (all []byte) {
	found, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range found {
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(append([]byte{0}, environ...), []byte("\x00HOME="+home+"\x00")) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		all = append(all, line...)
	}
	return all
}
