package fs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// age makes files look as if they had been changed one after the other, the first one last.
func (p project) age(t testing.TB, newestFirst ...string) {
	t.Helper()
	for i, name := range newestFirst {
		at := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC).Add(-time.Duration(i) * time.Hour)
		if err := os.Chtimes(p.path(name), at, at); err != nil {
			t.Fatal(err)
		}
	}
}

func (p project) find(t testing.TB, args fs.SearchFilesArgs) fs.SearchFilesResult {
	t.Helper()
	got, err := p.SearchFiles(t.Context(), args)
	if err != nil {
		t.Fatalf("searching %+v: %v", args, err)
	}
	return got
}

func (p project) grep(t testing.TB, args fs.SearchContentArgs) fs.SearchContentResult {
	t.Helper()
	got, err := p.SearchContent(t.Context(), args)
	if err != nil {
		t.Fatalf("searching %+v: %v", args, err)
	}
	return got
}

// outline writes what a search has found in one line: "a.go:3,4- b.go:1", where context is marked.
func outline(r fs.SearchContentResult) string {
	var files []string
	for _, f := range r.Files {
		var lines []string
		for _, l := range f.Lines {
			mark := ""
			if l.Context {
				mark = "-"
			}
			lines = append(lines, fmt.Sprint(l.Line, mark))
		}
		files = append(files, f.Path+":"+strings.Join(lines, ","))
	}
	return strings.Join(files, " ")
}

// largeTree makes files in directories, hundred in each.
func largeTree(t testing.TB, dir string, files int, content string) {
	t.Helper()
	for i := range files {
		at := fmt.Sprintf("%s/d%03d/e%02d", dir, i/1000, i/100%10)
		if i%100 == 0 {
			if err := os.MkdirAll(at, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(fmt.Sprintf("%s/f%06d.txt", at, i), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A search whose deadline passes returns its results so far; a cancelled search returns an error.
func TestSearch_Deadline(t *testing.T) {
	p := newProject(t, setup{}, nil)
	largeTree(t, p.dir, 3000, "needle\n")
	type outcome struct {
		incomplete, truncated bool
		seen, shown           int
		text                  string
	}
	for name, search := range map[string]func(context.Context) (outcome, error){
		"search_content": func(ctx context.Context) (outcome, error) {
			got, err := p.SearchContent(ctx, fs.SearchContentArgs{Pattern: "needle"})
			return outcome{got.Incomplete, got.Truncated, got.TotalFiles, len(got.Files), got.TextContent()}, err
		},
		"search_files": func(ctx context.Context) (outcome, error) {
			got, err := p.SearchFiles(ctx, fs.SearchFilesArgs{Pattern: "*.txt"})
			return outcome{got.Incomplete, got.Truncated, got.TotalCount, len(got.Files), got.TextContent()}, err
		},
		"get_workspace_structure": func(ctx context.Context) (outcome, error) {
			got, err := p.WorkspaceStructure(ctx, fs.WorkspaceStructureArgs{})
			return outcome{got.Incomplete, got.Truncated, got.TotalFiles, len(got.Root.Children), got.TextContent()}, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			got, err := search(afterAWhile(ctx, func() { stop(errors.New("the tool took too long")) }))
			if err != nil {
				t.Fatal(err)
			}
			if !got.incomplete || !got.truncated || got.seen == 0 || got.seen == 3000 || got.shown == 0 {
				t.Errorf("%d are shown of %d, incomplete %v, truncated %v", got.shown, got.seen, got.incomplete, got.truncated)
			}
			if !strings.Contains(got.text, "[not everything was ") {
				t.Errorf("the text is %.200s", got.text)
			}

			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err = search(afterAWhile(ctx, cancel))
			toolsettest.WantError(t, err, "CANCELLED")

			ctx, cancel = context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
			defer cancel()
			_, err = search(ctx)
			toolsettest.WantError(t, err, "TIMEOUT")

			ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if got, err := search(ctx); err != nil || got.incomplete || got.seen != 3000 {
				t.Errorf("with time enough: %d, incomplete %v, %v", got.seen, got.incomplete, err)
			}
		})
	}
}

// watched is a context that counts the calls of Err and Done.
type watched struct {
	context.Context
	asked *atomic.Int64
	then  func()
}

// afterAWhile makes a context that does something in the middle of a search.
func afterAWhile(ctx context.Context, then func()) context.Context {
	return watched{ctx, new(atomic.Int64), then}
}

func (w watched) Err() error {
	if w.asked.Add(1) == 1000 {
		w.then()
	}
	return w.Context.Err()
}

// Files that come, go and change while they are searched make no error.
func TestSearch_ConcurrentChanges(t *testing.T) {
	p := newProject(t, setup{maxFile: 32 << 10}, nil)
	largeTree(t, p.dir, 300, strings.Repeat("needle\n", 100))
	var done atomic.Bool
	var changing group.Group
	for worker := range 2 {
		changing.Go(func() {
			for i := worker; !done.Load(); i++ {
				name := fmt.Sprintf("%s/d000/e0%d/f%06d.txt", p.dir, i%3, i%300)
				switch i % 4 {
				case 0:
					os.Remove(name)
				case 1:
					os.WriteFile(name, make([]byte, 40<<10), 0o644)
				case 2:
					os.WriteFile(name, []byte("needle\n"), 0o644)
				case 3:
					os.Rename(fmt.Sprintf("%s/d000/e0%d", p.dir, i%3), fmt.Sprintf("%s/d000/x%d", p.dir, i%3))
					os.Rename(fmt.Sprintf("%s/d000/x%d", p.dir, i%3), fmt.Sprintf("%s/d000/e0%d", p.dir, i%3))
				}
			}
		})
	}
	defer changing.Wait()
	defer done.Store(true)
	for range 15 {
		if got := p.grep(t, fs.SearchContentArgs{Pattern: "needle", Context: 2}); got.TotalFiles > 600 {
			t.Errorf("search_content: %d files", got.TotalFiles)
		}
		p.find(t, fs.SearchFilesArgs{Pattern: "f*"})
		p.structure(t, fs.WorkspaceStructureArgs{})
		p.info(t)
		p.list(t, fs.ListArgs{Recursive: true})
	}
}
