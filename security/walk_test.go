package security_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/dougu-go/dougu/internal/testleak"
	"github.com/dougu-go/dougu/internal/testrandom"
	"github.com/dougu-go/dougu/security"
)

// walked returns the visited entries in order. Directories have the suffix "/", links "@", and other kinds "%".
func walked(t testing.TB, r *security.Root, start string, o security.WalkOptions) ([]string, security.WalkStats) {
	t.Helper()
	var mu sync.Mutex
	var rels []string
	stats, err := r.Walk(t.Context(), start, o, func(e *security.WalkEntry) error {
		mu.Lock()
		defer mu.Unlock()
		rels = append(rels, e.Rel()+map[security.Kind]string{security.Directory: "/", security.Symlink: "@", security.OtherKind: "%"}[e.Kind])
		return nil
	})
	if err != nil {
		t.Fatalf("walk %q: %v", start, err)
	}
	return rels, stats
}

// alike walks in order and with several workers, and checks that both visit the same entries.
func alike(t testing.TB, r *security.Root, start string, o security.WalkOptions) ([]string, security.WalkStats) {
	t.Helper()
	want, stats := walked(t, r, start, o)
	for _, workers := range []int{2, 5} {
		o.Workers = workers
		got, others := walked(t, r, start, o)
		slices.Sort(got)
		if sorted := slices.Sorted(slices.Values(want)); !slices.Equal(got, sorted) {
			t.Errorf("%d workers visited %q, one visited %q", workers, got, sorted)
		}
		if fmt.Sprint(others) != fmt.Sprint(stats) {
			t.Errorf("%d workers: %+v; one: %+v", workers, others, stats)
		}
	}
	return want, stats
}

func words(text string) []string { return strings.Fields(text) }

