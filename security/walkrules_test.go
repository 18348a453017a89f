package security_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/dougu-go/dougu/internal/testrandom"

	"github.com/dougu-go/dougu/security"
)

// TestRulesOfAWalkAreThoseOfEveryCall compares the index of the patterns with the patterns.
func TestRulesOfAWalkAreThoseOfEveryCall(t *testing.T) {
	defaults := append(security.DefaultBlocked(), security.DefaultProtected()...)
	dirs := []string{"", ".ssh", "a", "a/.ssh/b", ".git", "x/.git/hooks", ".cursor", "a/.cursor/rules", ".aws", "home/.aws", ".config/gcloud", ".config/gh", "library/launchagents", ".claude", "b/a"}
	names := []string{".env", ".env.local", ".env.example", "x.pem", "id_rsa", "id_rsa.pub", ".ssh", "credentials", "config", "mcp.json", "rules", "a", "b", "b.a", "hosts.yml", ".git", "settings.json", "x"}
	for _, dir := range dirs {
		for _, name := range names {
			if all, indexed := security.MatchEntry(defaults, dir, name); all != indexed {
				t.Errorf("%q in %q: %v, by the index %v", name, dir, all, indexed)
			}
		}
	}
	component := func(r testrandom.Rand) string {
		return testrandom.Pick(r, r.String("ab.", 1, 3), "*", "**", r.String("ab", 1, 1)+"*", "*."+r.String("ab", 1, 1), "?", "{a,b}", "[ab]", "*"+r.String("ab", 1, 1))
	}
	pattern := func(r testrandom.Rand) string {
		text := testrandom.Pick(r, "", "", "", "!", "/", "!/") + component(r)
		for range r.Between(0, 3) {
			text += "/" + component(r)
		}
		return text
	}
	testrandom.Check(t, func(t *testing.T, r testrandom.Rand) {
		var sources, names []string
		for range r.Between(1, 6) {
			sources = append(sources, pattern(r))
		}
		for range r.Between(0, 4) {
			names = append(names, r.String(".", 0, 1)+r.String("ab", 1, 1)+r.String("ab.", 0, 1))
		}
		dir, name := strings.Join(names, "/"), r.String(".", 0, 1)+r.String("ab", 1, 1)+r.String("ab.", 0, 2)
		if all, indexed := security.MatchEntry(sources, dir, name); all != indexed {
			t.Fatalf("%q in %q by %q: %v, by the index %v", name, dir, sources, all, indexed)
		}
	})
}

// TestNamesInAWalkAreThoseOfEveryCall compares the quick check of a name with the full one.
func TestNamesInAWalkAreThoseOfEveryCall(t *testing.T) {
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
