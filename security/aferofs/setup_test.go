package aferofs_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
)

const secret = "TOP SECRET"

// layout makes files and links below a new directory. A value is the content of a file, or "-> x" for a link to x, where
// ROOT stands for the directory itself; a name that ends in a slash is a directory.
func layout(t testing.TB, entries map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range entries {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		target, isLink := strings.CutPrefix(content, "-> ")
		var err error
		switch {
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(full, 0o755)
		case isLink:
			err = os.Symlink(strings.ReplaceAll(target, "ROOT", dir), full)
		default:
			err = os.WriteFile(full, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// open opens a Root over a directory, with its state in a directory of the test's own. It leaves flushing to the system.
func open(t testing.TB, dir string) *security.Root {
	t.Helper()
	r, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, Durability: security.Process, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func onDisk(t testing.TB, name ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(name...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func asError(t testing.TB, err error) *security.Error {
	t.Helper()
	e, ok := errors.AsType[*security.Error](err)
	if !ok {
		t.Fatalf("%T is no *security.Error: %v", err, err)
	}
	return e
}

// contents returns the files and directories below a directory, without the trash.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		switch {
		case name == security.TrashDir:
			return filepath.SkipDir
		case d.IsDir():
			found[name+"/"] = ""
		case d.Type().IsRegular():
			content, err := os.ReadFile(path)
			found[name] = string(content)
			return err
		default:
			found[name] = d.Type().String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// trashed returns the content of the trash of a directory, without the names of its entries.
func trashed(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, security.TrashDir))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		if e.Name() != ".gitignore" {
			maps.Copy(found, contents(t, filepath.Join(dir, security.TrashDir, e.Name())))
		}
	}
	return found
}

// differences lists the entries that were removed and added.
func differences(before, after map[string]string) string {
	var b strings.Builder
	for name, content := range before {
		if now, ok := after[name]; !ok || now != content {
			b.WriteString(" -" + name)
		}
	}
	for name, content := range after {
		if was, ok := before[name]; !ok || was != content {
			b.WriteString(" +" + name + "=" + content)
		}
	}
	return b.String()
}
