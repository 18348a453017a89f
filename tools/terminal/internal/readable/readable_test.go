package readable_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/terminal/internal/readable"
)

func encoded(t testing.TB, text string, e textfile.Encoding) string {
	t.Helper()
	p, err := textfile.Encode(text, e, false)
	if err != nil {
		t.Fatal(err)
	}
	return string(p)
}

func TestText_ReadableOutput(t *testing.T) {
	const japanese = "エラー: ファイルが見つかりません\n"
	for name, tt := range map[string]struct {
		given string
		o     readable.Options
		want  string
	}{
		"plain text":              {given: "ok\n", want: "ok\n"},
		"colours":                 {given: "\x1b[1;31merror\x1b[0m: no\n", want: "error: no\n"},
		"colours that are wanted": {given: "\x1b[31mno\x1b[0m", o: readable.Options{Keep: true}, want: "\x1b[31mno\x1b[0m"},
		"a title":                 {given: "\x1b]0;my title\x07done", want: "done"},
		"a link":                  {given: "\x1b]8;;https://example.com\x1b\\here\x1b]8;;\x1b\\", want: "here"},
		"character sets":          {given: "\x1b(Ba\x1b)0b\x1b=c\x1b7", want: "abc"},
		"a title without an end":  {given: "\x1b]0;title\nnext line", want: "\nnext line"},
		"half an escape":          {given: "a\x1b[3", want: "a"},
		"escapes in a row":        {given: "\x1b[1m\x1b[4mx\x1b[0m\x1b[K", want: "x"},
		"a broken escape":         {given: "\x1b[3\ny", want: "\ny"},
		"backspaces":              {given: "abc\b\bxy\nü\be", want: "axy\ne"},
		"a progress bar":          {given: "10%\r50%\r100%\r\nnext\r\n", o: readable.Options{Overwritten: true}, want: "100%\nnext\n"},
		"a progress bar as it is": {given: "10%\r50%\r\n", want: "10%\r50%\r\n"},
		"Shift_JIS":               {given: encoded(t, japanese, textfile.ShiftJIS), want: japanese},
		"EUC-JP":                  {given: encoded(t, japanese, textfile.EUCJP), want: japanese},
		"Shift_JIS among UTF-8":   {given: "日本語\n" + encoded(t, japanese, textfile.ShiftJIS) + "終わり\n", want: "日本語\n" + japanese + "終わり\n"},
		"no text at all":          {given: "a\xff\x00\xfe\x80\x01b\xc3", want: "a\\xff\x00\\xfe\\x80\x01b\\xc3"},
		"nothing":                 {},
	} {
		if got, start, n := readable.Text([]byte(tt.given), tt.o); got != tt.want || start != 0 || n != len(tt.given) {
			t.Errorf("%s: got %q, %d, %d of %d, want %q", name, got, start, n, len(tt.given), tt.want)
		}
	}
}

// Wherever output is cut, the pieces are the whole.
func TestText_Pieces(t *testing.T) {
	for name, whole := range map[string]string{
		"UTF-8 with escapes": strings.Repeat("\x1b[32mü日本語😀\x1b[0m \x1b]0;t\x07x\n", 5),
		"Shift_JIS":          encoded(t, strings.Repeat("表示ソフト能力\n", 5), textfile.ShiftJIS),
	} {
		want, _, _ := readable.Text([]byte(whole), readable.Options{})
		for cut := range len(whole) + 1 {
			first, _, n := readable.Text([]byte(whole[:cut]), readable.Options{More: true})
			if n > cut || cut-n > readable.MaxCut {
				t.Fatalf("%s: %d of %d bytes are used", name, n, cut)
			}
			rest, _, _ := readable.Text([]byte(whole[n:]), readable.Options{})
			if first+rest != want && name != "Shift_JIS" {
				t.Fatalf("%s cut at %d: %q and %q", name, cut, first, rest)
			}
			if name == "Shift_JIS" && strings.Contains(first+rest, `\x`) && n > 8 && len(whole)-n > 8 {
				t.Fatalf("%s cut at %d: %q and %q", name, cut, first, rest)
			}
		}
	}
}

func TestText_MiddleAtCharacter(t *testing.T) {
	for given, want := range map[string]string{"\x97\xa5日本": "日本", "日本": "日本", "a": "a", "\x80\x80\x80\x80": `\x80\x80\x80\x80`, "": ""} {
		if got, start, n := readable.Text([]byte(given), readable.Options{Middle: true}); got != want || start+n != len(given) {
			t.Errorf("%q: got %q, %d, %d, want %q", given, got, start, n, want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "a\x1b[31m", "\x82\xa0\x82", "\x1b]0;x", "日本\r\n\b\b\b", "\xff\x1b\x1b["} {
		f.Add([]byte(seed), uint8(3))
	}
	f.Fuzz(func(t *testing.T, p []byte, flags uint8) {
		o := readable.Options{More: flags&1 > 0, Middle: flags&2 > 0, Keep: flags&4 > 0, Overwritten: flags&8 > 0}
		text, start, n := readable.Text(p, o)
		if !utf8.ValidString(text) {
			t.Errorf("%q is not text", text)
		}
		if start < 0 || start > 3 || n < 0 || start+n > len(p) || len(p)-start-n > readable.MaxCut {
			t.Errorf("%d bytes from %d of %d", n, start, len(p))
		}
		if !o.More && start+n != len(p) {
			t.Errorf("%d bytes from %d of %d are used", n, start, len(p))
		}
	})
}
