package hardlink_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/hardlink"
	"github.com/dougu-go/dougu/security/internal/pattern"
)

// TestFinder_Directories finds matching files above a directory, in directories that patterns name, and below
// matching directories.
func TestFinder_Directories(t *testing.T) {
	dir := t.TempDir()
	files := []string{".env", "a/.env", "a/b/plain", "a/b/.git/hooks/x", "a/.ssh/deep/key", "other/.env"}
	for _, name := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	finder := hardlink.Finder{Root: root}
	rules, malformed := pattern.Compile([]string{".env", ".git/hooks/*", ".ssh"})
	if malformed != nil {
		t.Fatal(malformed)
	}
	for _, tt := range []struct {
		how  string
		find func() hardlink.Identities
		want map[string]bool
	}{
		{"Find", func() hardlink.Identities { return finder.Find(rules, "a/b") },
			map[string]bool{".env": true, "a/.env": true, "a/b/.git/hooks/x": true, "a/.ssh/deep/key": true}},
		{"FindIn", func() hardlink.Identities { return finder.FindIn(rules, rules.Bases(), "a/b") },
			map[string]bool{"a/b/.git/hooks/x": true}},
	} {
		found := tt.find()
		for _, name := range files {
			info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			if got := found.Hold(info); got != tt.want[name] {
				t.Errorf("%s finds %s: %v, want %v", tt.how, name, got, tt.want[name])
			}
		}
	}
}
