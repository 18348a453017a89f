package indextest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/search/index"
)

// The files of a version, and how many there are.
const versionFiles = 4

func version(n int) []index.File {
	var list []index.File
	for i := range versionFiles {
		list = append(list, file(fmt.Sprintf("%d.go", i), "go", piece{name: fmt.Sprint("Version", n), body: "word", prints: []uint32{7}}))
	}
	return list
}

// readers checks that concurrent reads see a commit completely or not at all.
func readers(t *testing.T, ix index.Index) {
	commit(t, ix, version(0)...)
	var over atomic.Bool
	var all group.Group
	defer all.Wait()
	defer over.Store(true)
	for range 3 {
		all.Go(func() {
			for !over.Load() && !t.Failed() {
				readVersion(t, ix)
			}
		})
	}
	for n := range 15 {
		w := begin(t, ix, index.WriteOptions{Replace: n%3 == 0})
		for _, f := range version(n + 1) {
			must(t, w.Put(t.Context(), f))
		}
		must(t, w.Commit(t.Context()))
		found := search(t, ix, query("word"))
		if got := found.Candidates[0].Piece.Name; got != fmt.Sprint("Version", n+1) {
			t.Errorf("after commit %d %s is found", n+1, got)
		}
	}
}

// readVersion checks that each call sees exactly one version.
func readVersion(t *testing.T, ix index.Index) {
	one := func(what string, found index.Found, err error) {
		if err != nil || len(found.Candidates) != versionFiles {
			t.Errorf("%s: %d of %d files are found (%v)", what, len(found.Candidates), versionFiles, err)
			return
		}
		for _, c := range found.Candidates {
			if c.Piece.Name != found.Candidates[0].Piece.Name {
				t.Errorf("%s: %s and %s are found at once", what, c.Piece.Name, found.Candidates[0].Piece.Name)
			}
		}
	}
	found, err := ix.Search(t.Context(), query("word"))
	one("Search", found, err)
	found, err = ix.Similar(t.Context(), index.Likeness{Prints: []uint32{7}})
	one("Similar", found, err)
	n := 0
	for _, err := range ix.Files(t.Context()) {
		if n++; err != nil {
			t.Error(err)
		}
	}
	candidates, err := ix.Candidates(t.Context(), index.Literals{Literal: "word"}, index.Filter{})
	if n != versionFiles || len(candidates) != versionFiles || err != nil {
		t.Errorf("%d files and %d candidates (%v)", n, len(candidates), err)
	}
}

// writers puts files concurrently.
func writers(t *testing.T, ix index.Index) {
	const goroutines, each = 8, 20
	w := begin(t, ix, index.WriteOptions{})
	var all group.Group
	for g := range goroutines {
		all.Go(func() {
			for i := range each {
				f := file(fmt.Sprintf("%d/%d.go", g, i), "go", piece{name: "F", body: fmt.Sprintf("common own%dx%d", g, i)})
				if err := w.Put(t.Context(), f); err != nil {
					t.Error(err)
				}
				if err := w.Put(t.Context(), file("shared.go", "go", piece{name: fmt.Sprint("G", g), body: "common"})); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	must(t, w.Commit(t.Context()))
	q := query("common")
	q.Limit = 1000
	if found := search(t, ix, q); len(found.Candidates) != goroutines*each+1 {
		t.Errorf("%d of %d pieces are found", len(found.Candidates), goroutines*each+1)
	}
	for g := range goroutines {
		same(t, "found", names(search(t, ix, query(fmt.Sprintf("own%dx7", g)))), []string{fmt.Sprintf("%d/7.go:F", g)})
	}
}

// calls makes every kind of read call, and returns the errors.
func calls(ctx context.Context, ix index.Index) map[string]error {
	got := make(map[string]error)
	_, _, got["Lookup"] = ix.Lookup(ctx, "a")
	for _, err := range ix.Files(ctx) {
		got["Files"] = err
	}
	_, got["Pieces"] = ix.Pieces(ctx, "a")
	_, got["Search"] = ix.Search(ctx, query("word"))
	_, got["Similar"] = ix.Similar(ctx, index.Likeness{Prints: []uint32{1}})
	_, got["Candidates"] = ix.Candidates(ctx, index.Literals{}, index.Filter{})
	_, got["Stats"] = ix.Stats(ctx)
	_, got["Begin"] = ix.Begin(ctx, index.WriteOptions{})
	return got
}

func closed(t *testing.T, ix index.Index) {
	commit(t, ix, file("a", "", piece{body: "word", prints: []uint32{1}}))
	must(t, ix.Close(t.Context()))
	for name, err := range calls(t.Context(), ix) {
		if !errors.Is(err, index.ErrClosed) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
	must(t, ix.Close(t.Context()))
}

func closedWhileWriting(t *testing.T, ix index.Index) {
	w := begin(t, ix, index.WriteOptions{})
	must(t, w.Put(t.Context(), file("a", "", piece{body: "word"})))
	must(t, ix.Close(t.Context()))
	if err := w.Put(t.Context(), file("b", "")); !errors.Is(err, index.ErrClosed) {
		t.Errorf("Put after Close: %v", err)
	}
	if err := w.Commit(t.Context()); !errors.Is(err, index.ErrClosed) {
		t.Errorf("Commit after Close: %v", err)
	}
	w.Abort()
}

func canceled(t *testing.T, ix index.Index) {
	commit(t, ix, file("a", "", piece{body: "word", prints: []uint32{1}}))
	ctx, cancel := context.WithCancel(t.Context())
	w := begin(t, ix, index.WriteOptions{})
	must(t, w.Put(ctx, file("b", "", piece{body: "word"})))
	cancel()
	for name, err := range calls(ctx, ix) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a context that has ended: %v", name, err)
		}
	}
	if err := w.Commit(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Commit with a context that has ended: %v", err)
	}
	w.Abort()
	same(t, "files", paths(all(t, ix)), []string{"a"})
	// Closing does not wait for longer than it may.
	short, done := context.WithTimeout(t.Context(), time.Minute)
	defer done()
	must(t, ix.Close(short))
}
