package index_test

import (
	"context"
	"crypto/sha256"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/bench/search/queries"
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

// goQueries are those that people judged for the Go tree.
func goQueries(t testing.TB) (asked []queries.Query) {
	t.Helper()
	all, err := queries.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		if q.Repo == "go" {
			asked = append(asked, q)
		}
	}
	return asked
}

// found are the pieces that answer a query, best first, as units.
func found(t testing.TB, ix search.Index, text string) (units []string) {
	t.Helper()
	q := rank.Parse(text)
	candidates, err := ix.Search(t.Context(), q.Index(search.Filter{}, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rank.Order(q, candidates, rank.Options{Limit: 50}) {
		f := goTree()[r.File.Path]
		n := slices.IndexFunc(f.Pieces, func(p search.Piece) bool { return p.Range == r.Piece.Range && slices.Equal(p.Own, r.Piece.Own) })
		units = append(units, queries.Pieces(f)[n])
	}
	return units
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
	var a, b float64
	var times []time.Duration
	asked := goQueries(t)
	for _, q := range asked {
		answers, _ := queries.InPieces(&q, func(path string) *search.File { return goTree()[path] })
		want := found(t, alone, q.Text)
		start := time.Now()
		got := found(t, shared, q.Text)
		times = append(times, time.Since(start))
		if !slices.Equal(got, want) {
			t.Errorf("%s: there are %q first, and alone %q", q.ID, got[:min(len(got), 3)], want[:min(len(want), 3)])
		}
		a += answers.NDCG(want)
		b += answers.NDCG(got)
	}
	n := float64(len(asked))
	if a == 0 || math.Abs(a-b)/n > 0.01 {
		t.Errorf("the NDCG is %.4f and alone %.4f", b/n, a/n)
	}
	slices.Sort(times)
	t.Logf("%d queries: NDCG %.4f, alone %.4f; median %v, 95 %% within %v", len(asked), b/n, a/n, times[len(times)/2], times[len(times)*95/100])
}
