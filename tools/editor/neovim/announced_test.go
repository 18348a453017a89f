//go:build unix

package neovim_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/neovim"
)

// announce writes an announcement to the directory in which the adapter looks for them, and returns its file.
func announce(t *testing.T, name string, about map[string]any) string {
	t.Helper()
	text, err := json.Marshal(about)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(os.Getenv("DOUGU_NEOVIM_DIR"), name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// announcing makes only the announcements in an empty directory visible.
func announcing(t *testing.T) (host string) {
	t.Helper()
	alone(t, t.TempDir())
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DOUGU_NEOVIM_DIR", dir)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	return host
}

func TestAnnouncements(t *testing.T) {
	host := announcing(t)
	l := listen(t, nil)
	n := neovim.New(neovim.Options{Root: "/project"})
	defer n.Close(context.Background())
	if n.State().Running {
		t.Error("a Neovim was found before it was announced")
	}
	announce(t, "1.json", map[string]any{"address": l.address, "pid": os.Getpid(), "host": host})
	_, _, _ = n.Document(t.Context(), "/project/a.txt") // looks again
	if s := n.State(); !s.Running {
		t.Errorf("the announced Neovim is not connected: %+v", s)
	}
}

// Announcements that are no more true or never were are not used.
func TestAnnouncements_Invalid(t *testing.T) {
	host := announcing(t)
	ended := exec.CommandContext(t.Context(), "true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	l := listen(t, nil)
	shared := filepath.Join(t.TempDir(), "shared")
	if err := errors.Join(os.Mkdir(shared, 0o700), os.Chmod(shared, 0o777), os.Link(l.address, filepath.Join(shared, "socket"))); err != nil {
		t.Fatal(err)
	}
	stale := announce(t, "ended.json", map[string]any{"address": l.address, "pid": ended.Process.Pid, "host": host})
	announce(t, "host.json", map[string]any{"address": l.address, "pid": os.Getpid(), "host": host + "x"})
	announce(t, "shared.json", map[string]any{"address": filepath.Join(shared, "socket"), "pid": os.Getpid(), "host": host})
	announce(t, "file.json", map[string]any{"address": stale, "pid": os.Getpid(), "host": host})
	announce(t, "missing.json", map[string]any{"address": "/none/socket", "pid": os.Getpid(), "host": host})
	announce(t, "relative.json", map[string]any{"address": "a/socket", "pid": os.Getpid(), "host": host})
	announce(t, "machine.json", map[string]any{"address": "192.0.2.1:1", "pid": os.Getpid(), "host": host})
	announce(t, "empty.json", map[string]any{})
	if err := os.WriteFile(filepath.Join(os.Getenv("DOUGU_NEOVIM_DIR"), "text.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := neovim.New(neovim.Options{Root: "/project"})
	defer n.Close(context.Background())
	if _, _, err := n.Document(t.Context(), "/project/a.txt"); err == nil {
		t.Error("an invalid announcement was used")
	}
	if _, err := os.Stat(stale); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the announcement of an ended process is still there: %v", err)
	}
}
