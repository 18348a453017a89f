package pattern_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/testrandom"
	"github.com/dougu-go/dougu/security/internal/pattern"
)

// matches compiles patterns and matches one path.
func matches(sources []string, final string) bool {
	list, malformed := pattern.Compile(sources)
	return len(malformed) == 0 && list.Match(final)
}

func TestList_Match(t *testing.T) {
	tests := []struct {
		patterns []string
		path     string
		want     bool
	}{
		{[]string{".env"}, ".env", true},
		{[]string{".env"}, "a/b/.env", true},
		{[]string{".env"}, ".env/bin/x", true}, // below a directory of that name
		{[]string{".env"}, ".environment", false},
		{[]string{".env"}, ".", false},
		{[]string{"*.pem"}, "a/KEY.PEM", true},
		{[]string{"*.pem"}, "pem", false},
		{[]string{"id_rsa*"}, "id_rsa.old", true},
		{[]string{"*.k?y"}, "a.key", true},
		{[]string{"{a,b}.txt"}, "x/b.txt", true},
		{[]string{"[ab].txt"}, "c.txt", false},
		{[]string{".ssh/**"}, ".ssh", true},
		{[]string{".ssh/**"}, "home/.ssh/x/y", true},
		{[]string{".ssh/**"}, "xssh/y", false},
		{[]string{".aws/credentials"}, "backup/.aws/credentials", true},
		{[]string{".aws/credentials"}, "x.aws/credentials", false},
		{[]string{".aws/credentials"}, "credentials", false},
		{[]string{".aws/credentials"}, ".aws/config", false},
		{[]string{".claude/settings*.json"}, "a/.claude/settings.local.json", true},
		{[]string{".claude/settings*.json"}, ".claude/a/settings.json", false},
		{[]string{"a/*/c"}, "x/a/b/c/d", true},
		{[]string{"/build/**"}, "build/x", true},
		{[]string{"/build/**"}, "sub/build/x", false},
		{[]string{"/top"}, "top", true},
		{[]string{"/top"}, "sub/top", false},
		{[]string{"dir/"}, "a/dir/x", true},
		{[]string{"a/**/z"}, "q/a/b/c/z", true},
		{[]string{"{a/b,c}/d"}, "x/a/b/d", true},
		{[]string{"*", "!*.go"}, "main.go", false},
		{[]string{"*", "!*.go"}, "main.c", true},
		{[]string{"*", "!*.go", "secret.go"}, "secret.go", true},
		{[]string{"!*.go", "*"}, "main.go", true},         // the last one decides
		{[]string{".ssh/**", "!.env"}, ".ssh/.env", true}, // nothing is taken out of a directory that matches
		{[]string{".cursor/*", "!.cursor/rules"}, ".cursor/rules/a/b", false},
		{[]string{".cursor/*", "!.cursor/rules"}, ".cursor/mcp.json", true},
		{[]string{".cursor/*", "!.cursor/rules"}, ".cursor", false},
		{[]string{"STRASSE"}, "Straße", true},
		{[]string{"\u212a"}, "k", true},
		{[]string{"geh?im"}, "gehe\u0301im", true}, // one character, however it is composed
		{nil, ".env", false},
	}
	for _, tt := range tests {
		if got := matches(tt.patterns, tt.path); got != tt.want {
			t.Errorf("%q matches %q: %v, want %v", tt.patterns, tt.path, got, tt.want)
		}
	}
	for _, source := range []string{"", "!", "/", "[a", "{a", "a/[", `a\`} {
		if _, malformed := pattern.Compile([]string{source}); len(malformed) == 0 {
			t.Errorf("%q is taken for a pattern", source)
		}
	}
}

// TestEscape_MatchesItsPathAlone checks the pattern that hides the audit log.
func TestEscape_MatchesItsPathAlone(t *testing.T) {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	twoNames := func(r testrandom.Rand, first, second string) string {
		name := r.String(first, 1, 8)
		if r.Bool() {
			name += "/" + r.String(second, 1, 8)
		}
		return name
	}
	testrandom.Check(t, func(t *testing.T, r testrandom.Rand) {
		name, other := twoNames(r, letters+"*?[]{}!,", letters+"*?[]{}!,-"), twoNames(r, letters, letters)
		source := "/" + pattern.Escape(name)
		if !matches([]string{source}, name) {
			t.Fatalf("%q does not match %q", source, name)
		}
		if other != name && len(other) != len(name) && matches([]string{source}, other) && other[:min(len(other), len(name))] != name {
			t.Fatalf("%q matches %q", source, other)
		}
	})
}
