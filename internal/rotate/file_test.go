package rotate_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/internal/rotate"
)

// contents are the files of a directory, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(text)
	}
	return all
}

func appendLines(t *testing.T, f *rotate.File, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if err := f.Append([]byte(line + "\n")); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
	}
}

func closed(t *testing.T, f *rotate.File) *rotate.File {
	t.Helper()
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func want(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if got := contents(t, dir); fmt.Sprint(got) != fmt.Sprint(files) {
		t.Errorf("the files are %q, want %q", got, files)
	}
}

func TestFile_Rotates(t *testing.T) {
	for name, tc := range map[string]struct {
		max   int64
		keep  int
		lines []string
		files map[string]string
	}{
		"room for all":          {100, 2, []string{"one", "two"}, map[string]string{"log": "one\ntwo\n"}},
		"exactly full":          {8, 2, []string{"one", "two"}, map[string]string{"log": "one\ntwo\n"}},
		"a line too many":       {8, 2, []string{"one", "two", "3"}, map[string]string{"log": "3\n", "log.1": "one\ntwo\n"}},
		"a line over the limit": {2, 2, []string{"long"}, map[string]string{"log": "long\n"}},
		"the oldest is dropped": {1, 2, []string{"1", "2", "3", "4"}, map[string]string{"log": "4\n", "log.1": "3\n", "log.2": "2\n"}},
		"none is kept":          {1, 0, []string{"1", "2", "3"}, map[string]string{"log": "3\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			f := closed(t, &rotate.File{Name: filepath.Join(dir, "log"), Max: tc.max, Keep: tc.keep, Sync: true})
			appendLines(t, f, tc.lines...)
			want(t, dir, tc.files)
		})
	}
}

func TestFile_LimitsChange(t *testing.T) {
	dir := t.TempDir()
	f := closed(t, &rotate.File{Name: filepath.Join(dir, "log"), Max: 1, Keep: 1})
	appendLines(t, f, "1", "2")
	f.Max, f.Keep = 4, 2
	appendLines(t, f, "3", "4")
	want(t, dir, map[string]string{"log": "4\n", "log.1": "2\n3\n", "log.2": "1\n"})
}

// Two files of one name are what two processes have.
func TestFile_SharedByProcesses(t *testing.T) {
	dir := t.TempDir()
	a := closed(t, &rotate.File{Name: filepath.Join(dir, "log"), Max: 3, Keep: 9})
	b := closed(t, &rotate.File{Name: filepath.Join(dir, "log"), Max: 3, Keep: 9})
	for i := range 4 {
		appendLines(t, a, fmt.Sprint("a", i))
		appendLines(t, b, fmt.Sprint("b", i))
	}
	var all []string
	for _, text := range contents(t, dir) {
		all = append(all, text)
	}
	for i := range 4 {
		for _, line := range []string{fmt.Sprint("a", i), fmt.Sprint("b", i)} {
			if !strings.Contains(strings.Join(all, ""), line) {
				t.Errorf("%s is lost in %q", line, all)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "log.1")); err != nil {
		t.Errorf("nothing was set aside: %v", err)
	}
}

func TestFile_IncompleteLine(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "log")
	if err := os.WriteFile(name, []byte("whole\ncut"), 0o600); err != nil {
		t.Fatal(err)
	}
	appendLines(t, closed(t, &rotate.File{Name: name, Max: 100, Keep: 1}), "next")
	want(t, dir, map[string]string{"log": "whole\ncut\nnext\n"})
}

func TestFile_RemovedFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be removed")
	}
	dir := t.TempDir()
	f := closed(t, &rotate.File{Name: filepath.Join(dir, "log"), Max: 100, Keep: 1})
	appendLines(t, f, "lost")
	if err := os.Remove(f.Name); err != nil {
		t.Fatal(err)
	}
	appendLines(t, f, "next")
	want(t, dir, map[string]string{"log": "next\n"})
}

func TestFile_OpenErrors(t *testing.T) {
	dir := t.TempDir()
	for name, wanted := range map[string]error{dir: rootfs.ErrIrregular, filepath.Join(dir, "none", "log"): fs.ErrNotExist} {
		f := &rotate.File{Name: name, Max: 100}
		if err := f.Open(); !errors.Is(err, wanted) {
			t.Errorf("opening %s: %v, want %v", name, err, wanted)
		}
		if err := f.Append([]byte("x\n")); !errors.Is(err, wanted) {
			t.Errorf("appending to %s: %v, want %v", name, err, wanted)
		}
	}
}

func TestFile_RecoversAfterFailure(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "sub", "log")
	f := closed(t, &rotate.File{Name: name, Max: 100})
	if err := f.Append([]byte("lost\n")); err == nil {
		t.Fatal("a line went into a directory that does not exist")
	}
	if err := os.Mkdir(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	appendLines(t, f, "next")
	want(t, filepath.Dir(name), map[string]string{"log": "next\n"})
}

func TestFile_WriteAfterClose(t *testing.T) {
	dir := t.TempDir()
	f := &rotate.File{Name: filepath.Join(dir, "log"), Max: 100}
	appendLines(t, f, "one")
	if err := errors.Join(f.Close(), f.Close()); err != nil {
		t.Error(err)
	}
	if err := f.Append([]byte("two\n")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("appending after Close: %v", err)
	}
	want(t, dir, map[string]string{"log": "one\n"})
}

// When another process is just setting the file aside, the line goes into it.
func TestFile_WriteWhileLocked(t *testing.T) {
	dir := t.TempDir()
	f := closed(t, &rotate.File{Name: filepath.Join(dir, "log"), Max: 1, Keep: 1})
	appendLines(t, f, "1")
	other, err := os.OpenFile(f.Name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if locked, err := rootfs.TryLock(other); !locked || err != nil {
		t.Fatalf("locked: %v, %v", locked, err)
	}
	appendLines(t, f, "2")
	want(t, dir, map[string]string{"log": "1\n2\n"})
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	appendLines(t, f, "3")
	want(t, dir, map[string]string{"log": "3\n", "log.1": "1\n2\n"})
}

// stuck is a directory in which nothing can be renamed.
type stuck struct{ *os.Root }

func (stuck) Rename(string, string) error { return fs.ErrPermission }

func TestFile_RotationFails(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	f := closed(t, &rotate.File{Name: "log", Dir: stuck{root}, Max: 1, Keep: 1})
	appendLines(t, f, "1")
	if err := f.Append([]byte("2\n")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a line too many: %v", err)
	}
	f.Max = 100
	appendLines(t, f, "3")
	want(t, dir, map[string]string{"log": "1\n3\n"})
}

// In a directory that is held open, no name leads out of it.
func TestFile_DirectoryConfines(t *testing.T) {
	outside, inside := t.TempDir(), t.TempDir()
	root, err := os.OpenRoot(inside)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	f := closed(t, &rotate.File{Name: "log", Dir: root, Max: 1, Keep: 1})
	appendLines(t, f, "1", "2")
	want(t, inside, map[string]string{"log": "2\n", "log.1": "1\n"})

	if err := os.Symlink(filepath.Join(outside, "victim"), filepath.Join(inside, "link")); err != nil {
		t.Skip("no links here: ", err)
	}
	escape := closed(t, &rotate.File{Name: "link", Dir: root, Max: 1, Keep: 1})
	if err := escape.Append([]byte("x\n")); err == nil {
		t.Error("a line went through a link that leads out")
	}
	want(t, outside, map[string]string{})
}