// TestWalk_Options walks one tree with all options.
func TestWalk_Options(t *testing.T) {
	testleak.Check(t)
	r := open(t, quick, layout(t, map[string]string{
		"main.go": "x", "main_test.go": "x", "README.md": "x", "a.b/x": "x", "a-b/x": "x", "a/x": "x", "link": "-> main.go", "loop": "-> .", "a/up": "-> ..",
		"empty/": "", ".gitignore": "*.log\n/build/\n!keep.log\n", "x.log": "x", "a/y.log": "x", "a/keep.log": "x", "build/out": "x", "a/build/in": "x",
		"a/.gitignore": "!y.log\n/x\n", ".github/ci.yml": "x", ".github/.deep": "x", "a/.hidden": "x",
		".git/info/exclude": "/excluded\n*.tmp\n", ".git/config": "x", "excluded": "x", "a/z.tmp": "x", "vendor/.git": "gitdir: x", "vendor/v": "x",
		".env": "SECRET", "a/key.pem": "SECRET", ".ssh/config": "SECRET", "bad\u200bname.go": "x", "bidi\u202etxt.exe": "x",
		".dougu-backup/files/x": "x", ".dougu-trash/y": "x", "a/.dougu-trash/z": "x",
	}))
	tests := []struct {
		name    string
		start   string
		options security.WalkOptions
		want    string
		stats   security.WalkStats
	}{
		{"everything usual", ".", security.WalkOptions{},
			"README.md a/ a/build/ a/build/in a/keep.log a/up@ a/y.log a-b/ a-b/x a.b/ a.b/x empty/ link@ loop@ main.go main_test.go vendor/ vendor/v",
			security.WalkStats{Entries: 27, Skipped: 9, Hidden: 4, Withheld: 8, Unusable: 2}},
		{"hidden names too", ".", security.WalkOptions{Hidden: true},
			".github/ .github/.deep .github/ci.yml .gitignore README.md a/ a/.gitignore a/.hidden a/build/ a/build/in a/keep.log a/up@ a/y.log a-b/ a-b/x a.b/ a.b/x empty/ link@ loop@ main.go main_test.go vendor/ vendor/v",
			security.WalkStats{Entries: 29, Skipped: 5, Withheld: 8, Unusable: 2}},
		{"what git ignores too", ".", security.WalkOptions{Ignored: true},
			"README.md a/ a/build/ a/build/in a/keep.log a/up@ a/x a/y.log a/z.tmp a-b/ a-b/x a.b/ a.b/x build/ build/out empty/ excluded link@ loop@ main.go main_test.go vendor/ vendor/v x.log",
			security.WalkStats{Entries: 28, Skipped: 4, Hidden: 4, Withheld: 8, Unusable: 2}},
		{"the rules above hold below", "a", security.WalkOptions{}, "build/ build/in keep.log up@ y.log", security.WalkStats{Entries: 9, Skipped: 4, Hidden: 2, Withheld: 2}},
		{"who names a directory means it", "build", security.WalkOptions{}, "out", security.WalkStats{Entries: 1}},
		{"through a link", "a/up/a/build", security.WalkOptions{}, "in", security.WalkStats{Entries: 1}},
		{"a hidden start", ".github", security.WalkOptions{}, "ci.yml", security.WalkStats{Entries: 2, Skipped: 1, Hidden: 1}},
		{"the backups", ".dougu-backup", security.WalkOptions{}, "files/ files/x", security.WalkStats{Entries: 2}},
		{"in the trash", ".dougu-trash", security.WalkOptions{}, "y", security.WalkStats{Entries: 1}},
		{"nothing", "empty", security.WalkOptions{}, "", security.WalkStats{}},
		{"one level", ".", security.WalkOptions{MaxDepth: 1}, "README.md a/ a-b/ a.b/ empty/ link@ loop@ main.go main_test.go vendor/",
			security.WalkStats{Entries: 15, Skipped: 5, Hidden: 2, Withheld: 5, Unusable: 2, Deeper: 5, Incomplete: true}},
		{"the caller skips", ".", security.WalkOptions{Skip: func(rel string, kind security.Kind) bool {
			return strings.HasPrefix(rel, "a") && kind == security.Directory || strings.HasSuffix(rel, ".go")
		}}, "README.md empty/ link@ loop@ vendor/ vendor/v", security.WalkStats{Entries: 16, Skipped: 10, Hidden: 2, Withheld: 6, Unusable: 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, stats := alike(t, r, tt.start, tt.options)
			if want := words(tt.want); !slices.Equal(got, want) {
				t.Errorf("visited\n%q, want\n%q", got, want)
			}
			if fmt.Sprintf("%+v", stats) != fmt.Sprintf("%+v", tt.stats) {
				t.Errorf("%+v, want\n%+v", stats, tt.stats)
			}
		})
	}
}

// TestWalkEntry_Methods opens, describes and names the entries of walks from several starts.
func TestWalkEntry_Methods(t *testing.T) {
	files := map[string]string{"a/b/file": "content", "a/top": "x", "c": "y", "a/b/link": "-> file", "a/b/sub/": ""}
	dir, second := layout(t, files), layout(t, files)
	r := open(t, quick, dir, second)
	for _, start := range []string{".", "a", "a/b", second, second + "/a"} {
		for _, workers := range []int{1, 3} {
			stats, err := r.Walk(t.Context(), start, security.WalkOptions{Workers: workers}, func(e *security.WalkEntry) error {
				info, err := e.Info(t.Context())
				if err != nil || info.Name != e.Name || info.Kind != e.Kind || info.Path != e.Path() || e.Depth != strings.Count(e.Rel(), "/")+1 {
					t.Errorf("%+v of %q at depth %d, %v", info, e.Rel(), e.Depth, err)
				}
				named, err := r.Lstat(t.Context(), e.Path())
				if err != nil || named.Location != info.Location || named.Size != info.Size || named.Mode != info.Mode || !named.ModTime.Equal(info.ModTime) {
					t.Errorf("%q is %+v, and by its path %+v, %v", e.Path(), info, named, err)
				}
				if !strings.HasSuffix(e.Path(), e.Rel()) {
					t.Errorf("%q does not end in %q", e.Path(), e.Rel())
				}
				checkContent(t, e, files)
				return nil
			})
			if err != nil || stats.Incomplete {
				t.Errorf("walk %q: %+v, %v", start, stats, err)
			}
		}
	}
}

