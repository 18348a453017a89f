package security_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
)

func sum(content string) string {
	digest := sha256.Sum256([]byte(content))
	return hex.EncodeToString(digest[:])
}

// TestWrite combines the options with the kinds of existing entries.
func TestWrite(t *testing.T) {
	type options = security.WriteOptions
	tests := []struct {
		what    string
		path    string
		content string
		options options
		want    string // content afterwards
		created bool
		code    security.Code
	}{
		{"new file", "new", "x", options{}, "x", true, ""},
		{"new empty file", "new", "", options{}, "", true, ""},
		{"new file in a missing directory", "a/b/new", "x", options{}, "", false, security.FileNotFound},
		{"new file with its directories", "a/b/new", "x", options{CreateDirs: true}, "x", true, ""},
		{"file that is there", "file", "x", options{}, "old", false, security.AlreadyExists},
		{"overwriting", "file", "x", options{Overwrite: true}, "x", false, ""},
		{"overwriting what is not there", "new", "x", options{Overwrite: true}, "x", true, ""},
		{"appending", "file", "er", options{Append: true}, "older", false, ""},
		{"appending to what is not there", "new", "x", options{Append: true}, "x", true, ""},
		{"the expected content", "file", "x", options{Overwrite: true, ExpectedSHA256: sum("old")}, "x", false, ""},
		{"the expected content in capitals", "file", "x", options{Overwrite: true, ExpectedSHA256: strings.ToUpper(sum("old"))}, "x", false, ""},
		{"other content", "file", "x", options{Overwrite: true, ExpectedSHA256: sum("older")}, "old", false, security.StaleFile},
		{"other content, appending", "file", "x", options{Append: true, ExpectedSHA256: sum("older")}, "old", false, security.StaleFile},
		{"no content where some was expected", "new", "x", options{Overwrite: true, ExpectedSHA256: sum("old")}, "", false, security.FileNotFound},
		{"no digest", "file", "x", options{Overwrite: true, ExpectedSHA256: "abc"}, "old", false, security.InvalidParams},
		{"half a digest", "file", "new", options{Overwrite: true, ExpectedSHA256: sum("old")[:32]}, "new", false, ""},
		{"half of another digest", "file", "x", options{Overwrite: true, ExpectedSHA256: sum("other")[:32]}, "old", false, security.StaleFile},
		{"seven digits of a digest", "file", "x", options{Overwrite: true, ExpectedSHA256: sum("old")[:7]}, "old", false, security.InvalidParams},
		{"a directory", "dir", "x", options{Overwrite: true}, "", false, security.IsDirectory},
		{"the project", ".", "x", options{Overwrite: true}, "", false, security.IsDirectory},
		{"below a file", "file/x", "x", options{CreateDirs: true}, "", false, security.NotDirectory},
		{"through a link", "link", "x", options{Overwrite: true}, "x", false, ""},
		{"through a link to nothing", "dangling", "x", options{}, "x", true, ""},
		{"through a link to a directory", "dirlink/new", "x", options{}, "x", true, ""},
	}
	for _, tt := range tests {
		dir := layout(t, map[string]string{"file": "old", "dir/": "", "link": "-> file", "dangling": "-> dir/made", "dirlink": "-> dir"})
		r := open(t, quick, dir)
		result, err := r.Write(t.Context(), tt.path, []byte(tt.content), tt.options)
		if security.CodeOf(err) != tt.code {
			t.Errorf("%s: %v, want %q", tt.what, err, tt.code)
			continue
		}
		if got, err := os.ReadFile(filepath.Join(dir, tt.path)); err == nil && string(got) != tt.want {
			t.Errorf("%s: the file holds %q, want %q", tt.what, got, tt.want)
		}
		if tt.code != "" {
			continue
		}
		if result.Created != tt.created || result.SHA256 != sum(tt.want) || result.Size != int64(len(tt.want)) || result.Unchanged || result.BackupPath != "" {
			t.Errorf("%s: %+v", tt.what, result)
		}
		if again := read(t, r, result.Path); again != tt.want {
			t.Errorf("%s: %q holds %q", tt.what, result.Path, again)
		}
		if info, err := os.Lstat(filepath.Join(dir, "link")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s: the link is gone", tt.what)
		}
	}
}

