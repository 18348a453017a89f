package symbols_test

import (
	"errors"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/symbols"
)

func TestInsertFirst_InsertLast(t *testing.T) {
	parsers := newParsers(t)
	const java, python, goType = "class A {\n    int x;\n\n    void f() {\n    }\n}\n", "class A:\n    x = 1\n\n    def f(self):\n        return 1\n", "package p\n\ntype T struct {\n\tA int\n}\n\nfunc (t T) F() {\n}\n"
	const method, def = "void g() {\n}", "def g(self):\n    return 2"
	for _, tc := range []struct {
		about, path, text, parent, code, first, last string
	}{
		{"a class with members", "A.java", java, "A", method, "class A {\n    void g() {\n    }\n\n    int x;\n\n    void f() {\n    }\n}\n", "class A {\n    int x;\n\n    void f() {\n    }\n\n    void g() {\n    }\n}\n"},
		{"a class of Python", "a.py", python, "A", def, "class A:\n    def g(self):\n        return 2\n\n    x = 1\n\n    def f(self):\n        return 1\n", python + "\n    def g(self):\n        return 2\n"},
		{"code as it was read", "a.py", python, "A", "def g(self):\n        return 2", "class A:\n    def g(self):\n        return 2\n\n    x = 1\n\n    def f(self):\n        return 1\n", python + "\n    def g(self):\n        return 2\n"},
		{"parameters as they were read", "a.py", python, "A", "def g(\n        self,\n    ):\n        return 2", "class A:\n    def g(\n        self,\n    ):\n        return 2\n\n    x = 1\n\n    def f(self):\n        return 1\n", python + "\n    def g(\n        self,\n    ):\n        return 2\n"},
		{"an empty class", "A.java", "class A {}\nclass B {\n    int x;\n}\n", "A", method, "class A {\n    void g() {\n    }\n}\nclass B {\n    int x;\n}\n", "class A {\n    void g() {\n    }\n}\nclass B {\n    int x;\n}\n"},
		{"a class with a comment", "A.java", "class A {\n    // Empty.\n}\n", "A", method, "class A {\n    void g() {\n    }\n    // Empty.\n}\n", "class A {\n    // Empty.\n    void g() {\n    }\n}\n"},
		{"a class with pass", "a.py", "class A:\n    pass\n", "A", def, "class A:\n    def g(self):\n        return 2\n", "class A:\n    def g(self):\n        return 2\n"},
		{"a class with documentation", "a.py", "class A:\n    \"\"\"Says.\"\"\"\n\nx = 1\n", "A", def, "class A:\n    \"\"\"Says.\"\"\"\n\n    def g(self):\n        return 2\n\nx = 1\n", "class A:\n    \"\"\"Says.\"\"\"\n\n    def g(self):\n        return 2\n\nx = 1\n"},
		{"a method of Go", "a.go", goType, "T", "func (t T) G() {\n}", "package p\n\ntype T struct {\n\tA int\n}\n\nfunc (t T) G() {\n}\n\nfunc (t T) F() {\n}\n", goType + "\nfunc (t T) G() {\n}\n"},
		{"the first method of Go", "a.go", "package p\n\ntype T struct{}\n", "T", "// G does.\nfunc (t T) G() {\n}", "package p\n\ntype T struct{}\n\n// G does.\nfunc (t T) G() {\n}\n", "package p\n\ntype T struct{}\n\n// G does.\nfunc (t T) G() {\n}\n"},
		{"a field of Go", "a.go", goType, "T", "B int", "package p\n\ntype T struct {\n\tB int\n\tA int\n}\n\nfunc (t T) F() {\n}\n", "package p\n\ntype T struct {\n\tA int\n\tB int\n}\n\nfunc (t T) F() {\n}\n"},
	} {
		f := parse(t, parsers, tc.path, tc.text)
		i := named(t, f, tc.parent)
		for about, insert := range map[string]struct {
			edit func(*symbols.File, int, string) (symbols.Edit, error)
			want string
		}{"first": {(*symbols.File).InsertFirst, tc.first}, "last": {(*symbols.File).InsertLast, tc.last}} {
			edit, err := insert.edit(f, i, tc.code)
			if err != nil {
				t.Errorf("%s: %s: %v", tc.about, about, err)
				continue
			}
			if got := apply(tc.text, edit); got != insert.want {
				t.Errorf("%s: %s: got\n%s\nwant\n%s", tc.about, about, got, insert.want)
			}
		}
	}
}

