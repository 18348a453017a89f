package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/transport"
)

// TestEditor_Neovim starts and ends a real Neovim while the example editor runs. The editor's tools appear and disappear, and open
// files are changed in Neovim.
func TestEditor_Neovim(t *testing.T) {
	t.Parallel()
	_, err := exec.LookPath("nvim")
	testrequire.Deep(t, err == nil && runtime.GOOS != "windows", "nvim", "install Neovim 0.7 or later")
	w := newWorkshop(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "b\n"})
	private, err := os.MkdirTemp("", "nvim") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(private) })
	socket := filepath.Join(private, "nvim.sock")
	changed := make(chan string, 100)
	w.client = connect(t, transport.Command{
		Path: build(t, examples+"/editor"), Args: []string{"-root", w.dir, "-editors", "neovim"}, Env: []string{"NVIM=" + socket},
	}, &mcp.ClientOptions{OnListChanged: func(list string) {
		select {
		case changed <- list:
		default:
		}
	}})
	w.awaitTool(changed, "open_file_in_editor", false)

	nvim := exec.Command("nvim", "--headless", "--clean", "-n", "--listen", socket)
	nvim.Dir = w.dir
	if err := nvim.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	end := func() {
		if !ended {
			ended = true
			_ = nvim.Process.Kill()
			_ = nvim.Wait()
		}
	}
	defer end()
	w.awaitTool(changed, "open_file_in_editor", true)

	ask[editor.OpenFileResult](w, "open_file_in_editor", map[string]any{"path": "a.txt", "line": 2})
	ask[editor.EditTextResult](w, "insert_text", map[string]any{"text": "new "})
	w.has("a.txt", "one\nnew two\n")
	if out, err := exec.Command("nvim", "--server", socket, "--remote-send", "xx").CombinedOutput(); err != nil { // as the user types
		t.Fatalf("%v: %s", err, out)
	}
	var active editor.ActiveFileResult
	for deadline := time.Now().Add(patience); !active.IsDirty && time.Now().Before(deadline); { // Neovim reads the keys with a delay
		active = ask[editor.ActiveFileResult](w, "get_active_file", map[string]any{})
	}
	if active.Path == nil || *active.Path != "a.txt" || !active.IsDirty || active.CursorPosition == nil || active.CursorPosition.Line != 2 {
		t.Errorf("active is %+v", active)
	}
	// An unsaved buffer remains unsaved; a saved buffer is saved again.
	edit := ask[editor.InsertCodeResult](w, "insert_code", map[string]any{"path": "a.txt", "line": 1, "content": "zero"})
	if edit.Editor != "neovim" || edit.Saved {
		t.Errorf("the edit is %+v", edit)
	}
	w.has("a.txt", "one\nnew two\n")
	ask[editor.OpenFileResult](w, "open_file_in_editor", map[string]any{"path": "b.txt"})
	if edit := ask[editor.InsertCodeResult](w, "insert_code", map[string]any{"path": "b.txt", "line": 1, "content": "a"}); edit.Editor != "neovim" || !edit.Saved {
		t.Errorf("the edit is %+v", edit)
	}
	w.has("b.txt", "a\nb\n")

	end()
	w.awaitTool(changed, "open_file_in_editor", false)
	result, err := w.client.CallTool(t.Context(), "get_active_file", map[string]any{}, nil)
	if err != nil || !result.IsError || result.ErrorCode() != "IDE_NOT_RUNNING" {
		t.Errorf("without Neovim get_active_file answers %+v, %v", result, err)
	}
}

// awaitTool waits until a tool is listed, or no longer listed.
func (w *workshop) awaitTool(changed <-chan string, name string, listed bool) {
	w.t.Helper()
	deadline := time.After(patience)
	for {
		names := all(w.t, w.client.Tools(w.t.Context()), func(tool mcp.Tool) string { return tool.Name })
		if slices.Contains(names, name) == listed {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			w.t.Fatalf("%s is listed: %v, want %v", name, !listed, listed)
		}
	}
}
