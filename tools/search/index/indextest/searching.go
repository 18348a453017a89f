package indextest

import (
	"slices"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/search/index"
)

func words(t *testing.T, ix index.Index) {
	commit(t, ix,
		file("a.go", "go", piece{name: "parseHTTPUrl", body: "reads a URL"}, piece{name: "Close", body: "ends it"}),
		file("second.go", "go", piece{name: "Open", body: "parse it"}))
	for words, want := range map[string][]string{
		"parsehttpurl": {"a.go:parseHTTPUrl"}, "http": {"a.go:parseHTTPUrl"}, "nothing": nil, "Parse": nil, "": nil, "parsehttpur": nil,
		"parsehttpu*": {"a.go:parseHTTPUrl"}, "zz*": nil, "*": nil, "second": {"second.go:Open"}, // a word of the path
		"ends|nothing": {"a.go:Close"}, "nothing ends": {"a.go:Close"},
	} {
		same(t, words, names(search(t, ix, query(words))), want)
	}
	found := search(t, ix, query("parse url it nothing"))
	got := make(map[string]uint64)
	for _, c := range found.Candidates {
		got[c.Piece.Name] = c.Matched
	}
	same(t, "matched", got, map[string]uint64{"parseHTTPUrl": 0b011, "Close": 0b100, "Open": 0b101})
	same(t, "frequencies", found.Frequencies, []int{2, 1, 2, 0})
}

// fields checks that a word counts in fields with a weight, in proportion to it.
func fields(t *testing.T, ix index.Index) {
	var files []index.File
	for field, p := range []piece{{name: "sought"}, {signature: "sought"}, {doc: "sought"}, {body: "sought"}, {}} {
		for other := range 5 { // as much text in all fields of all
			text := []*string{&p.name, &p.signature, &p.doc, &p.body, new(string)}[other]
			if *text == "" {
				*text = "filling"
			}
		}
		p.name += " " // which is no word
		path := []string{"name", "signature", "doc", "body", "sought"}[field]
		files = append(files, file(path, "", p))
	}
	commit(t, ix, files...)
	for field := range index.Fields {
		q := query("sought")
		q.Weights[field] = 1
		found := search(t, ix, q)
		if len(found.Candidates) != 1 || found.Candidates[0].File.Path != files[field].Path {
			t.Errorf("with a weight for field %d: %v", field, names(found))
		}
		for f := range index.Fields {
			q.Weights[f] = 1
		}
		q.Weights[field] = 20
		if found = search(t, ix, q); len(found.Candidates) != 5 || found.Candidates[0].File.Path != files[field].Path {
			t.Errorf("with most weight for field %d: %v", field, names(found))
		}
	}
	if found := search(t, ix, query("sought")); len(found.Candidates) != 5 {
		t.Errorf("by default: %v", names(found))
	}
}

func terms(t *testing.T, ix index.Index) {
	commit(t, ix, file("x", "",
		piece{name: "both", body: "red green"}, piece{name: "red", body: "red"}, piece{name: "green", body: "green other words"},
		piece{name: "blue", body: "blue"}, piece{name: "none", body: "of them"}))
	for words, want := range map[string][]string{
		"+red +green": {"x:both"}, "+red green": {"x:both", "x:red"}, "+red +blue": nil, "+nothing red": nil, "+red|blue": {"x:red", "x:blue", "x:both"}, "+re* +gr*": {"x:both"},
		"+green +re*": {"x:both"},
	} {
		got := names(search(t, ix, query(words)))
		slices.Sort(got)
		slices.Sort(want)
		same(t, words, got, want)
	}
	weighted := query("blue red")
	weighted.Terms[0].Weight = 50
	if found := search(t, ix, weighted); found.Candidates[0].Piece.Name != "blue" {
		t.Errorf("the term with the most weight does not decide: %v", names(found))
	}
	bodies := query("red green")
	bodies.Weights[index.Body] = 1
	if found := search(t, ix, bodies); found.Candidates[0].Piece.Name != "both" {
		t.Errorf("what has most terms is not first: %v", names(found))
	}
	// Of several words the best one counts, and no two of them.
	one, two := search(t, ix, query("red")), search(t, ix, query("red|green"))
	if two.Candidates[0].Score > one.Candidates[0].Score {
		t.Error("two words of one term count more than the rarer one")
	}
}

