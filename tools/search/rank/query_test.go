package rank_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
)

func TestParse_Shapes(t *testing.T) {
	for query, want := range map[string]rank.Shape{
		"parseURL":                         rank.Symbol,
		"http.Client.Do":                   rank.Symbol,
		"std::vector::push_back":           rank.Symbol,
		"marshal":                          rank.Symbol,
		"parse url":                        rank.Keywords,
		"retry with backoff":               rank.Keywords,
		"src/app/main.ts":                  rank.Path,
		"package.json":                     rank.Path,
		"docs/":                            rank.Path,
		"how does the server parse a URL":  rank.Question,
		"where is the cache invalidated?":  rank.Where,
		"https://example.com/ was refused": rank.Keywords,
		"確認":                               rank.Keywords,
		"パスワードの変更方法":                       rank.Question,
		"設定ファイルとは何ですか":                     rank.Question,
		"":                                 rank.Keywords,
		"the":                              rank.Symbol,
	} {
		if got := rank.Parse(query).Shape; got != want {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
}

// Terms of the index query: the first word of each, with "+" before required terms.
func TestQuery_IndexTerms(t *testing.T) {
	for query, want := range map[string]string{
		"parseURL":      "parseurl parse url",
		"opened files":  "opened opened… files files… openedfiles…",
		"確認方法":          "確認 認方 方法 confirm…",
		"鍵":             "鍵* key",
		"utf8ユーザー名":     "utf8 ユー ーザ ザー ー名 user",
		`"exact words"`: "+exact +words",
		"8080":          "8080",
		"パッチを管理する":      "パッ ッチ 管理 manage… チを を管 理す する",
		"config":        "config config… cfg…",
	} {
		var got []string
		for _, term := range rank.Parse(query).Index(index.Filter{}, 0).Terms {
			words := term.Words[0]
			if len(term.Words) > 1 {
				words += "…" // further forms exist
			}
			if term.Required {
				words = "+" + words
			}
			got = append(got, words)
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
}

func TestQuery_MaxTerms(t *testing.T) {
	q := rank.Parse(strings.Repeat("oneWord otherThing ", 1000) + strings.Repeat("長い文章を検索する", 1000))
	asked := q.Index(index.Filter{Paths: []string{"src/"}}, 7)
	if n := len(asked.Terms); n == 0 || n > 64 {
		t.Errorf("%d terms", n)
	}
	if asked.Limit != 7 || len(asked.Filter.Paths) != 1 {
		t.Errorf("asked for %+v", asked)
	}
}

// Stop words have a low weight, unless the query contains only stop words.
func TestQuery_StopWords(t *testing.T) {
	weights := func(query string) map[string]float64 {
		all := map[string]float64{}
		for _, term := range rank.Parse(query).Index(index.Filter{}, 0).Terms {
			all[term.Words[0]] = max(term.Weight, all[term.Words[0]])
		}
		return all
	}
	if w := weights("where is the cache"); w["the"]*3 > w["cache"] {
		t.Errorf("weights %v", w)
	}
	if w := weights("to be or not to be"); w["not"] == 0 {
		t.Errorf("weights %v", w)
	}
	if w := weights("the"); w["the"] != 1 {
		t.Errorf("weights %v", w)
	}
}

func TestQuery_Words(t *testing.T) {
	got := rank.Parse("where are parseURL and 鍵").Words()
	if want := []string{"parseurl", "parse", "url", "鍵*", "key"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"parseURL", "how to open a file?", `"a b" c`, "確認 方法", "a.b::c->d", "\xff\xfe", strings.Repeat("あ", 5000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := rank.Parse(text)
		asked := q.Index(index.Filter{}, 10)
		if len(asked.Terms) > 64 {
			t.Errorf("%d terms", len(asked.Terms))
		}
		for _, term := range asked.Terms {
			if len(term.Words) == 0 || term.Weight < 0 || slices.Contains(term.Words, "") {
				t.Errorf("term %+v", term)
			}
		}
		c := candidate("src/parse_test.go method Parser|parseURL", 1)
		for _, r := range rank.Order(q, index.Found{Candidates: []index.Candidate{c}}, rank.Options{}) {
			if !(r.Score >= 0 && r.Score <= 1) {
				t.Errorf("score %v", r.Score)
			}
		}
	})
}

// A question for a place in the code prefers code to documents, which describe the same in more words.
func TestOrder_WhereCodeBeforeDocuments(t *testing.T) {
	q := rank.Parse("where is the request parsed")
	if q.Shape != rank.Where || q.Shape.String() != "where" {
		t.Fatalf("the shape is %s", q.Shape)
	}
	code := index.Candidate{File: index.Known{Path: "lib/body.js"}, Piece: index.Piece{Kind: "function", Name: "readBody"}, Score: 7, Matched: ^uint64(0)}
	section := index.Candidate{File: index.Known{Path: "docs/body.md"}, Piece: index.Piece{Kind: "section", Name: "Bodies"}, Score: 10, Matched: ^uint64(0)}
	got := rank.Order(q, index.Found{Candidates: []index.Candidate{section, code}, Total: 2}, rank.Options{})
	if got[0].File.Path != "lib/body.js" {
		t.Errorf("the first result is %s", got[0].File.Path)
	}
}
