package security_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
)

// TestTrash deletes entries of each kind and restores them.
func TestTrash(t *testing.T) {
	type options = security.TrashOptions
	entries := map[string]string{
		"file": "content", "dir/a": "a", "dir/sub/b": "b", "link": "-> file", "dirlink": "-> dir", "dangling": "-> none", "empty/": "", "outward": "-> ..",
	}
	tests := []struct {
		what    string
		path    string
		options options
		code    security.Code
		gone    string
		final   string
		kind    security.Kind
		entries int
	}{
		{what: "a file", path: "file", gone: "file", final: "file", kind: security.RegularFile},
		{what: "a file through a link", path: "dirlink/sub/b", gone: "dir/sub/b", final: "dir/sub/b", kind: security.RegularFile},
		{what: "a file of the expected content", path: "file", options: options{ExpectedSHA256: strings.ToUpper(sum("content"))}, gone: "file", final: "file", kind: security.RegularFile},
		{what: "a link, not its target", path: "link", gone: "link", final: "link", kind: security.Symlink},
		{what: "a link to a directory", path: "dirlink", options: options{Recursive: true}, gone: "dirlink", final: "dirlink", kind: security.Symlink},
		{what: "a link to nothing", path: "dangling", gone: "dangling", final: "dangling", kind: security.Symlink},
		{what: "a link out of the project", path: "outward", gone: "outward", final: "outward", kind: security.Symlink},
		{what: "an empty directory", path: "empty", gone: "empty/", final: "empty", kind: security.Directory},
		{what: "a directory", path: "dir", options: options{Recursive: true}, gone: "dir/ dir/a dir/sub/ dir/sub/b", final: "dir", kind: security.Directory, entries: 3},
		{what: "a dry run", path: "dir", options: options{Recursive: true, DryRun: true}, final: "dir", kind: security.Directory, entries: 3},

		{what: "a directory unasked", path: "dir", code: security.IsDirectory},
		{what: "a dry run unasked", path: "dir", options: options{DryRun: true}, code: security.IsDirectory},
		{what: "a file of other content", path: "file", options: options{ExpectedSHA256: sum("other")}, code: security.StaleFile},
		{what: "no digest", path: "file", options: options{ExpectedSHA256: "abc"}, code: security.InvalidParams},
		{what: "a directory of some content", path: "empty", options: options{ExpectedSHA256: sum("")}, code: security.InvalidParams},
		{what: "a link of some content", path: "link", options: options{ExpectedSHA256: sum("content")}, code: security.InvalidParams},
		{what: "nothing", path: "none", code: security.FileNotFound},
		{what: "in a missing directory", path: "none/file", code: security.FileNotFound},
		{what: "below a file", path: "file/x", code: security.NotDirectory},
		{what: "the project", path: ".", options: options{Recursive: true}, code: security.InvalidParams},
		{what: "the project by its name", path: "ROOT", options: options{Recursive: true}, code: security.InvalidParams},
	}
	for _, tt := range tests {
		dir := layout(t, entries)
		before := contents(t, dir)
		r := open(t, quick, dir)
		result, err := r.Trash(t.Context(), strings.ReplaceAll(tt.path, "ROOT", dir), tt.options)
		if security.CodeOf(err) != tt.code {
			t.Errorf("%s: %v, want %q", tt.what, err, tt.code)
		}
		want := maps.Clone(before)
		for _, name := range strings.Fields(tt.gone) {
			delete(want, name)
		}
		if after := contents(t, dir); !maps.Equal(after, want) {
			t.Errorf("%s:%s", tt.what, differences(before, after))
		}
		if err != nil {
			if asError(t, err).NextStep() == "" || len(trashed(t, dir)) > 0 {
				t.Errorf("%s: %v, and %v is in the trash", tt.what, err, trashed(t, dir))
			}
			continue
		}
		if result.From.Path != tt.final || result.Kind != tt.kind || result.Entries != tt.entries || (result.Trash.Path == "") != tt.options.DryRun {
			t.Errorf("%s: %+v", tt.what, result)
		}
		if tt.options.DryRun {
			continue
		}
		if parts := inTrash.FindStringSubmatch(result.Trash.Path); len(parts) == 0 || parts[1] != tt.final {
			t.Errorf("%s: it is at %q", tt.what, result.Trash.Path)
		}
		if _, err := r.Move(t.Context(), result.Trash.Path, result.From.Path, security.MoveOptions{}); err != nil {
			t.Errorf("%s: bringing it back: %v", tt.what, err)
		}
		if after := contents(t, dir); !maps.Equal(after, before) {
			t.Errorf("%s: after bringing it back:%s", tt.what, differences(before, after))
		}
		if left, err := os.ReadDir(filepath.Join(dir, security.TrashDir)); err != nil || len(left) != 1 || left[0].Name() != ".gitignore" {
			t.Errorf("%s: the trash holds %v, %v", tt.what, left, err)
		}
	}
}

