package index_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// randomNames are lines of toy, with names of all sorts.
func randomNames(r *rand.Rand, n int) string {
	parts := []string{"e", "E", "er", "r", "_", "9", "push", "Push", "HTTP", "server", "x", "K", "K", "ſ", "s", "é", "É", "$", "-", "ключ", "Ab"}
	kinds := []string{"func ", "method ", "class "}
	var b strings.Builder
	for range n {
		b.WriteString(kinds[r.IntN(len(kinds))])
		for range 1 + r.IntN(4) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Search has the hits, their order and the total of a search without an index.
func TestSnapshotSearch_AsSlowSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{3, 60, 1300} { // the last is shared out among processors
		if size > 100 && testing.Short() {
			break
		}
		files := map[string]string{}
		for i := range 90 {
			files[fmt.Sprintf("d%d/f%d.%s", i%7, i, []string{"go", "py"}[i%2])] = randomNames(r, size)
		}
		p := newProject(t, files)
		x := p.index(index.Options{Store: p.store()})
		p.analyze(x, ".", index.AnalyzeOptions{})
		p.close(x)
		loaded := p.index(index.Options{Store: p.store()}).Snapshot()
		s := x.Snapshot()
		texts := []string{"", "e", "E", "er", "re", "ee", "k", "K", "K", "s", "ſ", "é", "$", "-", "9", "_", "xe", "push", "ps", "HTTPserver", "класс", "кл", "Ab.e", "e()", "zq"}
		for _, text := range texts {
			q := index.Query{Text: text, Limit: 1 + r.IntN(60), Callable: r.IntN(3) == 0}
			switch r.IntN(4) {
			case 0:
				q.PathGlob = "d3/**"
			case 1:
				q.Language = source.Python
			case 2:
				q.Kinds = []source.Kind{source.Class, source.Method}
			}
			hits, total := s.Search(q)
			want, all := s.SearchSlowly(q)
			if total != all || !slices.Equal(hits, want) {
				t.Fatalf("%+v of %d: %d in total, want %d\n got %q\nwant %q", q, s.Chunks(), total, all, show(hits), show(want))
			}
			hits, total = loaded.Search(q)
			if total != all || !slices.Equal(show(hits), show(want)) {
				t.Fatalf("%+v of %d that were loaded: %d in total, want %d\n got %q\nwant %q", q, s.Chunks(), total, all, show(hits), show(want))
			}
		}
	}
}

// The filters of searches for words and spellings leave out no hit.
func TestSnapshotSearchBroadly_AsSlowSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("push%d/server%d.%s", i%7, i, []string{"go", "py"}[i%2])] = randomNames(r, 60)
	}
	p := newProject(t, files)
	x := p.index(index.Options{Store: p.store()})
	p.analyze(x, ".", index.AnalyzeOptions{})
	s := x.Snapshot()
	words := []string{"push", "server", "http", "e", "x", "er", "ключ", "é", "_", "9", "serverpush", "pushing", "psuh", "ab", "server5", "HTTPServerPushPushServerPushAb"}
	found := 0
	for range 400 {
		text := ""
		for range 1 + r.IntN(4) {
			text += words[r.IntN(len(words))] + " "
		}
		q := index.Query{Text: text, Limit: 1 + r.IntN(60), Callable: r.IntN(3) == 0}
		if r.IntN(4) == 0 {
			q.PathGlob = "push3/**"
		}
		fast, slow, total, all := s.SearchBroadlySlowly(q)
		if total != all || !slices.Equal(fast, slow) {
			t.Fatalf("%+v: %d in total, want %d\n got %q\nwant %q", q, total, all, show(fast), show(slow))
		}
		found += len(fast)
	}
	if found < 400 {
		t.Errorf("only %d hits", found)
	}
}
