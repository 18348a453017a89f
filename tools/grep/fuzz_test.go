package grep_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/grep"
)

func optionsOf(bits byte) grep.Options {
	o := grep.Options{Literal: bits&1 != 0, Case: grep.Sensitive, Multiline: bits&4 != 0}
	if bits&2 != 0 {
		o.Case = grep.Insensitive
	}
	return o
}

var seeds = []struct{ pattern, text string }{
	{"foo", "foo\nbar\r\nfoobar\rbaz foo"},
	{"", "a\n\nb"},
	{"^$", "\n\r\n\r\ra"},
	{"^", "a\r"},
	{"$", "a\r\n"},
	{`\bfoo\b`, "foo_\nfoo\nfoo-bar\nxfoo"},
	{`\B.\B`, "a\nabc\n--"},
	{"a.c", "a\xffc\na\xe3\x81c\naあc"},
	{"[^a]", "a\naa\r\n\xff\n\xe3\x81"},
	{`\x{FFFD}`, "a\xffc\n\ufffd\nx"},
	{`[^\x{FFFD}]`, "\xff\n\xff\xfe\na"},
	{"(?i)straße|ſ|K", "STRASSE\nk\nK\nS\nſ"},
	{"(?i)mask", "MASK\nmaſk\nmasK"},
	{"(?i)sk", "ſksK"},
	{"(?i)é", "É\ne\xcc\x81"},
	{"a|b", "b\na"},
	{"(a|b)*a(a|b){6}", "abababababbababab\nbbbbbbbbb"},
	{"foo\nbar", "foo\nbar"},
	{"foo\\s+bar", "foo\r\nbar\nfoo bar"},
	{"(?s)a.b", "a\r\nb"},
	{"x*", "abc\nxx"},
	{"a*?", "\n\n"},
	{"[A-Z][a-z]+Error\\b", "a FooError b\nFooErrors"},
	{"日本|中国", "日本\n\xe6\x97\xa5\n中国"},
	{"(?m:^)a$", "ba\na"},
	{"\\Aa|b\\z", "a\nb\nab\nba"},
	{"\r", "a\rb"},
	{"a\r?$", "a\r\n"},
	{"{\n}", "{\r\n}\n{\n}"},
	{"[\\s\\S]{3}", "ab\ncd\n"},
	{"(foo|foobar)baz", "foobarbaz"},
	{"\\w+\\n\\w+$", "one\ntwo\nthree\nfour"},
}

// FuzzPatterns compares all valid patterns with package regexp.
func FuzzPatterns(f *testing.F) {
	for _, s := range seeds {
		for bits := range byte(8) {
			f.Add(s.pattern, s.text, bits)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, text string, bits byte) {
		if len(pattern) > 200 || len(text) > 2000 {
			return
		}
		check(t, pattern, optionsOf(bits), text)
	})
}