// checkContent reads an entry with Open and with ReadFile.
func checkContent(t *testing.T, e *security.WalkEntry, files map[string]string) {
	t.Helper()
	want, code := "", map[security.Kind]security.Code{security.Directory: security.IsDirectory, security.Symlink: security.NotRegularFile}[e.Kind]
	for name, content := range files {
		if e.Kind == security.RegularFile && filepath.Base(name) == e.Name {
			want = content
		}
	}
	content, err := e.ReadFile(t.Context(), []byte("used before"), 100)
	if security.CodeOf(err) != code || string(content) != want {
		t.Errorf("ReadFile of %q: %q, %v", e.Rel(), content, err)
	}
	f, err := e.Open(t.Context())
	if security.CodeOf(err) != code {
		t.Errorf("Open of %q: %v", e.Rel(), err)
	}
	if err != nil {
		return
	}
	defer f.Close()
	buf := make([]byte, 100)
	if n, _ := f.Read(buf); string(buf[:n]) != want || f.Info().Path != e.Path() {
		t.Errorf("Open of %q: %q at %q", e.Rel(), buf[:n], f.Info().Path)
	}
	if want == "content" {
		if content, err := e.ReadFile(t.Context(), nil, 3); security.CodeOf(err) != security.FileTooLarge || string(content) != "con" {
			t.Errorf("ReadFile of %q with a limit: %q, %v", e.Rel(), content, err)
		}
	}
}

// TestWalk_SkipErrors returns fs.SkipDir and fs.SkipAll from visit.
func TestWalk_SkipErrors(t *testing.T) {
	testleak.Check(t)
	r := open(t, quick, layout(t, map[string]string{"a/1": "", "a/2": "", "a/b/3": "", "b/1": "", "b/2": "", "b/3": "", "c/1": ""}))
	failed := errors.New("failed")
	tests := []struct {
		answer error
		at     string
		order  string
		want   error
	}{
		{nil, "", "a/ a/1 a/2 a/b/ a/b/3 b/ b/1 b/2 b/3 c/ c/1", nil},
		{fs.SkipDir, "a", "a/ b/ b/1 b/2 b/3 c/ c/1", nil},
		{fs.SkipDir, "b/2", "a/ a/1 a/2 a/b/ a/b/3 b/ b/1 b/2 c/ c/1", nil},
		{fs.SkipAll, "a/b", "a/ a/1 a/2 a/b/", nil},
		{fs.SkipAll, "b/1", "a/ a/1 a/2 a/b/ a/b/3 b/ b/1", nil},
		{failed, "a/b/3", "a/ a/1 a/2 a/b/ a/b/3", failed},
	}
	for _, tt := range tests {
		for _, workers := range []int{1, 4} {
			var mu sync.Mutex
			var got []string
			_, err := r.Walk(t.Context(), ".", security.WalkOptions{Workers: workers}, func(e *security.WalkEntry) error {
				mu.Lock()
				defer mu.Unlock()
				name := e.Rel()
				if e.Kind == security.Directory {
					name += "/"
				}
				got = append(got, name)
				if e.Rel() == tt.at {
					return tt.answer
				}
				return nil
			})
			if err != tt.want {
				t.Errorf("%v at %q with %d workers: %v, want %v", tt.answer, tt.at, workers, err, tt.want)
			}
			if want := words(tt.order); workers == 1 && !slices.Equal(got, want) {
				t.Errorf("%v at %q: visited %q, want %q", tt.answer, tt.at, got, want)
			}
		}
	}
}

