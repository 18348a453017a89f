package syntax_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/adapter/adaptertest"
	"github.com/dougu-go/dougu/tools/editor/syntax"
)

func TestChecker_CheckSyntax(t *testing.T) {
	c := syntax.New(nil)
	for name, tc := range map[string]struct {
		path, text string
		line       int // of the error; 0 for none
		says       string
	}{
		"JSON":                        {"a.json", "{\"a\": [1, 2]}\n", 0, ""},
		"JSON with a byte-order mark": {"a.json", "\ufeff{}", 0, ""},
		"a trailing comma":            {"a.json", "{\n\"a\": 1,\n}", 3, "invalid character"},
		"JSON that ends too early":    {"a.json", "{\n\"a\":", 2, "unexpected"},
		"two values":                  {"a.json", "{}\n\n{}", 3, "after the value"},
		"an empty JSON file":          {"a.json", "", 1, "empty"},
		"a comment in JSON":           {"a.json", "// x\n{}", 1, "invalid character"},
		"a comment in tsconfig":       {"tsconfig.build.json", "// x\n{\"a\": 1,}", 0, ""},
		"settings of VS Code":         {"/p/.vscode/settings.json", "{/* x */}", 0, ""},
		"broken JSON with comments":   {"a.jsonc", "{\n\"a\" 1}", 2, "line 2"},
		"YAML":                        {"a.yaml", "a: 1\n---\nb: [1, 2]\n", 0, ""},
		"an empty YAML file":          {"a.yml", "", 0, ""},
		"broken YAML":                 {"a.yml", "a: 1\nb: [1\nc: 2\n", 2, ""},
		"broken second document":      {"a.yml", "a: 1\n---\n\tb: 1\n", 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.CheckSyntax(t.Context(), tc.path, tc.text)
			if err != nil || !got.Complete || got.By == "" || (tc.line == 0) != (len(got.Items) == 0) {
				t.Fatalf("%+v, %v", got, err)
			}
			if tc.line > 0 {
				if d := got.Items[0]; d.Range.Start.Line != tc.line && tc.says != "" || d.Severity != adapter.Error || !strings.Contains(d.Message, tc.says) {
					t.Errorf("%+v", d)
				}
			}
		})
	}
	template, err := c.CheckSyntax(t.Context(), "chart.yaml", "a: {{ .Values.x }}\nb: [\n")
	if err != nil || len(template.Items) != 1 || template.Items[0].Severity != adapter.Warning {
		t.Errorf("a template: %+v, %v", template, err)
	}
	deep, err := c.CheckSyntax(t.Context(), "a.jsonc", "[\n"+strings.Repeat("[", 1<<20))
	if err != nil || len(deep.Items) != 1 || deep.Items[0].Severity != adapter.Warning || deep.Items[0].Range.Start.Line != 2 || !strings.Contains(deep.Items[0].Message, "256") {
		t.Errorf("deep nesting: %+v, %v", deep, err)
	}
	for _, path := range []string{"a.txt", "a.ts", "Makefile"} {
		if _, err := c.CheckSyntax(t.Context(), path, "x"); !errors.Is(err, adapter.ErrUnsupported) || c.KnowsSyntax(path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := c.CheckSyntax(t.Context(), "a.json", strings.Repeat(" ", 5<<20)); err == nil {
		t.Error("a text that is too long was looked at")
	}
}

func TestChecker_CheckSyntax_Column(t *testing.T) {
	c := syntax.New(nil)
	for name, tc := range map[string]struct {
		path, text string
		start, end adapter.Position
	}{
		"JSON":                        {"a.json", "{\n  \"a\": \"😀\", x\n}", adapter.Position{Line: 2, Column: 14}, adapter.Position{Line: 2, Column: 15}},
		"JSON with a byte-order mark": {"a.json", "\ufeff{x}", adapter.Position{Line: 1, Column: 3}, adapter.Position{Line: 1, Column: 5}},
		"two values":                  {"a.json", "{} {}", adapter.Position{Line: 1, Column: 4}, adapter.Position{Line: 1, Column: 6}},
		"JSON with comments":          {"a.jsonc", "{\n  \"a\" 1}", adapter.Position{Line: 2, Column: 7}, adapter.Position{Line: 2, Column: 9}},
		"YAML, after the indent":      {"a.yml", "a:\n  b: 1\n  c: @\n", adapter.Position{Line: 3, Column: 3}, adapter.Position{Line: 3, Column: 7}},
	} {
		got, err := c.CheckSyntax(t.Context(), tc.path, tc.text)
		if err != nil || len(got.Items) != 1 || got.Items[0].Range.Start != tc.start || got.Items[0].Range.End != tc.end {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// words is a parser that doubts what it finds.
type words struct{ err error }

func (words) Knows(path string) bool { return strings.HasSuffix(path, ".w") }

func (w words) Parse(_ context.Context, _, text string) ([]syntax.Problem, string, error) {
	return []syntax.Problem{{Line: strings.Count(text, "\n") + 100, Message: "odd\nword", Doubtful: true}}, "words", w.err
}

func TestChecker_CheckSyntax_Parser(t *testing.T) {
	got, err := syntax.New(words{}).CheckSyntax(t.Context(), "a.w", "a\n😀b\n")
	if err != nil || got.Complete || got.By != "words" || len(got.Items) != 1 || got.Items[0].Severity != adapter.Warning || got.Items[0].Range.Start.Line > 3 {
		t.Errorf("%+v, %v", got, err)
	}
	failure := errors.New("too complex")
	if _, err := syntax.New(words{failure}).CheckSyntax(t.Context(), "a.w", ""); !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
}

func TestChecker_Contract(t *testing.T) {
	for path, text := range map[string]string{"a.json": "{\n\"漢😀\": 1,\n}", "a.yml": "a: 1\nb: [1\nc: 2\n"} {
		t.Run(path, func(t *testing.T) { adaptertest.RunSyntax(t, syntax.New(nil), path, text) })
	}
}
