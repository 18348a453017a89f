package rootfs_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// openDir opens a directory of a new root.
func openDir(t *testing.T, dir, name string) *rootfs.Dir {
	t.Helper()
	d, err := open(t, dir).OpenDir(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// TestOpenDir_Paths opens directories with the kernel's help and without it.
func TestOpenDir_Paths(t *testing.T) {
	dir := tree(t, map[string]string{"a/b/file": "x", "link": "-> a/b", "file": "x", "out": "-> /"})
	for _, stepwise := range []bool{false, true} {
		r := open(t, dir)
		if stepwise {
			rootfs.Stepwise(r)
		}
		for name, final := range map[string]string{".": ".", "a/b": "a/b", "link": "a/b", "a/../link/.": "a/b"} {
			d, err := r.OpenDir(name)
			if err != nil {
				t.Errorf("OpenDir(%q), stepwise %v: %v", name, stepwise, err)
				continue
			}
			if d.Path != final || !d.Info.IsDir() {
				t.Errorf("OpenDir(%q), stepwise %v: %q, %v", name, stepwise, d.Path, d.Info.Mode())
			}
			d.Close()
		}
		for name, want := range map[string]error{"file": rootfs.ErrNotDirectory, "missing": fs.ErrNotExist, "out": rootfs.ErrEscapes} {
			if _, err := r.OpenDir(name); !errors.Is(err, want) {
				t.Errorf("OpenDir(%q), stepwise %v: %v, want %v", name, stepwise, err, want)
			}
		}
	}
}

// TestDir_NextReadsEveryEntryOnce reads a directory of which the kernel gives only a part at a time.
func TestDir_NextReadsEveryEntryOnce(t *testing.T) {
	want := map[string]fs.FileMode{"sub": fs.ModeDir, "link": fs.ModeSymlink}
	dir := tree(t, map[string]string{"sub/": "", "link": "-> sub"})
	for i := range 1500 {
		name := fmt.Sprintf("%04d-%s", i, strings.Repeat("x", i%200))
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		want[name] = 0
	}
	if err := os.WriteFile(filepath.Join(dir, ".dougu-tmp-"+strings.Repeat("0a", 16)), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, batch := range []int{-1, 0, 1, 7, 5000} {
		d := openDir(t, dir, ".")
		got := map[string]fs.FileMode{}
		for {
			entries, err := d.Next(batch)
			if err == io.EOF && len(entries) == 0 {
				break
			}
			if err != nil || len(entries) == 0 || batch > 0 && len(entries) > batch {
				t.Fatalf("Next(%d): %d entries, %v", batch, len(entries), err)
			}
			for _, e := range entries {
				if _, twice := got[e.Name]; twice {
					t.Errorf("%q was read twice", e.Name)
				}
				got[e.Name] = e.Type
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("in batches of %d: %d entries, want %d", batch, len(got), len(want))
		}
		if _, err := d.Read(); err != io.EOF {
			t.Errorf("Read behind the end: %v", err)
		}
	}
}

// TestDir_DescribeEqualsLstat compares the two ways to describe an entry.
func TestDir_DescribeEqualsLstat(t *testing.T) {
	dir := tree(t, map[string]string{"file": "content", "program": "x", "sub/": "", "link": "-> file", "dangling": "-> nowhere"})
	for name, mode := range map[string]fs.FileMode{"program": 0o755 | fs.ModeSetuid | fs.ModeSetgid, "sub": 0o770 | fs.ModeSticky, "file": 0o604} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	d := openDir(t, dir, ".")
	for _, name := range []string{"file", "program", "sub", "link", "dangling"} {
		info, err := d.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		meta, err := d.Describe(name)
		if err != nil || meta.Mode != info.Mode() || meta.Size != info.Size() || !meta.ModTime.Equal(info.ModTime()) {
			t.Errorf("%s is described as %v, %d, %v by Describe (%v), and as %v, %d, %v by Lstat", name,
				meta.Mode, meta.Size, meta.ModTime, err, info.Mode(), info.Size(), info.ModTime())
		}
		outside, err := os.Lstat(filepath.Join(dir, name))
		if err != nil || !os.SameFile(info, outside) {
			t.Errorf("Lstat(%q) is not known to the os package: %v", name, err)
		}
	}
	for _, name := range []string{"", ".", "..", "sub/x", "/"} {
		if _, err := d.Describe(name); err == nil {
			t.Errorf("Describe(%q) is no error", name)
		}
		if _, _, err := d.ReadFile(name, nil, 10); err == nil {
			t.Errorf("ReadFile(%q) is no error", name)
		}
	}
	if _, err := d.Describe("missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Describe of nothing: %v", err)
	}
}

// TestDir_ReadFileBuffer reads files of all sizes with all limits.
func TestDir_ReadFileBuffer(t *testing.T) {
	dir := tree(t, map[string]string{})
	d := openDir(t, dir, ".")
	for _, size := range []int{0, 1, 511, 512, 513, 4096, 100_000, 1<<20 - 1, 1 << 20, 3 << 20} {
		want := bytes.Repeat([]byte("abcdefg"), size/7+1)[:size]
		name := fmt.Sprint(size)
		if err := os.WriteFile(filepath.Join(dir, name), want, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, buf := range [][]byte{nil, []byte("old content"), make([]byte, 0, size), make([]byte, size+1), make([]byte, 1<<16)} {
			got, meta, err := d.ReadFile(name, buf, 4<<20)
			if err != nil || !bytes.Equal(got, want) || meta.Size != int64(size) || !meta.Mode.IsRegular() {
				t.Fatalf("%d bytes into room for %d: %d bytes, %+v, %v", size, cap(buf), len(got), meta, err)
			}
			if cap(buf) > size && size > 0 && &got[0] != &buf[:1][0] {
				t.Errorf("%d bytes were not read into the room for %d", size, cap(buf))
			}
		}
		for _, limit := range []int{size, size - 1, size / 2, 0, -1} {
			got, _, err := d.ReadFile(name, nil, limit)
			limit = max(limit, 0)
			if fits := limit >= size; fits != (err == nil) || !fits && err != rootfs.ErrLarge || !bytes.Equal(got, want[:min(limit, size)]) {
				t.Errorf("%d bytes with a limit of %d: %d bytes, %v", size, limit, len(got), err)
			}
		}
	}
}

func TestDir_ReadFileKinds(t *testing.T) {
	d := openDir(t, tree(t, map[string]string{"sub/": "", "link": "-> file", "file": "x"}), ".")
	for name, want := range map[string]error{"sub": rootfs.ErrDirectory, "link": rootfs.ErrLink, "missing": fs.ErrNotExist} {
		content, _, err := d.ReadFile(name, []byte("buffer"), 10)
		var step *rootfs.StepError
		if !errors.Is(err, want) || !errors.As(err, &step) || step.Name != name || len(content) > 0 {
			t.Errorf("ReadFile(%q): %q, %v, want %v", name, content, err, want)
		}
	}
}

func TestDir_Remove(t *testing.T) {
	dir := tree(t, map[string]string{"file": "x", "empty/": "", "full/file": "x", "link": "-> full", "kept": "x"})
	d := openDir(t, dir, ".")
	for _, name := range []string{"file", "empty", "link"} {
		if err := d.Remove(name); err != nil {
			t.Errorf("Remove(%q): %v", name, err)
		}
	}
	if err := d.Remove("full"); err == nil {
		t.Error("a directory with a file in it was removed")
	}
	if err := d.Remove("missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Remove of nothing: %v", err)
	}
	if err := d.Remove("full/file"); err == nil {
		t.Error("a path was taken for a name")
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if want := []string{filepath.Join(dir, "full"), filepath.Join(dir, "kept")}; err != nil || !slices.Equal(left, want) {
		t.Errorf("%q is left, %v", left, err)
	}
}

// TestDir_Closed uses a directory that is closed. The number of its descriptor may belong to another one by then.
func TestDir_Closed(t *testing.T) {
	dir := tree(t, map[string]string{"file": "x", "sub/": "", "other/file": "not this one"})
	r := open(t, dir)
	d, err := r.OpenDir(".")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Read(); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if other, err := r.OpenDir("other"); err != nil {
		t.Fatal(err)
	} else {
		defer other.Close()
	}
	calls := map[string]func() error{
		"Read":     func() error { _, err := d.Read(); return err },
		"Next":     func() error { _, err := d.Next(1); return err },
		"Lstat":    func() error { _, err := d.Lstat("file"); return err },
		"Describe": func() error { _, err := d.Describe("file"); return err },
		"Open":     func() error { _, err := d.Open("file"); return err },
		"OpenDir":  func() error { _, err := d.OpenDir("sub"); return err },
		"ReadFile": func() error { _, _, err := d.ReadFile("file", nil, 10); return err },
		"Remove":   func() error { return d.Remove("file") },
		"Close":    d.Close,
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
}
