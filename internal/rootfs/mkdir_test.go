package rootfs_test

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/internal/rootfs"
)

func TestPlace_Mkdir(t *testing.T) {
	for _, durability := range []rootfs.Durability{rootfs.Full, rootfs.Process} {
		dir := tree(t, map[string]string{"file": "x", "dir/": "", "link": "-> dir"})
		r := open(t, dir)
		for name, want := range map[string]error{"new": nil, "link/new": nil, "file": fs.ErrExist, "dir": fs.ErrExist, "link": fs.ErrExist, ".": fs.ErrExist, "none/new": fs.ErrNotExist} {
			p := spot(t, r, name)
			if err := p.Mkdir(0o777, durability); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
			if want == nil && (p.Info == nil || !p.Info.IsDir()) {
				t.Errorf("%s: the place holds %v", name, p.Info)
			}
		}
		want := map[string]string{"file": "x", "dir/": "", "link": "-> dir", "new/": "", "dir/new/": ""}
		if got := listing(t, dir); !maps.Equal(got, want) {
			t.Errorf("made %v, want %v", got, want)
		}
	}
}

func TestPlace_OpenDir(t *testing.T) {
	dir := tree(t, map[string]string{"file": "x", "dir/a": "a", "link": "-> dir"})
	r := open(t, dir)
	d, err := spot(t, r, "dir").OpenDir()
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if entries, err := d.Next(10); err != nil || !slices.Equal(entries, []rootfs.Entry{{Name: "a"}}) || d.Path != "dir" {
		t.Errorf("%s holds %v, %v", d.Path, entries, err)
	}
	if _, err := d.Next(10); err != io.EOF {
		t.Errorf("after the last entry: %v", err)
	}
	for name, want := range map[string]error{"file": rootfs.ErrNotDirectory, "link": rootfs.ErrLink, "none": fs.ErrNotExist} {
		if _, err := spot(t, r, name).OpenDir(); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	exchanged := spot(t, r, "dir")
	if err := errors.Join(os.Rename(filepath.Join(dir, "dir"), filepath.Join(dir, "other")), os.Mkdir(filepath.Join(dir, "dir"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := exchanged.OpenDir(); !errors.Is(err, rootfs.ErrChanged) {
		t.Errorf("another directory: %v", err)
	}
}

func TestPlace_Remove(t *testing.T) {
	entries := map[string]string{"file": "x", "full/a/b": "b", "full/link": "-> ../kept", "empty/": "", "link": "-> kept", "kept/x": "x"}
	for name, tt := range map[string]struct{ one, all error }{
		"file": {}, "empty": {}, "link": {}, "full": {one: errAny}, ".": {fs.ErrInvalid, fs.ErrInvalid}, "none": {fs.ErrNotExist, fs.ErrNotExist},
	} {
		for what, want := range map[string]error{"Remove": tt.one, "RemoveAll": tt.all} {
			dir := tree(t, entries)
			p := spot(t, open(t, dir), name)
			before := listing(t, dir)
			var err error
			if what == "Remove" {
				err = p.Remove(rootfs.Full)
			} else {
				err = p.RemoveAll()
			}
			if err == nil != (want == nil) || want != errAny && !errors.Is(err, want) {
				t.Errorf("%s of %s: %v, want %v", what, name, err, want)
			}
			after := listing(t, dir)
			for entry := range before {
				_, there := after[entry]
				_, below := cutDir(entry, name)
				if there == (below && want == nil) {
					t.Errorf("%s of %s: %s is there: %v", what, name, entry, there)
				}
			}
		}
	}
}

var errAny = errors.New("any error")

// TestPlace_RemoveExchanged puts something else in the place.
func TestPlace_RemoveExchanged(t *testing.T) {
	for what, remove := range map[string]func(p *rootfs.Place) error{
		"Remove": func(p *rootfs.Place) error { return p.Remove(rootfs.Process) }, "RemoveAll": (*rootfs.Place).RemoveAll,
	} {
		dir := tree(t, map[string]string{"file": "x", "other": "other"})
		p := spot(t, open(t, dir), "file")
		if err := os.Rename(filepath.Join(dir, "other"), filepath.Join(dir, "file")); err != nil {
			t.Fatal(err)
		}
		if err := remove(p); !errors.Is(err, rootfs.ErrChanged) || readFile(t, dir, "file") != "other" {
			t.Errorf("%s: %v", what, err)
		}
	}
}
