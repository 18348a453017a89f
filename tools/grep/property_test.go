package grep_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/grep"
)

// Patterns are built from few letters and from words that contain each other, so that they often match.
var (
	atoms = []string{"a", "b", "ab", "foo", "foobar", "bar", "Error", "err", "k", "s", "mask", "é", "ß", "日本", "本", "ſ", "_", "-", " ", "0", `\.`, `\(`,
		".", `\w`, `\W`, `\d`, `\s`, `\S`, `\D`, "[ab]", "[^a]", "[a-f]", "[A-Z]", "[ぁ-ん]", "[^ -~]", `[\s\w]`, `[^\w-z]`, `[^\W\d]`, `[^\n]`, `\x{FFFD}`, `\x00`, `\pL`, `\PN`, "[[:punct:]]", "[fF]oo", ""}
	looks   = []string{"^", "$", `\b`, `\B`, `\A`, `\z`, "(?m:^)", "(?m:$)"}
	repeats = []string{"*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,}", "{3,5}?"}
	words   = []string{"a", "b", "ab", "foo", "foobar", "bar", "Foo", "BAR", "Error", "err", "ERR", "K", "S", "k", "s", "mask", "MASK", "\u212A", "ſ", "é", "É", "ß", "ẞ", "日本", "本日", "あ", "\u3000", "٤", "́", "Ⓐ", "_", "-", " ", "0", ".", "(",
		"\xff", "\xe3", "\xe3\x81", "\x80", "\x00", "\ufffd", "\xed\xa0\x80", "\n", "\n", "\r\n", "\r", "\n\n"}
)

func drawPattern(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom(atoms).Draw(t, "atom")
	}
	sub := func() string { return drawPattern(t, depth-1) }
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0:
		return "(?:" + sub() + "|" + sub() + ")"
	case 1:
		return "(" + sub() + ")" + rapid.SampledFrom(repeats).Draw(t, "repeat")
	case 2:
		return rapid.SampledFrom(looks).Draw(t, "look") + sub()
	case 3:
		return sub() + rapid.SampledFrom(looks).Draw(t, "look")
	case 4:
		return "(?i:" + sub() + ")"
	case 5:
		return sub() + "|" + sub()
	}
	return sub() + sub()
}

func drawText(t *rapid.T, most int) string {
	parts := rapid.SliceOfN(rapid.SampledFrom(words), 0, most).Draw(t, "text")
	return strings.Repeat(strings.Join(parts, ""), rapid.IntRange(1, 4).Draw(t, "times"))
}

func drawOptions(t *rapid.T) grep.Options {
	return grep.Options{
		Literal:   rapid.IntRange(0, 9).Draw(t, "literal") == 0,
		Case:      rapid.SampledFrom([]grep.Case{grep.Sensitive, grep.Insensitive}).Draw(t, "case"),
		Multiline: rapid.IntRange(0, 3).Draw(t, "multiline") == 0,
	}
}

// checkEqualsRegexp compares the results with package regexp for each line or, in multiline mode, for the complete text.
func checkEqualsRegexp(t *rapid.T) {
	pattern := drawPattern(t, rapid.IntRange(0, 4).Draw(t, "depth"))
	check(t, pattern, drawOptions(t), drawText(t, 60))
}

func TestLines_EqualsRegexp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, checkEqualsRegexp)
}

func FuzzLines_EqualsRegexp(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkEqualsRegexp)) }
