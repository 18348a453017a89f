package command_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// isRunning reports whether a process is running.
func isRunning(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	return fields[0] != "Z" && fields[0] != "X"
}

// awaitExit waits for the end of a process.
func awaitExit(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); isRunning(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the process %d is still alive", pid)
		}
	}
}

// startServer starts a server with one agent, and returns a process that the agent has
// started in the background.
func startServer(t *testing.T, state string) (*exec.Cmd, int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(self, serve, state, `setsid sleep 86400 >/dev/null 2>&1 & echo "said: $!"; sleep 86400`)
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		if _, err := command.Reap(context.Background(), state); err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	return server, pid
}

// entries waits until a directory has n entry files, and returns their names.
func entries(t *testing.T, dir string, n int) []string {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		found, err := filepath.Glob(filepath.Join(dir, "*.agent.json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == n {
			return found
		}
		if time.Now().After(end) {
			t.Fatalf("there are %d files, want %d", len(found), n)
		}
	}
}

func TestReap_DeadServer(t *testing.T) {
	state := t.TempDir()
	dying, orphan := startServer(t, state)
	_, other := startServer(t, state)
	entries(t, state, 2)
	if n, err := command.Reap(t.Context(), state); n != 0 || err != nil || !isRunning(orphan) {
		t.Fatalf("of living servers %d agents were ended: %v", n, err)
	}
	if err := dying.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = dying.Wait()
	if !isRunning(orphan) {
		t.Fatal("the process did not outlive its server, and there is nothing to test")
	}
	if n, err := command.Reap(t.Context(), state); n != 1 || err != nil {
		t.Errorf("of a dead server %d agents were ended: %v", n, err)
	}
	awaitExit(t, orphan)
	if files, err := filepath.Glob(filepath.Join(state, "run-*", "secret")); err != nil || len(files) != 1 {
		t.Errorf("there are the files %v of one agent that runs, %v", files, err)
	}
	if !isRunning(other) {
		t.Error("an agent of another server was ended")
	}
	entries(t, state, 1)
}

func TestReap_InvalidEntries(t *testing.T) {
	stranger := exec.Command("sleep", "86400")
	stranger.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = stranger.Process.Kill()
		_ = stranger.Wait()
	}()
	state := t.TempDir()
	write := func(name string, value any) {
		t.Helper()
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(state, name+".agent.json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	type object = map[string]any
	dead := object{"pid": 1 << 30, "birth": "x"}
	mark := strings.Repeat("A", 26)
	old := time.Now().Add(-2 * time.Hour)
	write("recycled", object{"mark": mark, "pid": stranger.Process.Pid, "birth": "long ago", "server": dead})
	write("short-mark", object{"mark": "", "pid": stranger.Process.Pid, "birth": "long ago", "server": dead})
	write("no-server", object{"mark": mark, "pid": stranger.Process.Pid, "birth": "long ago"})
	write("init", object{"mark": mark, "pid": 1, "birth": "long ago", "server": dead})
	write("all", object{"mark": mark, "pid": -1, "birth": "long ago", "server": dead})
	write("text", "nothing")
	if err := os.WriteFile(filepath.Join(state, "torn.agent.json"), []byte(`{"mark":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(state, "torn.agent.json"), old, old); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(state, "link.agent.json")); err != nil {
		t.Fatal(err)
	}
	write("elsewhere", object{"mark": mark, "pid": 1 << 30, "birth": "x", "server": dead, "files": "run-/../../kept"})
	kept := filepath.Join(filepath.Dir(state), "kept")
	for _, dir := range []string{kept, filepath.Join(state, "run-new"), filepath.Join(state, "run-old")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(state, "run-old"), old, old); err != nil {
		t.Fatal(err)
	}
	n, err := command.Reap(t.Context(), state)
	if n != 2 || err != nil {
		t.Errorf("%d entries were believed: %v", n, err)
	}
	if !isRunning(stranger.Process.Pid) {
		t.Error("a stranger was ended")
	}
	if _, err := os.Stat(filepath.Join(state, "torn.agent.json")); err == nil {
		t.Error("an old file that says nothing is still there")
	}
	for dir, there := range map[string]bool{kept: true, filepath.Join(state, "run-new"): true, filepath.Join(state, "run-old"): false} {
		if _, err := os.Stat(dir); (err == nil) != there {
			t.Errorf("that %s is there is not %v: %v", dir, there, err)
		}
	}
	if _, err := command.Reap(t.Context(), filepath.Join(state, "none")); err != nil {
		t.Errorf("without a directory: %v", err)
	}
}
