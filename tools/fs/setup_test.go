package fs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
)

// project is a directory with the file tools on it.
type project struct {
	*fs.Files
	root *security.Root
	dir  string
}

// setup holds the differences of a test from the defaults.
type setup struct {
	answer   int   // tools.Limits.Answer
	maxFile  int64 // tools.Limits.MaxFile
	options  fs.Options
	readOnly bool
}

// newProject makes a directory with files in it. A name that ends in a slash is a directory, and content "-> x" a link to x.
func newProject(t testing.TB, s setup, files map[string]string) project {
	t.Helper()
	p := project{dir: t.TempDir()}
	for name, content := range files {
		p.put(t, name, content)
	}
	root, err := security.OpenRoot(security.RootOptions{
		Dirs: []string{p.dir}, StateDir: t.TempDir(), Durability: security.Process, ReadOnly: s.readOnly,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	p.root = root
	p.Files, err = fs.New(tools.Env{Root: root, Limits: tools.Limits{Answer: s.answer, MaxFile: s.maxFile}}, s.options)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p project) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p project) put(t testing.TB, name, content string) {
	t.Helper()
	full := p.path(name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	target, isLink := strings.CutPrefix(content, "-> ")
	var err error
	switch {
	case strings.HasSuffix(name, "/"):
		err = os.MkdirAll(full, 0o755)
	case isLink:
		err = os.Symlink(target, full)
	default:
		err = os.WriteFile(full, []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// bytes returns the content of a file on the disk.
func (p project) bytes(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(p.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (p project) read(t testing.TB, args fs.ReadArgs) fs.ReadResult {
	t.Helper()
	got, err := p.Read(t.Context(), args)
	if err != nil {
		t.Fatalf("reading %+v: %v", args, err)
	}
	return got
}

func (p project) write(t testing.TB, args fs.WriteArgs) fs.WriteResult {
	t.Helper()
	got, err := p.Write(t.Context(), args)
	if err != nil {
		t.Fatalf("writing %+v: %v", args, err)
	}
	return got
}

func (p project) list(t testing.TB, args fs.ListArgs) fs.ListResult {
	t.Helper()
	got, err := p.List(t.Context(), args)
	if err != nil {
		t.Fatalf("listing %+v: %v", args, err)
	}
	return got
}
