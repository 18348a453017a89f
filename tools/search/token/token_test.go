package token_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/search/token"
)

// words are the words of a text, with a blank between two.
func words(text string, singles bool) string {
	s := token.Scanner{Singles: singles}
	var all []string
	for w := range s.Words([]byte(text)) {
		all = append(all, string(w.Text))
	}
	return strings.Join(all, " ")
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"Push the item.":         "push the item",
		"parseHTTPUrl":           "parsehttpurl parse http url",
		"parse_http_url":         "parsehttpurl parse http url",
		"PARSE_HTTP_URL":         "parsehttpurl parse http url",
		"__init__":               "init",
		"HTTPServer":             "httpserver http server",
		"allowedURLs":            "allowedurls allowed urls",
		"URLsFrom IDs":           "urlsfrom urls from ids",
		"TypeScript":             "typescript type script",
		"utf8":                   "utf8 utf",
		"base64Encode":           "base64encode base64 base encode",
		"parseHTTP2Frame":        "parsehttp2frame parse http2 http frame",
		"int32 x86 v2":           "int32 int x86 v2",
		"load3DModel":            "load3dmodel load3 load model",
		"load_3DModel":           "load3dmodel load 3d model",
		"a.b(x, i)":              "",
		"127.0.0.1:8080":         "127.0.0.1 8080",
		"Go 1.26.8, 0xFF":        "go 1.26.8 0xff",
		"foo-bar/baz.go":         "foo bar baz go",
		"don't":                  "don",
		"検索":                     "検索 索",
		"検索語":                    "検索 索語 語",
		"確":                      "確",
		"getユーザー名":               "get ユー ーザ ザー ー名 名",
		"ﾊﾞｸﾞ":                   "バグ グ",
		"ＨＴＴＰＳｅｒｖｅｒ":             "httpserver http server",
		"設定、確認。":                 "設定 定 確認 認",
		"12個":                    "12 個",
		"한국어":                    "한국 국어 어",
		"Größe ПриветМир":        "größe приветмир привет мир",
		"“foo” — bar…baz":        "foo bar baz",
		"cafe\u0301 un":          "café un",
		"ab\xffcd":               "ab cd",
		"か\u3099く":               "がく く",
		"㈱東京":                    "株 東京 京",
		strings.Repeat("a", 100): strings.Repeat("a", 64),
	} {
		if got := words(text, false); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := words("a.B(x, 1) T", true); got != "a b x 1 t" {
		t.Errorf("single characters: %q", got)
	}
}

func TestForms(t *testing.T) {
	for word, want := range map[string]string{
		"file": "files filing filed", "files": "file filing filed", "parsing": "pars parses parsed parse parsings",
		"map": "maps mapping mapped", "mapping": "map maps mapped mappings", "settings": "setting", "setting": "settings",
		"string": "strings", "matches": "match matching matched matche", "queries": "query querying queried", "status": "statuses statusing statused",
		"cached": "cach caches caching cache", "the": "",
	} {
		if got := strings.Join(token.Forms(word), " "); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

func BenchmarkWords(b *testing.B) {
	text := []byte(strings.Repeat("func (s *Scanner) parseHTTPUrl(text []byte, max_size int) error { return fmt.Errorf(\"reading %s: %w\", text, err) }\n", 1000))
	b.SetBytes(int64(len(text)))
	var s token.Scanner
	for b.Loop() {
		n := 0
		for w := range s.Words(text) {
			n += len(w.Text)
		}
	}
}

func BenchmarkJapanese(b *testing.B) {
	text := []byte(strings.Repeat("この設定ファイルを読み込み、ユーザー名とパスワードを確認します。ＡＰＩキーは「key」に書く。\n", 1000))
	b.SetBytes(int64(len(text)))
	var s token.Scanner
	for b.Loop() {
		n := 0
		for w := range s.Words(text) {
			n += len(w.Text)
		}
	}
}
