package aferofs_test

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/spf13/afero"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/aferofs"
)

func TestNew_Functions(t *testing.T) {
	dir := layout(t, map[string]string{
		"src/main.go": "package main", "src/sub/x.go": "package x", ".env": secret, "src/link": "-> sub", "outside": "-> ../secret",
	})
	fsys := aferofs.New(t.Context(), open(t, dir))
	if content, err := afero.ReadFile(fsys, "src/main.go"); err != nil || string(content) != "package main" {
		t.Errorf("ReadFile = %q, %v", content, err)
	}
	if err := afero.WriteFile(fsys, "src/new.go", []byte("package new"), 0o600); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "src", "new.go")); err != nil || info.Size() != 11 {
		t.Errorf("WriteFile made %v, %v", info, err)
	}
	if err := afero.WriteReader(fsys, "src/new.go", strings.NewReader("again")); err != nil || onDisk(t, dir, "src", "new.go") != "again" {
		t.Errorf("WriteReader: %v", err)
	}
	for name, want := range map[string]bool{"src/new.go": true, "missing": false, "src": true} {
		if got, err := afero.Exists(fsys, name); got != want || err != nil {
			t.Errorf("Exists(%q) = %v, %v", name, got, err)
		}
	}
	if is, err := afero.IsDir(fsys, "src"); !is || err != nil {
		t.Errorf("IsDir = %v, %v", is, err)
	}
	if has, err := afero.FileContainsBytes(fsys, "src/main.go", []byte("main")); !has || err != nil {
		t.Errorf("FileContainsBytes = %v, %v", has, err)
	}
	if matches, err := afero.Glob(fsys, "src/*.go"); err != nil || !slices.Equal(matches, []string{"src/main.go", "src/new.go"}) {
		t.Errorf("Glob = %v, %v", matches, err)
	}
	if f, err := afero.TempFile(fsys, "src", "temp-*.txt"); err != nil {
		t.Error(err)
	} else if err := errors.Join(f.Close(), os.Remove(filepath.Join(dir, f.Name()))); err != nil {
		t.Error(err)
	}
	var walked []string
	err := afero.Walk(fsys, ".", func(path string, info fs.FileInfo, err error) error {
		if err == nil {
			walked = append(walked, filepath.ToSlash(path))
		}
		return err
	})
	if want := []string{".", "outside", "src", "src/link", "src/main.go", "src/new.go", "src/sub", "src/sub/x.go"}; err != nil || !slices.Equal(walked, want) {
		t.Errorf("Walk found %v, %v; want %v", walked, err, want)
	}
	if fsys.Name() == "" {
		t.Error("the file system has no name")
	}
	if err := os.Remove(filepath.Join(dir, "outside")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "src", "link")); err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(afero.NewIOFS(fsys), "src/main.go", "src/sub/x.go"); err != nil {
		t.Error(err)
	}
}

