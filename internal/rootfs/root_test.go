package rootfs_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// tree makes files and links below a new directory. A value is the content of a file, "-> x" a link to x, and a name that ends
// in a slash a directory.
func tree(t *testing.T, entries map[string]string) string {
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

func open(t *testing.T, dir string) *rootfs.Root {
	t.Helper()
	r, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestOpen_FinalPath follows paths through links, and checks where they really lead. Every case runs with the kernel's
// help and without it.
func TestOpen_FinalPath(t *testing.T) {
	dir := tree(t, map[string]string{
		"file":            "content",
		"a/b/c/deep":      "deep",
		"a/up":            "-> ../file",
		"a/b/round":       "-> ../../a/./b/../up",
		"link":            "-> file",
		"chain":           "-> link",
		"dirlink":         "-> a/b",
		"dirlink2":        "-> dirlink/c",
		"absolute":        "-> ROOT/a/b/c/deep",
		"absdir":          "-> ROOT/a",
		"slashes":         "-> a//b/./c/deep",
		"outside":         "-> /etc/hostname",
		"outsideRelative": "-> ../../../../../../../../etc/hostname",
		"sneaky":          "-> a/../../x",
		"beside":          "-> ROOT-secret/x",
		"loop":            "-> loop",
		"ping":            "-> pong",
		"pong":            "-> ping",
		"dangling":        "-> nowhere",
		"throughFile":     "-> file/x",
		"empty":           "",
		"rootLink":        "-> .",
		"rootAbs":         "-> ROOT",
	})
	tests := []struct {
		path  string
		final string
		err   error
	}{
		{"file", "file", nil},
		{"a/b/c/deep", "a/b/c/deep", nil},
		{"./a//b/c/deep", "a/b/c/deep", nil},
		{"a/../file", "file", nil},
		{"a/b/../../a/b/c/deep", "a/b/c/deep", nil},
		{"a", "a", nil},
		{".", ".", nil},
		{"a/..", ".", nil},
		{"link", "file", nil},
		{"chain", "file", nil},
		{"a/up", "file", nil},
		{"a/b/round", "file", nil},
		{"dirlink/c/deep", "a/b/c/deep", nil},
		{"dirlink2/deep", "a/b/c/deep", nil},
		{"dirlink/..", "a", nil}, // the parent of the target of the link
		{"absolute", "a/b/c/deep", nil},
		{"absdir/b/c/deep", "a/b/c/deep", nil},
		{"slashes", "a/b/c/deep", nil},
		{"rootLink/rootLink/file", "file", nil},
		{"rootAbs/file", "file", nil},
		{"..", "", rootfs.ErrEscapes},
		{"../x", "", rootfs.ErrEscapes},
		{"a/../../x", "", rootfs.ErrEscapes},
		{"outside", "", rootfs.ErrEscapes},
		{"outsideRelative", "", rootfs.ErrEscapes},
		{"sneaky", "", rootfs.ErrEscapes},
		{"beside", "", rootfs.ErrEscapes},
		{"rootLink/../x", "", rootfs.ErrEscapes},
		{"loop", "", rootfs.ErrLinkLoop},
		{"ping", "", rootfs.ErrLinkLoop},
		{"dangling", "", fs.ErrNotExist},
		{"missing", "", fs.ErrNotExist},
		{"missing/deeper", "", fs.ErrNotExist},
		{"a/missing/../b", "", fs.ErrNotExist},
		{"file/x", "", rootfs.ErrNotDirectory},
		{"throughFile", "", rootfs.ErrNotDirectory},
	}
	for _, stepwise := range []bool{false, true} {
		r := open(t, dir)
		if stepwise {
			rootfs.Stepwise(r)
		}
		for _, tt := range tests {
			opened, err := r.Open(tt.path)
			if !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
				t.Errorf("Open(%q), stepwise %v: error %v, want %v", tt.path, stepwise, err, tt.err)
				continue
			}
			_, statFinal, statErr := r.Stat(tt.path)
			if !errors.Is(statErr, tt.err) || statFinal != tt.final {
				t.Errorf("Stat(%q), stepwise %v: %q, %v, want %q, %v", tt.path, stepwise, statFinal, statErr, tt.final, tt.err)
			}
			if err != nil {
				continue
			}
			if opened.Path != tt.final {
				t.Errorf("Open(%q), stepwise %v: final path %q, want %q", tt.path, stepwise, opened.Path, tt.final)
			}
			named, err := os.Stat(filepath.Join(dir, tt.final))
			if err != nil || !os.SameFile(named, opened.Info) {
				t.Errorf("Open(%q), stepwise %v: opened something else than %q", tt.path, stepwise, tt.final)
			}
			opened.Close()
		}
	}
}

func TestStepError_Entry(t *testing.T) {
	r := open(t, tree(t, map[string]string{"a/b/": "", "link": "-> a/b"}))
	tests := []struct{ path, dir, name string }{
		{"missing", ".", "missing"},
		{"a/missing/x/y", "a", "missing"},
		{"link/missing", "a/b", "missing"},
	}
	for _, tt := range tests {
		_, err := r.Open(tt.path)
		step, ok := errors.AsType[*rootfs.StepError](err)
		if !ok || step.Dir != tt.dir || step.Name != tt.name {
			t.Errorf("Open(%q) = %v, want to end in %q at %q", tt.path, err, tt.dir, tt.name)
		}
		if strings.Contains(err.Error(), r.Name()) {
			t.Errorf("Open(%q): the error tells the real path: %v", tt.path, err)
		}
	}
}

func TestLstat_LastLink(t *testing.T) {
	r := open(t, tree(t, map[string]string{"a/file": "x", "a/link": "-> file", "dir": "-> a"}))
	info, final, err := r.Lstat("dir/link")
	if err != nil || final != "a/link" || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("Lstat = %v, %q, %v; want the link a/link", info, final, err)
	}
	if _, _, err := r.Lstat("missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Lstat of a missing entry: %v", err)
	}
}

