package rootfs_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// spot is the place of a path whose last name is not followed.
func spot(t *testing.T, r *rootfs.Root, path string) *rootfs.Place {
	t.Helper()
	p, err := r.Place(path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// listing returns the entries below a directory: targets of links and contents of files by name.
func listing(t *testing.T, dir string) map[string]string {
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
		case d.IsDir():
			found[name+"/"] = ""
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			found[name] = "-> " + target
			return err
		default:
			found[name] = readFile(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// movers are the ways in which an entry is moved.
func movers() map[string]func(p, to *rootfs.Place) error {
	all := map[string]func(p, to *rootfs.Place) error{
		"flushed":     func(p, to *rootfs.Place) error { return p.MoveTo(to, rootfs.Full) },
		"not flushed": func(p, to *rootfs.Place) error { return p.MoveTo(to, rootfs.Process) },
	}
	maps.Copy(all, systemMovers())
	return all
}

// TestMoveTo moves every kind of entry to where nothing is, and to where something is.
func TestMoveTo(t *testing.T) {
	entries := map[string]string{
		"file": "content", "dir/a": "a", "dir/b/c": "c", "link": "-> file", "dirlink": "-> dir", "dangling": "-> none", "empty/": "",
		"in/file": "there", "in/empty/": "", "in/full/x": "x", "in/link": "-> ../file",
	}
	sources := []string{"file", "dir", "link", "dirlink", "dangling", "empty"}
	for how, move := range movers() {
		for _, source := range sources {
			for _, dest := range []string{"new", "in/new", "dirlink/new"} {
				dir := tree(t, entries)
				r := open(t, dir)
				before := listing(t, dir)
				p, to := spot(t, r, source), spot(t, r, dest)
				err := move(p, to)
				after := listing(t, dir)
				if source == "dir" && dest == "dirlink/new" {
					if err == nil || !maps.Equal(before, after) {
						t.Errorf("%s: a directory into itself: %v; %v became %v", how, err, before, after)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s: %s to %s: %v", how, source, dest, err)
				}
				for name, content := range before {
					now := name
					if rest, ok := cutDir(name, source); ok {
						now = to.Path + rest
					}
					if got, ok := after[now]; !ok || got != content {
						t.Errorf("%s: %s to %s: %s is %q, %v", how, source, dest, now, got, ok)
					}
				}
				if len(after) != len(before) {
					t.Errorf("%s: %s to %s: %d entries became %d", how, source, dest, len(before), len(after))
				}
			}
			for _, dest := range []string{"in/file", "in/empty", "in/full", "in/link", "in"} {
				dir := tree(t, entries)
				r := open(t, dir)
				before := listing(t, dir)
				if err := move(spot(t, r, source), spot(t, r, dest)); !errors.Is(err, fs.ErrExist) {
					t.Errorf("%s: %s over %s: %v", how, source, dest, err)
				}
				if after := listing(t, dir); !maps.Equal(before, after) {
					t.Errorf("%s: %s over %s: %v became %v", how, source, dest, before, after)
				}
			}
		}
	}
}

// cutDir cuts a directory off a path in a listing.
func cutDir(name, dir string) (rest string, ok bool) {
	if name == dir || len(name) > len(dir) && name[:len(dir)] == dir && name[len(dir)] == '/' {
		return name[len(dir):], true
	}
	return "", false
}

func TestMoveTo_Refused(t *testing.T) {
	dir := tree(t, map[string]string{"file": "x", "dir/": ""})
	r := open(t, dir)
	for what, move := range map[string]struct {
		from, to string
		want     error
	}{
		"nothing":                    {"none", "new", fs.ErrNotExist},
		"to a missing directory":     {"file", "none/new", fs.ErrNotExist},
		"the root":                   {".", "new", fs.ErrInvalid},
		"over the root":              {"file", ".", fs.ErrExist},
		"from where a directory was": {"none/file", "new", fs.ErrNotExist},
	} {
		if err := spot(t, r, move.from).MoveTo(spot(t, r, move.to), rootfs.Full); !errors.Is(err, move.want) {
			t.Errorf("%s: %v, want %v", what, err, move.want)
		}
	}
}

// TestMoveTo_Exchanged changes the directory between Root.Place and MoveTo.
func TestMoveTo_Exchanged(t *testing.T) {
	for what, tt := range map[string]struct {
		disturb func(dir string) error
		want    error
		left    map[string]string
	}{
		"another file":     {func(dir string) error { return os.Rename(dir+"/other", dir+"/file") }, rootfs.ErrChanged, map[string]string{"file": "other"}},
		"a link":           {func(dir string) error { return errors.Join(os.Remove(dir+"/file"), os.Symlink("other", dir+"/file")) }, rootfs.ErrChanged, map[string]string{"file": "-> other", "other": "other"}},
		"gone":             {func(dir string) error { return os.Remove(dir + "/file") }, fs.ErrNotExist, map[string]string{"other": "other"}},
		"destination made": {func(dir string) error { return os.WriteFile(dir+"/new", []byte("made"), 0o644) }, fs.ErrExist, map[string]string{"file": "file", "other": "other", "new": "made"}},
	} {
		dir := tree(t, map[string]string{"file": "file", "other": "other"})
		r := open(t, dir)
		p, to := spot(t, r, "file"), spot(t, r, "new")
		if err := tt.disturb(dir); err != nil {
			t.Fatal(err)
		}
		if err := p.MoveTo(to, rootfs.Process); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", what, err, tt.want)
		}
		if got := listing(t, dir); !maps.Equal(got, tt.left) {
			t.Errorf("%s: left %v, want %v", what, got, tt.left)
		}
	}
}

// TestMoveTo_ExchangedDirectory puts a link in place of both directories after the places were found.
func TestMoveTo_ExchangedDirectory(t *testing.T) {
	dir := tree(t, map[string]string{"a/file": "right", "b/": "", "c/file": "wrong", "d/": ""})
	r := open(t, dir)
	p, to := spot(t, r, "a/file"), spot(t, r, "b/file")
	for name, link := range map[string]string{"a": "c", "b": "d"} {
		if err := errors.Join(os.Rename(filepath.Join(dir, name), filepath.Join(dir, name+"-moved")), os.Symlink(link, filepath.Join(dir, name))); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.MoveTo(to, rootfs.Full); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a": "-> c", "b": "-> d", "a-moved/": "", "b-moved/": "", "b-moved/file": "right", "c/": "", "c/file": "wrong", "d/": ""}
	if got := listing(t, dir); !maps.Equal(got, want) {
		t.Errorf("left %v, want %v", got, want)
	}
}

// TestMoveTo_OtherSpelling renames an entry to another spelling of its name, where the file system says that there is an entry of that name
// already: the same.
func TestMoveTo_OtherSpelling(t *testing.T) {
	for _, name := range []string{"File", "Dir"} {
		dir := tree(t, map[string]string{"File": "content", "Dir/x": "x"})
		r := open(t, dir)
		p := spot(t, r, name)
		to := rootfs.Respelled(p, name+"2")
		if same, err := p.SameEntry(to); !same || err != nil {
			t.Errorf("%s: another spelling is another entry: %v", name, err)
		}
		if err := p.MoveTo(to, rootfs.Full); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var names []string
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if err != nil || len(names) != 2 || !slices.Contains(names, name+"2") {
			t.Errorf("%s: left %v, %v", name, names, err)
		}
	}
}

// TestMoveTo_HardLinks moves a file over another name of itself, which is not its own name in another spelling.
func TestMoveTo_HardLinks(t *testing.T) {
	dir := tree(t, map[string]string{"a": "content", "sub/": ""})
	for _, other := range []string{"b", "sub/a"} {
		if err := os.Link(filepath.Join(dir, "a"), filepath.Join(dir, other)); err != nil {
			t.Skip("the file system has no hard links")
		}
		r := open(t, dir)
		p, to := spot(t, r, "a"), spot(t, r, other)
		if same, err := p.SameEntry(to); same || err != nil {
			t.Errorf("%s is a: %v", other, err)
		}
		if err := p.MoveTo(to, rootfs.Process); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a over %s: %v", other, err)
		}
		if same, err := p.SameEntry(spot(t, r, "a")); !same || err != nil {
			t.Errorf("a is not itself: %v", err)
		}
	}
	if got := listing(t, dir); len(got) != 4 {
		t.Errorf("left %v", got)
	}
}
