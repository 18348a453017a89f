package plugin_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/neovim/plugin"
)

// tree returns the names of all files below a directory.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			all = append(all, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestInstall(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "pack", "dougu", "start", "dougu")
	if _, err := plugin.Version(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a plugin: %v", err)
	}
	must(t, plugin.Install(dir, "1.2.3"))
	want := []string{"doc/dougu.txt", "lua/dougu/health.lua", "lua/dougu/init.lua", "lua/dougu/version.lua", "plugin/dougu.lua"}
	if got := tree(t, dir); !slices.Equal(got, want) {
		t.Errorf("the files are %q, want %q", got, want)
	}
	if version, err := plugin.Version(dir); version != "1.2.3" || err != nil {
		t.Errorf("the version is %q, %v", version, err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "doc", "tags"), nil, 0o600)) // by :helptags
	must(t, os.WriteFile(filepath.Join(dir, "plugin", "dougu.lua"), []byte("error('old')"), 0o600))
	must(t, plugin.Install(dir, "1.2.4-rc.1"))
	if version, err := plugin.Version(dir); version != "1.2.4-rc.1" || err != nil {
		t.Errorf("the version is %q, %v", version, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "plugin", "dougu.lua")); err != nil || strings.Contains(string(text), "old") {
		t.Errorf("the old plugin is still there: %v", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
		t.Errorf("files are left over: %v, %v", entries, err)
	}
	must(t, plugin.Remove(dir))
	if left := tree(t, root); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
	if _, err := os.Stat(filepath.Join(root, "pack", "dougu")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty directory is left: %v", err)
	}
	if err := plugin.Remove(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing plugin: %v", err)
	}
}

// A directory with files of the user is neither replaced nor removed.
func TestInstall_ForeignFiles(t *testing.T) {
	for _, name := range []string{"init.lua", ".git/HEAD", "lua/dougu/mine.lua", "lua/mine.lua", "plugin/dougu.lua/x"} {
		dir := filepath.Join(t.TempDir(), "dougu")
		file := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		must(t, os.WriteFile(file, []byte("mine"), 0o600))
		if err := plugin.Install(dir, "1.2.3"); !errors.Is(err, plugin.ErrForeign) {
			t.Errorf("%s: installing gives %v", name, err)
		}
		if err := plugin.Remove(dir); !errors.Is(err, plugin.ErrForeign) {
			t.Errorf("%s: removing gives %v", name, err)
		}
		if text, err := os.ReadFile(file); string(text) != "mine" {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
}

// A link, for example to the user's own clone, is not replaced.
func TestInstall_Link(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir, clone := filepath.Join(t.TempDir(), "dougu"), t.TempDir()
	must(t, os.Symlink(clone, dir))
	if err := plugin.Install(dir, "1.2.3"); !errors.Is(err, plugin.ErrForeign) {
		t.Errorf("installing gives %v", err)
	}
	if err := plugin.Remove(dir); !errors.Is(err, plugin.ErrForeign) {
		t.Errorf("removing gives %v", err)
	}
	if left := tree(t, clone); len(left) > 0 {
		t.Errorf("%q was written through the link", left)
	}
}

func TestInstall_InvalidVersion(t *testing.T) {
	for _, version := range []string{"", "1.2", "1.2.3'..os.execute('x')..'", "1.2.3\n", "v1.2.3"} {
		dir := filepath.Join(t.TempDir(), "dougu")
		if err := plugin.Install(dir, version); err == nil {
			t.Errorf("%q is a version", version)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%q was installed", version)
		}
	}
}

func TestVersion_Invalid(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "lua", "dougu", "version.lua")
	must(t, os.MkdirAll(filepath.Dir(file), 0o700))
	for _, text := range []string{"", "return nil", "return '1.2.3' -- mine\n", strings.Repeat("-", 1<<20)} {
		must(t, os.WriteFile(file, []byte(text), 0o600))
		if version, err := plugin.Version(dir); err == nil {
			t.Errorf("%.20q gives %q", text, version)
		}
	}
	must(t, os.WriteFile(file, []byte("return '1.2.3'\r\n"), 0o600)) // of a clone on Windows
	if version, err := plugin.Version(dir); version != "1.2.3" || err != nil {
		t.Errorf("%q, %v", version, err)
	}
}