func TestWrite_Mode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions of Unix")
	}
	dir := layout(t, map[string]string{"script": "old"})
	if err := os.Chmod(filepath.Join(dir, "script"), 0o711); err != nil {
		t.Fatal(err)
	}
	r := open(t, quick, dir)
	for name, o := range map[string]security.WriteOptions{
		"script":  {Overwrite: true, Mode: 0o600},
		"private": {Mode: 0o600},
	} {
		if _, err := r.Write(t.Context(), name, []byte("new"), o); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]fs.FileMode{"script": 0o711, "private": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != want {
			t.Errorf("%s has mode %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

func TestWriteFrom_FailingReader(t *testing.T) {
	dir := layout(t, map[string]string{"file": "old"})
	r := open(t, quick, dir)
	failure := errors.New("no more")
	content := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(failure))
	if _, err := r.WriteFrom(t.Context(), "file", content, security.WriteOptions{Overwrite: true}); !errors.Is(err, failure) {
		t.Errorf("the reader's own error is lost: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	endless := readerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	if _, err := r.WriteFrom(ctx, "file", endless, security.WriteOptions{Overwrite: true}); security.CodeOf(err) != security.Cancelled {
		t.Errorf("an endless reader was not ended: %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 || onDisk(t, dir, "file") != "old" {
		t.Errorf("something was left: %v", entries)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestUpdate(t *testing.T) {
	dir := layout(t, map[string]string{"file": "old", "link": "-> file", "large": strings.Repeat("x", 100)})
	r := open(t, quick, dir)
	upper := func(old []byte, _ security.FileInfo) ([]byte, error) { return bytes.ToUpper(old), nil }

	result, err := r.Update(t.Context(), "link", security.UpdateOptions{}, upper)
	if err != nil || result.Path != "file" || result.Created || result.Unchanged || onDisk(t, dir, "file") != "OLD" {
		t.Errorf("update: %+v, %v", result, err)
	}
	before, err := os.Stat(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	result, err = r.Update(t.Context(), "file", security.UpdateOptions{Backup: true}, upper)
	if err != nil || !result.Unchanged || result.SHA256 != sum("OLD") || result.Size != 3 || result.BackupPath != "" {
		t.Errorf("update that changes nothing: %+v, %v", result, err)
	}
	if after, err := os.Stat(filepath.Join(dir, "file")); err != nil || !os.SameFile(before, after) {
		t.Error("an update that changes nothing wrote the file")
	}

	failure := errors.New("not like this")
	fail := func([]byte, security.FileInfo) ([]byte, error) { return nil, failure }
	if _, err := r.Update(t.Context(), "file", security.UpdateOptions{}, fail); err != failure {
		t.Errorf("the function's own error became %v", err)
	}
	if _, err := r.Update(t.Context(), "missing", security.UpdateOptions{}, upper); security.CodeOf(err) != security.FileNotFound {
		t.Errorf("update of nothing: %v", err)
	}
	result, err = r.Update(t.Context(), "sub/new", security.UpdateOptions{Create: true, CreateDirs: true}, func(old []byte, info security.FileInfo) ([]byte, error) {
		if len(old) != 0 || info.Kind != 0 {
			t.Errorf("a missing file has content %q and is %+v", old, info)
		}
		return []byte("made"), nil
	})
	if err != nil || !result.Created || onDisk(t, dir, "sub", "new") != "made" {
		t.Errorf("update that creates: %+v, %v", result, err)
	}
	if _, err := r.Update(t.Context(), "large", security.UpdateOptions{MaxSize: 99}, upper); security.CodeOf(err) != security.FileTooLarge {
		t.Errorf("update of a large file: %v", err)
	}
	if _, err := r.Update(t.Context(), "large", security.UpdateOptions{MaxSize: 100}, upper); err != nil {
		t.Errorf("update of a file at the limit: %v", err)
	}
	if _, err := r.Update(t.Context(), "file", security.UpdateOptions{ExpectedSHA256: sum("old")}, upper); security.CodeOf(err) != security.StaleFile {
		t.Errorf("update of another content: %v", err)
	}
}

// TestUpdate_DryRun calls the function, applies the rules, and changes nothing.
func TestUpdate_DryRun(t *testing.T) {
	dir := layout(t, map[string]string{"file": "old", ".env": secret})
	o := quick
	o.Audit = new(audit.Log)
	r := open(t, o, dir)
	calls := 0
	try := func(name string, o security.UpdateOptions) (security.WriteResult, error) {
		o.DryRun = true
		return r.Update(t.Context(), name, o, func(old []byte, _ security.FileInfo) ([]byte, error) {
			calls++
			return append(old, "er"...), nil
		})
	}
	if result, err := try("file", security.UpdateOptions{}); err != nil || result.SHA256 != sum("old") || result.Size != 3 || result.Created || result.Unchanged {
		t.Errorf("a file: %+v, %v", result, err)
	}
	if result, err := try("a/new", security.UpdateOptions{Create: true, CreateDirs: true}); err != nil || !result.Created || result.Path != "a/new" {
		t.Errorf("a new file: %+v, %v", result, err)
	}
	if calls != 2 || len(o.Audit.Recent(9)) != 0 {
		t.Errorf("%d calls; recorded %v", calls, o.Audit.Recent(9))
	}
	for name, code := range map[string]security.Code{"none": security.FileNotFound, ".env": security.PermissionDenied} {
		if _, err := try(name, security.UpdateOptions{}); security.CodeOf(err) != code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 || onDisk(t, dir, "file") != "old" {
		t.Errorf("left %v, %v", entries, err)
	}
}

// TestUpdate_CallbackPanics panics in a callback and checks that all locks and files are released.
func TestUpdate_CallbackPanics(t *testing.T) {
	dir := layout(t, map[string]string{"file": "old"})
	r := open(t, quick, dir)
	for name, call := range map[string]func(){
		"update": func() {
			r.Update(t.Context(), "file", security.UpdateOptions{}, func([]byte, security.FileInfo) ([]byte, error) { panic("oops") })
		},
		"write": func() {
			r.WriteFrom(t.Context(), "file", readerFunc(func([]byte) (int, error) { panic("oops") }), security.WriteOptions{Overwrite: true})
		},
	} {
		func() {
			defer func() {
				if recover() != "oops" {
					t.Errorf("%s: the panic did not come through", name)
				}
			}()
			call()
		}()
		if entries, _ := os.ReadDir(dir); len(entries) != 1 || onDisk(t, dir, "file") != "old" {
			t.Errorf("%s: something was left: %v", name, entries)
		}
		if _, err := r.Update(t.Context(), "file", security.UpdateOptions{}, func(old []byte, _ security.FileInfo) ([]byte, error) { return old, nil }); err != nil {
			t.Errorf("%s: the file is still locked: %v", name, err)
		}
	}
}

// TestUpdate_WritersWithoutLock changes the file during an update, in each way that a program without the lock can.
func TestUpdate_WritersWithoutLock(t *testing.T) {
	tests := []struct {
		what    string
		disturb func(name string) error
		code    security.Code
		want    string
	}{
		{"same size, in place", func(name string) error { return os.WriteFile(name, []byte("abc"), 0o644) }, security.StaleFile, "abc"},
		{"longer, in place", func(name string) error { return os.WriteFile(name, []byte("longer"), 0o644) }, security.StaleFile, "longer"},
		{"by renaming", func(name string) error {
			return errors.Join(os.WriteFile(name+"2", []byte("other"), 0o644), os.Rename(name+"2", name))
		}, security.StaleFile, "other"},
		{"removed", os.Remove, security.FileBusy, ""},
		{"a directory now", func(name string) error { return errors.Join(os.Remove(name), os.Mkdir(name, 0o755)) }, security.FileBusy, ""},
		{"a link now", func(name string) error { return errors.Join(os.Remove(name), os.Symlink("other", name)) }, security.FileBusy, ""},
		{"touched", func(name string) error { return os.Chtimes(name, time.Unix(1, 0), time.Unix(1, 0)) }, "", "new"},
	}
	for _, tt := range tests {
		dir := layout(t, map[string]string{"file": "old"})
		r := open(t, quick, dir)
		name := filepath.Join(dir, "file")
		_, err := r.Update(t.Context(), "file", security.UpdateOptions{}, func([]byte, security.FileInfo) ([]byte, error) {
			return []byte("new"), tt.disturb(name)
		})
		if security.CodeOf(err) != tt.code {
			t.Errorf("%s: %v, want %q", tt.what, err, tt.code)
		}
		if tt.want != "" && onDisk(t, name) != tt.want {
			t.Errorf("%s: the file holds %q, want %q", tt.what, onDisk(t, name), tt.want)
		}
	}
}

func TestUpdate_FileCreatedMeanwhile(t *testing.T) {
	dir := layout(t, nil)
	r := open(t, quick, dir)
	_, err := r.Update(t.Context(), "file", security.UpdateOptions{Create: true}, func([]byte, security.FileInfo) ([]byte, error) {
		return []byte("mine"), os.WriteFile(filepath.Join(dir, "file"), []byte("theirs"), 0o644)
	})
	if security.CodeOf(err) != security.FileBusy || onDisk(t, dir, "file") != "theirs" {
		t.Errorf("%v; the file holds %q", err, onDisk(t, dir, "file"))
	}
}

func TestWrite_FullDurability(t *testing.T) {
	dir := layout(t, nil)
	r := open(t, security.RootOptions{}, dir)
	if _, err := r.Write(t.Context(), "a/b/file", []byte("x"), security.WriteOptions{CreateDirs: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Write(t.Context(), "a/b/file", []byte("y"), security.WriteOptions{Overwrite: true, Backup: true}); err != nil {
		t.Fatal(err)
	}
	if got := onDisk(t, dir, "a", "b", "file"); got != "y" {
		t.Errorf("the file holds %q", got)
	}
}