func japanese(t *testing.T, ix index.Index) {
	commit(t, ix, file("x.md", "markdown",
		piece{name: "設定", body: "設定を確認する"}, piece{name: "検索", body: "全文検索ｲﾝﾃﾞｯｸｽ"}, piece{name: "末", body: "確"}))
	for words, want := range map[string][]string{
		"確認": {"x.md:設定"}, "確*": {"x.md:末", "x.md:設定"}, "検索": {"x.md:検索"}, "デッ": {"x.md:検索"}, "認確": nil, "る*": {"x.md:設定"},
	} {
		got := names(search(t, ix, query(words)))
		slices.Sort(got)
		slices.Sort(want)
		same(t, words, got, want)
	}
}

// order checks that pieces with equal scores are ordered by path, then by position.
func order(t *testing.T, ix index.Index) {
	for _, path := range []string{"c", "a", "d", "b"} {
		commit(t, ix, file(path, "", piece{name: "One", body: "same words"}, piece{name: "Two", body: "same words"}))
	}
	want := []string{"a:One", "a:Two", "b:One", "b:Two", "c:One", "c:Two", "d:One", "d:Two"}
	for range 3 {
		q := query("same words")
		same(t, "all", names(search(t, ix, q)), want)
		for limit := range len(want) {
			q.Limit = limit + 1
			same(t, "some", names(search(t, ix, q)), want[:limit+1])
		}
	}
	// More of it is better; so is less of other words.
	commit(t, ix, file("e", "", piece{name: "Best", body: "same same same"}), file("f", "", piece{name: "Good", body: "same same"}),
		file("g", "", piece{name: "Worst", body: "same among a great many other words that stand here for no reason but to be many"}))
	got := names(search(t, ix, query("same")))
	if got[0] != "e:Best" || got[1] != "f:Good" || got[len(got)-1] != "g:Worst" {
		t.Errorf("the order is %v", got)
	}
}

// The best are found, however many there are.
func limit(t *testing.T, ix index.Index) {
	var pieces []piece
	for i := range 1000 {
		p := piece{name: "Many", body: "common filling words of no use"}
		if i%300 == 7 {
			p = piece{name: "Few", body: "common rare words of no use"}
		}
		pieces = append(pieces, p)
	}
	commit(t, ix, file("x", "", pieces...))
	q := query("common rare")
	q.Limit = 4
	found := search(t, ix, q)
	same(t, "found", names(found), []string{"x:Few", "x:Few", "x:Few", "x:Few"})
	for _, c := range found.Candidates {
		if c.Matched != 3 {
			t.Errorf("a piece with both words has matched %b", c.Matched)
		}
	}
	if found := search(t, ix, query("common")); len(found.Candidates) != 200 {
		t.Errorf("%d pieces are found by default", len(found.Candidates))
	}
	q.Limit = 5000
	if found := search(t, ix, q); len(found.Candidates) != 1000 || found.Total != 1000 {
		t.Errorf("%d pieces of %d are found without a limit", len(found.Candidates), found.Total)
	}
}

