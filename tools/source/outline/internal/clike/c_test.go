package clike_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

func TestC(t *testing.T) {
	check(t, source.C, []snippet{
		{"definitions and prototypes", "int f(void);\nstatic inline struct s *g(int a,\n\tchar b)\n{\n}\nunsigned long long h() { return 1; }\n",
			[]string{"1-1 function f", "2-5 function g", "6-6 function h"}},
		{"parameters in the old style", "int old(a, b)\n\tconst char *a; /* first */\n\tint b, c[3];\n{\n}\nint next;\n",
			[]string{"1-5 function old", "6-6 variable next"}},
		{"pointers to functions", "void (*signal(int sig, void (*f)(int)))(int) { }\nint (*table[3])(void) = { 0 };\ntypedef int (*cmp)(const void *);\nLIB int (name) (int x) { }\n",
			[]string{"1-1 function signal", "2-2 variable table", "3-3 typeAlias cmp", "4-4 function name"}},
		{"attributes", "__attribute__((noreturn)) void die(void);\nvoid f(void) __attribute__((format(printf, 1, 2)));\nstatic __declspec(dllexport) int g(void) { }\nint v __attribute__((aligned(8))) = 1;\n",
			[]string{"1-1 function die", "2-2 function f", "3-3 function g", "4-4 variable v"}},
		{"macros around declarations", "EXPORT(int) f(int a) { }\nDEFINE_THING(foo)\nint g(void)\n{\n}\nRO_GEN(a, b)\nRO_GEN(c, d)\nstatic int h(void) { }\nBEGIN_DECLS\n\nint i(void);\nvoid j(void) LOCKS(m) { }\nSIMPLE(x);\nint ZEXPORT k(a) int a; { }\n",
			[]string{"1-1 function f", "3-5 function g", "8-8 function h", "11-11 function i", "12-12 function j", "14-14 function k"}},
		{"types", "struct a { int x, *y; unsigned z : 3; int (*cb)(int); union { int u; } in; };\ntypedef struct {\n\tint p;\n} point, *points;\ntypedef struct tag { int q; } tag_t;\nenum e { A = 1, B, };\nenum { C };\nunion u { int i; } both;\nstruct forward;\nstruct a one = { 1 };\n",
			[]string{
				"1-1 struct a", "1-1 property a.x", "1-1 property a.y", "1-1 property a.z", "1-1 property a.cb", "1-1 property a.in", "1-1 property a.u",
				"4-4 struct point", "3-3 property point.p", "4-4 typeAlias points",
				"5-5 typeAlias tag_t", "5-5 struct tag", "5-5 property tag.q",
				"6-6 enum e", "6-6 enumCase e.A", "6-6 enumCase e.B", "7-7 enumCase C",
				"8-8 variable both", "8-8 struct u", "8-8 property u.i", "10-10 variable one",
			}},
		{"cases made by macros", "enum opt {\n\tOPT(ONE, 1),\n\tTWO\n};\n", []string{"1-4 enum opt", "2-2 enumCase opt.ONE", "3-3 enumCase opt.TWO"}},
		{"typedefs", "typedef unsigned int u32, *pu32;\ntypedef int arr[3];\ntypedef void fn(int);\ntypedef struct s *s_t;\n",
			[]string{"1-1 typeAlias u32", "1-1 typeAlias pu32", "2-2 typeAlias arr", "3-3 typeAlias fn", "4-4 typeAlias s_t"}},
		{"variables", "int a = 1, *b, c[] = { 1, 2 };\nextern const char *const names[];\nstatic struct { int x; } s;\n",
			[]string{"1-1 variable a", "1-1 variable b", "1-1 variable c", "2-2 variable names", "3-3 variable s", "3-3 property x"}},
		{"defines", "#define N 3\n#define MAX(a, b) \\\n\t((a) > (b) ? (a) : (b))\n#  define EMPTY\n",
			[]string{"1-1 macro N", "2-3 macro MAX", "4-4 macro EMPTY"}},
		{"locals", "int f(void) {\n\tint a;\n\tstruct in { int x; } y;\n\ttypedef int alias;\n\tstatic const struct { int z; } t[] = { { 1 } };\n\tenum { P, Q };\n}\n",
			[]string{"1-7 function f", "3-3 struct f.in", "3-3 property f.in.x", "4-4 typeAlias f.alias", "5-5 property f.z", "6-6 enumCase f.P", "6-6 enumCase f.Q"}},
		{"strings and comments", "char *a = \"{ /* \\\" \"; char b = '\\''; // {\n/* int no(void) { */\nint f(void) { return '{' + \"}\"[0]; }\n",
			[]string{"1-1 variable a", "1-1 variable b", "3-3 function f"}},
	})
}

func TestConditionals(t *testing.T) {
	check(t, source.C, []snippet{
		{"two heads, one body", "#ifdef A\nint f(int a)\n#else\nint f(void)\n#endif\n{\n}\nint g;\n", []string{"2-7 function f", "8-8 variable g"}},
		{"two heads with brackets", "#if A\nint f(int a) {\n#elif B\nint f(long a) {\n#else\nint f(void) {\n#endif\n}\nint g;\n", []string{"2-8 function f", "9-9 variable g"}},
		{"whole branches", "#ifdef A\nint f(void) { }\n#else\nint f(int a) { }\n#endif\n", []string{"2-2 function f", "4-4 function f"}},
		{"brackets in a body", "int f(void) {\n#ifdef A\n\tif (a) {\n#else\n\tif (b) {\n#endif\n\t}\n}\nint g;\n", []string{"1-8 function f", "9-9 variable g"}},
		{"never", "#if 0\nint no(void) {\nit's text\n#else\nint yes;\n#endif\n", []string{"5-5 variable yes"}},
		{"in parameters", "int f(int a\n#ifdef X\n\t, int b)\n#else\n\t)\n#endif\n{\n}\n", []string{"1-8 function f"}},
		{"brackets only in some", "int f(void) {\n#ifndef A\n\tif (a) {\n#endif\n\t\tb();\n#ifdef B\n\t}\n#endif\n#ifdef C\n\t}\n#endif\n}\nint g(void) {\n}\n", []string{"1-12 function f", "13-14 function g"}},
		{"C from C++", "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n", []string{"4-4 function f"}},
	})
}
