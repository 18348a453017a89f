package uses_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/uses"
	"github.com/dougu-go/dougu/tools/source"
)

// Searches in hostile texts end, in all languages that are read by their tokens.
func TestFind_HostileTexts(t *testing.T) {
	deep := strings.Repeat("(", 20_000)
	var types, values strings.Builder
	for i := range 300 {
		fmt.Fprintf(&types, "type T%d = T%d | T%d;\nclass C%d extends C%d { f() {} }\n", i, i+1, (i*7)%300, i, (i+1)%300)
		fmt.Fprintf(&values, "x%d = x%d or x%d\n", i, (i+1)%300, (i*7)%300)
	}
	for name, tc := range map[string]struct{ path, text string }{
		"brackets of TypeScript":  {"a.ts", "function f() {}\n" + deep + "f()" + strings.Repeat("{", 20_000)},
		"arrows of TypeScript":    {"a.ts", "function f() {}\n" + strings.Repeat("(a => ", 3_000) + "f()"},
		"cycles of TypeScript":    {"a.ts", "function f() {}\n" + types.String() + "declare const t: T0;\nt.f(); new C0().f();\nimport { g } from './a';\nexport * from './a';\nexport { g } from './a';\ng.f();\n"},
		"templates of TypeScript": {"a.ts", "function f() {}\n" + strings.Repeat("`${", 5_000) + "f()"},
		"deep templates":          {"a.ts", "function f() {}\n" + strings.Repeat("`${", 1_000_000)},
		"escape at the end":       {"a.ts", "function f() {}\n`${`\\"},
		"loops of Python":         {"a.py", "def f(): pass\n(" + strings.Repeat("for ", 20_000) + ")\n"},
		"chain of TypeScript":     {"a.ts", "function f() {}\nx" + strings.Repeat(".f()", 3_000)},
		"types of TypeScript":     {"a.ts", "function f() {}\nlet x: " + strings.Repeat("A<", 10_000) + "f"},
		"brackets of Python":      {"a.py", "def f(): pass\n" + deep + "f()"},
		"cycles of Python":        {"a.py", "def f(): pass\nfrom a import *\nfrom .a import g\nimport a\n" + values.String() + "x0.f()\ng.f()\nclass A(A): pass\nclass B(C): pass\nclass C(B): pass\nB().f()\n"},
		"indentation of Python":   {"a.py", "def f(): pass\n" + strings.Repeat("if x:\n ", 3_000) + "f()"},
		"strings of Python":       {"a.py", "def f(): pass\nf\"{f'{f\"{f()}\"}'}\"\nf'{\nf\"\"\"{"},
		"brackets of Java":        {"A.java", "class A { void f() {} " + deep + "f()" + strings.Repeat("{", 20_000)},
		"cycles of Java":          {"A.java", "class A extends B { void f() { x.f(); var x = x; x.f(); } }\nclass B extends A { class C extends C {} }\n"},
		"lambdas of Java":         {"A.java", "class A { void f() {} void g() { " + strings.Repeat("h(a -> ", 3_000) + "f()"},
		"generics of Java":        {"A.java", "class A { void f() {} " + strings.Repeat("List<", 10_000) + " f; }"},
		"classes of Java":         {"A.java", "class A { void f() {} " + strings.Repeat("class B { ", 3_000) + " f(); }"},
	} {
		t.Run(name, func(t *testing.T) { findIn(t, tc.path, tc.text) })
	}
}

// findIn searches for the name f.
func findIn(t *testing.T, path, text string) {
	t.Helper()
	lang, _ := source.LanguageOf(path, nil)
	d := uses.Declaration{Path: path, Name: "f", Offset: strings.Index(text, "f()"), Language: lang}
	if _, err := uses.NewFinder(texts{path: text}).Find(t.Context(), d); err != nil {
		t.Error(err)
	}
}

// Searches in damaged texts end.
func TestFind_DamagedTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for path, text := range map[string]string{
		"a.go":   "package a\n\nfunc f() {}\n\ntype T[A any] struct{ a A }\n\nfunc (t *T[A]) g(x ...int) (r A, err error) {\n\tfor i := range x { f(); switch y := any(i).(type) { case int: _ = y } }\n\treturn t.a, nil\n}\n",
		"a.ts":   "function f() {}\nclass A<T> extends B implements C { constructor(private x: T) { super() } get y(): Map<string, T[]> { return this.x.f() } }\nconst { a, b: [c] } = new A(`x ${f()}`);\nexport default { f() { for (const x of a?.b!) x => x.f() } };\n",
		"a.py":   "def f(): pass\nclass A(B[T], metaclass=M):\n    @property\n    async def g(self, *a: 'A', b=f()) -> list[A]:\n        with x as y, z: return [f() for f in self.x if (n := f())]\n    x: int = f\"{f()!r:>{w}}\"\n",
		"A.java": "package a; import static a.B.*; class A<T extends B> extends C { enum E { X(1) { void f() {} }; } record R(A a) {} void f() { for (var x : y) new A<>() { void f() {} }.f(); try (A a = (A) f()) {} catch (E | F e) { e::f; } } }\n",
	} {
		original := text
		for range 300 {
			b := []byte(original)
			for range 1 + random.IntN(4) {
				at := random.IntN(len(b))
				switch random.IntN(3) {
				case 0:
					b = append(b[:at], b[at+1:]...)
				case 1:
					b[at] = "(){}[]<>.:;,'\"`@\n= "[random.IntN(19)]
				default:
					b = append(b[:at], append([]byte("f()"), b[at:]...)...)
				}
			}
			if text = string(b); strings.Contains(text, "f()") {
				findIn(t, path, text)
			}
		}
	}
}
