package queries_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dougu-go/dougu/bench/search/queries"
	"github.com/dougu-go/dougu/tools/search/index"
)

func load(t *testing.T) []queries.Query {
	t.Helper()
	all, err := queries.Load()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The set of queries is large and diverse enough.
func TestLoad_Coverage(t *testing.T) {
	t.Parallel()
	repositories, ids := map[string]int{}, map[string]bool{}
	halves, shapes := map[string]int{}, map[string]int{}
	japanese, short := 0, 0
	for _, q := range load(t) {
		if q.HasEvidence() {
			continue
		}
		if ids[q.ID] {
			t.Errorf("%s is there twice", q.ID)
		}
		if !strings.HasPrefix(q.ID, q.Repo+"-") {
			t.Errorf("%s is a query for %s", q.ID, q.Repo)
		}
		ids[q.ID] = true
		repositories[q.Repo]++
		halves[q.Half()]++
		shapes[q.Half()+" "+q.Shape]++
		if q.Lang == "ja" {
			japanese++
			if len([]rune(q.Text)) <= 4 {
				short++
			}
		}
		for i, l := range q.Relevant {
			if slices.Contains(q.Relevant[:i], l) {
				t.Errorf("%s: a label is there twice: %+v", q.ID, l)
			}
		}
	}
	if len(ids) < 180 || len(repositories) < 7 || japanese < 30 || short < 12 {
		t.Errorf("%d queries over %d repositories, %d Japanese ones, %d of these short", len(ids), len(repositories), japanese, short)
	}
	if d := halves["dev"] - halves["test"]; d < -10 || d > 10 {
		t.Errorf("the halves are %v", halves)
	}
	for _, half := range []string{"dev", "test"} {
		for _, shape := range queries.Shapes {
			if shapes[half+" "+shape] < 3 {
				t.Errorf("the half %s has %d queries of the shape %s", half, shapes[half+" "+shape], shape)
			}
		}
	}
}

// Each kind has enough queries in both halves and enough repositories, and each repository is in one half.
func TestLoad_Kinds(t *testing.T) {
	t.Parallel()
	counts, repositories, ids := map[string]int{}, map[string]map[string]bool{}, map[string]bool{}
	half := map[string]string{}
	for _, q := range load(t) {
		if !q.HasEvidence() {
			continue
		}
		if ids[q.ID] || !strings.HasPrefix(q.ID, q.Repo+"-") {
			t.Errorf("%s: the identifier is used twice or does not name %s", q.ID, q.Repo)
		}
		ids[q.ID] = true
		counts[q.Half()+" "+q.Shape]++
		if repositories[q.Shape] == nil {
			repositories[q.Shape] = map[string]bool{}
		}
		repositories[q.Shape][q.Repo] = true
		if first := half[q.Repo]; first != "" && first != q.Half() {
			t.Errorf("%s: the repository is in both halves", q.ID)
		}
		half[q.Repo] = q.Half()
	}
	for _, kind := range queries.Kinds {
		least := 10
		if kind == "japanese" {
			least = 8 // few packages have Japanese texts
		}
		if dev, test := counts["dev "+kind], counts["test "+kind]; dev < 30 || test < 60 || len(repositories[kind]) < least {
			t.Errorf("%s: %d queries for tuning and %d for the test in %d repositories", kind, dev, test, len(repositories[kind]))
		}
	}
}

func TestRead_InvalidKinds(t *testing.T) {
	t.Parallel()
	const good = `{"repo": "r", "half": "test", "queries": [{"id": "r-1", "query": "q", "lang": "de", "shape": "where", "evidence": "e", "relevant": [{"path": "a.go", "grade": 3}]}]}`
	for _, change := range [][2]string{{"", ""}, {`"half": "test", `, ""}, {`"test"`, `"both"`}, {`"evidence": "e", `, ""}, {`"where"`, `"phrase"`}} {
		content := strings.Replace(good, change[0], change[1], 1)
		_, err := queries.Read(fstest.MapFS{"kinds/r.json": {Data: []byte(content)}})
		if (err != nil) != (content != good) {
			t.Errorf("%s: %v", content, err)
		}
	}
}

func TestRead_Invalid(t *testing.T) {
	t.Parallel()
	const good = `{"repo": "r", "queries": [{"id": "r-1", "query": "q", "lang": "en", "shape": "symbol", "relevant": [{"path": "a.go", "grade": 3}]}]}`
	for _, change := range [][2]string{
		{"", ""},
		{`"grade": 3`, `"grade": 4`},
		{`"path": "a.go"`, `"path": ""`},
		{`"lang": "en"`, `"lang": "xx"`},
		{`"shape": "symbol"`, `"shape": "poem"`},
		{`"query": "q"`, `"query": ""`},
		{`[{"path": "a.go", "grade": 3}]`, `[]`},
		{`"grade": 3`, `"grade": 3, "at": "x", "heading": "y"`},
		{`}`, ``},
	} {
		content := strings.Replace(good, change[0], change[1], 1)
		_, err := queries.Read(fstest.MapFS{"r.json": {Data: []byte(content)}})
		if (err != nil) != (content != good) {
			t.Errorf("%s: %v", content, err)
		}
	}
}

// file returns a file of three pieces: a type, a method in it, and a function in two parts.
func file() *index.File {
	text := "type Stack {\n  push() {}\n}\nfunc long() {\n  first()\n  second()\n}\n"
	span := func(part string) index.Span {
		at := strings.Index(text, part)
		return index.Span{Start: int32(at), End: int32(at + len(part))}
	}
	first, second := span("func long() {\n  first()\n"), span("  second()\n}\n")
	return &index.File{Path: "a.x", Text: []byte(text), Pieces: []index.Piece{
		{Kind: "class", Name: "Stack", Range: span("type Stack {\n  push() {}\n}\n"), Own: []index.Span{span("type Stack {\n"), span("}\nfunc")}},
		{Kind: "method", Name: "push", Container: "Stack", Range: span("  push() {}\n"), Own: []index.Span{span("  push() {}\n")}},
		{Kind: "function", Name: "long", Signature: "func long()", Range: first, Own: []index.Span{first}},
		{Kind: "function", Name: "long", Signature: "func long()", Range: second, Own: []index.Span{second}},
	}}
}

func TestInPieces(t *testing.T) {
	t.Parallel()
	f := file()
	units := queries.Pieces(f)
	if units[2] != units[3] || units[0] == units[1] || units[1] == units[2] {
		t.Fatalf("the units are %q", units)
	}
	for _, c := range []struct {
		label queries.Label
		units []string // with the label
	}{
		{queries.Label{Path: "a.x", At: "type Stack", Grade: 3}, units[:1]},
		{queries.Label{Path: "a.x", At: "push()", Grade: 3}, units[1:2]},
		{queries.Label{Path: "a.x", At: "\ntype Stack", Grade: 3}, units[:1]},
		{queries.Label{Path: "a.x", At: "\npush()", Grade: 3}, nil},
		{queries.Label{Path: "a.x", At: "type Stack", To: "\n}", Grade: 3}, units[:2]},
		{queries.Label{Path: "a.x", At: "second()", Grade: 3}, units[2:3]},
		{queries.Label{Path: "a.x", At: "third()", Grade: 3}, nil},
		{queries.Label{Path: "b.x", Grade: 3}, nil},
		{queries.Label{Path: "a.x", Heading: "Stac", Grade: 3}, units[:1]},
		{queries.Label{Path: "a.x", Grade: 3}, units[:3]},
	} {
		q := &queries.Query{ID: "1", Relevant: []queries.Label{c.label}}
		answers, err := queries.InPieces(q, func(path string) *index.File {
			if path == f.Path {
				return f
			}
			return nil
		})
		if (err != nil) != (len(c.units) == 0) {
			t.Errorf("%+v: %v", c.label, err)
		}
		for _, u := range units[:3] {
			if got := answers.Grade(u) > 0; got != slices.Contains(c.units, u) {
				t.Errorf("%+v: is it in %s? %v", c.label, u, got)
			}
		}
	}
}

func TestNDCG(t *testing.T) {
	t.Parallel()
	q := &queries.Query{Relevant: []queries.Label{{Path: "a", Grade: 3}, {Path: "b", Grade: 2}, {Path: "c", Grade: 1}, {Path: "a", At: "x", Grade: 1}}}
	answers := queries.InFiles(q)
	second := math.Log2(3)
	ideal := 7 + 3/second + 1/2.
	for _, c := range []struct {
		found string
		want  float64
	}{
		{"a b c", 1},
		{"a b", (7 + 3/second) / ideal},
		{"b a c", (3 + 7/second + 1/2.) / ideal},
		{"a a b c", (7 + 3/2. + 1/math.Log2(5)) / ideal}, // a repeated unit has no gain, but takes a rank
		{"", 0},
		{"x y z", 0},
		{"1 2 3 4 5 6 7 8 9 10 a", 0},
	} {
		if got := answers.NDCG(strings.Fields(c.found)); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%q: %v, want %v", c.found, got, c.want)
		}
	}
	missed := answers.Missed([]string{"a", "x"})
	if len(missed) != 2 || missed[0].Path != "b" || missed[1].Path != "c" {
		t.Errorf("what was missed is %+v", missed)
	}
	// A unit with two labels counts for the better one, and the ideal order has it once.
	both := queries.NewAnswers(&queries.Query{Relevant: []queries.Label{{Path: "a", Grade: 1}, {Path: "a", Grade: 3}}}, [][]string{{"u"}, {"u"}})
	if got := both.NDCG([]string{"u"}); got != 1 {
		t.Errorf("the one unit there is: %v", got)
	}
}

func TestLabel_Stands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		label   queries.Label
		content string
		want    bool
	}{
		{queries.Label{At: "func f("}, "\nfunc f() {}", true},
		{queries.Label{At: "\nfunc f("}, "func f() {}", true},
		{queries.Label{At: "\nfunc f("}, "/* func f( */", false},
		{queries.Label{Heading: "1. Set up"}, "<h2>1.&nbsp;Set <b>up</b></h2>", true},
		{queries.Label{Heading: "2."}, "<h2>1.</h2>", false},
		{queries.Label{}, "", true},
	} {
		if got := c.label.OccursIn([]byte(c.content)); got != c.want {
			t.Errorf("%+v in %q: %v", c.label, c.content, got)
		}
	}
}
