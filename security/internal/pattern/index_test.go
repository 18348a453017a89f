package pattern_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrandom"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/internal/pattern"
)

// matchEntry decides on an entry by trying all patterns, and by the index.
func matchEntry(sources []string, dir, name string) (all, indexed bool) {
	list, _ := pattern.Compile(sources)
	dir, name = pattern.Fold(dir), pattern.Fold(name)
	rules := pattern.NewIndex(list).In(dir)
	return list.MatchEntry(dir, name), rules.Match(name)
}

// TestIndex_DecidesAsTheList compares the index of the patterns with the patterns.
func TestIndex_DecidesAsTheList(t *testing.T) {
	defaults := append(security.DefaultBlocked(), security.DefaultProtected()...)
	dirs := []string{"", ".ssh", "a", "a/.ssh/b", ".git", "x/.git/hooks", ".cursor", "a/.cursor/rules", ".aws", "home/.aws", ".config/gcloud", ".config/gh", "library/launchagents", ".claude", "b/a"}
	names := []string{".env", ".env.local", ".env.example", "x.pem", "id_rsa", "id_rsa.pub", ".ssh", "credentials", "config", "mcp.json", "rules", "a", "b", "b.a", "hosts.yml", ".git", "settings.json", "x"}
	for _, dir := range dirs {
		for _, name := range names {
			if all, indexed := matchEntry(defaults, dir, name); all != indexed {
				t.Errorf("%q in %q: %v, by the index %v", name, dir, all, indexed)
			}
		}
	}
	component := func(r testrandom.Rand) string {
		return testrandom.Pick(r, r.String("ab.", 1, 3), "*", "**", r.String("ab", 1, 1)+"*", "*."+r.String("ab", 1, 1), "?", "{a,b}", "[ab]", "*"+r.String("ab", 1, 1))
	}
	source := func(r testrandom.Rand) string {
		text := testrandom.Pick(r, "", "", "", "!", "/", "!/") + component(r)
		for range r.Between(0, 3) {
			text += "/" + component(r)
		}
		return text
	}
	testrandom.Check(t, func(t *testing.T, r testrandom.Rand) {
		var sources, names []string
		for range r.Between(1, 6) {
			sources = append(sources, source(r))
		}
		for range r.Between(0, 4) {
			names = append(names, r.String(".", 0, 1)+r.String("ab", 1, 1)+r.String("ab.", 0, 1))
		}
		dir, name := strings.Join(names, "/"), r.String(".", 0, 1)+r.String("ab", 1, 1)+r.String("ab.", 0, 2)
		if all, indexed := matchEntry(sources, dir, name); all != indexed {
			t.Fatalf("%q in %q by %q: %v, by the index %v", name, dir, sources, all, indexed)
		}
	})
}
