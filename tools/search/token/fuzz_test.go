package token_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/dougu-go/dougu/tools/search/token"
)

// Whatever the text, words lie in it, in order, are short, normalised and valid; a
// query of the text never has more of them.
func FuzzWords(f *testing.F) {
	for _, text := range []string{"parseHTTPUrl", "getユーザー名", "ﾊﾞｸﾞ ＡＢｃ", "a\xff\u0301b", "１２.３ 3.14", "İstanbul ΣΑΣ", strings.Repeat("あ", 2000), strings.Repeat("aB3", 200), "한국어 ไทย", "_a__B_", "か\u3099が", "\u0301\u3099x"} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, singles bool) {
		s := token.Scanner{Singles: singles}
		last := int32(0)
		for w := range s.Words(text) {
			if w.Start < 0 || w.Start > w.End || int(w.End) > len(text) {
				t.Fatalf("%q at %d to %d of %d", w.Text, w.Start, w.End, len(text))
			}
			if w.Kind != token.Part && w.Start < last {
				t.Fatalf("%q at %d, after %d", w.Text, w.Start, last)
			}
			last = max(last, w.Start)
			if len(w.Text) == 0 || len(w.Text) > token.MaxWord || !utf8.Valid(w.Text) {
				t.Fatalf("%q", w.Text)
			}
			// A letter that has an accent of its own only in lower case may keep it apart.
			if !norm.NFKC.IsNormal(w.Text) && bytes.IndexFunc(w.Text, unicode.IsMark) < 0 {
				t.Fatalf("%q is not normalised", w.Text)
			}
			if bytes.ContainsAny(w.Text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_ \n") {
				t.Fatalf("%q is not folded", w.Text)
			}
		}
		q := token.ParseQuery(string(text))
		for _, g := range q.Groups {
			if g.Start < 0 || g.Start > g.End || g.End > len(text) || g.Phrase > len(q.Phrases) || g.Whole == "" && len(g.Parts) == 0 {
				t.Fatalf("%+v", g)
			}
		}
	})
}

// Every name is found by how it is asked for: as a whole and by its parts.
func FuzzForms(f *testing.F) {
	f.Add("parsing")
	f.Add("queries")
	f.Add("zzzed")
	f.Fuzz(func(t *testing.T, word string) {
		forms := token.Forms(word)
		if len(forms) > 12 {
			t.Fatal(forms)
		}
		for i, form := range forms {
			if form == word || form == "" || strings.Contains(" "+strings.Join(forms[:i], " ")+" ", " "+form+" ") {
				t.Fatalf("%s: %q", word, forms)
			}
		}
	})
}