func TestInsertFirst_EmptyBody(t *testing.T) {
	parsers := newParsers(t)
	for _, tc := range []struct{ path, text, code, want string }{
		{"a.go", "package p\n\ntype A struct{}\n", "X int", "package p\n\ntype A struct{\n\tX int\n}\n"},
		{"A.java", "interface A {}\n", "void g();", "interface A {\n    void g();\n}\n"},
		{"A.java", "record A(int x) {}\n", "void g() {\n}", "record A(int x) {\n    void g() {\n    }\n}\n"},
		{"A.java", "class A { }\n", "void g() {\n\tf();\n}", "class A {\n\tvoid g() {\n\t\tf();\n\t}\n}\n"},
		{"a.kt", "class A(val x: Int) {}\n", "fun g() = 1", "class A(val x: Int) {\n    fun g() = 1\n}\n"},
		{"a.kt", "object A {\n}\n", "fun g() = 1", "object A {\n    fun g() = 1\n}\n"},
		{"a.js", "class A {}\n", "g() {\n}", "class A {\n  g() {\n  }\n}\n"},
		{"a.js", "const A = {};\n", "g() {\n},", "const A = {\n  g() {\n  },\n};\n"},
		{"a.rb", "class A < B; end\n", "def g\nend", "class A < B\n  def g\n  end\nend\n"},
	} {
		f := parse(t, parsers, tc.path, tc.text)
		for position, insert := range map[string]func(*symbols.File, int, string) (symbols.Edit, error){"first": (*symbols.File).InsertFirst, "last": (*symbols.File).InsertLast} {
			edit, err := insert(f, named(t, f, "A"), tc.code)
			if err != nil {
				t.Errorf("%q: %s: %v", tc.text, position, err)
			} else if got := apply(tc.text, edit); got != tc.want {
				t.Errorf("%q: %s: got\n%s\nwant\n%s", tc.text, position, got, tc.want)
			}
		}
	}
}

func TestInsertLast_Refused(t *testing.T) {
	parsers := newParsers(t)
	for _, tc := range []struct {
		about, path, text, parent string
		want                      error
	}{
		{"a function", "a.go", "package p\n\nfunc f() {\n}\n", "f", symbols.ErrNoBody},
		{"a class without a body", "a.kt", "class A\n", "A", symbols.ErrNoBody},
		{"a class in a line", "a.py", "class A: pass\n", "A", symbols.ErrSharedLine},
		{"a comment before the bracket", "A.java", "class A {\n    /* x */ }\n", "A", symbols.ErrSharedLine},
	} {
		f := parse(t, parsers, tc.path, tc.text)
		if _, err := f.InsertLast(named(t, f, tc.parent), "int x;"); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v", tc.about, err)
		}
	}
}

func TestAppend(t *testing.T) {
	parsers := newParsers(t)
	for _, tc := range []struct{ path, text, want string }{
		{"a.go", "package p\n\nfunc f() {\n}\n", "package p\n\nfunc f() {\n}\n\nfunc g() {\n}\n"},
		{"a.go", "package p", "package p\n\nfunc g() {\n}\n"},
		{"a.go", "package p\n\n", "package p\n\nfunc g() {\n}\n"},
		{"a.js", "", "func g() {\n}\n"},
	} {
		f := parse(t, parsers, tc.path, tc.text)
		edit, err := f.Append("\nfunc g() {\n}\n")
		if got := apply(tc.text, edit); err != nil || got != tc.want {
			t.Errorf("%q: got %q, want %q; %v", tc.text, got, tc.want, err)
		}
	}
}

// named returns the only declaration of a name path.
func named(t *testing.T, f *symbols.File, path string) int {
	t.Helper()
	found := f.Find(symbols.ParsePattern("/"+path, false))
	if len(found) != 1 {
		t.Fatalf("%s has %d declarations %s", f.Path, len(found), path)
	}
	return found[0]
}
