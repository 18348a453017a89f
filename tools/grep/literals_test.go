package grep_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/grep"
)

// shown formats sets as "a|b c", with ~ before literals in any case.
func shown(sets [][]grep.Literal) string {
	var all []string
	for _, set := range sets {
		var one []string
		for _, l := range set {
			if l.Fold {
				l.Text = "~" + l.Text
			}
			one = append(one, l.Text)
		}
		all = append(all, strings.Join(one, "|"))
	}
	return strings.Join(all, " ")
}

func TestLiterals(t *testing.T) {
	for _, tc := range []struct{ pattern, want string }{
		{"foo", "foo"},
		{"a.b", ""},
		{`func \(\w+\) Close\(`, "func ( ) Close("},
		{`foo\s+bar`, "foo bar"},
		{"foo|bar", "bar|foo"},
		{"(foo|bar)baz", "barbaz|foobaz"},
		{"(foo.*x|bar+)y+", "ba|foo"},
		{"(foo|.)bar", "bar"},
		{"(foo)?bar", "bar|foobar"},
		{"(foo)*bar", "bar"},
		{"(foo)+", "foo"},
		{"[Fg]oo", "Foo|goo"},
		{"foo[a-z]bar", "foo bar"},
		{"(?i)todo", "~todo"},
		{"(?i)status", "~status|ſ"},
		{"(?i)kind", "~kind|\u212A"},
		{"(?i)année", "~ann"},
		{"x(?i:ab)C", "~xabC"},
		{"日本|語学", "日本|語学"},
		{"a\nbc", "bc"},
		{"^foo$", "foo"},
		{"(ab|cd){2}", "abab|abcd|cdab|cdcd"},
		{"(.b){2}", ""},
		{"(fo.ba){2}", "fo ba fo ba"},
		{"(x.yz)?bar", "bar"},
		{"(a.bc|d)ef", "ef"},
		{"(a.bc)+de", "bc de"},
		{"", ""},
		{"[^a]", ""},
		{"[^\\x00-\\x{10FFFF}]", ""},
	} {
		sets, err := grep.Literals(tc.pattern, grep.Options{Case: grep.Sensitive, Multiline: true})
		if got := shown(sets); err != nil || got != tc.want {
			t.Errorf("%q needs %q (%v), want %q", tc.pattern, got, err, tc.want)
		}
	}
	if sets, err := grep.Literals("a.b*", grep.Options{Literal: true, Case: grep.Sensitive}); err != nil || shown(sets) != "a.b*" {
		t.Errorf("a literal needs %q (%v)", shown(sets), err)
	}
	if _, err := grep.Literals("(", grep.Options{}); err == nil {
		t.Error("a pattern that is none has literals")
	}
}

func TestLiterals_Limits(t *testing.T) {
	for _, pattern := range []string{strings.Repeat("(abc|def).", 200), strings.Repeat("xyz|", 500) + "xyz", strings.Repeat("(ab|cd)", 100), strings.Repeat("(ab|cd|.x)?", 50)} {
		sets, err := grep.Literals(pattern, grep.Options{})
		if err != nil || len(sets) > 64 || slices.ContainsFunc(sets, func(set []grep.Literal) bool { return len(set) > 64 || len(set) == 0 }) {
			t.Errorf("%.30q needs %d sets (%v)", pattern, len(sets), err)
		}
	}
}

// checkLiterals checks that a matching text contains a literal of each set.
func checkLiterals(t *rapid.T) {
	pattern := drawPattern(t, rapid.IntRange(0, 4).Draw(t, "depth"))
	o, text := drawOptions(t), drawText(t, 30)
	m, err := grep.Compile(pattern, o)
	if err != nil || !m.Match([]byte(text)) {
		return
	}
	sets, err := grep.Literals(pattern, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		if !slices.ContainsFunc(set, func(l grep.Literal) bool { return has(text, l) }) {
			t.Fatal(fmt.Sprintf("%q matches %+v %q, which has none of %q", text, o, pattern, shown([][]grep.Literal{set})))
		}
	}
}

func has(text string, l grep.Literal) bool {
	if !l.Fold {
		return strings.Contains(text, l.Text)
	}
	return strings.Contains(asciiLower(text), asciiLower(l.Text))
}

func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

func TestLiterals_InMatchingTexts(t *testing.T) { rapid.Check(t, checkLiterals) }

func FuzzLiterals_InMatchingTexts(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkLiterals)) }
