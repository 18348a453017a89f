package uritemplate_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/uritemplate"
)

// FuzzMatch checks that a template expands to ASCII, and that the values found in a URI expand to a URI in which they
// are found again.
func FuzzMatch(f *testing.F) {
	for _, seed := range [][2]string{
		{"a:{x}", "a:1%2F2"}, {"a:{x}.{y}", "a:1.2%2E3"}, {"a:{/x*,y}{?z*}", "a:/1/2/3?z=1&z=2"}, {"caf\u00e9:{x}", "caf\u00e9:\u00e9"},
		{"a:b{;x,y}/c{&z}#d", "a:b;y=2;x/c&z=%41#d"}, {"a:{x,y*}", "a:1,2,3"}, {"{+x}C{y}", "%C3C1"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, uri string) {
		tmpl, err := uritemplate.Parse(text)
		if err != nil {
			return
		}
		m, err := tmpl.Matcher()
		if err != nil {
			return
		}
		values, ok := m.Match(uri)
		if !ok {
			return
		}
		for name, list := range values {
			for _, value := range list {
				if !utf8.ValidString(value) || strings.Contains(value, "\x00") {
					t.Errorf("%s in %s: %s is %q", uri, text, name, value)
				}
			}
		}
		again := tmpl.Expand(values)
		for i := range len(again) {
			if again[i] <= ' ' || again[i] >= 0x7f {
				t.Fatalf("%v expands to %q", values, again)
			}
		}
		if strings.Contains(text, "{+") || strings.Contains(text, "{#") || strings.Contains(text, "%") {
			return // a value that looks encoded is not encoded again
		}
		if strings.Contains(text, "{&") && !strings.Contains(again, "?") {
			return // without its {?…} the continuation of a query is none
		}
		found, ok := m.Match(again)
		if !ok || tmpl.Expand(found) != again {
			t.Errorf("%s in %s has %v; it expands to %s, which has %v, %v", uri, text, values, again, found, ok)
		}
	})
}

// FuzzExpand checks that matching an expanded template returns the values.
func FuzzExpand(f *testing.F) {
	for _, seed := range []string{
		"a:{x}", "a:{+x}/b", "a:{x}.{y}", "a:{/x*,y}{?w,v}{#u}", "a:{.x,y}{;z}", "a:b?c=d{&x}{&y*}", "{x*,y}C{w}3{v}",
	} {
		f.Add(seed, "z\u00e9 \u65e5", "z/?#,;=&@:.z%41")
	}
	f.Fuzz(func(t *testing.T, text, plain, odd string) {
		tmpl, err := uritemplate.Parse(text)
		if err != nil {
			return
		}
		m, err := tmpl.Matcher()
		if err != nil {
			return
		}
		if literals(text, "z%") || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return // a literal might be taken for a value, and the other way round
		}
		values := make(map[string][]string)
		for i, v := range tmpl.Variables() {
			reserved := strings.Contains(text, "{+") || strings.Contains(text, "{#")
			one := only(plain, "z\u00e9 \u65e5")
			if i%2 == 1 && !reserved {
				one = only(odd, "z/?#,;=&@:%\u00e9")
			}
			values[v.Name] = []string{one}
			if v.List {
				values[v.Name] = []string{one, "z", one}
			}
		}
		uri := tmpl.Expand(values)
		if got, ok := m.Match(uri); !ok || !reflect.DeepEqual(got, values) {
			t.Errorf("%v in %s make %s, which has %v, %v", values, text, uri, got, ok)
		}
	})
}

// only keeps of s the characters of an alphabet; the value is never empty.
func only(s, alphabet string) string {
	return "z" + strings.Map(func(r rune) rune {
		if strings.ContainsRune(alphabet, r) {
			return r
		}
		return -1
	}, s)
}

// literals reports whether any of chars stands outside of the expressions.
func literals(text, chars string) bool {
	for text != "" {
		literal, rest, _ := strings.Cut(text, "{")
		if strings.ContainsAny(literal, chars) {
			return true
		}
		_, text, _ = strings.Cut(rest, "}")
	}
	return false
}
