package security_test

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/security"
)

func TestDir_Walk(t *testing.T) {
	r := open(t, quick, layout(t, map[string]string{
		"src/main.go": "main", "src/link": "-> main.go", "src/.env": "SECRET=1", "src/.env.example": "SECRET=",
		"src/sub/deep.go": "deep", "src/sub/key.pem": "SECRET", ".dougu-backup/files/x/1": "old",
		"src/bidi\u202etxt.exe": "x", "src/bad\u200bname.go": "x", "src/.ssh/config": "SECRET",
	}))
	found := map[string]security.Kind{}
	var walk func(d *security.Dir)
	walk = func(d *security.Dir) {
		defer d.Close()
		for {
			entries, err := d.Next(t.Context(), 2)
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			for _, e := range entries {
				found[d.Path(e.Name)] = e.Kind
				if e.Kind != security.Directory {
					continue
				}
				child, err := d.OpenDir(t.Context(), e.Name)
				if err != nil {
					t.Error(err)
					continue
				}
				walk(child)
			}
		}
	}
	top, err := r.OpenDir(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	walk(top)
	want := map[string]security.Kind{
		"src": security.Directory, "src/main.go": security.RegularFile, "src/link": security.Symlink,
		"src/.env.example": security.RegularFile, "src/sub": security.Directory, "src/sub/deep.go": security.RegularFile,
	}
	for name, kind := range want {
		if found[name] != kind {
			t.Errorf("%q is %v, want %v", name, found[name], kind)
		}
		delete(found, name)
	}
	if len(found) > 0 {
		t.Errorf("listed what must be hidden: %v", found)
	}
}

func TestDir_Entries(t *testing.T) {
	r := open(t, quick, layout(t, map[string]string{"src/main.go": "main", "src/link": "-> main.go", "src/.env": "x", "src/sub/": ""}))
	d, err := r.OpenDir(t.Context(), "src")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if info := d.Info(); info.Path != "src" || info.Kind != security.Directory {
		t.Errorf("Info = %+v", info)
	}
	for {
		if _, err := d.Next(t.Context(), 100); err != nil {
			break
		}
	}
	if d.Skipped() != 1 {
		t.Errorf("Skipped = %d, want 1", d.Skipped())
	}
	f, err := d.Open(t.Context(), "main.go")
	if err != nil {
		t.Fatal(err)
	}
	if content, _ := io.ReadAll(f); string(content) != "main" || f.Info().Path != "src/main.go" {
		t.Errorf("read %q of %q", content, f.Info().Path)
	}
	f.Close()
	if info, err := d.Lstat(t.Context(), "link"); err != nil || info.Kind != security.Symlink {
		t.Errorf("Lstat = %+v, %v", info, err)
	}
	refusals := []struct {
		name string
		code security.Code
	}{
		{"link", security.NotRegularFile}, {"sub", security.IsDirectory}, {"missing", security.FileNotFound},
		{".env", security.PermissionDenied}, {"..", security.InvalidParams}, {"sub/x", security.InvalidParams}, {"", security.InvalidParams},
	}
	for _, tt := range refusals {
		if _, err := d.Open(t.Context(), tt.name); security.CodeOf(err) != tt.code {
			t.Errorf("Open(%q): %v, want %v", tt.name, err, tt.code)
		}
	}
	if _, err := d.OpenDir(t.Context(), "main.go"); security.CodeOf(err) != security.NotDirectory {
		t.Errorf("OpenDir of a file: %v", err)
	}
	if _, err := d.OpenDir(t.Context(), ".."); security.CodeOf(err) != security.InvalidParams {
		t.Errorf("OpenDir(..): %v", err)
	}
	if _, err := d.Lstat(t.Context(), "missing"); security.CodeOf(err) != security.FileNotFound {
		t.Errorf("Lstat of nothing: %v", err)
	}
	if _, err := d.Lstat(t.Context(), "a/b"); security.CodeOf(err) != security.InvalidParams {
		t.Errorf("Lstat of a path: %v", err)
	}
}

func TestMakeDir(t *testing.T) {
	entries := map[string]string{"file": "x", "dir/": "", "link": "-> dir", "dangling": "-> made", "toFile": "-> file"}
	for _, tt := range []struct {
		path    string
		parents bool
		code    security.Code
		final   string
		created bool
	}{
		{"new", false, "", "new", true},
		{"new", true, "", "new", true},
		{"a/b/c", true, "", "a/b/c", true},
		{"a/b/c", false, security.FileNotFound, "", false},
		{"dir", false, "", "dir", false},
		{"link", true, "", "dir", false},
		{"link/new", false, "", "dir/new", true},
		{"dangling", false, "", "made", true},
		{".", true, "", ".", false},
		{"file", true, security.AlreadyExists, "", false},
		{"toFile", true, security.AlreadyExists, "", false},
		{"file/new", true, security.NotDirectory, "", false},
	} {
		dir := layout(t, entries)
		before := contents(t, dir)
		result, err := open(t, quick, dir).MakeDir(t.Context(), tt.path, tt.parents)
		if security.CodeOf(err) != tt.code || result.Path != tt.final || result.Created != tt.created {
			t.Errorf("%s, %v: %+v, %v", tt.path, tt.parents, result, err)
		}
		info, statErr := os.Stat(filepath.Join(dir, tt.path))
		if tt.code == "" && (statErr != nil || !info.IsDir()) {
			t.Errorf("%s, %v: %v, %v", tt.path, tt.parents, info, statErr)
		}
		if after := contents(t, dir); maps.Equal(before, after) == tt.created {
			t.Errorf("%s, %v:%s", tt.path, tt.parents, differences(before, after))
		}
	}
}
