package dart_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/dart"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

// parse returns the chunks of a library, one a line: first and last line, kind and path; and the doubt of the scanner.
func parse(t *testing.T, src string) (chunks string, doubt *source.UnsureError) {
	t.Helper()
	f, err := dart.Parse(t.Context(), []byte(src), "dart", source.Options{Calls: true})
	if err != nil && !errors.As(err, &doubt) {
		t.Fatal(err)
	}
	if err := parsertest.Invariants([]byte(src), f); err != nil {
		t.Error(err)
	}
	var b strings.Builder
	for _, c := range f.Chunks {
		fmt.Fprintf(&b, "%d-%d %s %s\n", c.Line, c.EndLine, c.Kind, c.Path())
	}
	return b.String(), doubt
}

func TestParse_Declarations(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"functions": {"void a() {\n}\nint b(int x) => x;\nFuture<List<int>> c<T extends Object?>(T x, {int? y}) async {\n  d();\n}\nStream<int> e() async* {\n}\nf() => 1;\nexternal int g();\n",
			"1-2 function a\n3-3 function b\n4-6 function c\n7-8 function e\n9-9 function f\n10-10 function g\n"},
		"record types": {"(int, String) a() {\n  return (1, '');\n}\n({int x, List<(int,)>? y})? b(int z) => null;\nfinal (int, int) c = (1, 2);\nFuture<(int, int)> d() async => (1, 2);\n",
			"1-3 function a\n4-4 function b\n5-5 constant c\n6-6 function d\n"},
		"function types": {"void Function(int)? a;\nint Function<T>(T) b(void Function() c) {\n}\ntypedef D = void Function(int);\ntypedef int E(String f);\ntypedef G<T> = Map<T, List<T>>;\nFunction h() => i;\n",
			"1-1 variable a\n2-3 function b\n4-4 typeAlias D\n5-5 typeAlias E\n6-6 typeAlias G\n7-7 function h\n"},
		"accessors": {"int get a => 1;\nset a(int b) {\n}\nget c {\n}\nint get() => 1;\n", "1-1 accessor a\n2-3 accessor a\n4-5 accessor c\n6-6 function get\n"},
		"variables": {"var a = 1, b = <int, int>{1: 2}, c;\nfinal d = () {\n  e();\n};\nlate final f = (x) => x;\nconst g = switch (h) { 1 => 2, _ => 3 };\nMap<String, List<int>>? i;\nlate int j;\n",
			"1-1 variable a\n1-1 variable b\n1-1 variable c\n2-4 lambda d\n5-5 lambda f\n6-6 constant g\n7-7 variable i\n8-8 variable j\n"},
		"classes": {"abstract interface class A<T extends B<T>> extends C<T> with D, E implements F {}\nsealed class G {}\nbase mixin class H {}\nfinal class I = J with K;\nbase mixin L on M {\n}\nmixin N {}\nabstract class O {\n}\n",
			"1-1 class A\n2-2 class G\n3-3 class H\n4-4 class I\n5-6 class L\n7-7 class N\n8-9 class O\n"},
		"extensions": {"extension A on B {\n int get c => 1;\n}\nextension on D<int> {\n e() {}\n}\nextension type const F(int g) implements int {\n F.h() : g = 1;\n}\nextension type I(int j);\n",
			"1-3 extension A\n2-2 accessor A.c\n4-6 extension D\n5-5 method D.e\n7-9 class F\n8-8 initializer F.F.h\n10-10 class I\n"},
		"enumerations": {"enum A { b, c, }\nenum D<T> implements E {\n  @f\n  g<int>(1, h: []),\n  i.named(2);\n  const D(this.x);\n  final int x;\n  int y() => 1;\n}\n",
			"1-1 enum A\n1-1 enumCase A.b\n1-1 enumCase A.c\n2-9 enum D\n3-4 enumCase D.g\n5-5 enumCase D.i\n6-6 initializer D.D\n7-7 property D.x\n8-8 method D.y\n"},
		"constructors": {"class A {\n  A();\n  const A.b(this.c, {super.key}) : d = const {}, e = <int>{}, f = (() {}), super(1);\n  A.g(int h) : i = h {\n    j();\n  }\n  factory A.k() = B;\n  factory A.l() {\n    return A();\n  }\n  A.m() : n = () { o(); } {\n  }\n  A._();\n  A.p() : super(q()) {\n  }\n}\n",
			"1-16 class A\n2-2 initializer A.A\n3-3 initializer A.A.b\n4-6 initializer A.A.g\n7-7 initializer A.A.k\n8-10 initializer A.A.l\n11-12 initializer A.A.m\n13-13 initializer A.A._\n14-15 initializer A.A.p\n"},
		"members": {"class A {\n  static const a = 1;\n  final Map<String, int> b = {};\n  @override\n  bool operator ==(Object o) => true;\n  int operator [](int i) {\n  }\n  void operator []=(int i, int j) {}\n  A operator -() => this;\n  bool operator >=(A o) => true;\n  static Future<void> c() async {}\n  late final d = e();\n  f();\n  covariant int g;\n  int? h, i = 2;\n  void Function(int)? j;\n  A k() => A();\n  prefix.Type l() => 1;\n}\n",
			"1-19 class A\n2-2 property A.a\n3-3 property A.b\n4-5 operator A.operator==\n6-7 operator A.operator[]\n8-8 operator A.operator[]=\n9-9 operator A.operator-\n10-10 operator A.operator>=\n11-11 method A.c\n12-12 property A.d\n13-13 method A.f\n14-14 property A.g\n15-15 property A.h\n15-15 property A.i\n16-16 property A.j\n17-17 method A.k\n18-18 method A.l\n"},
		"local functions": {"void main() {\n  int a(int b) => b;\n  c(d) {\n    if (x) { e(); }\n    for (final (i, j) in k) {}\n  }\n  final f = (g) async {\n    h();\n  };\n  test('x', () {\n    void i() {}\n  });\n  await for (final j in k) {}\n  switch (l) { case (1, 2): m(); }\n  n(1); o.p(() {});\n  (int, int) q() => (1, 2);\n}\n",
			"1-17 function main\n2-2 function main.a\n3-6 function main.c\n7-9 lambda main.f\n11-11 function main.i\n16-16 function main.q\n"},
		"strings":  {"void a() {\n  b('}', \"}\", '''\n}''', r'\\', r\"\"\"}\n\"\"\", 'x${c('}')}y', \"$d}\");\n}\nvoid r() {}\n", "1-5 function a\n6-6 function r\n"},
		"comments": {"/* /* } */ */\n/// A.\n// }\nvoid a() { // }\n}\n", "4-5 function a\n"},
		"names":    {"class Function2 {}\nint get = 1;\nvoid set(int async) {}\nclass A {\n  int static() => 1;\n  void factory() {}\n  final Type type;\n  final bool on, show;\n}\n", "1-1 class Function2\n2-2 variable get\n3-3 function set\n4-9 class A\n5-5 method A.static\n6-6 method A.factory\n7-7 property A.type\n8-8 property A.on\n8-8 property A.show\n"},
		"empty":    {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, doubt := parse(t, c.src)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if doubt != nil {
				t.Error(doubt)
			}
		})
	}
}

