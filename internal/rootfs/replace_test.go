package rootfs_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/rootfs"
)

func place(t *testing.T, r *rootfs.Root, path string) *rootfs.Place {
	t.Helper()
	p, err := r.Place(path, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func readFile(t *testing.T, name ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(name...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// temps lists the temporary files below a directory.
func temps(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && rootfs.IsTemp(d.Name()) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestReplace_Links(t *testing.T) {
	for _, durability := range []rootfs.Durability{rootfs.Full, rootfs.Process} {
		dir := tree(t, map[string]string{"a/file": "old", "link": "-> a/file", "abs": "-> ROOT/a/file", "dangling": "-> a/new"})
		r := open(t, dir)
		for _, name := range []string{"a/file", "link", "abs", "dangling"} {
			p := place(t, r, name)
			if _, err := p.Replace(rootfs.Replacement{Perm: 0o644, Durability: durability}, text("by "+name)); err != nil {
				t.Errorf("Replace at %q: %v", name, err)
			}
			if got := readFile(t, dir, name); got != "by "+name {
				t.Errorf("%q holds %q", name, got)
			}
		}
		for _, name := range []string{"link", "abs", "dangling"} {
			if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
				t.Errorf("%q is no link any more", name)
			}
		}
		if left := temps(t, dir); len(left) > 0 {
			t.Errorf("temporary files left: %v", left)
		}
	}
}

func TestReplace_Mode(t *testing.T) {
	dir := tree(t, map[string]string{"script": "old"})
	name := filepath.Join(dir, "script")
	if err := os.Chmod(name, 0o750|fs.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	p := place(t, open(t, dir), "script")
	like, _, err := p.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer like.Close()
	want, err := like.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Replace(rootfs.Replacement{Like: like, Durability: rootfs.Process}, text("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != want.Mode().Perm() {
		t.Errorf("mode is %v, want %v without setuid", info.Mode(), want.Mode().Perm())
	}
}

func TestReplace_Failure(t *testing.T) {
	dir := tree(t, map[string]string{"file": "old", "sub/": ""})
	r := open(t, dir)
	failure := errors.New("no")
	tests := []struct {
		name string
		at   string
		how  rootfs.Replacement
		put  func(io.Writer) error
		err  error
	}{
		{"the content fails", "file", rootfs.Replacement{}, func(io.Writer) error { return failure }, failure},
		{"the last check fails", "file", rootfs.Replacement{Before: func() error { return failure }}, text("new"), failure},
		{"it must be new and is not", "file", rootfs.Replacement{New: true}, text("new"), fs.ErrExist},
		{"a directory is there", "sub", rootfs.Replacement{}, text("new"), fs.ErrExist},
		{"it is the root", ".", rootfs.Replacement{}, text("new"), fs.ErrExist},
		{"a directory is missing", "no/file", rootfs.Replacement{}, text("new"), fs.ErrNotExist},
	}
	for _, tt := range tests {
		if _, err := place(t, r, tt.at).Replace(tt.how, tt.put); !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.err)
		}
	}
	if got := readFile(t, dir, "file"); got != "old" {
		t.Errorf("the file holds %q", got)
	}
	if left := temps(t, dir); len(left) > 0 {
		t.Errorf("temporary files left: %v", left)
	}
}

func TestReplace_New(t *testing.T) {
	dir := tree(t, nil)
	p := place(t, open(t, dir), "file")
	if _, err := p.Replace(rootfs.Replacement{Perm: 0o600, New: true}, text("new")); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, dir, "file"); got != "new" {
		t.Errorf("the file holds %q", got)
	}
	if left := temps(t, dir); len(left) > 0 {
		t.Errorf("temporary files left: %v", left)
	}
}

func TestReplace_HardLinks(t *testing.T) {
	dir := tree(t, map[string]string{"one": "old"})
	if err := os.Link(filepath.Join(dir, "one"), filepath.Join(dir, "two")); err != nil {
		t.Skip("the file system has no hard links")
	}
	p := place(t, open(t, dir), "one")
	f, info, err := p.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n := rootfs.Links(f, info); n != 2 {
		t.Errorf("Links = %d, want 2", n)
	}
	if _, err := p.Replace(rootfs.Replacement{Like: f}, text("new")); err != nil {
		t.Fatal(err)
	}
	if one, two := readFile(t, dir, "one"), readFile(t, dir, "two"); one != "new" || two != "old" {
		t.Errorf("one holds %q and two %q", one, two)
	}
}

func TestMakeParents(t *testing.T) {
	dir := tree(t, map[string]string{"a/": "", "link": "-> a", "file": "x"})
	r := open(t, dir)
	p := place(t, r, "link/b/c/new")
	if p.Path != "a/b/c/new" || p.Dir() != "a" || len(p.Missing) != 2 {
		t.Fatalf("place is %q in %q, missing %v", p.Path, p.Dir(), p.Missing)
	}
	if _, _, err := p.Open(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a missing entry: %v", err)
	}
	if err := p.MakeParents(0o755, rootfs.Full); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Replace(rootfs.Replacement{Perm: 0o644}, text("new")); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, dir, "a/b/c/new"); got != "new" {
		t.Errorf("the file holds %q", got)
	}
}

// TestMakeParents_ParentNames refuses a place that could only be reached by making a directory and leaving it again.
func TestMakeParents_ParentNames(t *testing.T) {
	r := open(t, tree(t, map[string]string{"link": "-> missing/../file"}))
	for _, path := range []string{"link", "missing/../file"} {
		if p, err := r.Place(path, true); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Place(%q) = %+v, %v", path, p, err)
		}
	}
}

func TestMakeParents_LinkAppears(t *testing.T) {
	outside := tree(t, nil)
	dir := tree(t, nil)
	p := place(t, open(t, dir), "x/y/file")
	if err := os.Symlink(outside, filepath.Join(dir, "x")); err != nil {
		t.Fatal(err)
	}
	if err := p.MakeParents(0o755, rootfs.Process); !errors.Is(err, rootfs.ErrNotDirectory) {
		t.Errorf("MakeParents through a link: %v", err)
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("made %v outside", entries)
	}
}

// TestPlace_DirectoryMoved exchanges the directory of a place for a link to the outside before it is used.
func TestPlace_DirectoryMoved(t *testing.T) {
	outside := tree(t, map[string]string{"file": "secret"})
	dir := tree(t, map[string]string{"a/file": "inside"})
	p := place(t, open(t, dir), "a/file")
	if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	f, _, err := p.Open()
	if err != nil {
		t.Fatal(err)
	}
	content, _ := io.ReadAll(f)
	f.Close()
	if string(content) != "inside" {
		t.Errorf("read %q", content)
	}
	if _, err := p.Replace(rootfs.Replacement{Perm: 0o644}, text("new")); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, outside, "file"); got != "secret" {
		t.Errorf("the file outside holds %q", got)
	}
	if got := readFile(t, dir, "moved", "file"); got != "new" {
		t.Errorf("the file inside holds %q", got)
	}
}

