package grep_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/grep"
)

// TestCompile_Errors checks position, reason and next step of invalid patterns.
func TestCompile_Errors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pattern, message, next string }{
		{`foo(?=bar)`, `column 4, "(?=": look-ahead is not supported`, "with the text after it"},
		{`日本(?!語)`, `column 3, "(?!": look-ahead is not supported`, "leave out the lines"},
		{`(?<=a)b`, `column 1, "(?<=": look-behind is not supported`, "the text before it"},
		{`(?<!a)b`, `look-behind`, "leave out the lines"},
		{`(a)\1`, `column 4, "\\1": back-references are not supported`, "write out"},
		{`(?P<x>a)(?P=x)`, `column 9, "(?P=": back-references`, "write out"},
		{`(?>a)b`, `atomic groups`, "(?:…)"},
		{`(?R)`, `recursion`, "beginning of the nested text"},
		{`a\Z`, `column 2, "\\Z": there is no such escape`, "use $"},
		{`\h+`, `no such escape`, `[ \t]`},
		{`\u00e9`, `no such escape`, `\x{00e9}`},
		{`[(?=]\i`, `column 6, "\\i": invalid escape sequence`, `write \\`},
		{`func (`, `column 6, "(": missing closing )`, `write \(`},
		{`a)b`, `column 2, ")b": unexpected )`, `write \)`},
		{`(a))(`, `column 4, ")(": unexpected )`, `write \)`},
		{`[a`, `column 1, "[a": missing closing ]`, `write \[`},
		{`*.go`, `column 1, "*": missing argument to repetition operator`, `.* is any text`},
		{`a**`, `"**": invalid nested repetition operator`, `write \*`},
		{`c++`, `"++"`, `write \*, \+`},
		{`a{2000}`, `"{2000}": invalid repeat count`, "1000"},
		{`[z-a]`, `"z-a": invalid character class range`, "smaller"},
		{`a\`, `trailing backslash`, `write \\`},
		{`(?P<a-b>a)`, `invalid named capture`, "name"},
		{`(?y)a`, `"(?y"`, `write \( and`},
		{"\xffa", `column 1, "\xffa": it is not UTF-8`, "UTF-8"},
		{"日\xff", `column 2`, "UTF-8"},
		{`foo\nbar`, "requires a line end", "use $"},
		{"\r", "requires a line end", "use $"},
		{strings.Repeat("a", 5000), "5000 bytes", "shorter"},
		{`((x{100}){10}){10}`, `"{10}": invalid repeat count`, "multiplied"},
		{strings.Repeat(`((x{100}){10})`, 11), "too large", "smaller counts"},
		{`(\w{1,100}\s){9}` + strings.Repeat(`(\w{1,100}\s){9}`, 9), "too large", "smaller counts"},
		{strings.Repeat("(", 1500) + strings.Repeat(")", 1500), "nests too deeply", "fewer groups"},
		{strings.Repeat(`(\pL{1000})`, 9), "too large", "smaller counts"},
	} {
		_, err := grep.Compile(c.pattern, grep.Options{})
		var refused *grep.Error
		if !errors.As(err, &refused) {
			t.Errorf("%.40q: %v", c.pattern, err)
			continue
		}
		if !strings.HasPrefix(refused.Error(), "invalid pattern: ") || !strings.Contains(refused.Error(), c.message) || len(refused.Error()) > 200 {
			t.Errorf("%.40q: the message is %s", c.pattern, refused)
		}
		if refused.ErrorCode() != "INVALID_PATTERN" || !strings.Contains(refused.NextStep(), c.next) {
			t.Errorf("%.40q: %s, the next step is %s", c.pattern, refused.ErrorCode(), refused.NextStep())
		}
	}
}

// TestWithAdvice_Parameters checks that the advice names only parameters that the caller has.
func TestWithAdvice_Parameters(t *testing.T) {
	for pattern, want := range map[string][2]string{
		`a(`:     {`close the group with ), or write \( for the character (, or put it in quotes`, `close the group with ), or write \( for the character (`},
		"a\nb":   {"use $ for the end of a line, or set lines", "use $ for the end of a line"},
		`a\Rb`:   {"use $ for the end of a line, or set lines", "use $ for the end of a line"},
		"(?=a)b": {"search for the text itself, with the text after it", "search for the text itself, with the text after it"},
	} {
		_, err := grep.Compile(pattern, grep.Options{})
		for i, advised := range []error{grep.WithAdvice(err, "put it in quotes", "set lines"), grep.WithAdvice(err, "", "")} {
			var e *grep.Error
			if !errors.As(advised, &e) || e.NextStep() != want[i] {
				t.Errorf("%q: %q, want %q", pattern, e.NextStep(), want[i])
			}
		}
	}
	if other := errors.New("x"); grep.WithAdvice(other, "a", "b") != other {
		t.Error("another error is changed")
	}
}

// TestHint_Patterns checks the hints for valid patterns with a probably unintended meaning.
func TestHint_Patterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern string
		literal bool
		hint    string
	}{
		{`foo\|bar`, false, "alternatives are written a|b"},
		{`a \|\| b`, false, ""},
		{`a\|b|c`, false, ""},
		{`a\{2,3\}`, false, "counts are written {2,3}"},
		{`\{\}`, false, ""},
		{`\<word\>`, false, `\b`},
		{`/foo.*bar/i`, false, "slashes"},
		{`/usr/lib`, false, ""},
		{`$HOME`, false, `\$`},
		{`${name}`, false, `\$`},
		{`foo$|(bar$)`, false, ""},
		{`[$]HOME[\|]`, false, ""},
		{`\Q$HOME\|\E`, false, ""},
		{`foo.*bar`, true, "unset literal"},
		{`^foo`, true, "unset literal"},
		{`foo(bar)`, true, ""},
		{`[[:<>:]`, true, ""},
	} {
		m, err := grep.Compile(c.pattern, grep.Options{Literal: c.literal})
		if err != nil {
			t.Errorf("%q: %v", c.pattern, err)
			continue
		}
		if got := m.Hint(); got != c.hint && (c.hint == "" || !strings.Contains(got, c.hint)) {
			t.Errorf("%q: the hint is %q, want %q", c.pattern, got, c.hint)
		}
	}
}

// TestCompile_SmartCase checks that smart case depends on the letters that a pattern names, not on those of its operators.
func TestCompile_SmartCase(t *testing.T) {
	t.Parallel()
	for pattern, sensitive := range map[string]bool{
		"foo": false, "Foo": true, "fOo": true, "日本": false, "é": false, "É": true, `\bfoo\B`: false, `\Sfoo\W`: false, `\pLfoo`: false, `\p{Greek}foo`: false,
		`\p{Lu}foo`: true, `[[:upper:]]foo`: true, `[A-Z]foo`: true, `[a-z]foo`: false, `(?P<Name>foo)`: false, `(?U)foo`: false, `(?U:fOo)`: true,
		`\x{4A}foo`: false, `\x4Afoo`: false, `\QFoo\E`: true, `\Qf\EOo`: true, `\Qfoo\E`: false, `(?P<n>Foo)`: true,
	} {
		m, err := grep.Compile(pattern+"|zebra", grep.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Count([]byte("ZEBRA")) == 0; got != sensitive {
			t.Errorf("%s is taken for sensitive: %v", pattern, got)
		}
	}
	literal, err := grep.Compile(`a\S`, grep.Options{Literal: true})
	if err != nil || literal.Count([]byte(`A\s`)) != 0 || literal.Count([]byte(`a\S`)) != 1 {
		t.Errorf(`the literal a\S: %v`, err)
	}
}
