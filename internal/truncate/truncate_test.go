package truncate_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/truncate"
)

func TestLineAndCut(t *testing.T) {
	for _, tc := range []struct {
		text      string
		most      int
		line, cut string
	}{
		{"", 0, "", ""},
		{"short", 5, "short", "short"},
		{"longer", 5, "longe…", "longe…"},
		{"a\r\nb\tc\x1b[0m", 20, "a b c[0m", "a\r\nb\tc\x1b[0m"},
		{"日本", 4, "日…", "日…"},
		{"日本", 0, "…", "…"},
		{"a\xffb", 9, "a\uFFFDb", "a\uFFFDb"},
		{"x", -1, "…", "…"},
	} {
		if line, cut := truncate.Line(tc.text, tc.most), truncate.Cut(tc.text, tc.most); line != tc.line || cut != tc.cut {
			t.Errorf("%q to %d: %q, %q; want %q, %q", tc.text, tc.most, line, cut, tc.line, tc.cut)
		}
	}
}

func TestWithin(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "short": "short", "longer!": "longer!", "too long": "too …", "日本": "日本", "日本人": "日…", "\xff\xff": "\uFFFD", "a\xffb\xffc": "a\uFFFD…",
	} {
		if got := truncate.Within(text, 7); got != want || len(got) > 7 {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for _, tc := range []struct {
		text string
		most int
		want string
	}{
		{"", 0, `""`},
		{"short", 5, `"short"`},
		{"longer", 5, `"longe…"`},
		{"日本", 4, `"日…"`},
		{"日本", 0, `"…"`},
		{"a\n\x1b\u202e\xff", 9, `"a\n\x1b\u202e\xff"`},
		{"\xff\xff\xff", 2, `"\xff\xff…"`},
		{"\x80\x80\x80", 2, `"…"`},
	} {
		if got := truncate.Quote(tc.text, tc.most); got != tc.want {
			t.Errorf("%q to %d: %s, want %s", tc.text, tc.most, got, tc.want)
		}
	}
}
