package security_test

import (
	"testing"
	"unicode"

	"github.com/dougu-go/dougu/internal/testrandom"

	"github.com/dougu-go/dougu/security"
)

// TestWalk_NamesAreThoseOfEveryCall compares the quick check of a name with the full one.
func TestWalk_NamesAreThoseOfEveryCall(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, name string) {
		if folded, quickly, ok, quicklyOK := security.FoldEntry(name); ok != quicklyOK || ok && folded != quickly {
			t.Errorf("%q is %q, %v; quickly %q, %v", name, folded, ok, quickly, quicklyOK)
		}
	}
	for _, name := range []string{"a", "con", "con.txt", "CON", "nul", "aux.c", "prn", "lpt1", "com9.x", "clock$", "conin$", "a.", "a ", " a", "..", ".", "...", ".a", "a:b", `a\b`, "a/b", "é", "\xff",
		"a\x7f", "a\x00", "\u202e", ".dougu-tmp-0123456789abcdef0123456789abcdef", "A", "ß", "x\n", "~", "a~1"} {
		check(t, name)
	}
	testrandom.Check(t, func(t *testing.T, r testrandom.Rand) {
		check(t, r.String(`abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ. :$_~0123456789/\-`, 1, 8))
		var name []rune
		for range r.Between(1, 300) {
			name = append(name, rune(r.IntN(unicode.MaxRune+1)))
		}
		check(t, string(name))
	})
}
