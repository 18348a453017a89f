package security_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// contents returns the content of a directory by slash-separated names. The name of a directory ends in a slash, and
// a link has the value "-> " and its target. The trash is omitted; see trashed.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	found, err := contentsOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func contentsOf(dir string) (map[string]string, error) {
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
		case name == security.TrashDir:
			return filepath.SkipDir
		case d.IsDir():
			found[name+"/"] = ""
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			found[name] = "-> " + target
			return err
		case d.Type().IsRegular():
			content, err := os.ReadFile(path)
			found[name] = string(content)
			return err
		default:
			found[name] = d.Type().String()
		}
		return nil
	})
	return found, err
}

// trashed returns the content of the trash of a directory, without the names of its entries.
func trashed(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, security.TrashDir))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		if e.Name() != ".gitignore" {
			maps.Copy(found, contents(t, filepath.Join(dir, security.TrashDir, e.Name())))
		}
	}
	return found
}

// differences returns the removed and the added entries.
func differences(before, after map[string]string) string {
	var b strings.Builder
	for name, content := range before {
		if now, ok := after[name]; !ok || now != content {
			b.WriteString(" -" + name)
		}
	}
	for name, content := range after {
		if was, ok := before[name]; !ok || was != content {
			b.WriteString(" +" + name + "=" + content)
		}
	}
	return b.String()
}

var inTrash = regexp.MustCompile(`^\.dougu-trash/\d{8}T\d{6}\.\d{6}Z-[0-9a-f]{8}/(.+)$`)