func TestNew_Rules(t *testing.T) {
	dir := layout(t, map[string]string{".env": secret, ".git/config": "x", "link": "-> .env", "dir/": "", "file": "x"})
	fsys := aferofs.New(t.Context(), open(t, dir))
	for name, reason := range map[string]security.Reason{
		".env": security.BlockedPattern, "link": security.BlockedPattern, "../x": security.PathTraversal, "/etc/passwd": security.OutsideProjectRoot,
	} {
		for _, flag := range []int{os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_CREATE, os.O_WRONLY | os.O_APPEND} {
			_, err := fsys.OpenFile(name, flag, 0)
			if e := asError(t, err); e.Reason != reason || !errors.Is(err, fs.ErrPermission) {
				t.Errorf("OpenFile(%q, %#x): %v", name, flag, err)
			}
		}
		if _, err := fsys.Stat(name); !os.IsPermission(err) && !errors.Is(err, fs.ErrPermission) {
			t.Errorf("Stat(%q): %v", name, err)
		}
		if _, err := afero.ReadFile(fsys, name); err == nil {
			t.Errorf("ReadFile(%q) succeeded", name)
		}
	}
	for _, flag := range []int{os.O_RDWR, os.O_WRONLY | os.O_TRUNC, os.O_WRONLY | os.O_APPEND} {
		if _, err := fsys.OpenFile(".git/config", flag, 0); err == nil || asError(t, err).Reason != security.ProtectedFile {
			t.Errorf("OpenFile of a protected file, %#x: %v", flag, err)
		}
	}
	if _, err := fsys.OpenFile("dir", os.O_RDWR, 0); err == nil {
		t.Error("a directory was opened for writing")
	}
	if _, err := fsys.OpenFile("file", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0); !os.IsExist(err) {
		t.Errorf("exclusive creation of what is there: %v", err)
	}
	if _, err := fsys.OpenFile("missing", os.O_RDWR, 0); !os.IsNotExist(err) {
		t.Errorf("opening what is missing: %v", err)
	}
	if _, err := fsys.Open("missing"); !os.IsNotExist(err) {
		t.Errorf("opening what is missing: %v", err)
	}
	if _, _, err := fsys.(afero.Lstater).LstatIfPossible("missing"); !os.IsNotExist(err) {
		t.Errorf("describing what is missing: %v", err)
	}
	for name, call := range map[string]func() error{
		"Chmod":   func() error { return fsys.Chmod("file", 0) },
		"Chown":   func() error { return fsys.Chown("file", 0, 0) },
		"Chtimes": func() error { return fsys.Chtimes("file", time.Time{}, time.Time{}) },
	} {
		if err := call(); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNew_ChangesOfTheTree makes, renames and removes entries by the interface, and finds the removed entries in the trash.
func TestNew_ChangesOfTheTree(t *testing.T) {
	dir := layout(t, map[string]string{"file": "content", "other": "old", "dir/a": "a", ".git/config": "x", "empty/": ""})
	fsys := aferofs.New(t.Context(), open(t, dir))
	for _, step := range []struct {
		what string
		err  error
		want error
	}{
		{"Mkdir", fsys.Mkdir("made", 0o700), nil},
		{"Mkdir of what is there", fsys.Mkdir("made", 0o700), fs.ErrExist},
		{"Mkdir below nothing", fsys.Mkdir("none/made", 0o700), fs.ErrNotExist},
		{"Mkdir in a protected directory", fsys.Mkdir(".git/made", 0o700), fs.ErrPermission},
		{"MkdirAll", fsys.MkdirAll("x/y/z", 0o755), nil},
		{"MkdirAll of what is there", fsys.MkdirAll("x/y", 0o755), nil},
		{"MkdirAll of a protected directory that is there", fsys.MkdirAll(".git", 0o755), nil},
		{"MkdirAll over a file", fsys.MkdirAll("file", 0o755), fs.ErrExist},
		{"Rename", fsys.Rename("file", "x/file"), nil},
		{"Rename over a file", fsys.Rename("x/file", "other"), nil},
		{"Rename over a directory", fsys.Rename("other", "empty"), fs.ErrExist},
		{"Rename of nothing", fsys.Rename("none", "new"), fs.ErrNotExist},
		{"Rename of a protected file", fsys.Rename(".git/config", "new"), fs.ErrPermission},
		{"Remove of a directory that is not empty", fsys.Remove("dir"), errAny},
		{"Remove of an empty directory", fsys.Remove("empty"), nil},
		{"Remove", fsys.Remove("other"), nil},
		{"Remove of nothing", fsys.Remove("none"), fs.ErrNotExist},
		{"RemoveAll", fsys.RemoveAll("dir"), nil},
		{"RemoveAll of nothing", fsys.RemoveAll("none/none"), nil},
		{"RemoveAll of a protected directory", fsys.RemoveAll(".git"), fs.ErrPermission},
	} {
		if step.err == nil != (step.want == nil) || step.want != errAny && !errors.Is(step.err, step.want) {
			t.Errorf("%s: %v, want %v", step.what, step.err, step.want)
		}
	}
	if got, want := contents(t, dir), map[string]string{"made/": "", "x/": "", "x/y/": "", "x/y/z/": "", ".git/": "", ".git/config": "x"}; !maps.Equal(got, want) {
		t.Errorf("left:%s", differences(want, got))
	}
	// Two entries of the trash have the name other: the file that was overwritten, and the one that was removed.
	if got := trashed(t, dir); len(got) != 4 || got["dir/a"] != "a" {
		t.Errorf("the trash holds %v", got)
	}
	if info, err := os.Stat(filepath.Join(dir, "made")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("Mkdir made %v, %v", info.Mode(), err)
	}
	if name, err := afero.TempDir(fsys, "x", "temp-"); err != nil || fsys.RemoveAll(name) != nil {
		t.Errorf("TempDir: %q, %v", name, err)
	}
}

var errAny = errors.New("any error")

// TestOpenFile_Flags opens files with every usual combination of flags and writes to them.
func TestOpenFile_Flags(t *testing.T) {
	tests := []struct {
		what string
		name string
		flag int
		use  func(f afero.File) error
		want string
	}{
		{"overwrite the beginning", "file", os.O_RDWR, func(f afero.File) error { _, err := f.WriteString("AB"); return err }, "AB23456789"},
		{"write only", "file", os.O_WRONLY, func(f afero.File) error { _, err := f.WriteAt([]byte("AB"), 8); return err }, "01234567AB"},
		{"truncate", "file", os.O_WRONLY | os.O_TRUNC, func(f afero.File) error { _, err := f.Write([]byte("x")); return err }, "x"},
		{"truncate and write nothing", "file", os.O_WRONLY | os.O_TRUNC, func(afero.File) error { return nil }, ""},
		{"create what is there", "file", os.O_RDWR | os.O_CREATE, func(afero.File) error { return nil }, "0123456789"},
		{"create", "new", os.O_RDWR | os.O_CREATE | os.O_EXCL, func(f afero.File) error { _, err := f.WriteString("new"); return err }, "new"},
		{"create and write nothing", "new", os.O_RDWR | os.O_CREATE, func(afero.File) error { return nil }, ""},
		{"append", "file", os.O_WRONLY | os.O_APPEND, func(f afero.File) error { _, err := f.WriteString("AB"); return err }, "0123456789AB"},
		{"append in pieces", "file", os.O_WRONLY | os.O_APPEND, func(f afero.File) error {
			_, err := f.WriteString("A")
			if err == nil {
				err = f.Sync()
			}
			if err == nil {
				_, err = f.WriteString("B")
			}
			return err
		}, "0123456789AB"},
		{"append to what is new", "new", os.O_WRONLY | os.O_APPEND | os.O_CREATE, func(f afero.File) error { _, err := f.WriteString("AB"); return err }, "AB"},
		{"append and read", "file", os.O_RDWR | os.O_APPEND, func(f afero.File) error {
			content, err := io.ReadAll(f)
			if err == nil && string(content) != "0123456789" {
				err = errors.New("read " + string(content))
			}
			if err == nil {
				_, err = f.WriteString("AB")
			}
			return err
		}, "0123456789AB"},
		{"write behind the end", "file", os.O_RDWR, func(f afero.File) error {
			_, err := f.Seek(2, io.SeekEnd)
			if err == nil {
				_, err = f.Write([]byte("A"))
			}
			return err
		}, "0123456789\x00\x00A"},
		{"shorten and lengthen", "file", os.O_RDWR, func(f afero.File) error { return errors.Join(f.Truncate(2), f.Truncate(4)) }, "01\x00\x00"},
		{"read after writing", "file", os.O_RDWR, func(f afero.File) error {
			_, err := f.WriteString("AB")
			at, seekErr := f.Seek(-1, io.SeekCurrent)
			buf := make([]byte, 2)
			_, readErr := io.ReadFull(f, buf)
			if string(buf) != "B2" || at != 1 {
				return errors.New("read " + string(buf))
			}
			return errors.Join(err, seekErr, readErr)
		}, "AB23456789"},
	}
	for _, tt := range tests {
		dir := layout(t, map[string]string{"file": "0123456789"})
		f, err := aferofs.New(t.Context(), open(t, dir)).OpenFile(tt.name, tt.flag, 0o644)
		if err != nil {
			t.Errorf("%s: %v", tt.what, err)
			continue
		}
		if err := tt.use(f); err != nil {
			t.Errorf("%s: %v", tt.what, err)
		}
		if info, err := f.Stat(); err != nil || info.Name() != tt.name {
			t.Errorf("%s: Stat = %v, %v", tt.what, info, err)
		}
		if err := f.Close(); err != nil {
			t.Errorf("%s: %v", tt.what, err)
		}
		if got := onDisk(t, dir, tt.name); got != tt.want {
			t.Errorf("%s: the file holds %q, want %q", tt.what, got, tt.want)
		}
		if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: second Close: %v", tt.what, err)
		}
	}
}

// TestFile_Misuse calls methods that a file does not support, and passes wrong arguments.
func TestFile_Misuse(t *testing.T) {
	dir := layout(t, map[string]string{"dir/a": "a", "dir/b": "b", "file": "0123456789"})
	fsys := aferofs.New(t.Context(), open(t, dir))

	reader, err := fsys.Open("file")
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	folder, err := fsys.Open("dir")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for _, f := range []afero.File{reader, folder} {
		_, write := f.Write(nil)
		_, writeAt := f.WriteAt(nil, 0)
		_, writeString := f.WriteString("")
		for _, err := range []error{write, writeAt, writeString, f.Truncate(0)} {
			if !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: %v", f.Name(), err)
			}
		}
		if err := f.Sync(); err != nil {
			t.Error(err)
		}
	}
	if info, err := reader.Stat(); err != nil || info.Size() != 10 {
		t.Errorf("Stat = %v, %v", info, err)
	}
	if _, err := reader.Readdirnames(1); err == nil {
		t.Error("a file has entries")
	}
	if info, err := folder.Stat(); err != nil || !info.IsDir() {
		t.Errorf("Stat = %v, %v", info, err)
	}
	_, readErr := folder.Read(nil)
	_, readAtErr := folder.ReadAt(nil, 0)
	_, seekErr := folder.Seek(0, 0)
	for _, err := range []error{readErr, readAtErr, seekErr} {
		if security.CodeOf(err) != security.IsDirectory {
			t.Errorf("reading a directory: %v", err)
		}
	}
	var names []string
	for {
		batch, err := folder.Readdirnames(1)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, batch...)
	}
	if slices.Sort(names); !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("names %v", names)
	}
	if rest, err := folder.Readdir(-1); err != nil || len(rest) != 0 {
		t.Errorf("the rest is %v, %v", rest, err)
	}

	writer, err := fsys.OpenFile("file", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, read := writer.Read(make([]byte, 1))
	_, list := writer.Readdirnames(1)
	_, before := writer.WriteAt([]byte("x"), -1)
	_, beyond := writer.WriteAt([]byte("x"), 1<<40)
	_, seek := writer.Seek(-1, io.SeekStart)
	for i, err := range []error{read, list, before, beyond, seek, writer.Truncate(-1), writer.Truncate(1 << 40)} {
		if err == nil {
			t.Errorf("misuse %d succeeded", i)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := writer.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); security.CodeOf(err) != security.StaleFile {
		t.Errorf("a file that changed meanwhile was overwritten: %v", err)
	}
	_, write := writer.Write(nil)
	_, closedRead := writer.ReadAt(nil, 0)
	for _, err := range []error{write, closedRead, writer.Sync(), writer.Truncate(0)} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("use after Close: %v", err)
		}
	}

	appender, err := fsys.OpenFile("file", os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := appender.WriteAt([]byte("x"), 0); err == nil {
		t.Error("WriteAt while appending succeeded")
	}
	if err := appender.Truncate(0); err == nil {
		t.Error("Truncate while appending succeeded")
	}
	readOnly, err := fsys.OpenFile("file", os.O_RDONLY|os.O_CREATE, 0)
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(readOnly); err != nil || string(content) != "changed" {
		t.Errorf("read %q, %v", content, err)
	}
	if n, err := readOnly.ReadAt(make([]byte, 100), 5); n != 2 || err != io.EOF {
		t.Errorf("ReadAt = %d, %v", n, err)
	}
	if n, err := readOnly.ReadAt(make([]byte, 1), -1); n != 0 || err == nil {
		t.Errorf("ReadAt before the start = %d, %v", n, err)
	}
	if n, err := readOnly.Read(nil); n != 0 || err != nil {
		t.Errorf("Read of nothing = %d, %v", n, err)
	}
	if _, err := readOnly.Write([]byte("x")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("writing to what was opened for reading: %v", err)
	}
}
