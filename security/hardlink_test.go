package security_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
)

// TestHardLinks checks that hard links of blocked and protected files are recognized, and that others are allowed.
func TestHardLinks(t *testing.T) {
	dir := layout(t, map[string]string{
		".env": secret, ".AWS/credentials": secret, ".ssh/deep/key": secret, "src/.npmrc": secret, ".git/config": "config", ".git/hooks/x": "hook",
		".vscode/tasks.json": "tasks", "src/plain": "plain", ".aws/config": "region", "src/lib/": "",
	})
	links := map[string]struct {
		of            string
		read, written security.Reason
	}{
		"src/lib/a": {".env", security.BlockedPattern, security.BlockedPattern},
		"b":         {".AWS/credentials", security.BlockedPattern, security.BlockedPattern},
		"src/c":     {".ssh/deep/key", security.BlockedPattern, security.BlockedPattern},
		"src/lib/d": {"src/.npmrc", security.BlockedPattern, security.BlockedPattern},
		"e":         {".git/config", "", security.ProtectedFile},
		"src/lib/f": {".git/hooks/x", "", security.ProtectedFile},
		"src/g":     {".vscode/tasks.json", "", security.ProtectedFile},
		"src/lib/h": {"src/plain", "", ""},
		"i":         {".aws/config", "", ""},
	}
	for name, link := range links {
		if err := os.Link(filepath.Join(dir, link.of), filepath.Join(dir, name)); err != nil {
			t.Skip("the file system has no hard links")
		}
	}
	r := open(t, quick, dir)
	for name, link := range links {
		if _, _, err := r.ReadFile(t.Context(), name, 100); reasonOf(t, err) != link.read {
			t.Errorf("read %s, which is %s: %v", name, link.of, err)
		}
		d, err := r.OpenDir(t.Context(), filepath.ToSlash(filepath.Dir(name)))
		if err != nil {
			t.Fatal(err)
		}
		f, err := d.Open(t.Context(), filepath.Base(name))
		if reasonOf(t, err) != link.read {
			t.Errorf("read %s, which is %s, in its directory: %v", name, link.of, err)
		}
		if err == nil {
			f.Close()
		}
		d.Close()
	}
	for name, link := range links {
		if _, err := r.Write(t.Context(), name, []byte("new"), security.WriteOptions{Overwrite: true}); reasonOf(t, err) != link.written {
			t.Errorf("write %s, which is %s: %v", name, link.of, err)
		}
		if got := onDisk(t, dir, link.of); got == "new" {
			t.Errorf("%s was written by its other name %s", link.of, name)
		}
	}
}

func reasonOf(t *testing.T, err error) security.Reason {
	t.Helper()
	if err == nil {
		return ""
	}
	return asError(t, err).Reason
}

// linkedProject creates n files with a hard link outside of the project, as package managers do.
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

// TestHardLinks_LinearTime compares the memory allocations of reading one of many and one of few linked files: a listing of the
// directory for each read would make one for each entry.
func TestHardLinks_LinearTime(t *testing.T) {
	allocations := func(files int) float64 {
		r := open(t, quick, linkedProject(t, files))
		return testing.AllocsPerRun(20, func() {
			if _, _, err := r.ReadFile(t.Context(), "f00000.js", 10); err != nil {
				t.Fatal(err)
			}
		})
	}
	few, many := allocations(4), allocations(400)
	if t.Logf("%v and %v allocations", few, many); many > few+50 {
		t.Errorf("%v allocations for one of 400 files, and %v for one of 4", many, few)
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
