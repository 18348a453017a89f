package clike_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

// A macro above a declaration has lines of its own, unless it is the type or an attribute of the declaration.
func TestParse_MacroAbove(t *testing.T) {
	for name, tt := range map[string]struct {
		src, decl string // decl is the last declaration
	}{
		"function":             {"MAC(a)\nvoid f() { }\n", "void f() { }"},
		"short name":           {"M(a)\nvoid f() { }\n", "void f() { }"},
		"comment":              {"MAC(a) // one\nvoid f();\n", "void f();"},
		"two macros":           {"A1(a)\nB2(b)\nstatic int f(int a) { }\n", "static int f(int a) { }"},
		"variable":             {"MAC(a)\nint x = 1;\n", "int x = 1;"},
		"name alone":           {"MAC(a)\nx = 1;\n", "MAC(a)\nx = 1;"},
		"template":             {"MAC(a)\ntemplate<class T>\nvoid f(T t) {}\n", "template<class T>\nvoid f(T t) {}"},
		"within a template":    {"template<class T>\nMAC(a)\nvoid f(T t) {}\n", "template<class T>\nMAC(a)\nvoid f(T t) {}"},
		"constructor":          {"MAC(a)\nC::C(int a) : b(a) { }\n", "C::C(int a) : b(a) { }"},
		"destructor":           {"class C {\nMAC(a)\n~C() { }\n};\n", "~C() { }"},
		"class macro":          {"class C {\nQ_OBJECT\nvoid f();\n};\n", "void f();"},
		"type":                 {"API(int)\nname() { }\n", "API(int)\nname() { }"},
		"type of a method":     {"API(int)\nC::name() { }\n", "API(int)\nC::name() { }"},
		"type in one line":     {"API(int) name() { }\n", "API(int) name() { }"},
		"export":               {"EXPORT_API void f() { }\n", "EXPORT_API void f() { }"},
		"export in its line":   {"EXPORT_API\nvoid f() { }\n", "EXPORT_API\nvoid f() { }"},
		"attribute":            {"__attribute__((x))\nvoid f() { }\n", "__attribute__((x))\nvoid f() { }"},
		"macro of attributes":  {"ATTR_PRINTF(1, 2)\nvoid f() { }\n", "ATTR_PRINTF(1, 2)\nvoid f() { }"},
		"lower case":           {"declare(a)\nvoid f() { }\n", "declare(a)\nvoid f() { }"},
		"method after a macro": {"class C {\nMAC(a)\nvoid f() { }\n};\n", "void f() { }"},
	} {
		t.Run(name, func(t *testing.T) {
			f := read(t, source.CPP, tt.src)
			got := ""
			if n := len(f.Chunks); n > 0 {
				got = tt.src[f.Chunks[n-1].Start:f.Chunks[n-1].End]
			}
			if got != tt.decl {
				t.Errorf("got %q, want %q", got, tt.decl)
			}
		})
	}
}
