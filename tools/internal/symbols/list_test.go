package symbols_test

import (
	"errors"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/symbols"
)

func TestInsert_ListsAndComments(t *testing.T) {
	parsers := newParsers(t)
	insert := map[string]func(*symbols.File, int, string) (symbols.Edit, error){
		"before": (*symbols.File).InsertBefore, "after": (*symbols.File).InsertAfter, "first": (*symbols.File).InsertFirst, "last": (*symbols.File).InsertLast,
	}
	const object, rust = "const o = {\n  f() {\n    return 1;\n  }\n};\n", "struct P {\n    x: i32,\n    y: i32\n}\n"
	const lines = "function a() { return 1; }\nfunction b() { return 2; }\n"
	for _, tc := range []struct{ about, path, text, symbol, do, code, want string }{
		{"last in an object", "a.js", object, "o", "last", "g() {\n  return 2;\n}", "const o = {\n  f() {\n    return 1;\n  },\n\n  g() {\n    return 2;\n  }\n};\n"},
		{"first in an object", "a.js", object, "o", "first", "g() {\n  return 2;\n}", "const o = {\n  g() {\n    return 2;\n  },\n\n  f() {\n    return 1;\n  }\n};\n"},
		{"beside a field of Rust", "a.rs", rust, "P/x", "after", "z: i32", "struct P {\n    x: i32,\n    z: i32,\n    y: i32\n}\n"},
		{"after the last field of Rust", "a.rs", rust, "P/y", "after", "z: i32", "struct P {\n    x: i32,\n    y: i32,\n    z: i32\n}\n"},
		{"before a field of Rust", "a.rs", rust, "P/y", "before", "z: i32,", "struct P {\n    x: i32,\n    z: i32,\n    y: i32\n}\n"},
		{"a case of an enumeration", "a.ts", "enum E {\n  A,\n  B\n}\n", "E", "last", "C", "enum E {\n  A,\n  B,\n  C\n}\n"},
		{"a function into a struct of Rust", "a.rs", rust + "\nimpl P {\n    fn f(&self) {\n    }\n}\n", "P", "last", "pub fn g(&self) {\n}", rust + "\nimpl P {\n    fn f(&self) {\n    }\n\n    pub fn g(&self) {\n    }\n}\n"},
		{"a comment alone", "a.js", lines, "b", "before", "// Later.", "function a() { return 1; }\n\n// Later.\n\nfunction b() { return 2; }\n"},
		{"several lines beside lines", "a.js", lines, "b", "after", "function c() {\n  return 3;\n}", lines + "\nfunction c() {\n  return 3;\n}\n"},
	} {
		f := parse(t, parsers, tc.path, tc.text)
		edit, err := insert[tc.do](f, named(t, f, tc.symbol), tc.code)
		if err != nil {
			t.Errorf("%s: %v", tc.about, err)
			continue
		}
		if got := apply(tc.text, edit); got != tc.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tc.about, got, tc.want)
		}
	}
	f := parse(t, parsers, "a.rs", rust)
	if _, err := f.InsertLast(named(t, f, "P"), "fn g(&self) {\n}"); !errors.Is(err, symbols.ErrNoBody) {
		t.Errorf("a function in a struct without an impl block: %v", err)
	}
}
