package embed_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/search/embed"
	"github.com/dougu-go/dougu/tools/search/index"
)

// memory is an index in memory. Each paragraph of a file is a piece.
type memory struct {
	index.Index
	mu    sync.Mutex
	texts map[string]string
}

func (m *memory) set(path, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.texts[path] = text; text == "" {
		delete(m.texts, path)
	}
}

func (m *memory) read(_ context.Context, path string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if text, ok := m.texts[path]; ok {
		return []byte(text), nil
	}
	return nil, os.ErrNotExist
}

func (m *memory) known(path string) index.Known {
	return index.Known{Path: path, Language: "text", Hash: [32]byte([]byte(fmt.Sprintf("%-32.32s", m.texts[path])))}
}

func (m *memory) Files(context.Context) iter.Seq2[index.Known, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []index.Known
	for _, path := range slices.Sorted(maps.Keys(m.texts)) {
		all = append(all, m.known(path))
	}
	return func(yield func(index.Known, error) bool) {
		for _, k := range all {
			if !yield(k, nil) {
				return
			}
		}
	}
}

func (m *memory) Lookup(_ context.Context, path string) (index.Known, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.texts[path]
	return m.known(path), ok, nil
}

func (m *memory) Pieces(_ context.Context, path string) (pieces []index.Piece, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := 0
	for i, text := range strings.SplitAfter(m.texts[path], "\n\n") {
		span := index.Span{Start: int32(at), End: int32(at + len(text))}
		pieces = append(pieces, index.Piece{Kind: "section", Name: fmt.Sprint("number ", i), Range: span, Own: []index.Span{span}})
		at += len(text)
	}
	return pieces, nil
}

func corpus(t *testing.T, f *fake, m *memory, dir string, change func(*embed.CorpusOptions)) *embed.Corpus {
	o := embed.CorpusOptions{Index: m, Read: m.read, Embedder: openAI(t, f, func(o *embed.Options) { o.Attempts = 1 }), Dir: dir, Batch: 2, Retry: time.Millisecond}
	if change != nil {
		change(&o)
	}
	c := embed.NewCorpus(o)
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// found returns the positions of the results.
func found(t *testing.T, c *embed.Corpus, text string, f index.Filter, limit int) string {
	t.Helper()
	all, err := c.Nearest(t.Context(), text, f, limit)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, one := range all {
		fmt.Fprintf(&b, "%s:%d ", one.File.Path, one.Piece.Range.Start)
	}
	return strings.TrimSpace(b.String())
}

var (
	many = strings.Repeat("aa bb ", 10)
	much = strings.Repeat("ccc dd ", 10)
	most = strings.Repeat("ppp oo ", 10)
)

func TestCorpus_IndexChanges(t *testing.T) {
	f, dir := newFake(t), t.TempDir()
	m := &memory{texts: map[string]string{"a.txt": many + "\n\n" + much, "b/b.md": most + "\n\nshort\n\n" + many}}
	c := corpus(t, f, m, dir, nil)
	if err := c.Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := c.Status(); s.Files != 2 || s.Pieces != 4 || s.Pending != 0 || s.Failed != nil || s.Updated.IsZero() {
		t.Errorf("the status is %+v", s)
	}
	for _, q := range []struct {
		text   string
		filter index.Filter
		limit  int
		want   string
	}{
		{"ccc dd", index.Filter{}, 1, "a.txt:62"},
		{"ppp", index.Filter{}, 1, "b/b.md:0"},
		{"aa bb", index.Filter{Paths: []string{"b/"}}, 1, "b/b.md:79"},
		{"aa bb", index.Filter{Extensions: []string{"txt"}}, 2, "a.txt:0 a.txt:62"},
		{"aa bb", index.Filter{Kinds: []string{"function"}}, 9, ""},
		{"aa bb", index.Filter{}, 0, ""},
	} {
		if got := found(t, c, q.text, q.filter, q.limit); got != q.want {
			t.Errorf("%q finds %q, want %q", q.text, got, q.want)
		}
	}

	m.set("a.txt", most+"\n\n"+much)
	m.set("b/b.md", "")
	before := f.requests()
	if err := c.Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := found(t, c, "ppp", index.Filter{}, 1); got != "a.txt:0" {
		t.Errorf("after the change %q is found", got)
	}
	if s := c.Status(); s.Files != 1 || s.Pieces != 2 {
		t.Errorf("the status is %+v", s)
	}
	if n := f.requests() - before; n > 2 { // the query, and at most one piece under a new name
		t.Errorf("%d requests were made", n)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Nearest(t.Context(), "a", index.Filter{}, 1); !errors.Is(err, embed.ErrClosed) {
		t.Errorf("the error is %v", err)
	}

	// The next process requests only the number of dimensions.
	before = f.requests()
	again := corpus(t, f, m, dir, nil)
	if err := again.Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := f.requests() - before; n > 1 {
		t.Errorf("%d requests were made again", n)
	}
}

func TestCorpus_Retry(t *testing.T) {
	f := newFake(t)
	var mu sync.Mutex
	down := true
	f.before = func(_ int, w http.ResponseWriter) bool {
		mu.Lock()
		defer mu.Unlock()
		if down {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return down
	}
	m := &memory{texts: map[string]string{"a.txt": many}}
	c := corpus(t, f, m, t.TempDir(), nil)
	waittest.Until(t, "the failure is told", func() bool { return c.Status().Failed != nil })
	if _, err := c.Nearest(t.Context(), "a", index.Filter{}, 1); err == nil {
		t.Error("something was found without a server")
	}
	mu.Lock()
	down = false
	mu.Unlock()
	waittest.Until(t, "the first file is learnt", func() bool { return c.Status().Pieces == 1 && c.Status().Failed == nil })
	m.set("b.txt", much)
	c.Changed()
	waittest.Until(t, "the second one is", func() bool { return c.Status().Pieces == 2 })
}

func TestFuse(t *testing.T) {
	got := embed.Fuse([]string{"a", "b", "c", "a"}, []string{"c", "b", "d"}, nil)
	var order []string
	for i, f := range got {
		order = append(order, f.Item)
		if i > 0 && cmp.Compare(f.Score, got[i-1].Score) > 0 {
			t.Errorf("%v stands behind %v", f, got[i-1])
		}
	}
	if want := []string{"c", "b", "a", "d"}; !slices.Equal(order, want) {
		t.Errorf("the order is %q, want %q", order, want)
	}
	if want := 1/61.0 + 1/63.0; got[0].Score != want {
		t.Errorf("the score is %v, want %v", got[0].Score, want)
	}
}
