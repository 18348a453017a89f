package presence_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

func TestAnnouncements(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
	}
	if all, faults := presence.Announcements(filepath.Join(dir, "none")); all != nil || faults != nil {
		t.Errorf("a missing directory: %v, %v", all, faults)
	}
	write("a.json", "{}", 0o600)
	write("a.json.tmp", "{", 0o600)
	write("long.json", strings.Repeat(" ", 1<<17), 0o600)
	if err := os.Mkdir(filepath.Join(dir, "directory.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	all, faults := presence.Announcements(dir)
	if len(all) != 1 || string(all[0].Text) != "{}" || all[0].File != filepath.Join(dir, "a.json") || len(faults) != 1 || !strings.Contains(faults[0].Error(), "longer than") {
		t.Errorf("%v, %v", all, faults)
	}
	if runtime.GOOS == "windows" {
		return // its profiles are private
	}
	write("a.json", "{}", 0o644)
	write("long.json", "", 0o600)
	if all, faults := presence.Announcements(dir); len(all) != 1 || len(faults) != 1 || !strings.Contains(faults[0].Error(), "another user") {
		t.Errorf("a file that others can read: %v, %v", all, faults)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if all, faults := presence.Announcements(dir); len(all) > 0 || len(faults) != 1 || !strings.Contains(faults[0].Error(), "only its owner") {
		t.Errorf("a directory that others can read: %v, %v", all, faults)
	}
}

func TestAnnouncements_Many(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 70 {
		if err := os.WriteFile(filepath.Join(dir, strings.Repeat("x", i+1)+".json"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if all, faults := presence.Announcements(dir); len(all) != 64 || len(faults) != 1 {
		t.Errorf("%d announcements, %v", len(all), faults)
	}
}

func TestAnnouncementDirs(t *testing.T) {
	if got := presence.AnnouncementDirs("vscode", "/x"); len(got) != 1 || got[0] != "/x" {
		t.Errorf("with another directory: %q", got)
	}
	if runtime.GOOS == "windows" {
		return
	}
	t.Setenv("HOME", "/home/me")
	t.Setenv("XDG_RUNTIME_DIR", "/run/user/7")
	if got := strings.Join(presence.AnnouncementDirs("neovim", ""), " "); got != "/run/user/7/dougu/neovim /home/me/.cache/dougu/neovim" {
		t.Errorf("the directories are %q", got)
	}
	t.Setenv("XDG_RUNTIME_DIR", "relative")
	if got := strings.Join(presence.AnnouncementDirs("neovim", ""), " "); strings.Contains(got, "relative") {
		t.Errorf("the directories are %q", got)
	}
}
