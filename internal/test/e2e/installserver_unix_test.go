//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// rustupScript is a rustup that adds a rust-analyzer to its own directory. Adding a component hangs while the file "hang" is there.
const rustupScript = `#!/bin/sh
here=${0%/*}
case "$1" in
show) echo "stable-test (default)" ;;
component)
  if [ -e "$here/hang" ]; then
    sh -c 'echo $$ >"$0/child"; exec sleep 600' "$here" &
    wait
  fi
  [ "$2" = remove ] && rm "$here/rust-analyzer" || echo program >"$here/rust-analyzer" ;;
which) echo "$here/rust-analyzer" ;;
esac
`

// withRustup returns an installer with a stand-in for rustup, and the directory of the stand-in.
func withRustup(t *testing.T) (*installer, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "rustup"), []byte(rustupScript), 0o755); err != nil {
		t.Fatal(err)
	}
	return newInstaller(t, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH")), dir
}

func TestInstallServer(t *testing.T) {
	t.Parallel()
	i, dir := withRustup(t)
	program := filepath.Join(dir, "rust-analyzer")
	if code, out := i.run("install-server", "-yes", "rust"); code != 0 || !strings.Contains(out, "rust-analyzer stable-test is installed: "+program) {
		t.Errorf("install-server ends with %d:\n%s", code, out)
	}
	if code, out := i.run("install-server"); code != 0 || !strings.Contains(out, "stable-test") {
		t.Errorf("the list ends with %d:\n%s", code, out)
	}
	if code, out := i.run("uninstall-server", "rust"); code != 0 || !strings.Contains(out, "is removed") {
		t.Errorf("uninstall-server ends with %d:\n%s", code, out)
	}
	if _, err := os.Stat(program); err == nil {
		t.Error("the component is still there")
	}
}

// Ctrl-C ends the client with all of its children.
func TestInstallServer_Interrupted(t *testing.T) {
	t.Parallel()
	i, dir := withRustup(t)
	if err := os.WriteFile(filepath.Join(dir, "hang"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := i.command(t.Context(), "install-server", "-yes", "rust")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for late := time.Now().Add(patience); pid == 0 && time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(filepath.Join(dir, "child")); err == nil {
			pid, _ = strconv.Atoi(strings.TrimSpace(string(text))) // 0 until it is written
		}
	}
	if pid == 0 {
		t.Fatal("the client has not started its child")
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code is checked below
	if cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("it ends with %v", cmd.ProcessState)
	}
	if err := syscall.Kill(pid, 0); err == nil {
		t.Errorf("the child %d of the client is alive", pid)
	}
	if code, out := i.run("install-server"); code != 0 || strings.Contains(out, "stable-test") {
		t.Errorf("the list ends with %d:\n%s", code, out)
	}
}
