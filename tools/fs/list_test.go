package fs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func paths(r fs.ListResult) []string {
	var all []string
	for _, e := range r.Entries {
		all = append(all, e.Path)
	}
	return all
}

func TestList(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{
		"README.md": "", "src/main.go": "", "src/app/a.go": "", "src/app/b.ts": "", "src/app-x.go": "", "src/日本.go": "",
		".hidden/x.go": "", "src/.config": "", "empty/": "", "a b.txt": "", ".env": "SECRET", "src/.dougu-tmp-0123456789abcdef0123456789abcdef": "",
	})
	tests := []struct {
		name   string
		args   fs.ListArgs
		want   string
		hidden int
	}{
		{"root", fs.ListArgs{}, "README.md, a b.txt, empty, src", 1},
		{"root by name", fs.ListArgs{Path: "./"}, "README.md, a b.txt, empty, src", 1},
		{"absolute", fs.ListArgs{Path: p.path("src/app")}, "src/app/a.go, src/app/b.ts", 0},
		{"hidden", fs.ListArgs{IncludeHidden: true}, ".hidden, README.md, a b.txt, empty, src", 0},
		{"recursive", fs.ListArgs{Recursive: true}, "README.md, a b.txt, empty, src, src/app, src/app/a.go, src/app/b.ts, src/app-x.go, src/main.go, src/日本.go", 2},
		{"by name", fs.ListArgs{Recursive: true, Pattern: "*.go"}, "src/app/a.go, src/app-x.go, src/main.go, src/日本.go", 2},
		{"by name, hidden too", fs.ListArgs{Recursive: true, IncludeHidden: true, Pattern: "?.go"}, ".hidden/x.go, src/app/a.go", 0},
		{"by path", fs.ListArgs{Recursive: true, Pattern: "src/*.go"}, "src/app-x.go, src/main.go, src/日本.go", 2},
		{"by path of any depth", fs.ListArgs{Path: "src", Recursive: true, Pattern: "./**/*.{go,ts}"}, "src/app/a.go, src/app/b.ts, src/app-x.go, src/main.go, src/日本.go", 1},
		{"here alone", fs.ListArgs{Path: "src", Pattern: "*.go"}, "src/app-x.go, src/main.go, src/日本.go", 1},
		{"nothing", fs.ListArgs{Path: "empty"}, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := p.list(t, tt.args)
			if all := strings.Join(paths(got), ", "); all != tt.want {
				t.Errorf("got %s\nwant %s", all, tt.want)
			}
			if got.TotalCount != len(got.Entries) || got.Truncated || got.NextCursor != "" || got.Hidden != tt.hidden {
				t.Errorf("got %d of %d, truncated %v, %d hidden", len(got.Entries), got.TotalCount, got.Truncated, got.Hidden)
			}
		})
	}
}

func TestList_IgnoredEntries(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{
		".gitignore": "build/\n*.log\n", "main.go": "", "a.log": "", "build/out": "", "build/sub/x.log": "", "src/b.log": "", "src/c.go": "", "src/.gitignore": "!b.log\n",
	})
	tests := []struct {
		name            string
		args            fs.ListArgs
		want            string
		hidden, ignored int
	}{
		{"root", fs.ListArgs{}, "main.go, src", 1, 2},
		{"recursive", fs.ListArgs{Recursive: true}, "main.go, src, src/b.log, src/c.go", 2, 2},
		{"all the same", fs.ListArgs{Recursive: true, IncludeIgnored: true}, "a.log, build, build/out, build/sub, build/sub/x.log, main.go, src, src/b.log, src/c.go", 2, 0},
		{"all and hidden", fs.ListArgs{IncludeIgnored: true, IncludeHidden: true}, ".gitignore, a.log, build, main.go, src", 0, 0},
		{"an ignored directory", fs.ListArgs{Path: "build"}, "build/out, build/sub", 0, 0},
		{"what other rules leave out in an ignored directory", fs.ListArgs{Path: "build", Recursive: true}, "build/out, build/sub", 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := p.list(t, tt.args)
			if all := strings.Join(paths(got), ", "); all != tt.want {
				t.Errorf("got %s\nwant %s", all, tt.want)
			}
			if got.Hidden != tt.hidden || got.Ignored != tt.ignored {
				t.Errorf("%d hidden, %d ignored, want %d and %d", got.Hidden, got.Ignored, tt.hidden, tt.ignored)
			}
		})
	}
	if text := p.list(t, fs.ListArgs{}).TextContent(); !strings.HasPrefix(text, "[.: 2 entries; 1 hidden; 2 ignored]\n") {
		t.Errorf("the text is %s", text)
	}
	first := p.list(t, fs.ListArgs{IncludeIgnored: true, MaxEntries: 1})
	_, err := p.List(t.Context(), fs.ListArgs{MaxEntries: 1, Cursor: first.NextCursor})
	toolsettest.WantError(t, err, "INVALID_CURSOR")
}

