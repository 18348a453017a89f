package servercache_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/internal/servercache"
)

// newCache returns a cache with the server demo, and the path of its program.
func newCache(t *testing.T) (dir, program string) {
	t.Helper()
	dir = t.TempDir()
	program = filepath.Join(dir, "demo", "1.0", "demo-ls")
	write(t, program, "program")
	if err := servercache.Write(dir, "demo", servercache.Record{Version: "1.0", Programs: map[string]string{"demo-ls": program}}); err != nil {
		t.Fatal(err)
	}
	return dir, program
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestInstalled(t *testing.T) {
	dir, program := newCache(t)
	programs, version, ok := servercache.Installed(dir, "demo")
	if !ok || version != "1.0" || programs["demo-ls"] != program {
		t.Errorf("Installed returned %v, %q, %v", programs, version, ok)
	}
	if path, version, ok := servercache.Find(dir, "demo-ls"); !ok || path != program || version != "1.0" {
		t.Errorf("Find returned %q, %q, %v", path, version, ok)
	}
	if _, _, ok := servercache.Find(dir, "other"); ok {
		t.Error("Find returned a program that is not installed")
	}
	if names, err := servercache.Servers(dir); err != nil || !slices.Equal(names, []string{"demo"}) {
		t.Errorf("Servers returned %q, %v", names, err)
	}
}

// A package with several servers is found by the name of each.
func TestInstalled_SeveralServers(t *testing.T) {
	dir, program := newCache(t)
	if err := servercache.Write(dir, "demo", servercache.Record{Version: "2", Servers: []string{"json", "css"}, Programs: map[string]string{"demo-ls": program}}); err != nil {
		t.Fatal(err)
	}
	for server, want := range map[string]bool{"json": true, "css": true, "demo": true, "html": false, "": false} {
		if programs, version, ok := servercache.Installed(dir, server); ok != want || ok && (version != "2" || programs["demo-ls"] != program) {
			t.Errorf("Installed of %q returned %v, %q, %v", server, programs, version, ok)
		}
	}
}

func TestInstalled_ProgramGone(t *testing.T) {
	dir, program := newCache(t)
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := servercache.Installed(dir, "demo"); ok {
		t.Error("a server without its program counts as installed")
	}
	if _, _, ok := servercache.Find(dir, "demo-ls"); ok {
		t.Error("Find returned a path that does not exist")
	}
	if r, err := servercache.Read(dir, "demo"); err != nil || r.Version != "1.0" {
		t.Errorf("Read returned %+v, %v", r, err)
	}
}

func TestInstalled_InvalidRecord(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "cut off": `{"version":"1`, "no version": `{"programs":{"demo-ls":"/bin/sh"}}`, "no program": `{"version":"1"}`,
		"relative":  `{"version":"1","programs":{"demo-ls":"servercache_test.go"}}`,
		"directory": `{"version":"1","programs":{"demo-ls":"/"}}`, "too large": `{"version":"1"` + strings.Repeat(" ", 70<<10) + `,"programs":{"a":"/bin/sh"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "demo", "installed.json"), text)
			if programs, _, ok := servercache.Installed(dir, "demo"); ok {
				t.Errorf("the programs %v are installed", programs)
			}
			if path, _, ok := servercache.Find(dir, "demo-ls"); ok {
				t.Errorf("Find returned %q", path)
			}
		})
	}
}

func TestRead_InvalidName(t *testing.T) {
	dir, _ := newCache(t)
	for _, name := range []string{"", ".", "..", "../demo", "a/b", `a\b`, "demo\x00", ".git"} {
		if _, err := servercache.Read(filepath.Join(dir, "demo"), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Read of %q: %v", name, err)
		}
		if servercache.Write(dir, name, servercache.Record{}) == nil || servercache.Remove(dir, name) == nil {
			t.Errorf("%q is accepted as a name", name)
		}
	}
}

func TestRemove(t *testing.T) {
	dir, _ := newCache(t)
	for range 2 {
		if err := servercache.Remove(dir, "demo"); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, ok := servercache.Installed(dir, "demo"); ok {
		t.Error("the removed server is installed")
	}
	if names, err := servercache.Servers(filepath.Join(dir, "absent")); err != nil || names != nil {
		t.Errorf("Servers of a directory that does not exist: %q, %v", names, err)
	}
}

func TestDir(t *testing.T) {
	dir, err := servercache.Dir()
	if err != nil {
		t.Skipf("there is no cache directory: %v", err)
	}
	if !filepath.IsAbs(dir) || filepath.Base(dir) != "language-servers" {
		t.Errorf("Dir returned %q", dir)
	}
}
