package trash

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
)

func openRoot(t *testing.T) (*rootfs.Root, string) {
	t.Helper()
	dir := t.TempDir()
	root, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, dir
}

func writeFile(t *testing.T, name ...string) {
	t.Helper()
	full := filepath.Join(name...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte("x"), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func TestNewPath_Original(t *testing.T) {
	accept := func(string) bool { return true }
	trashed := NewPath("a/b/file", accept)
	if from, ok := Original(trashed); !ok || from != "a/b/file" || !isEntry(EntryOf(trashed)) {
		t.Errorf("%s was at %q, %v", trashed, from, ok)
	}
	trashed = NewPath("a/b/file", func(p string) bool { return !strings.Contains(p, "a/b") })
	if from, _ := Original(trashed); from != "file" {
		t.Errorf("%s, which is too long with its directories, was at %q", trashed, from)
	}
	for _, other := range []string{"file", Dir, Dir + "/x", Dir + "/x/y", Dir + "/20250101T000000.000000Z-0123abcd", Dir + "/20250101T000000.000000Z-0123abcx/y", "a/" + trashed} {
		if from, ok := Original(other); ok {
			t.Errorf("%s was at %q", other, from)
		}
	}
}

func TestPlace_Gitignore(t *testing.T) {
	root, dir := openRoot(t)
	for i := range 2 {
		place, err := Place(root, Dir+"/entry/file", 0o700, rootfs.Process)
		if err != nil {
			t.Fatal(err)
		}
		place.Close()
		text, err := os.ReadFile(filepath.Join(dir, Dir, ".gitignore"))
		if err != nil || string(text) != ignoreAll {
			t.Errorf("call %d: .gitignore holds %q, %v", i, text, err)
		}
		writeFile(t, dir, Dir, ".gitignore") // as a repository may bring it
	}
	if info, err := os.Stat(filepath.Join(dir, Dir, "entry")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the entry is %v, %v", info, err)
	}
}

func TestPlace_Link(t *testing.T) {
	root, dir := openRoot(t)
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, BackupDir), 0o755), os.Mkdir(filepath.Join(dir, "other"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "other"), filepath.Join(dir, BackupDir, "files")); err != nil {
		t.Skip(err)
	}
	if _, err := Place(root, Backups("file")+"/version", 0o777, rootfs.Process); !errors.Is(err, ErrLink) {
		t.Errorf("a place behind a link: %v", err)
	}
}

func TestSurplus(t *testing.T) {
	root, dir := openRoot(t)
	future := time.Now().UTC().Add(time.Hour).Format(layout) + "-0123abcd"
	for i := range maxEntries {
		writeFile(t, dir, Dir, fmt.Sprintf("20250101T000000.%06dZ-0123abcd", i), "file")
	}
	writeFile(t, dir, Dir, "other", "file")
	if got := Surplus(root); got != nil {
		t.Errorf("of 1,000 entries %v are too many", got)
	}
	writeFile(t, dir, Dir, future, "file")
	writeFile(t, dir, Dir, "20240101T000000.000000Z-0123abcd", "file")
	got := Surplus(root, "20240101T000000.000000Z-0123abcd")
	want := []string{future, "20250101T000000.000000Z-0123abcd"}
	if !slices.Equal(got, want) {
		t.Errorf("too many are %v, want %v", got, want)
	}
	for _, entry := range got {
		if err := Remove(root, entry); err != nil {
			t.Error(err)
		}
	}
	if left := Surplus(root); left != nil {
		t.Errorf("%v are left", left)
	}
	if err := Remove(root, "missing"); err != nil {
		t.Errorf("a missing entry: %v", err)
	}
}

func TestRemoveEmpty(t *testing.T) {
	root, dir := openRoot(t)
	writeFile(t, dir, Dir, "entry", "a", "file")
	if err := os.MkdirAll(filepath.Join(dir, Dir, "entry", "a", "b", "c"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	RemoveEmpty(root, Dir+"/entry/a/b/c")
	RemoveEmpty(root, "a/b")
	for name, want := range map[string]bool{Dir + "/entry/a/b": false, Dir + "/entry/a/file": true, "a/b": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPruneBackups(t *testing.T) {
	root, dir := openRoot(t)
	for i := range 25 {
		writeFile(t, dir, Backups("a/file"), fmt.Sprintf("20250101T000000.%06dZ-0123abcd", i))
	}
	writeFile(t, dir, Backups("a/file"), "notes.txt")
	made := NewBackup("a/file", "0123456789abcdef")
	writeFile(t, dir, made)
	if err := PruneBackups(root, made); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, Backups("a/file"), "2*"))
	if err != nil || len(names) != maxBackups || filepath.Base(names[0]) != "20250101T000000.000006Z-0123abcd" || filepath.Base(names[19]) != filepath.Base(made) {
		t.Errorf("%d versions from %v: %v", len(names), names, err)
	}
	if _, err := os.Stat(filepath.Join(dir, Backups("a/file"), "notes.txt")); err != nil {
		t.Error(err)
	}
}
