package token_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/search/token"
)

// shown is a group in short: what it is in a text, its parts, whether it is code.
func shown(g token.Group) string {
	s := g.Text
	if g.Whole != "" {
		s += "=" + g.Whole
	}
	if len(g.Parts) > 0 {
		s += "[" + strings.Join(g.Parts, " ") + "]"
	}
	if g.Code {
		s += "!"
	}
	if g.Phrase > 0 {
		s += fmt.Sprint("#", g.Phrase)
	}
	return s
}

func TestParseQuery(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"how does it Work?":            "how=how does=does it=it Work=work",
		"parseHTTPUrl":                 "parseHTTPUrl=parsehttpurl[parse http url]!",
		"max_size T":                   "max_size=maxsize[max size]! T=t",
		"base64Encode int32":           "base64Encode=base64encode[base64 encode]! int32=int32!",
		"http.Server":                  "http=http! Server=server!",
		"std::move a->b call() `x y`":  "std=std! move=move! a=a! b=b! call=call! x=x y=y",
		"use `flush` now.":             "use=use flush=flush! now=now",
		"Go 1.26":                      "Go=go 1.26=1.26",
		`"rate limit" of x`:            "rate=rate#1 limit=limit#1 of=of x=x",
		`a "b c" d “e” "open`:          "a=a b=b#1 c=c#1 d=d e=e#2 open=open",
		"検索":                           "検索=検索[検索]",
		"検索語":                          "検索語[検索 索語]",
		"確":                            "確=確[確*]",
		"getユーザー名":                     "get=get ユーザー名[ユー ーザ ザー ー名]",
		"「設定 確認」の":                     "設定=設定[設定]#1 確認=確認[確認]#1 の=の[の*]",
		"ﾊﾞｸﾞ ＨＴＴＰ":                    "ﾊﾞｸﾞ=バグ[バグ] ＨＴＴＰ=http",
		"検索、検索":                        "検索=検索[検索] 検索=検索[検索]",
		strings.Repeat("word ", 5_000): strings.TrimSpace(strings.Repeat("word=word ", 128)),
	} {
		q := token.ParseQuery(text)
		var all []string
		for _, g := range q.Groups {
			all = append(all, shown(g))
		}
		if got := strings.Join(all, " "); got != want {
			t.Errorf("%.60q:\n %.500s\nwant\n %.500s", text, got, want)
		}
	}
	if q := token.ParseQuery(`a "b c" 「検索」 ""`); strings.Join(q.Phrases, "|") != "b c|検索" {
		t.Errorf("phrases %q", q.Phrases)
	}
}

// A name is found however it is asked for: each word of the query is one of the text.
func TestQuery_FindsNames(t *testing.T) {
	for text, queries := range map[string][]string{
		"func parseHTTPUrl(in io.Reader)": {"parseHTTPUrl", "ParseHttpURL", "parse_http_url", "parsehttpurl", "http url", "Reader"},
		"確認画面の設定を表示する":                    {"確認", "設定", "確", "画面", "する", "示", "る"},
		"getユーザー名() // ｶﾞｲﾄﾞ":             {"ユーザー", "名", "ガイド", "get", "ｶﾞｲﾄﾞ"},
		"MAX_RETRY_COUNT = 3":             {"maxRetryCount", "retry", "MAX_RETRY"},
	} {
		known := map[string]bool{}
		var s token.Scanner
		for w := range s.Words([]byte(text)) {
			known[string(w.Text)] = true
		}
		begins := func(word string) bool {
			prefix, open := strings.CutSuffix(word, "*")
			for k := range known {
				if k == prefix || open && strings.HasPrefix(k, prefix) {
					return true
				}
			}
			return false
		}
		for _, query := range queries {
			for _, g := range token.ParseQuery(query).Groups {
				found := g.Whole != "" && begins(g.Whole)
				all := len(g.Parts) > 0
				for _, part := range g.Parts {
					all = all && begins(part)
				}
				if !found && !all {
					t.Errorf("%q does not find %q: %+v in %v", query, text, g, known)
				}
			}
		}
	}
}
