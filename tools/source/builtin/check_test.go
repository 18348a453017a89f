package builtin_test

import (
	"errors"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// A grammar that lacks the newer syntax of a language refuses no text that a scanner is sure of.
func TestParsers_CheckNewSyntax(t *testing.T) {
	parsers := builtin.Parsers(builtin.Options{})
	defer parsers.Close()
	for _, src := range []string{"sealed class A {}\n(int, int) f() => (1, 2);\n", "extension type I(int i) {\n  int get twice => i * 2;\n}\n"} {
		if problems, _, err := parsers.Check(t.Context(), []byte(src), "dart"); len(problems) > 0 || err != nil && !errors.Is(err, source.ErrUnchecked) {
			t.Errorf("%q: %v, %v", src, problems, err)
		}
	}
	if problems, _, err := parsers.Check(t.Context(), []byte("void f() {\n  if (a) {\n"), "dart"); err != nil || len(problems) == 0 {
		t.Errorf("a missing brace: %v, %v", problems, err)
	}
}
