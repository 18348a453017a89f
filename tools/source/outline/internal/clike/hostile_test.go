package clike_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/clike"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

// The texts are made to take long. Short tests read shorter ones, which only exponential work would take longer over.
func TestParse_HostileTexts(t *testing.T) {
	n := 256 << 10
	if testing.Short() {
		n = 4 << 10
	}
	for name, unit := range map[string]string{
		"round brackets":      "(",
		"curly brackets":      "{",
		"square brackets":     "[",
		"angles":              "a<",
		"closing":             "}",
		"words":               "a ",
		"labels":              "a : ",
		"bit fields":          "int a : 3, ",
		"calls":               "a(b) ",
		"initial values":      "int b{} ",
		"lambdas":             "= [",
		"lambdas with lists":  "x=[](",
		"old style":           "f(a) int b; ",
		"local lambdas":       "void f() { x = [](int a){ ",
		"namespaces":          "namespace a { ",
		"classes":             "class A { ",
		"conditionals":        "#if A\n",
		"branches":            "#if A\n#else\n",
		"angles in branches":  "a<\n#if A\n",
		"raw strings":         "R\"(",
		"digits":              "1'",
		"comments":            "/*/",
		"defines":             "#define a\\\n",
		"operators":           "operator ",
		"conversions":         "operator a<",
		"handlers":            "void f() try { } catch (",
		"quotes":              "'\"",
		"typedefs":            "typedef struct { ",
		"enumerators":         "enum { a = (",
		"statements":          "void f() { using struct typedef ",
		"qualified":           "a::",
		"pointers":            "int (*(",
		"declarators":         "int (*a)(b), ",
		"storage and calls":   "static a(b) ",
		"blank lines":         "A\n\n",
		"spaces before signs": "      #      ",
	} {
		t.Run(name, func(t *testing.T) {
			src := []byte(strings.Repeat(unit, n/len(unit)))
			for _, lang := range []source.Language{source.C, source.CPP} {
				began := time.Now()
				f, _ := clike.Parse(context.Background(), src, lang, source.Options{Calls: true})
				if took := time.Since(began); took > 20*time.Second {
					t.Errorf("%s took %v", lang, took)
				} else if took > time.Second {
					t.Logf("%s took %v", lang, took)
				}
				if f == nil {
					t.Error("there is no file")
				}
			}
			src = src[:min(len(src), 20000)]
			if f, _ := clike.Parse(context.Background(), src, source.CPP, source.Options{}); f != nil {
				if err := parsertest.Invariants(src, f); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		hardCPP, "int f(a) int a; { }\n#if A\n}\n#else\n#endif", "typedef struct { int a; } b, *c;", "auto x = [](int a) { };",
		"#define A(x) \\\n x\n#include <a>\nint (*f(int))(void) { }", "enum class E : int { A = 1, B };", "A::~A() try : x{1} { } catch (...) { }",
		"template <class T, int N = (1 < 2)> T operator<<(T &, R\"x()x\");", "class M(x) N : public O<P> { public: N(); };",
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, src []byte, cpp bool) {
		lang := source.C
		if cpp {
			lang = source.CPP
		}
		file, err := clike.Parse(context.Background(), src, lang, source.Options{Calls: true})
		if file == nil {
			t.Fatal(err)
		}
		if err := parsertest.Invariants(src, file); err != nil {
			t.Errorf("%q: %v", src, err)
		}
	})
}
