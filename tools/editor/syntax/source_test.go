package syntax_test

import (
	"errors"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/syntax"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

func TestFromSource(t *testing.T) {
	parsers := builtin.Parsers(builtin.Options{Precise: true})
	t.Cleanup(func() {
		if err := parsers.Close(); err != nil {
			t.Error(err)
		}
	})
	c := syntax.New(syntax.FromSource(parsers))
	for name, tc := range map[string]struct {
		path, text, by string
		line           int // of the error; 0 for none
	}{
		"Go":                {"a.go", "package a\n\nfunc f() {}\n", "go/parser", 0},
		"broken Go":         {"a.go", "package a\n\nfunc f() {\n\tx := \n}\n", "go/parser", 5},
		"Python":            {"a.py", "def f():\n    return 1\n", "tree-sitter", 0},
		"broken Python":     {"a.py", "def f(:\n    return 1\n", "tree-sitter", 1},
		"a type error":      {"a.py", "x: int = 'a'\n", "tree-sitter", 0},
		"an unclosed block": {"a.py", "x = [1\n", "tree-sitter", 1},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.CheckSyntax(t.Context(), tc.path, tc.text)
			if err != nil || got.Complete || got.By != tc.by || (tc.line == 0) != (len(got.Items) == 0) {
				t.Fatalf("%+v, %v", got, err)
			}
			if tc.line > 0 && got.Items[0].Range.Start.Line != tc.line {
				t.Errorf("%+v", got.Items)
			}
		})
	}
	if _, err := c.CheckSyntax(t.Context(), "a.xyz", "x"); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("%v", err)
	}
}