func TestList_EntryMembers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs mode bits and links")
	}
	p := newProject(t, setup{}, map[string]string{"d/f.txt": "12345", "d/sub/x": "", "d/link": "-> ../d", "d/out": "-> /etc/passwd"})
	changed := time.Date(2026, 5, 6, 7, 8, 9, 10, time.UTC)
	if err := os.Chtimes(p.path("d/f.txt"), changed, changed); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(p.path("d/f.txt"), 0o640); err != nil {
		t.Fatal(err)
	}
	got := p.list(t, fs.ListArgs{Path: "d", Recursive: true})
	if all := strings.Join(paths(got), ", "); all != "d/f.txt, d/link, d/out, d/sub, d/sub/x" {
		t.Fatalf("got %s", all)
	}
	want := fs.FileEntry{Name: "f.txt", Path: "d/f.txt", Type: "file", Size: 5, LastModified: changed.Truncate(time.Second), Permissions: "rw-r-----"}
	if got.Entries[0] != want {
		t.Errorf("got %+v, want %+v", got.Entries[0], want)
	}
	for i, kind := range []string{"file", "symlink", "symlink", "directory", "file"} {
		if got.Entries[i].Type != kind {
			t.Errorf("%s is a %s, want %s", got.Entries[i].Path, got.Entries[i].Type, kind)
		}
	}
	if text := got.TextContent(); text != "[d: 5 entries]\nd/f.txt\t5\nd/link\tsymlink\nd/out\tsymlink\nd/sub/\nd/sub/x\t0\n" {
		t.Errorf("the text is %q", text)
	}
}

