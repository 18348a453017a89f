package clike_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/clike"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

// snippet is a text with its expected declarations: "first-last kind path", with the lines of the
// name and of the end.
type snippet struct {
	name, src string
	want      []string
}

func check(t *testing.T, lang source.Language, snippets []snippet) {
	t.Helper()
	for _, tc := range snippets {
		t.Run(tc.name, func(t *testing.T) {
			f := read(t, lang, tc.src)
			got := outline(f)
			if strings.Join(got, "\n") != strings.Join(tc.want, "\n") {
				t.Errorf("%s\ngives\n\t%s\nwant\n\t%s", tc.src, strings.Join(got, "\n\t"), strings.Join(tc.want, "\n\t"))
			}
		})
	}
}

func read(t *testing.T, lang source.Language, src string) *source.File {
	t.Helper()
	f, err := clike.Parse(context.Background(), []byte(src), lang, source.Options{Calls: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := parsertest.Invariants([]byte(src), f); err != nil {
		t.Error(err)
	}
	return f
}

func outline(f *source.File) []string {
	var lines []string
	for i := range f.Chunks {
		c := &f.Chunks[i]
		lines = append(lines, fmt.Sprintf("%d-%d %s %s", c.IdentLine, c.EndLine, c.Kind, c.Path()))
	}
	return lines
}

func TestText(t *testing.T) {
	const src = `
// not about it

/* Adds. */
// Really.
[[nodiscard]] static int
add(int a, int b)
{
	return a + b;
}
`
	f := read(t, source.CPP, src)
	if len(f.Chunks) != 1 {
		t.Fatalf("%v", outline(f))
	}
	c := &f.Chunks[0]
	for what, pair := range map[string][2]string{
		"documentation": {src[c.Doc:c.DocEnd], "/* Adds. */\n// Really."},
		"declaration":   {src[c.Decl:c.Sig], "[[nodiscard]] "},
		"body":          {src[c.Body:c.End], "{\n\treturn a + b;\n}"},
		"name":          {src[c.Ident : c.Ident+3], "add"},
		"signature":     {c.Signature, "static int add(int a, int b)"},
		"start":         {src[c.Start : c.Start+5], "/* Ad"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %q, want %q", what, pair[0], pair[1])
		}
	}
}

func TestCallsAndIncludes(t *testing.T) {
	f := read(t, source.CPP, `#include <vector>
#include "own.h"
void f() {
	if (g(1)) h<int>(2);
	a.b->push(new Thing(3));
	Thing local(4);
	return static_cast<int>(x);
}
`)
	var calls, includes []string
	for _, c := range f.Calls {
		calls = append(calls, fmt.Sprintf("%s:%d", c.Name, c.Line))
		if c.Chunk != 0 {
			t.Errorf("%s lies in %d", c.Name, c.Chunk)
		}
	}
	for _, i := range f.Imports {
		includes = append(includes, i.Path)
	}
	if got := strings.Join(calls, " "); got != "g:4 h:4 push:5 Thing:5" {
		t.Errorf("calls %s", got)
	}
	if got := strings.Join(includes, " "); got != "vector own.h" {
		t.Errorf("includes %s", got)
	}
}

func TestUnsure(t *testing.T) {
	for name, src := range map[string]string{
		"a bracket that is not closed":     "void f() {\n\tif (x) {\n",
		"a bracket that closes nothing":    "void f() {}\n}\n",
		"a comment that is not closed":     "int a;\n/* \n",
		"a raw string that is not closed":  "auto s = R\"(x\";\n",
		"a character that is not closed":   "void f() { return g('); }\nvoid h()\n{\n}\n",
		"a quote within a string":          "void f() { g(\"'{'); }\nvoid h() {}\n",
		"a quote in the head":              "int f(int x = ') { return x; }\n",
		"a conditional that is not closed": "void f() {}\n#if 0\nvoid g() {}\n",
		"scopes in each other":             strings.Repeat("namespace a {\n", 1000),
	} {
		_, err := clike.Parse(context.Background(), []byte(src), source.CPP, source.Options{})
		var unsure *source.UnsureError
		if !errors.As(err, &unsure) || unsure.Line < 1 || unsure.Reason == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, src := range map[string]string{
		"a string over lines that ends in a carriage return": "char *s = \"a\\\r\nb\";\r\n",
		"prose that is never compiled":                       "#if 0\nIt isn't code.\n#endif\nint a;\n",
		"a message":                                          "#error it isn't supported\nint a;\n",
	} {
		if _, err := clike.Parse(context.Background(), []byte(src), source.C, source.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := clike.Parse(ctx, []byte("int a;"), source.C, source.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