func TestOpenRoot_Link(t *testing.T) {
	dir := tree(t, map[string]string{"real/file": "x", "alias": "-> real"})
	r := open(t, filepath.Join(dir, "alias"))
	for _, abs := range []string{filepath.Join(dir, "alias", "file"), filepath.Join(r.RealName(), "file")} {
		if rel, ok := r.Rel(abs); !ok || rel != "file" {
			t.Errorf("Rel(%q) = %q, %v; want file", abs, rel, ok)
		}
	}
	for _, abs := range []string{dir, filepath.Join(dir, "alias-secret"), filepath.Join(dir, "alias", "..", "real2"), "/"} {
		if rel, ok := r.Rel(abs); ok {
			t.Errorf("Rel(%q) = %q; want outside", abs, rel)
		}
	}
	if rel, ok := r.Rel(filepath.Join(dir, "alias")); !ok || rel != "." {
		t.Errorf("Rel of the root = %q, %v", rel, ok)
	}
}

func TestOpenRoot_FileSystemRoot(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a drive has no single top")
	}
	r := open(t, "/")
	if rel, ok := r.Rel("/etc/passwd"); !ok || rel != "etc/passwd" {
		t.Errorf("Rel = %q, %v", rel, ok)
	}
	if rel, ok := r.Rel("/"); !ok || rel != "." {
		t.Errorf("Rel = %q, %v", rel, ok)
	}
}

func TestOpenRoot_NotDirectory(t *testing.T) {
	dir := tree(t, map[string]string{"file": "x"})
	for _, name := range []string{"file", "missing"} {
		if r, err := rootfs.Open(filepath.Join(dir, name)); err == nil {
			r.Close()
			t.Errorf("Open(%q) succeeded", name)
		}
	}
}

func TestRoot_Closed(t *testing.T) {
	r, err := rootfs.Open(tree(t, map[string]string{"a/file": "x"}))
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if _, err := r.Open("a/file"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Open after Close: %v", err)
	}
	if _, err := r.OpenDir("a"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("OpenDir after Close: %v", err)
	}
	if _, _, err := r.Stat("."); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Stat after Close: %v", err)
	}
}

