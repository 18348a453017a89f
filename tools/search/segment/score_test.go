package segment_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/segment"
)

// The score equals BM25F, calculated in the test.
func TestScore(t *testing.T) {
	ix := closeAtEnd(t, segment.NewMemory())
	f := index.File{Path: "path/words", Verbatim: true}
	for _, p := range []struct{ name, body string }{{"red", "red red green blue"}, {"other", "green"}, {"other", "blue one two three four five"}} {
		s := index.Span{Start: int32(len(f.Text)), End: int32(len(f.Text) + len(p.body))}
		f.Text = append(f.Text, p.body...)
		f.Pieces = append(f.Pieces, index.Piece{Name: p.name, Range: s, Own: []index.Span{s}})
	}
	commit(t, ix, index.WriteOptions{}, f)
	q := index.Query{Terms: []index.Term{{Words: []string{"red"}, Weight: 2}, {Words: []string{"green", "none"}}}, K1: 1.5}
	q.Weights[index.Name], q.Weights[index.Body] = 3, 1
	q.B[index.Name], q.B[index.Body] = 0.5, 0.75
	idf := func(df float64) float64 { return math.Log(1 + (3-df+0.5)/(df+0.5)) }
	part := func(x float64) float64 { return x * 2.5 / (1.5 + x) }
	body := func(n, length float64) float64 { return n / (0.25 + 0.75*length/(11.0/3)) }
	want := []float64{
		2*idf(1)*part(3*1/(0.5+0.5*1)+body(2, 4)) + idf(2)*part(body(1, 4)),
		idf(2) * part(body(1, 1)),
	}
	found, err := ix.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	for _, c := range found.Candidates {
		got = append(got, c.Score)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-5)); diff != "" {
		t.Errorf("the scores (-want +got):\n%s", diff)
	}
}

// The highest ranked results are equal for every limit and every number of segments.
func TestSearch_Limits(t *testing.T) {
	queries := 80
	if testing.Short() {
		queries = 10
	}
	random := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(random, 1.2, 3, 3000)
	word := func() string { return fmt.Sprintf("w%dx", zipf.Uint64()) }
	var files []index.File
	for i := range 200 {
		var texts []string
		for range 1 + random.IntN(40) {
			var text strings.Builder
			for range 1 + random.IntN(30) {
				text.WriteString(word() + " ")
			}
			texts = append(texts, text.String())
		}
		files = append(files, sample(fmt.Sprintf("d%d/f%d.go", i%7, i), texts...))
	}
	one := open(t, t.TempDir(), segment.Options{})
	commit(t, one, index.WriteOptions{}, files...)
	many := open(t, t.TempDir(), segment.Options{Memory: 1})
	for i := 0; i < len(files); i += 50 {
		commit(t, many, index.WriteOptions{}, files[i:i+50]...)
	}
	for range queries {
		q := drawQuery(random, word)
		q.Limit = 1 << 20
		all, err := one.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, ix := range []index.Index{one, many} {
			q.Limit = 1 + random.IntN(60)
			some, err := ix.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			want := all.Candidates[:min(len(all.Candidates), q.Limit)]
			if diff := cmp.Diff(summarize(want), summarize(some.Candidates)); diff != "" || some.Total > all.Total || !cmp.Equal(all.Frequencies, some.Frequencies) {
				t.Fatalf("the best %d of %d of %+v (-want +got):\n%s", q.Limit, all.Total, q.Terms, diff)
			}
		}
	}
}

// drawQuery returns a random query.
func drawQuery(random *rand.Rand, word func() string) (q index.Query) {
	for range 1 + random.IntN(12) {
		term := index.Term{Words: []string{word()}, Weight: random.Float64() * 3, Required: random.IntN(12) == 0}
		for random.IntN(3) == 0 {
			term.Words = append(term.Words, word())
		}
		if random.IntN(8) == 0 {
			term.Words = append(term.Words, "w1*")
		}
		q.Terms = append(q.Terms, term)
	}
	if random.IntN(4) == 0 {
		q.Filter.Paths = []string{"d1/", "d3/"}
	}
	return q
}

// summarize returns one line per candidate: location, score and matched terms.
func summarize(list []index.Candidate) (all []string) {
	for _, c := range list {
		all = append(all, fmt.Sprint(c.File.Path, " ", c.Piece.Range, " ", c.Score, " ", c.Matched))
	}
	return all
}
