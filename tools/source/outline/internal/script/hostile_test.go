package script_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/script"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

var languages = []source.Language{source.TypeScript, source.TSX, source.JavaScript}

// Texts that no author writes are read soon, with the chunks found so far. Short tests read shorter texts, which only exponential
// work would take longer over.
func TestParse_HostileTexts(t *testing.T) {
	times := 100_000
	if testing.Short() {
		times = 600
	}
	repeat := func(s string) string { return strings.Repeat(s, times) }
	some := func(s string) string { return strings.Repeat(s, min(times, 3_000)) } // checking as many chunks takes longer than finding them
	for name, src := range map[string]string{
		"nothing":                  "",
		"brackets":                 repeat("("),
		"square brackets":          repeat("["),
		"braces":                   repeat("{"),
		"closed brackets":          repeat("(") + repeat(")"),
		"closing brackets":         repeat(")}]"),
		"arrays in a value":        "const a = " + repeat("[") + repeat("]"),
		"objects":                  "x = " + repeat("{a:"),
		"functions":                repeat("function f() {"),
		"classes":                  repeat("class A { b = "),
		"templates":                repeat("`${"),
		"elements":                 "x = " + repeat("<a>"),
		"elements in attributes":   "x = " + repeat("<a b=<a b={"),
		"assertions":               "x = " + repeat("<a>") + "1",
		"arrows":                   "x = " + repeat("a => "),
		"arrows or conditions":     "x = " + repeat("a ? (b) : c => "),
		"nested conditions":        "x = " + repeat("a ? (b, ") + repeat(") : c => d"),
		"comparisons":              "x = " + repeat("a < "),
		"type arguments":           "x = " + repeat("a<b, "),
		"type arguments in each":   "x = f" + repeat("(a<b, "),
		"types":                    "type A = " + repeat("Array<"),
		"types of objects":         "type A = " + repeat("{ a: "),
		"function types":           "type A = " + repeat("() => "),
		"conditional types":        "type A = " + repeat("B extends C ? "),
		"predicates":               "type A = " + repeat("a is "),
		"operators on types":       "type A = " + repeat("keyof "),
		"declare":                  repeat("declare "),
		"export declare":           repeat("export declare "),
		"labels":                   repeat("a: "),
		"conditions":               repeat("if (a) "),
		"else":                     repeat("if (a) {} else "),
		"operators":                "x = " + repeat("!-typeof "),
		"new":                      "x = " + repeat("new "),
		"decorators":               repeat("@a(") + repeat("@a "),
		"strings":                  repeat(`"`) + repeat(`'\`),
		"slashes":                  repeat("/ a"),
		"a comment":                "/*" + repeat(" *"),
		"comments":                 repeat("/**/ "),
		"blank lines and names":    "/**/" + repeat("\n") + some("var a;"),
		"patterns":                 "const " + repeat("{ a: [") + "b",
		"parameters":               "function f(" + repeat("{ a = (") + "b",
		"one long line":            repeat("a.b(c);"),
		"many names":               "const " + some("a,") + "b",
		"namespaces":               repeat("namespace a.b {"),
		"not text":                 repeat("\x00\xff\xfe#@\\"),
		"escapes":                  repeat(`\u{`),
		"private names":            repeat("#a in #"),
		"await":                    repeat("await "),
		"yield":                    repeat("yield* "),
		"async":                    repeat("async "),
		"async and type arguments": repeat("async <"),
		"import":                   repeat("import {a as b, "),
		"switches":                 repeat("switch (a) { case b: "),
		"mapped types":             "type A = " + repeat("{ [a in b]: "),
		"interfaces":               "interface A {" + repeat("get a(): {"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, lang := range languages {
				begun := time.Now()
				check(t, []byte(src), lang)
				if spent := time.Since(begun); spent > 20*time.Second {
					t.Errorf("%s took %v", lang, spent)
				}
			}
		})
	}
}

// check parses a text and checks the invariants of the result.
func check(t *testing.T, src []byte, lang source.Language) {
	t.Helper()
	f, err := script.Parse(context.Background(), src, lang, source.Options{Calls: true})
	var unsure *source.UnsureError
	switch {
	case err != nil && !errors.As(err, &unsure):
		t.Fatalf("%s: %v", lang, err)
	case unsure != nil && (unsure.Line < 1 || unsure.Line > 1+bytes.Count(src, []byte("\n")) || unsure.Reason == ""):
		t.Fatalf("%s: unsure with line %d and reason %q", lang, unsure.Line, unsure.Reason)
	}
	if err := parsertest.Invariants(src, f); err != nil {
		t.Fatalf("%s: %v\n%.300q", lang, err, src)
	}
}

func TestParse_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	src := []byte(strings.Repeat("function f() {}\n", 1<<17))
	if f, err := script.Parse(ctx, src, source.TypeScript, source.Options{}); f != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled scan answered with %v, %v", f != nil, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range hardFiles(f) {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for i := range languages {
			f.Add(src, uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, lang uint8) {
		check(t, src, languages[int(lang)%len(languages)])
	})
}
