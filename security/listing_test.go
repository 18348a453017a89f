package security_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
)

// linkedProject has n files with a second name outside of the project, as package managers make them.
func linkedProject(t *testing.T, n int) (dir string) {
	t.Helper()
	dir, store := t.TempDir(), t.TempDir()
	for i := range n {
		name := fmt.Sprintf("f%05d.js", i)
		if err := os.WriteFile(filepath.Join(store, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(filepath.Join(store, name), filepath.Join(dir, name)); err != nil {
			t.Skip("the file system has no hard links")
		}
	}
	return dir
}

// TestHardLinks_LinearTime counts the memory allocations of reading one of many linked files: a listing of the directory for each
// read would make one for each entry.
func TestHardLinks_LinearTime(t *testing.T) {
	r := open(t, quick, linkedProject(t, 400))
	allocations := testing.AllocsPerRun(20, func() {
		if _, _, err := r.ReadFile(t.Context(), "f00000.js", 10); err != nil {
			t.Fatal(err)
		}
	})
	if allocations > 150 {
		t.Errorf("%v allocations for one file", allocations)
	}
}

// TestHardLinks_NewSecret reads a link of a secret that was made after the directory was listed.
func TestHardLinks_NewSecret(t *testing.T) {
	dir := linkedProject(t, 2)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(dir, old, old); err != nil {
		t.Fatal(err)
	}
	r := open(t, quick, dir)
	if _, _, err := r.ReadFile(t.Context(), "f00000.js", 10); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, ".env"), filepath.Join(dir, "plain.txt")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.ReadFile(t.Context(), "plain.txt", 100); reasonOf(t, err) != security.BlockedPattern {
		t.Errorf("the new secret by its other name: %v", err)
	}
}