// TestMove combines the kinds of entries at both paths.
func TestMove(t *testing.T) {
	type options = security.MoveOptions
	entries := map[string]string{
		"file": "content", "other": "old", "dir/a": "a", "dir/sub/b": "b", "link": "-> file", "dirlink": "-> dir", "dangling": "-> none",
		"in/": "", "outward": "-> ../secret",
	}
	tests := []struct {
		what     string
		from, to string
		options  options
		code     security.Code
		gone     string // of entries
		came     map[string]string
		replaced string // content of the entry in the trash
	}{
		{what: "a file", from: "file", to: "new", gone: "file", came: map[string]string{"new": "content"}},
		{what: "a file into a directory", from: "file", to: "in/file", gone: "file", came: map[string]string{"in/file": "content"}},
		{what: "through links to directories", from: "dirlink/a", to: "dirlink/new", gone: "dir/a", came: map[string]string{"dir/new": "a"}},
		{what: "a directory", from: "dir", to: "in/dir", gone: "dir/ dir/a dir/sub/ dir/sub/b",
			came: map[string]string{"in/dir/": "", "in/dir/a": "a", "in/dir/sub/": "", "in/dir/sub/b": "b"}},
		{what: "a link, not its target", from: "link", to: "in/link", gone: "link", came: map[string]string{"in/link": "-> file"}},
		{what: "a link to a directory", from: "dirlink", to: "new", gone: "dirlink", came: map[string]string{"new": "-> dir"}},
		{what: "a link to nothing", from: "dangling", to: "new", gone: "dangling", came: map[string]string{"new": "-> none"}},
		{what: "a link out of the project", from: "outward", to: "new", gone: "outward", came: map[string]string{"new": "-> ../secret"}},
		{what: "another case", from: "file", to: "File", gone: "file", came: map[string]string{"File": "content"}},
		{what: "a directory in another case", from: "in", to: "IN", gone: "in/", came: map[string]string{"IN/": ""}},
		{what: "over a file", from: "file", to: "other", options: options{Overwrite: true}, gone: "file other", came: map[string]string{"other": "content"}, replaced: "old"},
		{what: "over a link", from: "file", to: "dangling", options: options{Overwrite: true}, gone: "file dangling", came: map[string]string{"dangling": "content"}, replaced: "-> none"},
		{what: "a link over a file", from: "link", to: "other", options: options{Overwrite: true}, gone: "link other", came: map[string]string{"other": "-> file"}, replaced: "old"},
		{what: "overwriting nothing", from: "file", to: "new", options: options{Overwrite: true}, gone: "file", came: map[string]string{"new": "content"}},
		{what: "a dry run", from: "file", to: "other", options: options{Overwrite: true, DryRun: true}},

		{what: "over a file unasked", from: "file", to: "other", code: security.AlreadyExists},
		{what: "over a link unasked", from: "file", to: "dangling", code: security.AlreadyExists},
		{what: "over a directory", from: "file", to: "in", options: options{Overwrite: true}, code: security.IsDirectory},
		{what: "a directory over a directory", from: "dir", to: "in", options: options{Overwrite: true}, code: security.IsDirectory},
		{what: "a directory over a file", from: "dir", to: "file", options: options{Overwrite: true}, code: security.NotDirectory},
		{what: "onto itself", from: "file", to: "file", options: options{Overwrite: true}, code: security.InvalidParams},
		{what: "onto itself by a link", from: "dir/a", to: "dirlink/a", code: security.InvalidParams},
		{what: "a directory into itself", from: "dir", to: "dir/new", code: security.InvalidParams},
		{what: "a directory into itself by a link", from: "dir", to: "dirlink/sub/new", code: security.InvalidParams},
		{what: "into its parent's place", from: "dir/a", to: "dir", options: options{Overwrite: true}, code: security.IsDirectory},
		{what: "nothing", from: "none", to: "new", code: security.FileNotFound},
		{what: "from a missing directory", from: "none/file", to: "new", code: security.FileNotFound},
		{what: "below a file", from: "file/x", to: "new", code: security.NotDirectory},
		{what: "to a missing directory", from: "file", to: "none/new", code: security.FileNotFound},
		{what: "to below a file", from: "other", to: "file/new", code: security.NotDirectory},
		{what: "the project", from: ".", to: "in/new", code: security.InvalidParams},
		{what: "over the project", from: "file", to: ".", options: options{Overwrite: true}, code: security.IsDirectory},
		{what: "into the project of its own name", from: "file", to: "", code: security.InvalidParams},
	}
	for _, tt := range tests {
		dir := layout(t, entries)
		before := contents(t, dir)
		r := open(t, quick, dir)
		result, err := r.Move(t.Context(), tt.from, tt.to, tt.options)
		if security.CodeOf(err) != tt.code {
			t.Errorf("%s: %v, want %q", tt.what, err, tt.code)
		}
		want := maps.Clone(before)
		for _, name := range strings.Fields(tt.gone) {
			delete(want, name)
		}
		maps.Copy(want, tt.came)
		if after := contents(t, dir); !maps.Equal(after, want) {
			t.Errorf("%s:%s instead of%s", tt.what, differences(before, after), differences(before, want))
		}
		trash := trashed(t, dir)
		if tt.replaced == "" {
			if len(trash) > 0 {
				t.Errorf("%s: %v is in the trash", tt.what, trash)
			}
		} else if parts := inTrash.FindStringSubmatch(result.Replaced.Path); len(parts) == 0 || parts[1] != tt.to || trash[tt.to] != tt.replaced {
			t.Errorf("%s: %q and %v are in the trash", tt.what, result.Replaced.Path, trash)
		}
		if err != nil {
			if asError(t, err).NextStep() == "" {
				t.Errorf("%s: no next step", tt.what)
			}
			continue
		}
		if last := filepath.Base(tt.to); filepath.Base(result.To.Path) != last || result.From.Path == result.To.Path {
			t.Errorf("%s: %+v", tt.what, result)
		}
	}
}

func TestMove_Result(t *testing.T) {
	dir := layout(t, map[string]string{"dir/a": "a", "dir/sub/b": "b", "link": "-> dir"})
	second := layout(t, map[string]string{"in/": ""})
	r := open(t, quick, dir, second)
	to := filepath.ToSlash(second) + "/in/moved"
	result, err := r.Move(t.Context(), "link/sub", to, security.MoveOptions{})
	want := security.MoveResult{
		From: security.Location{Path: "dir/sub", Rel: "dir/sub"}, To: security.Location{Path: to, Dir: 1, Rel: "in/moved"}, Kind: security.Directory, Entries: 1,
	}
	if err != nil || result != want {
		t.Errorf("%+v, %v; want %+v", result, err, want)
	}
	if got := onDisk(t, second, "in", "moved", "b"); got != "b" {
		t.Errorf("the other directory holds %q", got)
	}
}

