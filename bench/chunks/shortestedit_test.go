package main

import (
	"strings"
	"testing"
)

// The shortest edit makes the same change, and its old text is unique.
func TestShortestEdit(t *testing.T) {
	t.Parallel()
	const text = "func f() {\n\tif a.b() {\n\t\treturn 1\n\t}\n\tif a.c() {\n\t\treturn 2\n\t}\n}\n"
	for _, c := range []struct{ name, was, now, short string }{
		{"a word", "\t\treturn 2\n", "\t\treturn 3\n", "return 2"},
		{"a line is inserted", "if a.c() {\n", "// why\n\tif a.c() {\n", "if a.c"},
		{"a part of a word", "return 1", "return 12", "return 1"},
		{"deleted", "\t\treturn 2\n", "", "\t\treturn 2\n"},
		{"another text", "x", "y", "x"},
	} {
		was, now := shortestEdit(text, c.was, c.now)
		if len(was) > len(c.was) || len(was) > len(c.short)+4 {
			t.Errorf("%s: %q, want about %q", c.name, was, c.short)
		}
		if strings.Contains(text, c.was) && (strings.Count(text, was) != 1 || strings.Replace(text, was, now, 1) != strings.Replace(text, c.was, c.now, 1)) {
			t.Errorf("%s: %q to %q is another change", c.name, was, now)
		}
	}
}