func TestList_Refusals(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f.txt": "", "sub/x": "", "sub/y": ""})
	cursor := p.list(t, fs.ListArgs{Path: "sub", MaxEntries: 1}).NextCursor
	tests := []struct {
		name string
		args fs.ListArgs
		code string
		says []string
	}{
		{"file", fs.ListArgs{Path: "f.txt"}, "NOT_A_DIRECTORY", []string{"read_file"}},
		{"missing", fs.ListArgs{Path: "subb"}, "FILE_NOT_FOUND", []string{"Did you mean sub?"}},
		{"outside", fs.ListArgs{Path: "../"}, "PERMISSION_DENIED", nil},
		{"malformed pattern", fs.ListArgs{Pattern: "a[b"}, "INVALID_PARAMS", []string{"a[b"}},
		{"long pattern", fs.ListArgs{Pattern: strings.Repeat("a", 257)}, "INVALID_PARAMS", []string{"257"}},
		{"explosive pattern", fs.ListArgs{Pattern: strings.Repeat("{a,a}", 40)}, "INVALID_PARAMS", []string{"alternatives"}},
		{"explosive pattern in another", fs.ListArgs{Pattern: strings.Repeat("{", 20) + "a" + strings.Repeat(",b,c}", 20)}, "INVALID_PARAMS", []string{"alternatives"}},
		{"negative number", fs.ListArgs{MaxEntries: -1}, "INVALID_PARAMS", []string{"maxEntries -1"}},
		{"no cursor", fs.ListArgs{Cursor: "?"}, "INVALID_CURSOR", nil},
		{"cursor of another directory", fs.ListArgs{Cursor: cursor}, "INVALID_CURSOR", []string{"path"}},
		{"cursor of another pattern", fs.ListArgs{Path: "sub", Pattern: "*", Cursor: cursor}, "INVALID_CURSOR", []string{"pattern"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := p.List(t.Context(), tt.args)
			toolsettest.WantError(t, err, tt.code, tt.says...)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.List(ctx, fs.ListArgs{})
	toolsettest.WantError(t, err, "CANCELLED")
}

// Pages of any size join to the whole listing, even if entries come and go between them.
func TestList_Pages(t *testing.T) {
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("d%d/f%d.txt", i%7, i)] = ""
		files[fmt.Sprintf("d%d-x/sub/f%d.txt", i%5, i)] = ""
	}
	p := newProject(t, setup{}, files)
	all := p.list(t, fs.ListArgs{Recursive: true})
	for _, size := range []int{1, 2, 7, 50, 1000} {
		var joined []string
		args := fs.ListArgs{Recursive: true, MaxEntries: size}
		for {
			got := p.list(t, args)
			joined = append(joined, paths(got)...)
			if got.TotalCount != all.TotalCount || got.Truncated != (got.NextCursor != "") {
				t.Fatalf("got %d of %d, truncated %v", len(got.Entries), got.TotalCount, got.Truncated)
			}
			if args.Cursor = got.NextCursor; args.Cursor == "" {
				break
			}
		}
		if !slices.Equal(joined, paths(all)) {
			t.Errorf("pages of %d join to %v", size, joined)
		}
	}

	first := p.list(t, fs.ListArgs{Recursive: true, MaxEntries: 20})
	last := first.Entries[19].Path
	if err := os.RemoveAll(p.path(last)); err != nil {
		t.Fatal(err)
	}
	p.put(t, "a-new-one", "")
	rest := p.list(t, fs.ListArgs{Recursive: true, Cursor: first.NextCursor})
	if want := paths(all)[20:]; !slices.Equal(paths(rest), want) {
		t.Errorf("after a change the rest is %v, want %v", paths(rest), want)
	}
}

func TestList_Budget(t *testing.T) {
	files := map[string]string{}
	for i := range 700 {
		files[fmt.Sprintf("some/directory/with a rather long name/file-%04d.txt", i)] = "x"
	}
	p := newProject(t, setup{}, files)
	seen := 0
	for args := (fs.ListArgs{Recursive: true}); ; {
		got := p.list(t, args)
		asJSON, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if text := got.TextContent(); len(text) > 32<<10 || len(asJSON) > 32<<10 {
			t.Fatalf("%d bytes of text and %d of JSON", len(text), len(asJSON))
		}
		if seen += len(got.Entries); got.NextCursor == "" {
			break
		}
		if text := got.TextContent(); !strings.Contains(text, fmt.Sprintf("to %d of 703 entries", seen)) ||
			!strings.HasSuffix(text, "[continue with cursor="+got.NextCursor+"]\n") {
			t.Errorf("the text does not say how to go on: %.100s", text)
		}
		args.Cursor = got.NextCursor
	}
	if seen != 703 {
		t.Errorf("saw %d entries", seen)
	}
}

func TestList_DeepTree(t *testing.T) {
	p := newProject(t, setup{}, nil)
	deep := strings.Repeat("d/", 70)
	if err := os.MkdirAll(p.path(deep), 0o755); err != nil {
		t.Fatal(err)
	}
	got := p.list(t, fs.ListArgs{Recursive: true})
	if !got.Incomplete || !got.Truncated || got.NextCursor != "" || got.TotalCount != 64 {
		t.Errorf("got %d entries, incomplete %v", got.TotalCount, got.Incomplete)
	}
	if text := got.TextContent(); !strings.HasPrefix(text, "[.: entries 1 to 64 of more than 64 entries]") && !strings.HasPrefix(text, "[.: more than 64 entries]") ||
		!strings.Contains(text, "not everything was looked at") {
		t.Errorf("the text is %.100s", text)
	}
	if below := p.list(t, fs.ListArgs{Path: strings.Repeat("d/", 60), Recursive: true}); below.Incomplete || below.TotalCount != 10 {
		t.Errorf("from below: %d entries, incomplete %v", below.TotalCount, below.Incomplete)
	}
}

func TestList_UnreadableDirectories(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("everything is allowed to this user")
	}
	p := newProject(t, setup{}, map[string]string{"a/x": "", "locked/y": "", "z/y": ""})
	if err := os.Chmod(p.path("locked"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(p.path("locked"), 0o755) })
	got := p.list(t, fs.ListArgs{Recursive: true})
	if all := strings.Join(paths(got), ", "); all != "a, a/x, locked, z, z/y" {
		t.Errorf("got %s", all)
	}
	if len(got.Problems) != 1 || got.Problems[0] != "locked: PERMISSION_DENIED" {
		t.Errorf("got problems %v", got.Problems)
	}
	if !strings.Contains(got.TextContent(), "[not read: locked: PERMISSION_DENIED]") {
		t.Errorf("the text is %s", got.TextContent())
	}
	_, err := p.List(t.Context(), fs.ListArgs{Path: "locked"})
	toolsettest.WantError(t, err, "PERMISSION_DENIED")
}
