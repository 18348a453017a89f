package walk_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/internal/ignore"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/internal/testleak"
	"github.com/dougu-go/dougu/security/internal/hardlink"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/walk"
)

func TestMain(m *testing.M) { testleak.Main(m) }

// makeTree makes files below a new directory.
func makeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		full := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run walks a directory and returns the visited paths, sorted unless the walk is in order. change changes the options.
func run(t *testing.T, ctx context.Context, dir, start string, visit func(*walk.Entry) error, change func(*walk.Options)) ([]string, walk.Stats, error) {
	t.Helper()
	root, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	opened, err := root.OpenDir(start)
	if err != nil {
		t.Fatal(err)
	}
	blocked, _ := pattern.Compile([]string{"*.pem"})
	var mu sync.Mutex
	var visited []string
	o := walk.Options{
		Root: root, Links: &hardlink.Finder{Root: root}, Blocked: blocked, MaxDepth: 64, MaxEntries: 1000,
		Reserved: func(name string) bool { return name == ".trash" },
		Own:      func(string) bool { return false },
		OwnRules: func(string, *rootfs.Dir) *ignore.Rules { return nil },
		FoldName: func(name string) (string, bool) { return pattern.Fold(name), !strings.Contains(name, "bad") },
		Problem:  func(final string, err error) { t.Errorf("%s: %v", final, err) },
		Visitor: func() func(*walk.Entry) error {
			return func(e *walk.Entry) error {
				mu.Lock()
				visited = append(visited, e.Rel())
				mu.Unlock()
				if visit != nil {
					return visit(e)
				}
				return nil
			}
		},
	}
	if change != nil {
		change(&o)
	}
	stats, err := walk.Run(ctx, opened, o)
	if o.Workers > 1 {
		slices.Sort(visited)
	}
	return visited, stats, err
}

var project = map[string]string{
	"b/x.go": "", "a.go": "", "b/a/deep.go": "", "key.pem": "", "bad": "", ".hidden": "", ".git/config": "", ".trash/entry/old": "",
	".gitignore": "out/\n*.log\n", "out/made.o": "", "b/x.log": "",
}

func TestRun_Order(t *testing.T) {
	dir := makeTree(t, project)
	got, stats, err := run(t, t.Context(), dir, ".", nil, nil)
	if want := []string{"a.go", "b", "b/a", "b/a/deep.go", "b/x.go"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("visited %v, %v; want %v", got, err, want)
	}
	// Withheld are .git, .trash and key.pem; skipped are .hidden, .gitignore, out and b/x.log.
	if want := (walk.Stats{Entries: 9, Skipped: 4, Hidden: 2, Withheld: 3, Unusable: 1}); stats != want {
		t.Errorf("%+v, want %+v", stats, want)
	}
}

func TestRun_Workers(t *testing.T) {
	files := make(map[string]string)
	for _, dir := range []string{"", "a/", "a/b/", "c/"} {
		for i := range 150 {
			files[dir+strings.Repeat("x", i+1)] = ""
		}
	}
	dir := makeTree(t, files)
	inOrder, _, err := run(t, t.Context(), dir, ".", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(inOrder)
	got, _, err := run(t, t.Context(), dir, ".", nil, func(o *walk.Options) { o.Workers = 8 })
	if err != nil || !slices.Equal(got, inOrder) {
		t.Errorf("8 workers visited %d entries and 1 worker %d: %v", len(got), len(inOrder), err)
	}
}

func TestRun_Options(t *testing.T) {
	dir := makeTree(t, project)
	for what, tt := range map[string]struct {
		start  string
		change func(*walk.Options)
		want   []string
	}{
		"hidden and ignored":   {".", func(o *walk.Options) { o.Hidden, o.Ignored = true, true }, []string{".gitignore", ".hidden", "a.go", "b", "b/a", "b/a/deep.go", "b/x.go", "b/x.log", "out", "out/made.o"}},
		"ignored below":        {"b", nil, []string{"a", "a/deep.go", "x.go"}},
		"depth":                {".", func(o *walk.Options) { o.MaxDepth = 1 }, []string{"a.go", "b"}},
		"skip":                 {".", func(o *walk.Options) { o.Skip = func(rel string, _ fs.FileMode) bool { return rel == "b" } }, []string{"a.go"}},
		"reserved":             {".trash", nil, []string{"entry", "entry/old"}},
		"ignored and reserved": {".trash/entry", nil, []string{"old"}},
	} {
		got, _, err := run(t, t.Context(), dir, tt.start, nil, tt.change)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: visited %v, %v; want %v", what, got, err, tt.want)
		}
	}
	if _, stats, err := run(t, t.Context(), dir, ".", nil, func(o *walk.Options) { o.MaxEntries = 3 }); err != nil || !stats.Full {
		t.Errorf("a walk with 3 entries: %+v, %v", stats, err)
	}
}

func TestRun_VisitEnds(t *testing.T) {
	dir := makeTree(t, project)
	failure := errors.New("visit failed")
	for what, tt := range map[string]struct {
		at        string
		result    error
		err       error
		unvisited string
	}{
		"SkipDir of a directory": {"b", fs.SkipDir, nil, "b/x.go"},
		"SkipDir of a file":      {"a.go", fs.SkipDir, nil, "b"},
		"SkipAll":                {"b/a", fs.SkipAll, nil, "b/x.go"},
		"error":                  {"b/a", failure, failure, "b/x.go"},
	} {
		got, _, err := run(t, t.Context(), dir, ".", func(e *walk.Entry) error {
			if e.Rel() == tt.at {
				return tt.result
			}
			return nil
		}, nil)
		if err != tt.err || slices.Contains(got, tt.unvisited) {
			t.Errorf("%s: visited %v, %v", what, got, err)
		}
	}
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		_, _, err := run(t, ctx, dir, ".", func(*walk.Entry) error { cancel(); return nil }, func(o *walk.Options) { o.Workers = workers })
		if err != walk.ErrEnded {
			t.Errorf("%d workers with an ended context: %v", workers, err)
		}
	}
}

func TestEntry_IsBlockedLink(t *testing.T) {
	dir := makeTree(t, map[string]string{"secret.pem": "secret", "other": "x"})
	if err := os.Link(filepath.Join(dir, "secret.pem"), filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("a description has no number of links")
	}
	_, _, err := run(t, t.Context(), dir, ".", func(e *walk.Entry) error {
		info, err := e.Dir().Lstat(e.Name)
		if err == nil && e.IsBlockedLink(info) != (e.Name == "link") {
			t.Errorf("%s at %s is a blocked link: %v", e.Name, e.Final(), e.IsBlockedLink(info))
		}
		return err
	}, nil)
	if err != nil {
		t.Error(err)
	}
}

func TestInGit(t *testing.T) {
	for final, want := range map[string]bool{".git": true, "a/.GIT/hooks": true, ".github": false, "a": false, ".": false} {
		if got := walk.InGit(final); got != want {
			t.Errorf("InGit(%q) = %v", final, got)
		}
	}
}
