package index_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/postgres/index"
	"github.com/dougu-go/dougu/tools/search/document"
	search "github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// goTree are the Go files of the distribution, cut into pieces.
var goTree = sync.OnceValue(func() map[string]*search.File {
	out, _ := exec.Command("go", "env", "GOROOT").Output()
	root := filepath.Join(strings.TrimSpace(string(out)), "src")
	parsers := builtin.Parsers(builtin.Options{})
	files := map[string]*search.File{}
	_ = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, _ := os.ReadFile(name)
		path, _ := filepath.Rel(root, name)
		path = filepath.ToSlash(path)
		if f, err := document.Cut(context.Background(), path, text, document.Options{Parsers: parsers}); err == nil {
			f.Hash, f.Size = sha256.Sum256(text), int64(len(text))
			files[path] = &f
		}
		return nil
	})
	return files
})

// indexTree puts the Go tree into an index.
func indexTree(t testing.TB, ix search.Index) {
	t.Helper()
	testrequire.Thing(t, len(goTree()) > 0, "the source of Go", "install Go from go.dev")
	w := begin(t, ix, search.WriteOptions{})
	next := make(chan *search.File)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for f := range next {
				if err := w.Put(context.Background(), *f); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, f := range goTree() {
		next <- f
	}
	close(next)
	all.Wait()
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// goQueries are the queries that people judged for the Go tree, see bench/search/queries.
func goQueries(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/go-queries.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")), "\n")
}

// found are the pieces that answer a query, best first: path, range and names.
func found(t testing.TB, ix search.Index, text string) (pieces []string) {
	t.Helper()
	q := rank.Parse(text)
	candidates, err := ix.Search(t.Context(), q.Index(search.Filter{}, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rank.Order(q, candidates, rank.Options{Limit: 50}) {
		pieces = append(pieces, fmt.Sprintf("%s %v %v", r.File.Path, r.Piece.Range, r.Piece.Own))
	}
	return pieces
}

// The queries that people judged for the Go tree have the same answers in the same order
// as from the index that a server has alone.
func TestRelevance(t *testing.T) {
	if testing.Short() {
		t.Skip("indexes the Go tree")
	}
	alone, shared := segment.NewMemory(), open(t, connect(t, server.Database(t)), "go", index.Options{})
	defer alone.Close(context.WithoutCancel(t.Context()))
	indexTree(t, alone)
	indexTree(t, shared)
	asked := goQueries(t)
	var times []time.Duration
	answers := 0
	for _, text := range asked {
		want := found(t, alone, text)
		start := time.Now()
		got := found(t, shared, text)
		times = append(times, time.Since(start))
		if !slices.Equal(got, want) {
			t.Errorf("%q: there are %q first, and alone %q", text, got[:min(len(got), 3)], want[:min(len(want), 3)])
		}
		answers += len(want)
	}
	if answers < 10*len(asked) {
		t.Errorf("%d queries have %d answers", len(asked), answers)
	}
	slices.Sort(times)
	t.Logf("%d queries: median %v, 95 %% within %v", len(asked), times[len(times)/2], times[len(times)*95/100])
}