// TestTrash_HiddenFromListings checks that other operations do not show the trash.
func TestTrash_HiddenFromListings(t *testing.T) {
	dir := layout(t, map[string]string{"a/file": "x", "a/other": "y", "keep": "z"})
	r := open(t, quick, dir)
	result, err := r.Trash(t.Context(), "a", security.TrashOptions{Recursive: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := onDisk(t, dir, security.TrashDir, ".gitignore"); got != "*\n" {
		t.Errorf("version control is told %q", got)
	}
	if runtime.GOOS != "windows" {
		entry := filepath.Join(dir, filepath.Dir(result.Trash.Path))
		if info, err := os.Stat(entry); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("others can look into %s: %v, %v", entry, info.Mode(), err)
		}
	}
	if got := read(t, r, result.Trash.Path+"/file"); got != "x" {
		t.Errorf("the file in the trash holds %q", got)
	}
	for what, call := range map[string]func() error{
		"write": func() error {
			_, err := r.Write(t.Context(), result.Trash.Path+"/file", nil, security.WriteOptions{Overwrite: true})
			return err
		},
		"delete again":       func() error { return trashCall(t, result.Trash.Path+"/file")(r) },
		"delete the trash":   func() error { return trashCall(t, security.TrashDir)(r) },
		"move the trash":     func() error { return moveCall(t, security.TrashDir, "new")(r) },
		"move an entry":      func() error { return moveCall(t, filepath.ToSlash(filepath.Dir(result.Trash.Path)), "new")(r) },
		"move the list":      func() error { return moveCall(t, security.TrashDir+"/.gitignore", "new")(r) },
		"make a directory":   func() error { return makeCall(t, result.Trash.Path+"/new")(r) },
		"move within it":     func() error { return moveCall(t, result.Trash.Path+"/file", result.Trash.Path+"/new")(r) },
		"overwrite in it":    func() error { return moveCall(t, "keep", result.Trash.Path+"/file")(r) },
		"spell it otherwise": func() error { return moveCall(t, strings.ToUpper(security.TrashDir)+"/x/y", "new")(r) },
	} {
		err := call()
		if got := reasonOf(t, err); got != security.ProtectedFile || !strings.Contains(err.Error(), "trash") {
			t.Errorf("%s: refused because of %q: %v", what, got, err)
		}
	}
	if err := makeCall(t, security.BackupDir+"/new")(r); reasonOf(t, err) != security.ProtectedFile || !strings.Contains(err.Error(), "former versions") {
		t.Errorf("a directory in the backups: %v", err)
	}
	// A part of a deleted directory can be restored, and the rest stays.
	if _, err := r.Move(t.Context(), result.Trash.Path+"/file", "file", security.MoveOptions{}); err != nil {
		t.Error(err)
	}
	if got := trashed(t, dir); !maps.Equal(got, map[string]string{"a/": "", "a/other": "y"}) {
		t.Errorf("the trash holds %v", got)
	}
}

// TestTrash_SecondDirectory checks that each directory of a Root has its own trash.
func TestTrash_SecondDirectory(t *testing.T) {
	first, second := layout(t, map[string]string{"file": "1"}), layout(t, map[string]string{"sub/file": "2"})
	r := open(t, quick, first, second)
	result, err := r.Trash(t.Context(), filepath.Join(second, "sub", "file"), security.TrashOptions{})
	if err != nil || result.Trash.Dir != 1 || !strings.HasPrefix(result.Trash.Path, filepath.ToSlash(second)+"/.dougu-trash/") || read(t, r, result.Trash.Path) != "2" {
		t.Errorf("%+v, %v", result, err)
	}
	// An entry can be restored to another directory.
	if _, err := r.Move(t.Context(), result.Trash.Path, "moved", security.MoveOptions{}); err != nil || onDisk(t, first, "moved") != "2" {
		t.Errorf("taken out: %v", err)
	}
}

// TestTrash_MaxEntries deletes a file when the trash is full.
func TestTrash_MaxEntries(t *testing.T) {
	dir := layout(t, map[string]string{"file": "x", ".dougu-trash/not-ours/x": "kept", ".dougu-trash/.gitignore": "*"})
	for i := range 1005 {
		name := filepath.Join(dir, security.TrashDir, fmt.Sprintf("20250101T%06d.000000Z-0123abcd", i%60+i/60%60*100+i/3600*10000), "old")
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := quick
	o.Audit = new(audit.Log)
	result, err := open(t, o, dir).Trash(t.Context(), "file", security.TrashOptions{})
	if err != nil || onDisk(t, dir, result.Trash.Path) != "x" {
		t.Fatalf("%+v, %v", result, err)
	}
	left, err := os.ReadDir(filepath.Join(dir, security.TrashDir))
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, e := range left {
		names[e.Name()] = true
	}
	if len(left) != 1002 || !names["not-ours"] || !names[".gitignore"] || names["20250101T000005.000000Z-0123abcd"] || !names["20250101T000006.000000Z-0123abcd"] {
		t.Errorf("%d entries are left; %v", len(left), names["not-ours"])
	}
	if last := o.Audit.Recent(1)[0]; last.Operation != "fs.prune" || last.Result != "success" || !strings.Contains(last.Params, "20250101T000005.000000Z") {
		t.Errorf("recorded %+v", last)
	}
}

// TestTrash_TrashDirIsLink replaces the trash by links.
func TestTrash_TrashDirIsLink(t *testing.T) {
	for what, call := range map[string]relocate{
		"delete": trashCall(t, "file"), "overwrite": moveCall(t, "file", "other"),
	} {
		dir := layout(t, map[string]string{"file": "content", "other": "old", ".git/hooks/": "", ".dougu-trash": "-> .git/hooks"})
		before := contents(t, dir)
		if got := reasonOf(t, call(open(t, quick, dir))); got != security.ProtectedFile {
			t.Errorf("%s: refused because of %q", what, got)
		}
		if after := contents(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s:%s", what, differences(before, after))
		}
	}
	dir := layout(t, map[string]string{"file": "content", ".dougu-trash": "no directory"})
	if _, err := open(t, quick, dir).Trash(t.Context(), "file", security.TrashOptions{}); err == nil || onDisk(t, dir, "file") != "content" {
		t.Errorf("a file in place of the trash: %v", err)
	}
}

// TestTrash_LongPath checks that the path in the trash of a long path is not too long for a call.
func TestTrash_LongPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths are shorter")
	}
	dir := layout(t, map[string]string{"file": "x"})
	deep := strings.Repeat(strings.Repeat("d", 250)+"/", 16) // 4016 bytes: with the name of an entry in the trash too long
	r := open(t, quick, dir)
	if _, err := r.MakeDir(t.Context(), deep, true); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Move(t.Context(), "file", deep+"a-file-with-a-longer-name", security.MoveOptions{}); err != nil {
		t.Fatal(err)
	}
	result, err := r.Trash(t.Context(), deep+"a-file-with-a-longer-name", security.TrashOptions{})
	if err != nil || read(t, r, result.Trash.Path) != "x" || !strings.HasSuffix(result.Trash.Path, "/a-file-with-a-longer-name") {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestTrash_Durability deletes and moves with every durability. It cannot check that the data reaches the disk.
func TestTrash_Durability(t *testing.T) {
	for _, durability := range []security.Durability{security.Full, security.Process} {
		dir := layout(t, map[string]string{"a/file": "x", "b/": "", "c/file": "y"})
		r := open(t, security.RootOptions{Durability: durability}, dir)
		if _, err := r.MakeDir(t.Context(), "d/e/f", true); err != nil {
			t.Error(err)
		}
		if _, err := r.Move(t.Context(), "a/file", "c/file", security.MoveOptions{Overwrite: true}); err != nil {
			t.Error(err)
		}
		if _, err := r.Trash(t.Context(), "c", security.TrashOptions{Recursive: true}); err != nil {
			t.Error(err)
		}
		want := map[string]string{"c/": "", "c/file": "x"}
		// The first one is an entry with the same names as the second.
		if got := trashed(t, dir); len(got) != len(want) || !maps.Equal(contents(t, dir), map[string]string{"a/": "", "b/": "", "d/": "", "d/e/": "", "d/e/f/": ""}) {
			t.Errorf("left %v; trash %v", contents(t, dir), got)
		}
	}
}

func TestTrash_DeepDirectory(t *testing.T) {
	dir := layout(t, nil)
	deep := filepath.Join(dir, "top")
	for range 260 {
		deep = filepath.Join(deep, "d")
	}
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	r := open(t, quick, dir)
	_, err := r.Trash(t.Context(), "top", security.TrashOptions{Recursive: true})
	if e := asError(t, err); e.Code != security.FileTooLarge || !strings.Contains(e.NextStep(), "directory in it") {
		t.Errorf("260 levels: %v", err)
	}
	if _, err := r.Trash(t.Context(), "top"+strings.Repeat("/d", 10), security.TrashOptions{Recursive: true}); err != nil {
		t.Errorf("250 levels: %v", err)
	}
}

// TestTrash_EntriesFromTheFuture deletes and overwrites files of a project whose trash is full of entries from later times.
func TestTrash_EntriesFromTheFuture(t *testing.T) {
	dir := layout(t, map[string]string{"file": "deleted", "source": "moved", "dest": "overwritten", ".dougu-trash/": ""})
	for i := range 1000 {
		if err := os.Mkdir(filepath.Join(dir, security.TrashDir, fmt.Sprintf("20250101T000000.%06dZ-0000%04x", i, i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r := open(t, quick, dir)
	synctest.Test(t, func(t *testing.T) { // whose clock stands in the year 2000
		deleted, err := r.Trash(t.Context(), "file", security.TrashOptions{})
		if err != nil {
			t.Fatal(err)
		}
		moved, err := r.Move(t.Context(), "source", "dest", security.MoveOptions{Overwrite: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := onDisk(t, dir, deleted.Trash.Path); got != "deleted" {
			t.Errorf("in the trash is %q", got)
		}
		if got := onDisk(t, dir, moved.Replaced.Path); got != "overwritten" {
			t.Errorf("in the trash is %q", got)
		}
	})
	if left, err := filepath.Glob(filepath.Join(dir, security.TrashDir, "2*")); err != nil || len(left) != 1000 {
		t.Errorf("%d entries are left, %v", len(left), err)
	}
}

// TestTrash_Gitignore deletes files when the trash exists without a .gitignore, or with another one.
func TestTrash_Gitignore(t *testing.T) {
	for what, planted := range map[string]map[string]string{
		"missing": {".dougu-trash/": ""},
		"other":   {".dougu-trash/.gitignore": "!*\n"},
		"long":    {".dougu-trash/.gitignore": "*\n" + strings.Repeat("\n", 100) + "!*\n"},
		"link":    {".dougu-trash/.gitignore": "-> ROOT/outside", "outside": "*\n"},
		"whole":   {".dougu-trash/.gitignore": "*"},
	} {
		planted["file"] = "deleted"
		dir := layout(t, planted)
		if _, err := open(t, quick, dir).Trash(t.Context(), "file", security.TrashOptions{}); err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		name := filepath.Join(dir, security.TrashDir, ".gitignore")
		if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || strings.TrimSpace(onDisk(t, name)) != "*" {
			t.Errorf("%s: %v, %v", what, info, err)
		}
	}
}
