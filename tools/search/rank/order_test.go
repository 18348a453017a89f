package rank_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
)

// candidate returns a candidate for "path kind [container.]name" that matches all terms of
// the query.
func candidate(what string, score float64) index.Candidate {
	fields := strings.SplitN(what, " ", 3)
	c := index.Candidate{Score: score, Matched: ^uint64(0)}
	c.File.Path, c.Piece.Kind = fields[0], fields[1]
	if len(fields) == 3 {
		c.Piece.Name = fields[2]
		if container, name, ok := strings.Cut(fields[2], "|"); ok {
			c.Piece.Container, c.Piece.Name = container, name
		}
	}
	return c
}

// order ranks candidates with equal scores of the index.
func order(query string, what ...string) []string {
	var found index.Found
	for _, one := range what {
		found.Candidates = append(found.Candidates, candidate(one, 10))
	}
	var got []string
	for _, r := range rank.Order(rank.Parse(query), found, rank.Options{}) {
		one := r.File.Path + " " + r.Piece.Kind
		if r.Piece.Name != "" {
			one += " "
			if r.Piece.Container != "" {
				one += r.Piece.Container + "|"
			}
			one += r.Piece.Name
		}
		got = append(got, one)
	}
	return got
}

// Of candidates with the same words, the first one must rank first.
func TestOrder_First(t *testing.T) {
	for _, c := range []struct {
		why, query string
		want       []string
	}{
		{"the definition of a symbol", "parseURL", []string{"z.go function parseURL", "a.go function parseURLs", "b.go function open"}},
		{"as it is spelled", "SplitHostPort", []string{"z.go function SplitHostPort", "a.go function splitHostPort"}},
		{"written in another way", "parse_url", []string{"z.go function parseURL", "a.go function open"}},
		{"written apart", "parse url", []string{"z.go function parseURL", "a.go function parseURLQueryString"}},
		{"in what it belongs to", "Stack.push", []string{"z.go method Stack|push", "a.go method Queue|push", "b.go class Stack"}},
		{"in the file it belongs to", "reply.hijack", []string{"lib/reply.js function hijack", "lib/a.js function hijack"}},
		{"in the package it belongs to", "http.Get", []string{"net/http/z.go function Get", "net/a/a.go function Get"}},
		{"no test", "parse header", []string{"z/header.go function parse", "a/header_test.go function parse"}},
		{"a test, if it is asked for", "test parse header", []string{"a/header_test.go function TestParseHeader", "z/header.go function parseHeader"}},
		{"one's own code", "parse header", []string{"z/header.js function parse", "node_modules/a/header.js function parse"}},
		{"what a person wrote", "message", []string{"z/message.go struct Message", "a/message.pb.go struct Message"}},
		{"a heading that says it", "how do I install the server", []string{"z.md section Install the server", "a.md section Overview"}},
		{"the whole heading", "installation", []string{"z.md section Installation", "a.md section Installation of plug-ins on other systems"}},
		{"a file by its name", "router config", []string{"z/router_config.go file", "a/server.go file"}},
		{"a path", "src/app/main.ts", []string{"src/app/main.ts file", "src/main.ts file"}},
		{"a Japanese heading", "設定ファイル", []string{"z.md section 設定ファイル", "a.md section 設定"}},
		{"words in a name without marks", "time since login", []string{"z.py function timesince", "a.py function format"}},
		{"what belongs to particles", "ファイルを検索する方法", []string{"z.md section ファイルの検索", "a.md section 一覧を表示する"}},
		{"a type before what makes it", "HttpCookie", []string{"z.java class HttpCookie", "z.java initializer HttpCookie|HttpCookie"}},
		{"English code for a Japanese query", "環境変数の取得", []string{"z.go function getEnv", "a.go function open"}},
		{"a chapter by its heading", "データー管理", []string{"z.md section 10. データー管理", "a.md section 9. システム"}},
		{"a single character", "鍵", []string{"z.md section 鍵の作成", "a.md section その他"}},
		{"documents for a question", "認証の方法は？", []string{"z.md section 認証", "a.go file"}},
	} {
		given := slices.Clone(c.want)
		slices.Sort(given)
		if got := order(c.query, given...); !slices.Equal(got, c.want) {
			t.Errorf("%s (%q):\n got %q\nwant %q", c.why, c.query, got, c.want)
		}
	}
}

