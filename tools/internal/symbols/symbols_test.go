package symbols_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/symbols"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// newParsers returns the built-in parsers, which compile each grammar once.
func newParsers(t testing.TB) *source.Parsers {
	t.Helper()
	parsers := builtin.Parsers(builtin.Options{})
	t.Cleanup(func() { parsers.Close() })
	return parsers
}

func parse(t testing.TB, parsers *source.Parsers, name, text string) *symbols.File {
	t.Helper()
	f, err := symbols.Parse(t.Context(), parsers, name, text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFind_NamePaths(t *testing.T) {
	parsers := newParsers(t)
	goText := "package a\n\ntype T struct{ N int }\n\nfunc (t *T) M() {}\n\nfunc M() {}\n"
	tsText := "export const arrow = () => 1;\nfunction over(a: string): string;\nfunction over(a: number): number;\nfunction over(a: any): any { return a; }\nclass Foo {\n  method() {}\n}\n"
	cppText := "namespace ns {\nclass Foo {\n public:\n  int other(int a);\n};\nint Foo::other(int a) { return a; }\n}\n"
	rustText := "struct Foo { a: i32 }\n\nimpl Foo {\n    fn get(&self) -> i32 { self.a }\n}\n"
	swiftText := "class View {\n}\n\nextension View {\n}\n\nextension ViewModel {\n}\n"
	rubyText := "module M\n  class Foo\n    def ok?\n      true\n    end\n  end\nend\n"
	javaText := "package a;\n\nclass A {\n    void f(int a) {}\n    void f(String a) {}\n}\n"
	for name, tt := range map[string]struct {
		file, text, pattern string
		substring           bool
		want                string // IDs without the path
	}{
		"name":                        {"a.go", goText, "M", false, "T.M M"},
		"absolute":                    {"a.go", goText, "/M", false, "M"},
		"method of Go":                {"a.go", goText, "T/M", false, "T.M"},
		"receiver of Go":              {"a.go", goText, "(*T).M", false, "T.M"},
		"dots":                        {"a.go", goText, "T.M", false, "T.M"},
		"field":                       {"a.go", goText, "T/N", false, "T.N"},
		"package clause":              {"a.go", goText, "a", false, ""},
		"substring":                   {"a.ts", tsText, "met", true, "Foo.method"},
		"substring of an inner name":  {"a.ts", tsText, "Foo/met", true, "Foo.method"},
		"part without substring":      {"a.ts", tsText, "met", false, ""},
		"arrow function":              {"a.ts", tsText, "arrow", false, "arrow"},
		"overloads":                   {"a.ts", tsText, "over", false, "over over~2 over~3"},
		"one of the overloads":        {"a.ts", tsText, "over[2]", false, "over~3"},
		"no such overload":            {"a.ts", tsText, "over[3]", false, ""},
		"namespace of C++":            {"a.cpp", cppText, "ns::Foo::other", false, "ns.Foo.other(int) ns.Foo.other(int)~2"},
		"definition of C++":           {"a.cpp", cppText, "Foo::other[1]", false, "ns.Foo.other(int)~2"},
		"method of an impl block":     {"a.rs", rustText, "Foo/get", false, "Foo.get"},
		"type before its impl block":  {"a.rs", rustText, "Foo", false, "Foo"},
		"impl block by index":         {"a.rs", rustText, "Foo[1]", false, "Foo~2"},
		"extension of another type":   {"a.swift", swiftText, "Vi", true, "View ViewModel"},
		"method of Ruby":              {"a.rb", rubyText, "M::Foo/ok?", false, "M.Foo.ok?"},
		"overload of Java by labels":  {"A.java", javaText, "A/f(String)", false, "A.f(String)"},
		"overloads of Java":           {"A.java", javaText, "A/f", false, "A.f(int) A.f(String)"},
		"suffix that is no name path": {"a.go", goText, ".M", false, ""},
		"empty":                       {"a.go", goText, "", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, parsers, tt.file, tt.text)
			var got []string
			for _, i := range f.Find(symbols.ParsePattern(tt.pattern, tt.substring)) {
				got = append(got, strings.TrimPrefix(f.ID(i), tt.file+"#"))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
}

func TestFind_ID(t *testing.T) {
	f := parse(t, newParsers(t), "a.cpp", "int f(int a);\nint f(int a) { return a; }\nint f(char a) { return a; }\n")
	for i := range f.Len() {
		_, unique, _ := strings.Cut(f.ID(i), "#")
		p := symbols.IDPattern(unique)
		if found := f.Find(p); len(found) != 1 || found[0] != i {
			t.Errorf("%s finds %v, want %d", unique, found, i)
		}
		if p.Name() != "f" {
			t.Errorf("name of %s: %s", unique, p.Name())
		}
	}
}

// edits are insertions, replacements and deletions with their results.
func TestEdits_Layout(t *testing.T) {
	parsers := newParsers(t)
	python := "import os\n\n\n# Doc.\n@decorator\ndef f(a):\n    return a\n\n\nclass Foo:\n    x = 1\n\n    def m(self):\n        return 1\n"
	for name, tt := range map[string]struct {
		file, text, symbol, do, code, want string
	}{
		"before decorators and comment": {"a.py", python, "f", "before", "def g():\n    pass\n",
			"import os\n\n\ndef g():\n    pass\n\n\n# Doc.\n@decorator\ndef f(a):\n    return a\n\n\nclass Foo:\n    x = 1\n\n    def m(self):\n        return 1\n"},
		"after the last method, indented": {"a.py", python, "Foo/m", "after", "def n(self):\n    return 2", python + "\n    def n(self):\n        return 2\n"},
		"beside a line":                   {"a.py", python, "Foo/x", "after", "y = 2", strings.Replace(python, "x = 1\n", "x = 1\n    y = 2\n", 1)},
		"body with decorators": {"a.py", python, "f", "replace", "@other\ndef f(a, b):\n    return b",
			strings.Replace(python, "@decorator\ndef f(a):\n    return a\n", "@other\ndef f(a, b):\n    return b\n", 1)},
		"body with a comment": {"a.py", python, "f", "replace", "# New.\ndef f(a):\n    return a",
			strings.Replace(python, "# Doc.\n@decorator\n", "# New.\n", 1)},
		"deletion":                    {"a.py", python, "f", "delete", "", "import os\n\n\nclass Foo:\n    x = 1\n\n    def m(self):\n        return 1\n"},
		"deletion of the last member": {"a.py", python, "Foo/m", "delete", "", strings.TrimSuffix(python, "\n    def m(self):\n        return 1\n")},
		"documentation of Go stays":   {"a.go", "package a\n\n// F is F.\nfunc F() {}\n", "F", "replace", "func F() int { return 1 }", "package a\n\n// F is F.\nfunc F() int { return 1 }\n"},
		"constant of a group":         {"a.go", "package a\n\nconst (\n\tA = 1 // one\n\tB = 2\n)\n", "A", "after", "C = 3", "package a\n\nconst (\n\tA = 1 // one\n\tC = 3\n\tB = 2\n)\n"},
		"deletion with a comment":     {"a.go", "package a\n\nconst (\n\tA = 1 // one\n\tB = 2\n)\n", "A", "delete", "", "package a\n\nconst (\n\tB = 2\n)\n"},
		"no line end":                 {"a.go", "package a\n\nfunc F() {}", "F", "after", "func G() {}", "package a\n\nfunc F() {}\n\nfunc G() {}"},
		"deletion without a line end": {"a.go", "package a\n\nfunc F() {}\n\nfunc G() {}", "G", "delete", "", "package a\n\nfunc F() {}"},
		"case with a comma":           {"a.ts", "enum E {\n  A,\n  B,\n}\n", "E/A", "after", "C,", "enum E {\n  A,\n  C,\n  B,\n}\n"},
		"replaced case":               {"a.ts", "enum E {\n  A,\n  B,\n}\n", "E/A", "replace", "C,", "enum E {\n  C,\n  B,\n}\n"},
		"arrow function":              {"a.ts", "/** Doc. */\nexport const f = () => {\n  return 1;\n};\n", "f", "replace", "export const f = () => {\n  return 2;\n};", "/** Doc. */\nexport const f = () => {\n  return 2;\n};\n"},
		"first method": {"A.java", "class A {\n    @Override\n    public String toString() {\n        return \"\";\n    }\n}\n", "A/toString", "before", "int n() {\n    return 1;\n}",
			"class A {\n    int n() {\n        return 1;\n    }\n\n    @Override\n    public String toString() {\n        return \"\";\n    }\n}\n"},
		"constant that counts":               {"a.go", "package a\n\nconst (\n\t// A is a.\n\tA T = iota // one\n\tB\n)\n", "A", "delete", "", "package a\n\nconst (\n\t_ T = iota\n\tB\n)\n"},
		"constant that is repeated":          {"a.go", "package a\n\nconst (\n\tA = 1\n\tB\n\tC = 2\n)\n", "A", "delete", "", "package a\n\nconst (\n\t_ = 1\n\tB\n\tC = 2\n)\n"},
		"constant between others":            {"a.go", "package a\n\nconst (\n\tA = iota\n\tB\n\tC\n)\n", "B", "delete", "", "package a\n\nconst (\n\tA = iota\n\t_\n\tC\n)\n"},
		"last constant that counts":          {"a.go", "package a\n\nconst (\n\tA = iota\n\tB\n)\n", "B", "delete", "", "package a\n\nconst (\n\tA = iota\n)\n"},
		"constant before another expression": {"a.go", "package a\n\nconst (\n\tA = iota\n\tB = 1\n)\n", "A", "delete", "", "package a\n\nconst (\n\tB = 1\n)\n"},
		"only method":                        {"a.py", "class A:  # a\n    # m\n    @d\n    def m(self):\n        return 1\n    # end\n\nx = 1\n", "A/m", "delete", "", "class A:  # a\n    pass\n    # end\n\nx = 1\n"},
		"method after documentation":         {"a.py", "class A:\n    \"\"\"Doc:\"\"\"\n    def m(self):\n        return 1\n", "A/m", "delete", "", "class A:\n    \"\"\"Doc:\"\"\"\n"},
		"string of Go":                       {"a.go", "package a\n\ntype T struct{}\n\nvar (\n\ta = 1\n)\n", "a", "after", "b = `\nx\n  y\n`", "package a\n\ntype T struct{}\n\nvar (\n\ta = 1\n\n\tb = `\nx\n  y\n`\n)\n"},
		"string of Python": {"a.py", python, "Foo/m", "replace", "def m(self):\n    \"\"\"Doc.\n\n    More.\n    \"\"\"\n    return \"\"\"\na\n  b\"\"\"",
			strings.Replace(python, "        return 1\n", "        \"\"\"Doc.\n\n        More.\n        \"\"\"\n        return \"\"\"\na\n  b\"\"\"\n", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, parsers, tt.file, tt.text)
			found := f.Find(symbols.ParsePattern(tt.symbol, false))
			if len(found) != 1 {
				t.Fatalf("%s finds %v", tt.symbol, found)
			}
			var edit symbols.Edit
			var err error
			switch tt.do {
			case "before":
				edit, err = f.InsertBefore(found[0], tt.code)
			case "after":
				edit, err = f.InsertAfter(found[0], tt.code)
			case "replace":
				edit = f.ReplaceBody(found[0], tt.code)
			case "delete":
				edit, err = f.Delete(found[0])
			}
			if err != nil {
				t.Fatal(err)
			}
			got := apply(tt.text, edit)
			if got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
			if _, err := f.Verify(t.Context(), parsers, edit, got); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestEdits_SharedLine(t *testing.T) {
	f := parse(t, newParsers(t), "a.go", "package a\n\nvar x, y = 1, 2\n\ntype I interface{ M() int }\n")
	for _, name := range []string{"x", "I/M"} {
		if _, err := f.Delete(f.Find(symbols.ParsePattern(name, false))[0]); !errors.Is(err, symbols.ErrSharedLine) {
			t.Errorf("delete %s: %v", name, err)
		}
	}
	m := f.Find(symbols.ParsePattern("I/M", false))[0]
	if _, err := f.InsertBefore(m, "N()"); !errors.Is(err, symbols.ErrSharedLine) {
		t.Errorf("insert before: %v", err)
	}
	if _, err := f.InsertAfter(m, "N()"); !errors.Is(err, symbols.ErrSharedLine) {
		t.Errorf("insert after: %v", err)
	}
}

func TestVerify_BrokenCode(t *testing.T) {
	text := "package a\n\nfunc F() {\n}\n\nfunc G() {\n}\n"
	parsers := newParsers(t)
	f := parse(t, parsers, "a.go", text)
	i := f.Find(symbols.ParsePattern("F", false))[0]
	for name, code := range map[string]string{
		"open bracket":  "func F() {\n\tif true {\n}",
		"extra bracket": "func F() {\n}\n}",
		"open comment":  "func F() {}\n/*",
		"nothing":       "",
	} {
		edit := f.ReplaceBody(i, code)
		_, err := f.Verify(t.Context(), parsers, edit, apply(text, edit))
		if broken, ok := errors.AsType[*symbols.BrokenError](err); name != "nothing" && (!ok || broken.Error() == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Errors that were there before are neither reported nor taken for new ones.
func TestVerify_BrokenBefore(t *testing.T) {
	parsers := newParsers(t)
	text := "package a\n\nfunc Old() { x := ) }\n\nfunc F() {\n\tg()\n}\n\nfunc G() {\n\tg()\n}\n"
	f := parse(t, parsers, "a.go", text)
	verify := func(symbol, code string) error {
		edit := f.ReplaceBody(f.Find(symbols.ParsePattern(symbol, false))[0], code)
		_, err := f.Verify(t.Context(), parsers, edit, apply(text, edit))
		return err
	}
	if err := verify("F", "func F() {\n\tg()\n\tg()\n\tg()\n}"); err != nil {
		t.Errorf("a valid edit: %v", err)
	}
	for symbol, line := range map[string]int{"F": 6, "G": 10} {
		err := verify(symbol, "func "+symbol+"() {\n\ty := )\n}")
		if broken, ok := errors.AsType[*symbols.BrokenError](err); !ok || broken.Line != line {
			t.Errorf("an error in %s: %v", symbol, err)
		}
	}
}

func TestVerify_OneErrorForAnother(t *testing.T) {
	parsers := newParsers(t)
	text := "package a\n\nfunc F() {\n\tx := )\n}\n\nfunc G() {\n\tg()\n}\n"
	f := parse(t, parsers, "a.go", text)
	edit := f.ReplaceBody(f.Find(symbols.ParsePattern("F", false))[0], "func F() {\n\tx := 1\n\ty := ]\n}")
	_, err := f.Verify(t.Context(), parsers, edit, apply(text, edit))
	if broken, ok := errors.AsType[*symbols.BrokenError](err); !ok || broken.Line != 5 {
		t.Errorf("Verify returned %v, before %v", err, f.Problems())
	}
}

func TestBrokenError_UnknownLine(t *testing.T) {
	if got := (&symbols.BrokenError{Message: "the file is too large"}).Error(); got != "the file is too large" {
		t.Errorf("the message is %q", got)
	}
}

func TestFile_Outline(t *testing.T) {
	f := parse(t, newParsers(t), "a.go", "package a\n\n// T is T.\ntype T struct {\n\tN int\n}\n\nfunc (t T) M() { f() }\n")
	if top := f.Children(-1); len(top) != 3 || f.NamePath(top[2]) != "T/M" {
		t.Errorf("children: %v", top)
	}
	typ := f.Find(symbols.ParsePattern("/T", false))[0]
	if f.Doc(typ) != "// T is T." || f.BodyLines(typ) != "type T struct {\n\tN int\n}" {
		t.Errorf("doc %q, body %q", f.Doc(typ), f.BodyLines(typ))
	}
	if at := f.Enclosing(strings.Index(f.Text, "f()")); f.NamePath(at) != "T/M" {
		t.Errorf("enclosing %d", at)
	}
	if f.Enclosing(len(f.Text)) != -1 {
		t.Error("the end of the text is in a declaration")
	}
	if len(f.Calls()) != 1 || f.Parser() == "" || f.Doubt(typ) != nil {
		t.Errorf("calls %v, parser %q", f.Calls(), f.Parser())
	}
}

// Hostile texts end in an error or in a file whose edits stay within the text.
func FuzzEdits(f *testing.F) {
	for _, seed := range []string{"package a\nfunc F() {}", "def f():\n  pass", "class A { x = 1", "}}}}((", "\xff\xfe func", strings.Repeat("{", 1000)} {
		for _, name := range []string{"a.go", "a.py", "a.ts", "a.c"} {
			f.Add(name, seed, "x")
		}
	}
	parsers := builtin.Parsers(builtin.Options{})
	f.Cleanup(func() { parsers.Close() })
	f.Fuzz(func(t *testing.T, name, text, code string) {
		file, err := symbols.Parse(t.Context(), parsers, name, text)
		if err != nil {
			return
		}
		for i := range min(file.Len(), 20) {
			before, _ := file.InsertBefore(i, code)
			after, _ := file.InsertAfter(i, code)
			deleted, _ := file.Delete(i)
			for _, edit := range []symbols.Edit{before, after, deleted, file.ReplaceBody(i, code)} {
				if edit.Start < 0 || edit.End < edit.Start || edit.End > len(text) {
					t.Fatalf("edit %+v of %d bytes", edit, len(text))
				}
			}
			if got := apply(text, file.ReplaceBody(i, file.BodyLines(i))); got != text {
				t.Fatalf("the own body of %s changed the text to %q", file.ID(i), got)
			}
		}
		file.Find(symbols.ParsePattern(code, true))
	})
}

// Errors that only a compiler's parser or a grammar sees are refused.
func TestVerify_BodyErrors(t *testing.T) {
	parsers := newParsers(t)
	for name, tt := range map[string]struct {
		file, text, symbol, code string
		deep                     bool // needs a grammar, which takes seconds to compile
	}{
		"type in a group of constants":   {"a.go", "package a\n\nconst (\n\tA = 1\n\tB = 2\n)\n", "A", "type Z int", false},
		"type in a group of types":       {"a.go", "package a\n\ntype (\n\tA int\n\tB int\n)\n", "A", "type Z int", false},
		"short declaration in a group":   {"a.go", "package a\n\nvar (\n\tx = 1\n)\n", "x", "y := 1", false},
		"with an error elsewhere":        {"a.go", "package a\n\nfunc f() { x := ) }\n\nvar (\n\tx = 1\n)\n", "x", "y := 1", false},
		"let in an impl of Rust":         {"a.rs", "struct A;\n\nimpl A {\n    fn f(&self) {}\n}\n", "A/f", "let x = 1;", true},
		"value between members of Java":  {"A.java", "class A {\n    int a;\n    int c;\n}\n", "A/a", "int b", true},
		"statement in a class of Python": {"a.py", "class A:\n    x = 1\n    y = 2\n", "A/x", "def f(self):\n    return return", true},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.deep && testing.Short() {
				t.Skip("compiles a grammar")
			}
			f := parse(t, parsers, tt.file, tt.text)
			edit, err := f.InsertAfter(f.Find(symbols.ParsePattern(tt.symbol, false))[0], tt.code)
			if err != nil {
				t.Fatal(err)
			}
			now, err := f.Verify(t.Context(), parsers, edit, apply(tt.text, edit))
			if broken, ok := errors.AsType[*symbols.BrokenError](err); !ok || broken.Line == 0 {
				t.Errorf("%+v, %v", now, err)
			}
		})
	}
}

func TestDelete_Note(t *testing.T) {
	parsers := newParsers(t)
	for name, tt := range map[string]struct{ file, text, symbol, want string }{
		"Java":                 {"A.java", "enum A {\n    X,\n    Y\n}\n", "A/X", "ordinals"},
		"last of Java":         {"A.java", "enum A {\n    X,\n    Y\n}\n", "A/Y", ""},
		"C":                    {"a.c", "enum a {\n    X,\n    Y\n};\n", "X", "other values"},
		"C with own values":    {"a.c", "enum a {\n    X = 1,\n    Y = 2\n};\n", "X", ""},
		"strings":              {"a.ts", "enum A {\n  X = \"x\",\n  Y = \"y\",\n}\n", "A/X", ""},
		"constant of Go":       {"a.go", "package a\n\nconst (\n\tX = iota\n\tY\n)\n", "X", "_ stands"},
		"only method":          {"a.py", "class A:\n    def f(self):\n        pass\n", "A/f", "pass stands"},
		"function of a module": {"a.py", "def f():\n    pass\n", "f", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, parsers, tt.file, tt.text)
			edit, err := f.Delete(f.Find(symbols.ParsePattern(tt.symbol, false))[0])
			if err != nil || (tt.want == "") != (edit.Note == "") || !strings.Contains(edit.Note, tt.want) {
				t.Errorf("note %q, %v", edit.Note, err)
			}
		})
	}
}

// The body of a function of Python ends where its indentation ends.
func TestVerify_StatementAfterFunction(t *testing.T) {
	parsers := newParsers(t)
	text := "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
	f := parse(t, parsers, "a.py", text)
	i := f.Find(symbols.ParsePattern("A/f", false))[0]
	for code, line := range map[string]int{
		"def f(self):\n    a = 1\nreturn a":                             4,
		"def f(self):\n    a = 1\nb = 2":                                4,
		"def f(self):\n    a = 1\n\n# more\ndef h(self):\n    return 2": 0,
		"x = 1\n\ndef f(self):\n    return (\n1)":                       0,
		"@d\ndef f(self): return \"\"\"\nx\n\"\"\"":                     0,
		"f = other": 0,
		"def f(\n    self,\n) -> int:\n    return 1  # end\n": 0,
	} {
		edit := f.ReplaceBody(i, code)
		_, err := f.Verify(t.Context(), parsers, edit, apply(text, edit))
		broken, ok := errors.AsType[*symbols.BrokenError](err)
		if ok != (line > 0) || ok && broken.Line != line {
			t.Errorf("%q: %v", code, err)
		}
	}
}

func TestDelete_TypedefMember(t *testing.T) {
	parsers := newParsers(t)
	const text = "typedef struct list {\n  int n;\n  struct list *next;\n} list_t;\n"
	f := parse(t, parsers, "list.c", text)
	edit, err := f.Delete(named(t, f, "list.n"))
	if got, want := apply(text, edit), "typedef struct list {\n  struct list *next;\n} list_t;\n"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	for _, name := range []string{"list", "list_t"} {
		if _, err := f.Delete(named(t, f, name)); !errors.Is(err, symbols.ErrSharedLine) {
			t.Errorf("deleting %s: %v", name, err)
		}
	}
}
