package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The table counts declarations, and the digest depends on the results.
func TestMeasureLanguages(t *testing.T) {
	row := func(kotlin string) string {
		dir := t.TempDir()
		for name, text := range map[string]string{"a.kt": kotlin, "b.swift": "func f() { g() }\n", "c.txt": "fun h() {}\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out strings.Builder
		if err := measureLanguages(t.Context(), &out, []string{dir}, 1, 1<<20); err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`(?m)^\| swift \| 1 \| 0\.0 \| 1 \| 1 \| 0 \|`).MatchString(out.String()) {
			t.Errorf("Swift is missing:\n%s", out.String())
		}
		found := regexp.MustCompile(`(?m)^\| kotlin \| 1 \| 0\.0 \| (\d+ \| \d+ \| \d+) \| \d+ \| \d+ \| ([0-9a-f]{8}) \|$`).FindStringSubmatch(out.String())
		if found == nil {
			t.Fatalf("Kotlin is missing:\n%s", out.String())
		}
		return found[1] + " " + found[2]
	}
	one, same, other := row("fun a() = b()\n"), row("fun a() = b()\n"), row("fun aa() = b()\n")
	if one != same || one == other || !strings.HasPrefix(one, "1 | 1 | 0 ") {
		t.Errorf("got %s, %s and %s", one, same, other)
	}
}