// A piece with all words ranks before a piece with many occurrences of one word.
func TestOrder_Coverage(t *testing.T) {
	q := rank.Parse("retry backoff jitter")
	all, one := candidate("z.go function wait", 8), candidate("a.go function wait", 10)
	one.Matched = 1
	found := index.Found{Candidates: []index.Candidate{one, all}, Frequencies: slices.Repeat([]int{50}, len(q.Index(index.Filter{}, 0).Terms))}
	if got := rank.Order(q, found, rank.Options{}); got[0].File.Path != "z.go" {
		t.Errorf("%+v comes first", got[0])
	}
}

// Pieces of one file do not fill the list.
func TestOrder_FurtherPieces(t *testing.T) {
	var found index.Found
	for i := range 30 {
		found.Candidates = append(found.Candidates, candidate(fmt.Sprintf("a.go function f%d", i), 10))
	}
	found.Candidates = append(found.Candidates, candidate("b.go function g", 9.5))
	got := rank.Order(rank.Parse("cache eviction"), found, rank.Options{Limit: 10})
	if len(got) != 10 || !slices.ContainsFunc(got, func(r rank.Result) bool { return r.File.Path == "b.go" }) {
		t.Error("b.go is not among the first ten")
	}
}

func TestOrder_ScoreRange(t *testing.T) {
	var found index.Found
	for i := range 200 {
		c := candidate(fmt.Sprintf("dir%d/file%d.go function parseHeader%d", i%7, i%31, i), float64(200-i)/3)
		c.Matched = uint64(i)
		found.Candidates = append(found.Candidates, c)
	}
	for _, query := range []string{"parseHeader", "parse header of file", "dir3/file4.go", "", "解析", `"exactly this"`} {
		q := rank.Parse(query)
		got := rank.Order(q, found, rank.Options{})
		if len(got) != 200 {
			t.Fatalf("%q: %d results", query, len(got))
		}
		for i, r := range got {
			if r.Score < 0 || r.Score > 1 || i > 0 && r.Score > got[i-1].Score {
				t.Errorf("%q: result %d has score %v", query, i, r.Score)
			}
		}
		slices.Reverse(found.Candidates)
		for i, r := range rank.Order(q, found, rank.Options{}) {
			if r.File.Path != got[i].File.Path || r.Piece.Name != got[i].Piece.Name {
				t.Fatalf("%q: the order depends on the order of the candidates", query)
			}
		}
	}
}

func TestOrder_Generated(t *testing.T) {
	found := index.Found{Candidates: []index.Candidate{candidate("a.go function parse", 10), candidate("b.go function parse", 10)}}
	got := rank.Order(rank.Parse("parse"), found, rank.Options{Generated: func(path string) bool { return path == "a.go" }})
	if got[0].File.Path != "b.go" || got[1].Why != "defines parse, generated" {
		t.Errorf("%+v", got)
	}
}

func BenchmarkOrder(b *testing.B) {
	q := rank.Parse("how does the server parse request headers")
	n := len(q.Index(index.Filter{}, 0).Terms)
	found := index.Found{Frequencies: slices.Repeat([]int{100}, n)}
	for i := range 200 {
		c := candidate(fmt.Sprintf("net/http/dir%d/file%d.go function parseHeader%dOfRequest", i%7, i%31, i), float64(200-i))
		c.Piece.Container = "Server"
		found.Candidates = append(found.Candidates, c)
	}
	for b.Loop() {
		rank.Order(q, found, rank.Options{Limit: 20})
	}
}
