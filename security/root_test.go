package security_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// secret is the content of files that must never come back from a call, and never be overwritten.
const secret = "TOP SECRET"

// layout creates files and links below a new directory. A value is the content of a file, or "-> x" for a link to x,
// where ROOT is the directory itself. A name that ends in a slash is a directory.
func layout(t testing.TB, entries map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range entries {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		target, isLink := strings.CutPrefix(content, "-> ")
		var err error
		switch {
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(full, 0o755)
		case isLink:
			err = os.Symlink(strings.ReplaceAll(target, "ROOT", dir), full)
		default:
			err = os.WriteFile(full, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// open opens a Root whose state directory belongs to the test.
func open(t testing.TB, o security.RootOptions, dirs ...string) *security.Root {
	t.Helper()
	o.Dirs = dirs
	if o.StateDir == "" {
		o.StateDir = t.TempDir()
	}
	r, err := security.OpenRoot(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// quick leaves flushing to the system: tests do not pull the plug.
var quick = security.RootOptions{Durability: security.Process}

func read(t testing.TB, r *security.Root, name string) string {
	t.Helper()
	content, _, err := r.ReadFile(t.Context(), name, 1<<20)
	if err != nil {
		t.Fatalf("read %q: %v", name, err)
	}
	return string(content)
}

func onDisk(t testing.TB, name ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(name...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func asError(t testing.TB, err error) *security.Error {
	t.Helper()
	e, ok := errors.AsType[*security.Error](err)
	if !ok {
		t.Fatalf("%T is no *security.Error: %v", err, err)
	}
	return e
}

func TestRoot_RelativePaths(t *testing.T) {
	first := layout(t, map[string]string{"src/main.go": "first", "link": "-> src/main.go"})
	second := layout(t, map[string]string{"lib.go": "second"})
	r := open(t, quick, first, second)
	if dirs := r.Dirs(); !slices.Equal(dirs, []string{first, second}) {
		t.Errorf("Dirs = %v", dirs)
	}
	tests := []struct{ path, content, named string }{
		{"src/main.go", "first", "src/main.go"},
		{"./src/../src//main.go", "first", "src/main.go"},
		{"link", "first", "src/main.go"},
		{filepath.Join(first, "src", "main.go"), "first", "src/main.go"},
		{filepath.Join(second, "lib.go"), "second", filepath.ToSlash(filepath.Join(second, "lib.go"))},
	}
	for _, tt := range tests {
		content, info, err := r.ReadFile(t.Context(), tt.path, 100)
		if err != nil || string(content) != tt.content || info.Path != tt.named {
			t.Errorf("ReadFile(%q) = %q at %q, %v; want %q at %q", tt.path, content, info.Path, err, tt.content, tt.named)
		}
		// The path in a result is valid in the next call.
		if again := read(t, r, info.Path); again != tt.content {
			t.Errorf("read %q again as %q: %q", tt.path, info.Path, again)
		}
	}
	if _, err := r.Stat(t.Context(), "lib.go"); security.CodeOf(err) != security.FileNotFound {
		t.Errorf("a relative path found a file of the second directory: %v", err)
	}
}

func TestOpenRoot_DirectoryBehindLink(t *testing.T) {
	dir := layout(t, map[string]string{"real/file": "x", "alias": "-> real"})
	r := open(t, quick, filepath.Join(dir, "alias"))
	real, err := filepath.EvalSymlinks(filepath.Join(dir, "alias"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", filepath.Join(dir, "alias", "file"), filepath.Join(real, "file")} {
		if got := read(t, r, name); got != "x" {
			t.Errorf("read %q: %q", name, got)
		}
	}
}

func TestRoot_NestedDirectories(t *testing.T) {
	outer := layout(t, map[string]string{"inner/file": "x"})
	inner := filepath.Join(outer, "inner")
	r := open(t, quick, outer, inner)
	info, err := r.Stat(t.Context(), filepath.Join(inner, "file"))
	if err != nil || info.Dir != 1 || info.Rel != "file" {
		t.Errorf("Stat = %+v, %v; want file in the second directory", info, err)
	}
}

func TestRoot_StatLstat(t *testing.T) {
	r := open(t, quick, layout(t, map[string]string{"dir/file": "12345", "link": "-> dir/file"}))
	tests := []struct {
		path  string
		link  bool
		kind  security.Kind
		name  string
		final string
	}{
		{"dir/file", false, security.RegularFile, "file", "dir/file"},
		{"link", false, security.RegularFile, "file", "dir/file"},
		{"link", true, security.Symlink, "link", "link"},
		{"dir", true, security.Directory, "dir", "dir"},
		{".", false, security.Directory, ".", "."},
	}
	for _, tt := range tests {
		stat := r.Stat
		if tt.link {
			stat = r.Lstat
		}
		info, err := stat(t.Context(), tt.path)
		if err != nil || info.Kind != tt.kind || info.Name != tt.name || info.Path != tt.final {
			t.Errorf("%q: %+v, %v; want %v %q at %q", tt.path, info, err, tt.kind, tt.name, tt.final)
		}
	}
	info, err := r.Stat(t.Context(), "dir/file")
	if err != nil || info.Size != 5 || info.ModTime.IsZero() || !info.Mode.IsRegular() {
		t.Errorf("Stat = %+v, %v", info, err)
	}
	for kind, want := range map[security.Kind]string{security.RegularFile: "file", security.Directory: "directory", security.Symlink: "symlink", security.OtherKind: "other"} {
		if kind.String() != want {
			t.Errorf("%d is %q, want %q", kind, kind, want)
		}
	}
}

func TestFile_Read(t *testing.T) {
	r := open(t, quick, layout(t, map[string]string{"file": "0123456789"}))
	f, err := r.Open(t.Context(), "file")
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 3)
	if n, err := f.ReadAt(buf, 4); n != 3 || err != nil || string(buf) != "456" {
		t.Errorf("ReadAt = %q, %v", buf[:n], err)
	}
	if at, err := f.Seek(-2, io.SeekEnd); at != 8 || err != nil {
		t.Errorf("Seek = %d, %v", at, err)
	}
	if rest, err := io.ReadAll(f); string(rest) != "89" || err != nil {
		t.Errorf("the rest is %q, %v", rest, err)
	}
	if _, err := f.Seek(-1, io.SeekStart); err == nil || strings.Contains(err.Error(), r.Dirs()[0]) {
		t.Errorf("Seek before the start: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := f.Read(buf); !errors.Is(err, fs.ErrClosed) || strings.Contains(err.Error(), r.Dirs()[0]) {
		t.Errorf("Read after Close: %v", err)
	}
}

func TestReadFile_Limit(t *testing.T) {
	content := strings.Repeat("x", 3<<20)
	r := open(t, quick, layout(t, map[string]string{"large": content, "empty": ""}))
	if got, _, err := r.ReadFile(t.Context(), "large", int64(len(content))); err != nil || string(got) != content {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
	if got, _, err := r.ReadFile(t.Context(), "large", int64(len(content))-1); security.CodeOf(err) != security.FileTooLarge || got != nil {
		t.Errorf("read %d bytes of a file that is too large, %v", len(got), err)
	}
	if got, _, err := r.ReadFile(t.Context(), "empty", 0); err != nil || len(got) != 0 {
		t.Errorf("empty file: %q, %v", got, err)
	}
}

// TestReadFile_WrongSize reads a file whose reported size is 0, like the files in /proc.
func TestReadFile_WrongSize(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/proc is there on Linux only")
	}
	r := open(t, quick, "/proc/self")
	content, info, err := r.ReadFile(t.Context(), "status", 1<<16)
	if err != nil || info.Size != 0 || !strings.Contains(string(content), "Pid:") {
		t.Errorf("read %d bytes of a file of %d, %v", len(content), info.Size, err)
	}
	if _, _, err := r.ReadFile(t.Context(), "status", 16); security.CodeOf(err) != security.FileTooLarge {
		t.Errorf("limit not kept: %v", err)
	}
}

func TestRoot_EndedContext(t *testing.T) {
	r := open(t, quick, layout(t, map[string]string{"dir/file": "x"}))
	d, err := r.OpenDir(t.Context(), "dir")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	calls := map[string]func() error{
		"Open":        func() error { _, err := r.Open(ctx, "dir/file"); return err },
		"ReadFile":    func() error { _, _, err := r.ReadFile(ctx, "dir/file", 1); return err },
		"Stat":        func() error { _, err := r.Stat(ctx, "dir"); return err },
		"OpenDir":     func() error { _, err := r.OpenDir(ctx, "dir"); return err },
		"Dir.Next":    func() error { _, err := d.Next(ctx, 1); return err },
		"Dir.Open":    func() error { _, err := d.Open(ctx, "file"); return err },
		"Dir.OpenDir": func() error { _, err := d.OpenDir(ctx, "file"); return err },
		"Write":       func() error { _, err := r.Write(ctx, "new", nil, security.WriteOptions{}); return err },
	}
	for name, call := range calls {
		if err := call(); security.CodeOf(err) != security.Cancelled || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRoot_RefusalsLogged(t *testing.T) {
	var log strings.Builder
	o := quick
	o.Logger = slog.New(slog.NewJSONHandler(&log, nil))
	r := open(t, o, layout(t, map[string]string{".env": "x"}))
	r.Open(t.Context(), ".env")
	r.Open(t.Context(), "../x")
	r.Open(t.Context(), "missing")
	for _, part := range []string{`"reason":"BLOCKED_PATTERN"`, `"reason":"PATH_TRAVERSAL"`, `"operation":"open"`} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("%s is not in the log: %s", part, log.String())
		}
	}
	if strings.Contains(log.String(), "FILE_NOT_FOUND") {
		t.Errorf("a missing file is no refusal: %s", log.String())
	}
}

func TestRoot_Closed(t *testing.T) {
	r := open(t, quick, layout(t, map[string]string{"file": "x"}))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Open(t.Context(), "file"); security.CodeOf(err) != security.InternalError || !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Open after Close: %v", err)
	}
}
