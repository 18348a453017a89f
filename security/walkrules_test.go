package security_test

import (
	"testing"

	"pgregory.net/rapid"

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
	component := rapid.StringMatching(`[ab.]{1,3}|\*|\*\*|[ab]\*|\*\.[ab]|\?|\{a,b\}|\[ab\]|\*[ab]`)
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.Custom(func(t *rapid.T) string {
			text := rapid.SampledFrom([]string{"", "", "", "!", "/", "!/"}).Draw(t, "begin") + component.Draw(t, "first")
			for range rapid.IntRange(0, 3).Draw(t, "more") {
				text += "/" + component.Draw(t, "next")
			}
			return text
		})
		sources := rapid.SliceOfN(source, 1, 6).Draw(t, "patterns")
		dir := rapid.StringMatching(`|\.?[ab][ab.]?(/\.?[ab][ab.]?){0,3}`).Draw(t, "dir")
		name := rapid.StringMatching(`\.?[ab][ab.]{0,2}`).Draw(t, "name")
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
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.OneOf(rapid.StringMatching(`[a-zA-Z. :$_~0-9/\\-]{1,8}`), rapid.StringOfN(rapid.Rune(), 1, 300, -1)).Draw(t, "name"))
	})
}
