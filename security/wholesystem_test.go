package security_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// A whole file system can be one of the directories: nothing lies outside of it, so what this package keeps for itself is hidden.
func TestAWholeFileSystem(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "cache"))
	t.Setenv("LocalAppData", filepath.Join(home, "cache"))
	project, elsewhere := t.TempDir(), t.TempDir()
	top := filepath.VolumeName(project) + string(filepath.Separator)
	r, err := security.OpenRoot(security.RootOptions{Dirs: []string{project, top}, Durability: security.Process})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	name := filepath.Join(elsewhere, "file")
	if _, err := r.Write(t.Context(), name, []byte("x"), security.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, r, name); got != "x" {
		t.Errorf("read %q", got)
	}
	locks := filepath.Join(home, "cache", "dougu", "locks")
	if _, err := os.Stat(locks); err != nil {
		t.Fatalf("the locks are elsewhere: %v", err)
	}
	for _, path := range []string{locks, filepath.Join(locks, "x.lock")} {
		if _, err := r.Stat(t.Context(), path); asError(t, err).Reason != security.BlockedPattern {
			t.Errorf("%s: %v", path, err)
		}
	}
}