func filters(t *testing.T, ix index.Index) {
	old := file("docs/old.md", "markdown", piece{kind: "section", body: "word"})
	old.ModTime = epoch.Add(-24 * time.Hour)
	commit(t, ix, old,
		file("src/a.go", "go", piece{kind: "file", name: "f", body: "word"}, piece{kind: "function", name: "g", body: "word"}),
		file("src/a_test.go", "go", piece{name: "t", body: "word"}),
		file("src/sub/b.TS", "typescript", piece{kind: "class", body: "word"}),
		file("srcs/c.go", "go", piece{body: "word"}),
		file("Makefile", "make", piece{kind: "file", body: "word"}))
	for name, tc := range map[string]struct {
		filter index.Filter
		want   []string
	}{
		"nothing":        {index.Filter{}, []string{"Makefile", "docs/old.md", "src/a.go", "src/a.go", "src/a_test.go", "src/sub/b.TS", "srcs/c.go"}},
		"directory":      {index.Filter{Paths: []string{"src/"}}, []string{"src/a.go", "src/a.go", "src/a_test.go", "src/sub/b.TS"}},
		"without slash":  {index.Filter{Paths: []string{"src/sub", "docs"}}, []string{"docs/old.md", "src/sub/b.TS"}},
		"file":           {index.Filter{Paths: []string{"src/a.go"}}, []string{"src/a.go", "src/a.go"}},
		"everything":     {index.Filter{Paths: []string{"."}, Languages: []string{"make"}}, []string{"Makefile"}},
		"glob":           {index.Filter{Paths: []string{"**/*_test.go"}}, []string{"src/a_test.go"}},
		"glob of a dir":  {index.Filter{Paths: []string{"sr*/"}}, []string{"src/a.go", "src/a.go", "src/a_test.go", "src/sub/b.TS", "srcs/c.go"}},
		"exclude":        {index.Filter{Paths: []string{"src"}, Exclude: []string{"*_test.go", "src/sub"}}, []string{"src/a.go", "src/a.go"}},
		"extension":      {index.Filter{Extensions: []string{"ts", "md"}}, []string{"docs/old.md", "src/sub/b.TS"}},
		"language":       {index.Filter{Languages: []string{"go"}}, []string{"src/a.go", "src/a.go", "src/a_test.go", "srcs/c.go"}},
		"either":         {index.Filter{Languages: []string{"make"}, Extensions: []string{"md"}}, []string{"Makefile", "docs/old.md"}},
		"modified after": {index.Filter{ModifiedAfter: epoch.Add(-time.Hour)}, []string{"Makefile", "src/a.go", "src/a.go", "src/a_test.go", "src/sub/b.TS", "srcs/c.go"}},
		"not after":      {index.Filter{ModifiedAfter: epoch}, nil},
		"kinds":          {index.Filter{Kinds: []string{"file", "class"}}, []string{"Makefile", "src/a.go", "src/sub/b.TS"}},
		"none":           {index.Filter{Paths: []string{"nowhere"}}, nil},
		"other kinds":    {index.Filter{Kinds: []string{"enum"}}, nil},
	} {
		q := query("word")
		q.Filter = tc.filter
		var got []string
		for _, c := range search(t, ix, q).Candidates {
			got = append(got, c.File.Path)
		}
		slices.Sort(got)
		same(t, name, got, tc.want)
		if len(tc.filter.Kinds) > 0 {
			continue
		}
		candidates, err := ix.Candidates(t.Context(), index.Literals{Literal: "word"}, tc.filter)
		must(t, err)
		same(t, "candidates: "+name, candidates, slices.Compact(tc.want))
	}
}

// A pattern that is none is an error, and is no reason to search everywhere.
func patterns(t *testing.T, ix index.Index) {
	commit(t, ix, file("a", "", piece{body: "word", prints: []uint32{1}}))
	f := index.Filter{Paths: []string{"[a"}}
	if _, err := ix.Search(t.Context(), index.Query{Terms: query("word").Terms, Filter: f}); err == nil {
		t.Error("Search takes a pattern that is none")
	}
	if _, err := ix.Similar(t.Context(), index.Likeness{Prints: []uint32{1}, Filter: index.Filter{Exclude: f.Paths}}); err == nil {
		t.Error("Similar takes a pattern that is none")
	}
	if _, err := ix.Candidates(t.Context(), index.Literals{}, f); err == nil {
		t.Error("Candidates takes a pattern that is none")
	}
}