func TestParse_Documentation_Calls_Imports(t *testing.T) {
	src := "@x('y')\nlibrary;\nlibrary a;\nimport 'b.dart' as c show D;\nexport \"e.dart\";\npart 'f.dart';\n\n/// Does it.\n@pragma('x')\nvoid g() {\n  h<int>(i(1)); j?.k(); const L(); return;\n}\n"
	f, err := dart.Parse(t.Context(), []byte(src), "dart", source.Options{Calls: true})
	if err != nil {
		t.Fatal(err)
	}
	if c := f.Chunks[0]; src[c.Doc:c.DocEnd] != "/// Does it." || c.Signature != "void g()" || c.Line != 9 {
		t.Errorf("%+v", c)
	}
	if len(f.Imports) != 3 || f.Imports[0].Path != "b.dart" || f.Imports[1].Path != "e.dart" || f.Imports[2].Path != "f.dart" {
		t.Errorf("%+v", f.Imports)
	}
	var calls []string
	for _, c := range f.Calls {
		calls = append(calls, fmt.Sprintf("%s %d", c.Name, c.Chunk))
	}
	if diff := cmp.Diff([]string{"h 0", "i 0", "k 0"}, calls); diff != "" {
		t.Error(diff)
	}
}

// TestParse_Damaged_OthersStay checks that a declaration that cannot be read costs no other.
func TestParse_Damaged_OthersStay(t *testing.T) {
	for _, damaged := range []string{"int = = 5;\n", "%%;\n", "class {}\n", "void b() x\n{}\n", "extension {}\n"} {
		got, doubt := parse(t, "void a() {}\n"+damaged+"void c() {}\n")
		if !strings.Contains(got, "function a\n") || !strings.Contains(got, " function c\n") || doubt == nil {
			t.Errorf("%s%s%v", damaged, got, doubt)
		}
	}
	for _, src := range []string{"void a() {", "class A {", "int a = ", "enum A { b", "'", "'${", "class", "extension", "typedef", "operator", "A(", "get", "(int"} {
		if _, doubt := parse(t, src); doubt == nil && len(src) > 2 && !strings.Contains("class extension typedef", src) {
			t.Errorf("%q is sure", src)
		}
	}
}

func TestParse_Nesting_Limited(t *testing.T) {
	for _, open := range []string{"{", "(", "[", "class A { ", "void f() { ", "'${", "a<", "@a(", "f(() { "} {
		if _, doubt := parse(t, "void a() {}\n"+strings.Repeat(open, 20000)); doubt == nil {
			t.Errorf("20000 of %q: no doubt", open)
		}
	}
}

func TestParse_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dart.Parse(ctx, []byte(strings.Repeat("int a = 1;\n", 1<<18)), "dart", source.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("class A { A.b(this.c) : d = {} {} int get e => 1; operator []=(x) {} }")
	f.Add("enum A<T> { @b c<int>(1), d; } extension type E(int f) {} (int,)? g() => '${h}';")
	f.Fuzz(func(t *testing.T, src string) {
		file, err := dart.Parse(context.Background(), []byte(src), "dart", source.Options{Calls: true})
		var doubt *source.UnsureError
		if err != nil && !errors.As(err, &doubt) {
			t.Fatal(err)
		}
		if err := parsertest.Invariants([]byte(src), file); err != nil {
			t.Error(err)
		}
	})
}
