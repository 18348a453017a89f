package index_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// The ID of a chunk consists of the path and the unique name within the file.
func TestID_UniqueName(t *testing.T) {
	parsers := builtin.Parsers(builtin.Options{})
	t.Cleanup(func() { parsers.Close() })
	for name, text := range map[string]string{
		"a.go":   "package a\n\nfunc a() {}\n\nfunc init() {}\n\nfunc init() {}\n\ntype T struct{ A, B int }\n\nfunc (t T) A() {}\n",
		"a.ts":   "function f(a: string): string;\nfunction f(a: number): number;\nfunction f(a: any) { return a; }\nnamespace f { export const x = 1; }\nnamespace f { export const x = 2; }\n",
		"a.cpp":  "namespace n { int f(int a); }\nnamespace n { int f(int a) { return a; } int f(char c) { return c; } }\n",
		"A.java": "package A;\n\nclass A {\n  void A(int a) {}\n  void A(String a) {}\n}\n",
	} {
		lang, _ := source.LanguageOf(name, nil)
		parsed, err := parsers.Parse(t.Context(), []byte(text), lang, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		file := index.Describe(name, []byte(text), parsed)
		for i := range parsed.Chunks {
			if got, want := name+"#"+parsed.UniqueName(i), file.ID(i); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	}
}