// TestWalk_Limits limits entries and levels.
func TestWalk_Limits(t *testing.T) {
	files := map[string]string{strings.Repeat("d/", 70) + "deep": "x"}
	for i := range 200 {
		files[fmt.Sprintf("many/%03d", i)] = ""
	}
	r := open(t, quick, layout(t, files))
	tests := []struct {
		options security.WalkOptions
		visited int
		stats   security.WalkStats
	}{
		{security.WalkOptions{MaxDepth: 71}, 272, security.WalkStats{Entries: 272}},
		{security.WalkOptions{MaxDepth: 1000}, 272, security.WalkStats{Entries: 272}},
		{security.WalkOptions{MaxDepth: 70}, 271, security.WalkStats{Entries: 271, Deeper: 1, Incomplete: true}},
		{security.WalkOptions{}, 265, security.WalkStats{Entries: 265, Deeper: 1, Incomplete: true}}, // 64 levels
		{security.WalkOptions{MaxDepth: -1, MaxEntries: -1}, 265, security.WalkStats{Entries: 265, Deeper: 1, Incomplete: true}},
		{security.WalkOptions{MaxDepth: 2, MaxEntries: 203}, 203, security.WalkStats{Entries: 203, Deeper: 1, Incomplete: true}},
		{security.WalkOptions{MaxDepth: 2, MaxEntries: 100}, 100, security.WalkStats{Entries: 100, Full: true, Incomplete: true}},
		{security.WalkOptions{MaxEntries: 1}, 1, security.WalkStats{Entries: 1, Full: true, Incomplete: true}},
	}
	for _, tt := range tests {
		for _, workers := range []int{0, 3, 1000} {
			tt.options.Workers = workers
			got, stats := walked(t, r, ".", tt.options)
			if tt.stats.Full {
				stats.Deeper = 0 // which of the directories came first is a matter of the file system
			}
			if len(got) != tt.visited || fmt.Sprintf("%+v", stats) != fmt.Sprintf("%+v", tt.stats) {
				t.Errorf("%+v: %d visited, %+v", tt.options, len(got), stats)
			}
		}
	}
}

// TestWalk_InvalidStarts starts walks at invalid paths.
func TestWalk_InvalidStarts(t *testing.T) {
	r := open(t, quick, layout(t, map[string]string{"file": "x", ".git/hooks/x": "x", "a/.git/x": "x", "toGit": "-> .git/hooks", ".ssh/x": "x", "out": "-> /", "toSSH": "-> .ssh"}))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, want := range map[string]security.Code{
		"file": security.NotDirectory, "missing": security.FileNotFound, "..": security.PermissionDenied, "/": security.PermissionDenied, "out": security.PermissionDenied,
		".ssh": security.PermissionDenied, "toSSH": security.PermissionDenied, "": security.InvalidParams,
		".git": security.InvalidParams, ".git/hooks": security.InvalidParams, "toGit": security.InvalidParams, "a/.git": security.InvalidParams,
	} {
		for _, workers := range []int{1, 2} {
			_, err := r.Walk(t.Context(), name, security.WalkOptions{Workers: workers}, func(e *security.WalkEntry) error {
				t.Errorf("%q was visited from %q", e.Rel(), name)
				return nil
			})
			if security.CodeOf(err) != want {
				t.Errorf("walk %q: %v, want %v", name, err, want)
			}
		}
	}
	if _, err := r.Walk(ended, ".", security.WalkOptions{}, nil); security.CodeOf(err) != security.Cancelled {
		t.Errorf("walk with an ended context: %v", err)
	}
}

// TestFoldEntry_SameAsCheckEntry compares the fast check of a name with the complete one.
func TestFoldEntry_SameAsCheckEntry(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, name string) {
		if folded, quickly, ok, quicklyOK := security.FoldEntry(name); ok != quicklyOK || ok && folded != quickly {
			t.Errorf("%q is %q, %v; quickly %q, %v", name, folded, ok, quickly, quicklyOK)
		}
	}
	for _, name := range []string{"a", "con", "con.txt", "CON", "nul", "aux.c", "prn", "lpt1", "com9.x", "clock$", "conin$", "a.", "a ", " a", "..", ".", "...", ".a", "a:b", `a\b`, "a/b", "é", "\xff",
		"a\x7f", "a\x00", "\u202e", ".dougu-tmp-0123456789abcdef0123456789abcdef", "A", "ß", "x\n", "~", "a~1"} {
		check(t, name)
	}
	testrandom.Check(t, func(t *testing.T, r testrandom.Rand) {
		check(t, r.String(`abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ. :$_~0123456789/\-`, 1, 8))
		var name []rune
		for range r.Between(1, 300) {
			name = append(name, rune(r.IntN(unicode.MaxRune+1)))
		}
		check(t, string(name))
	})
}