func TestDir_WalkLinks(t *testing.T) {
	r := open(t, tree(t, map[string]string{
		"a/file": "content", "a/sub/x": "1", "a/link": "-> file", "a/dirlink": "-> sub",
		"a/.dougu-tmp-0123456789abcdef0123456789ABCDEF": "being written",
	}))
	d, err := r.OpenDir("a")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got := map[string]fs.FileMode{}
	for {
		entries, err := d.Next(2)
		if err == io.EOF {
			break
		}
		if err != nil || len(entries) == 0 {
			t.Fatalf("Next = %v, %v", entries, err)
		}
		for _, e := range entries {
			got[e.Name] = e.Type
		}
	}
	want := map[string]fs.FileMode{"file": 0, "sub": fs.ModeDir, "link": fs.ModeSymlink, "dirlink": fs.ModeSymlink}
	if len(got) != len(want) {
		t.Errorf("entries %v, want %v", got, want)
	}
	for name, mode := range want {
		if got[name] != mode {
			t.Errorf("%s has type %v, want %v", name, got[name], mode)
		}
	}

	opened, err := d.Open("file")
	if err != nil {
		t.Fatal(err)
	}
	content, _ := io.ReadAll(opened)
	opened.Close()
	if string(content) != "content" || opened.Path != "a/file" {
		t.Errorf("read %q from %q", content, opened.Path)
	}
	sub, err := d.OpenDir("sub")
	if err != nil {
		t.Fatal(err)
	}
	if sub.Path != "a/sub" {
		t.Errorf("child is %q", sub.Path)
	}
	sub.Close()
	refusals := []struct {
		name string
		err  error
	}{
		{"link", rootfs.ErrLink}, {"dirlink", rootfs.ErrLink}, {"missing", fs.ErrNotExist},
		{"..", fs.ErrInvalid}, {".", fs.ErrInvalid}, {"", fs.ErrInvalid}, {"sub/x", fs.ErrInvalid},
	}
	for _, tt := range refusals {
		if _, err := d.Open(tt.name); !errors.Is(err, tt.err) {
			t.Errorf("Open(%q): %v, want %v", tt.name, err, tt.err)
		}
		if _, err := d.OpenDir(tt.name); !errors.Is(err, tt.err) {
			t.Errorf("OpenDir(%q): %v, want %v", tt.name, err, tt.err)
		}
	}
	if _, err := d.OpenDir("file"); !errors.Is(err, rootfs.ErrNotDirectory) {
		t.Errorf("OpenDir of a file: %v", err)
	}
	if info, err := d.Lstat("link"); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("Lstat(link) = %v, %v", info, err)
	}
	if _, err := d.Lstat("../a"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("Lstat(../a): %v", err)
	}
	if err := d.Remove("link"); err != nil {
		t.Error(err)
	}
	if err := d.Remove("../a"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("Remove(../a): %v", err)
	}
	if _, err := r.OpenDir("a/file"); !errors.Is(err, rootfs.ErrNotDirectory) {
		t.Errorf("OpenDir of a file: %v", err)
	}
	if _, err := r.OpenDir("missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("OpenDir of nothing: %v", err)
	}
}

// TestAlias_OtherSpellings are names that FAT, NTFS and SMB take for others, and that are looked up in the listing therefore.
func TestAlias_OtherSpellings(t *testing.T) {
	for path, want := range map[string]bool{
		".env.": true, ".env ": true, ".env::$DATA": true, "a/ENV~1/b": true, "a./b": true, "...": true, "t:1.md": true,
		".": false, "..": false, "a/../b": false, "a.b/c d.txt": false, "main.go~": false, `a\b`: false, "": false,
	} {
		if got := rootfs.LooksAliased(path); got != want {
			t.Errorf("LooksAliased(%q) = %v, want %v", path, got, want)
		}
	}
	r := open(t, tree(t, map[string]string{"t:1.md": "real", "e\u0301. ": "real"}))
	for name, want := range map[string]error{"t:1.md": nil, "T:1.MD": nil, "\u00e9. ": nil, "t:1.md.": rootfs.ErrAlias, "t": rootfs.ErrAlias} {
		if err := rootfs.CheckListed(r, name); err != want {
			t.Errorf("CheckListed(%q) = %v, want %v", name, err, want)
		}
	}
}

func TestAlias_WindowsShortNames(t *testing.T) {
	for name, want := range map[string]bool{
		"ENV~1": true, "PROGRA~1": true, "LONGNA~1.TXT": true, "A~10.c": true,
		"main.go~": false, "main.go.~1~": false, "plain": false, "~1": true, "averylong~1": false, "a~1.html": false,
	} {
		if got := rootfs.LooksShort(name); got != want {
			t.Errorf("LooksShort(%q) = %v, want %v", name, got, want)
		}
	}
	r := open(t, tree(t, map[string]string{"A~1.txt": "a real name"}))
	if err := rootfs.CheckListed(r, "a~1.TXT"); err != nil {
		t.Errorf("a name in the listing is refused: %v", err)
	}
	if err := rootfs.CheckListed(r, "ENV~1"); err != rootfs.ErrAlias {
		t.Errorf("a name that is not in the listing: %v, want ErrAlias", err)
	}
}
