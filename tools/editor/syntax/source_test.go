package syntax_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/syntax"
	"github.com/dougu-go/dougu/tools/source"
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

// bodies is a parser of a language that it adds. Parse finds no error in bodies, but Check does.
type bodies struct{ err error }

func (bodies) Name() string                 { return "bodies" }
func (bodies) Languages() []source.Language { return []source.Language{"b"} }
func (bodies) Definitions() []source.Definition {
	return []source.Definition{{Language: "b", Extensions: []string{".b"}}}
}

func (bodies) Parse(_ context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	return source.NewBuilder(src, lang).File("bodies"), nil
}

func (b bodies) Check(context.Context, []byte, source.Language) ([]source.Problem, error) {
	return []source.Problem{{Line: 2, Message: "odd"}}, b.err
}

// parseOnly is bodies without its method Check.
type parseOnly struct{ source.Parser }

func (parseOnly) Definitions() []source.Definition { return bodies{}.Definitions() }

func TestFromSource_AddedLanguage(t *testing.T) {
	check := func(p source.Parser) (adapter.Syntax, error) {
		return syntax.New(syntax.FromSource(source.NewParsers(p))).CheckSyntax(t.Context(), "a.b", "x\ny\n")
	}
	if got, err := check(bodies{}); err != nil || len(got.Items) != 1 || got.Items[0].Range.Start.Line != 2 || got.By != "bodies" {
		t.Errorf("with a Checker: %+v, %v", got, err)
	}
	if got, err := check(parseOnly{bodies{}}); err != nil || len(got.Items) != 0 || got.By != "bodies" {
		t.Errorf("without a Checker: %+v, %v", got, err)
	}
	failure := errors.New("failed")
	if _, err := check(bodies{failure}); !errors.Is(err, failure) {
		t.Errorf("a Checker that fails: %v", err)
	}
}