func TestPlace_OpenExchanged(t *testing.T) {
	dir := tree(t, map[string]string{"file": "one", "other": "two", "link": "-> file"})
	r := open(t, dir)
	p := place(t, r, "file")
	if err := os.Rename(filepath.Join(dir, "other"), filepath.Join(dir, "file")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Open(); !errors.Is(err, rootfs.ErrChanged) {
		t.Errorf("Open after an exchange: %v", err)
	}
	if err := p.Refresh(); err != nil {
		t.Fatal(err)
	}
	if err := p.Writable(); err != nil {
		t.Errorf("Writable: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "file")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Open(); !errors.Is(err, rootfs.ErrChanged) {
		t.Errorf("Open after a removal: %v", err)
	}
	if err := p.Refresh(); err != nil || p.Info != nil {
		t.Errorf("Refresh after a removal: %v, %v", p.Info, err)
	}
	link, err := r.Place("link", false)
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	if _, _, err := link.Open(); !errors.Is(err, rootfs.ErrLink) {
		t.Errorf("Open of a link: %v", err)
	}
}

func TestSweepTemps_LivingWriters(t *testing.T) {
	dir := tree(t, map[string]string{
		"sub/.dougu-tmp-0123456789abcdef0123456789abcdef": "left by the dead",
		"sub/keep": "x", "link": "-> sub",
	})
	r, sub := open(t, dir), open(t, filepath.Join(dir, "sub"))
	living, abandon, err := rootfs.CreateTemp(sub)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.SweepTemps("sub"); n != 1 || err != nil {
		t.Errorf("SweepTemps = %d, %v; want 1", n, err)
	}
	if left := temps(t, dir); len(left) != 1 || filepath.Base(left[0]) != living {
		t.Errorf("left %v, want only %s", left, living)
	}
	abandon()
	if n, err := r.SweepTemps("link"); n != 0 || !errors.Is(err, rootfs.ErrLink) {
		t.Errorf("SweepTemps through a link = %d, %v", n, err)
	}
	if n, err := r.SweepTemps("sub"); n != 1 || err != nil {
		t.Errorf("SweepTemps = %d, %v; want 1", n, err)
	}
	if _, err := r.SweepTemps("missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("SweepTemps of nothing: %v", err)
	}
	if got := readFile(t, dir, "sub/keep"); got != "x" {
		t.Error("another file was swept")
	}
}

func TestIsTemp(t *testing.T) {
	for name, want := range map[string]bool{
		".dougu-tmp-0123456789abcdef0123456789abcdef":   true,
		".DOUGU-TMP-0123456789ABCDEF0123456789ABCDEF":   true,
		".dougu-tmp-0123456789abcdef0123456789abcdeg":   false,
		".dougu-tmp-0123456789abcdef":                   false,
		".dougu-tmp-0123456789abcdef0123456789abcdef.x": false,
		"main.go": false,
		"":        false,
	} {
		if got := rootfs.IsTemp(name); got != want {
			t.Errorf("IsTemp(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestTryLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	first, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if ok, err := rootfs.TryLock(first); !ok || err != nil {
		t.Fatalf("TryLock = %v, %v", ok, err)
	}
	if ok, err := rootfs.TryLock(second); ok || err != nil {
		t.Fatalf("second TryLock = %v, %v; want refusal", ok, err)
	}
	first.Close()
	if ok, err := rootfs.TryLock(second); !ok || err != nil {
		t.Fatalf("TryLock after the first was closed = %v, %v", ok, err)
	}
	if _, err := rootfs.TryLock(first); err == nil {
		t.Error("TryLock of a closed file succeeded")
	}
}
