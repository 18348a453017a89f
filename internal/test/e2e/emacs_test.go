//go:build unix

package e2e

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/transport"
)

// TestEditor_Emacs starts and ends a real Emacs while the example editor runs. The editor's tools appear and disappear, and open
// files are changed in Emacs.
func TestEditor_Emacs(t *testing.T) {
	t.Parallel()
	_, err := exec.LookPath("emacs")
	testrequire.Deep(t, err == nil, "emacs", "install Emacs 27 or later, such as emacs-nox")
	w := newWorkshop(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "b\n"})
	private, err := os.MkdirTemp("", "emacs") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(private) })
	changed := make(chan string, 100)
	w.client = connect(t, transport.Command{
		Path: build(t, examples+"/editor"), Args: []string{"-root", w.dir, "-editors", "emacs"}, Env: []string{"EMACS_SOCKET_NAME=" + filepath.Join(private, "emacs", "server")},
	}, &mcp.ClientOptions{OnListChanged: func(list string) {
		select {
		case changed <- list:
		default:
		}
	}})
	w.awaitTool(changed, "open_file_in_editor", false)
	end := startEmacs(t, w.dir, private)
	w.awaitTool(changed, "open_file_in_editor", true)

	ask[editor.OpenFileResult](w, "open_file_in_editor", map[string]any{"path": "a.txt", "line": 2})
	ask[editor.EditTextResult](w, "insert_text", map[string]any{"text": "new "})
	w.has("a.txt", "one\nnew two\n")
	if edit := ask[editor.InsertCodeResult](w, "insert_code", map[string]any{"path": "a.txt", "line": 1, "content": "zero"}); edit.Editor != "emacs" || !edit.Saved {
		t.Errorf("%+v", edit)
	}
	w.has("a.txt", "zero\none\nnew two\n")
	if edit := ask[editor.InsertCodeResult](w, "insert_code", map[string]any{"path": "b.txt", "line": 1, "content": "a"}); edit.Editor != "" {
		t.Errorf("of a file that it has not open: %+v", edit)
	}
	if active := ask[editor.ActiveFileResult](w, "get_active_file", map[string]any{}); active.Path == nil || *active.Path != "a.txt" {
		t.Errorf("%+v", active)
	}
	end()
	w.awaitTool(changed, "open_file_in_editor", false)
}

// startEmacs starts an Emacs server in a terminal of its own.
func startEmacs(t *testing.T, dir, private string) (end func()) {
	t.Helper()
	ours, theirs, err := pty.Open()
	if err == nil {
		err = pty.Setsize(ours, &pty.Winsize{Cols: 80, Rows: 24})
	}
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command("emacs", "-Q", "-nw", "--eval", "(server-start)")
	program.Dir = dir
	program.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+private, "HOME="+private, "TERM=xterm", "LC_ALL=C.UTF-8")
	program.Stdin, program.Stdout, program.Stderr = theirs, theirs, theirs
	program.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, ours)
	}()
	ended := false
	end = func() {
		if !ended {
			ended = true
			_ = program.Process.Kill()
			_ = program.Wait()
			ours.Close()
			<-drained
		}
	}
	t.Cleanup(end)
	return end
}