// TestMove_NextSteps checks the next steps of the errors for common mistakes.
func TestMove_NextSteps(t *testing.T) {
	r := open(t, quick, layout(t, map[string]string{"src/main.go": "x", "lib/": "", "other": "y"}))
	for _, tt := range []struct{ from, to, says string }{
		{"src/main.go", "lib", `"lib/main.go"`},
		{"src/main.go", "library/main.go", "make the directory"},
		{"src/main.og", "new", "src/main.go"},
		{"src", "src/inner", "outside of the directory"},
		{"other", "src/main.go", "overwriting"},
	} {
		_, err := r.Move(t.Context(), tt.from, tt.to, security.MoveOptions{})
		if next := asError(t, err).NextStep(); !strings.Contains(next, tt.says) {
			t.Errorf("%s to %s: %v %s", tt.from, tt.to, err, next)
		}
	}
}

// TestMove_OverwrittenFileIsKept moves over a file while another program changes the destination.
func TestMove_OverwrittenFileIsKept(t *testing.T) {
	for what, tt := range map[string]struct {
		meddle func(dir string) error
		code   security.Code
		left   map[string]string
		trash  map[string]string
	}{
		"nothing": {func(string) error { return nil }, "", map[string]string{"b": "new"}, map[string]string{"b": "old"}},
		"the source is gone": {func(dir string) error { return os.Remove(filepath.Join(dir, "a")) }, security.FileNotFound,
			map[string]string{"b": "old"}, map[string]string{}},
		"the source is something else": {func(dir string) error { return os.Rename(filepath.Join(dir, "other"), filepath.Join(dir, "a")) }, security.FileBusy,
			map[string]string{"a": "other", "b": "old"}, map[string]string{}},
		"the destination is taken": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "b"), []byte("third"), 0o644) }, security.AlreadyExists,
			map[string]string{"a": "new", "b": "third"}, map[string]string{"b": "old"}},
	} {
		dir := layout(t, map[string]string{"a": "new", "b": "old", "other": "other"})
		err := security.MoveOver(t.Context(), open(t, quick, dir), "a", "b", func() {
			if err := tt.meddle(dir); err != nil {
				t.Error(err)
			}
		})
		if tt.left["a"] != "other" {
			tt.left["other"] = "other"
		}
		if security.CodeOf(err) != tt.code || !maps.Equal(contents(t, dir), tt.left) || !maps.Equal(trashed(t, dir), tt.trash) {
			t.Errorf("%s: %v; left %v; the trash holds %v", what, err, contents(t, dir), trashed(t, dir))
		}
		if tt.code != "" && len(tt.trash) > 0 && !strings.Contains(asError(t, err).NextStep(), security.TrashDir) {
			t.Errorf("%s: nobody says where the former file is: %v", what, err)
		}
	}
}

// TestMove_CopyAcrossDevices moves a file by copying it while another program interferes. After a failure the file is
// at its old path and no copy is left.
func TestMove_CopyAcrossDevices(t *testing.T) {
	large := strings.Repeat("content ", 50_000)
	for what, tt := range map[string]struct {
		meddle func(dir string) error
		moved  bool
	}{
		"in peace":             {func(string) error { return nil }, true},
		"the file is replaced": {func(dir string) error { return os.Rename(filepath.Join(dir, "other"), filepath.Join(dir, "file")) }, false},
		"the file is gone":     {func(dir string) error { return os.Rename(filepath.Join(dir, "file"), filepath.Join(dir, "file2")) }, false},
	} {
		dir := layout(t, map[string]string{"file": large, "other": "other", "in/": ""})
		before := contents(t, dir)
		var meddled map[string]string
		err := security.CopyAcrossDevices(t.Context(), open(t, quick, dir), "file", "in/file", func() {
			if err := tt.meddle(dir); err != nil {
				t.Error(err)
			}
			meddled = contents(t, dir)
		})
		delete(meddled, "in/file")
		if tt.moved {
			delete(before, "file")
			before["in/file"] = large
			meddled = before
		}
		if after := contents(t, dir); (err == nil) != tt.moved || !maps.Equal(after, meddled) {
			t.Errorf("%s: %v;%s", what, err, differences(meddled, after))
		}
	}
	dir := layout(t, map[string]string{"file": large, "in/file": "there"})
	before := contents(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := security.CopyAcrossDevices(ctx, open(t, quick, dir), "file", "in/new", func() {}); !errors.Is(err, context.Canceled) {
		t.Errorf("copying goes on after its end: %v", err)
	}
	if err := security.CopyAcrossDevices(t.Context(), open(t, quick, dir), "file", "in/file", func() {}); !os.IsExist(err) {
		t.Errorf("over a file: %v", err)
	}
	if after := contents(t, dir); !maps.Equal(before, after) {
		t.Errorf("changed:%s", differences(before, after))
	}
}
