package clike_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/clike"
)

// checkBetween reads every form between two functions. want is the path of the
// declaration that the form is, over all its lines; the function after it must keep
// its own lines.
func checkBetween(t *testing.T, lang source.Language, want string, forms []string) {
	t.Helper()
	for _, form := range forms {
		f := read(t, lang, "int e(int a) {\n}\n"+form+"\nint g(int b) {\n  return b;\n}\n")
		got, last := outline(f), 2+strings.Count(form, "\n")+1
		i := slices.IndexFunc(f.Chunks, func(c source.Chunk) bool { return c.Path() == want })
		if i < 0 || int(f.Chunks[i].StartLine) != 3 || int(f.Chunks[i].EndLine) != last {
			t.Errorf("%s\nhas no %s in lines 3-%d: %q", form, want, last, got)
		}
		if g := fmt.Sprintf("%d-%d function g", last+1, last+3); !strings.HasPrefix(got[len(got)-1], g) {
			t.Errorf("%s\nhides %s: %q", form, g, got)
		}
	}
}

// clauses are forms of a requires-clause.
var clauses = []string{
	"requires C<T>", "requires (C<T>)", "requires(C<T>)", "requires (C<T> && D<T>)", "requires C<T> && D<T>", "requires C<T> || (D<T> && E)",
	"requires true", "requires false || C<T>", "requires 1", "requires (sizeof(T) > 4)", "requires (T::n < 3) && (T::m > 4)", "requires (!C<T>)",
	"requires std::is_integral_v<T>", "requires ::n::C<T, int> && n::v<T>", "requires n::C<T>::value", "requires T::template x<int>::value",
	"requires (is_ok<T>())", "requires FOO(T)", "requires ok<T>()", "requires (C<T> && ...)", "requires C<T> and (not D<T>) or E",
	"requires requires (T t) { t + 1; }", "requires requires { T(); }", "requires requires (T t) { { t.x() } -> C<T>; requires D<T>; }",
	"requires C<T> && requires (T t) { t + 1; }", "requires requires (T t) {\n  t + 1;\n} && C<T>", "requires (requires (T t) { t + 1; })",
	"requires (C<T>) || requires { T(1); } || (D<T>)", "requires (C<T>) /* { */", "requires (C<T>) // {\n", "requires N<3>", "requires N<(3 > 2)>",
}

func TestRequires_BehindParameters(t *testing.T) {
	for want, heads := range map[string][]string{
		"f(T)": {"template <class T> void f(T a)", "template <class T> int f(T a) noexcept(true)", "template <class T> auto f(T a) noexcept -> int", "template <class T> auto f(T a) -> decltype(a.x())",
			"template <class T> [[nodiscard]] constexpr T f(T a)", "template <C T> requires D<T> auto f(T a) -> T &", "template <class T> struct A f(T a)"},
		"f(C auto)":           {"void f(C auto a)"},
		"A.f(T)":              {"template <class T> void A<T>::f(T a)", "template <class T> void A<T>::f(T a) const", "template <class T> void A<T>::f(T a) const &&"},
		"A.A(T)":              {"template <class T> A<T>::A(T a)"},
		"A.~A()":              {"template <class T> A<T>::~A()"},
		"A.operator==(A)":     {"template <class T> bool A<T>::operator==(A b)"},
		"A.operator bool()":   {"template <class T> A<T>::operator bool() const"},
		"A.operator()(T)":     {"template <class T> auto A<T>::operator()(T a) -> int"},
		"operator\"\"_x(T)":   {"template <class T> int operator\"\"_x(T a)"},
		"A.operator[](int)":   {"template <class T> T &A<T>::operator[](int i) &"},
		"A.operator=(A&&)":    {"template <class T> A<T> &A<T>::operator=(A &&a) noexcept"},
		"operator<=>(T,T)":    {"template <class T> auto operator<=>(T a, T b)"},
		"f(std::vector<T>&&)": {"template <class T> void f(std::vector<T> &&a)"},
	} {
		for _, head := range heads {
			for _, clause := range clauses {
				checkBetween(t, source.CPP, want, []string{head + " " + clause + " {\n}", head + "\n" + clause + "\n{\n  if (x) {}\n}"})
			}
		}
	}
}

func TestRequires_BehindTemplate(t *testing.T) {
	for want, tails := range map[string][]string{
		"f(T)":     {"void f(T a) {\n}", "auto f(T a) -> int requires (D<T>) {\n}", "[[nodiscard]] inline int f(T a) {\n}", "template <class U> requires (C<U>) void f(T a) {\n}", "extern int f(T a);"},
		"A.f(T)":   {"void A<T>::f(T a) {\n}"},
		"K":        {"class K {\n};", "struct K : B<T> {\n};", "struct K final {\n  int x;\n};", "using K = int;", "struct [[x]] K<T *> {\n};", "union K {\n};"},
		"v":        {"inline constexpr bool v = true;", "constexpr bool v = requires { 1; };", "int v{};"},
		"A.A(T)":   {"A<T>::A(T a) : x(a), y{1} {\n}"},
		"x.f(T)":   {"::A x::f(T a) {\n}"},
		"lamb(T)":  {"auto lamb = [](T a) { return 1; };"},
		"k(C<T>)":  {"int k(C<T>) {\n}"},
		"f(int,T)": {"const n::A<T> *f(int, T a) {\n}"},
	} {
		for _, tail := range tails {
			for _, clause := range clauses {
				checkBetween(t, source.CPP, want, []string{"template <class T> " + clause + " " + tail, "template <class T>\n  " + clause + "\n" + tail})
			}
		}
	}
}

func TestRequires_Members(t *testing.T) {
	for _, clause := range clauses {
		if strings.Contains(clause, "\n") {
			continue
		}
		src := strings.ReplaceAll(`template <class T> struct K {
  K() @ { }
  K(int a) @ : x(a) { }
  K(long a) @ : x(a), y{1} { }
  ~K() @ { }
  K(const K &) @ = default;
  K(K &&) @ = delete;
  void d() @;
  bool operator==(const K &o) const @ { return true; }
  operator bool() const @ { return true; }
  T &operator[](int i) && @ { return x; }
  friend bool operator<(K a, K b) @ { return true; }
  friend void swap(K a, K b) @ { }
  template <class U> @ K(U u) { }
  template <class U> @ explicit(true) K(U *u) : x(u) { }
  template <class U> void t(U u) @ { }
  static int st() noexcept @ { return 1; }
  int m() { return 1; }
  int x;
};
`, "@", clause)
		got := strings.Join(outline(read(t, source.CPP, src)), "\n")
		want := `1-20 struct K
2-2 initializer K.K()
3-3 initializer K.K(int)
4-4 initializer K.K(long)
5-5 deinitializer K.~K()
6-6 initializer K.K(K&)
7-7 initializer K.K(K&&)
8-8 method K.d()
9-9 operator K.operator==(K&)
10-10 operator K.operator bool()
11-11 operator K.operator[](int)
12-12 operator K.operator<(K,K)
13-13 method K.swap(K,K)
14-14 initializer K.K(U)
15-15 initializer K.K(U*)
16-16 method K.t(U)
17-17 method K.st()
18-18 method K.m()
19-19 property K.x`
		if got != want {
			t.Errorf("%s gives\n%s", clause, got)
		}
	}
}

func TestRequires_Lambdas(t *testing.T) {
	var forms []string
	for _, clause := range clauses {
		forms = append(forms, "auto f = []<class T>(T a) "+clause+" {\n  return 1;\n};", "auto f = [&]<class T>(T a) mutable -> int "+clause+" {\n  return 1;\n};")
		if !strings.HasSuffix(clause, "FOO(T)") && !strings.HasSuffix(clause, "ok<T>()") {
			forms = append(forms, "auto f = []<class T> "+clause+" (T a) {\n  return 1;\n};")
		}
	}
	checkBetween(t, source.CPP, "f(T)", forms)
	for _, form := range forms {
		got := outline(read(t, source.CPP, "void k() {\n"+form+"\n  f(1);\n}\nint g() {\n}\n"))
		if len(got) != 3 || !strings.HasSuffix(got[1], " lambda k.f(T)") || !strings.HasSuffix(got[2], " function g()") {
			t.Errorf("%s\ngives %q", form, got)
		}
	}
}

func TestRequires_Concepts(t *testing.T) {
	checkBetween(t, source.CPP, "X", []string{
		"template <class T> concept X = requires (T t) { t + 1; };",
		"template <class T> concept X = requires { typename T::type; } && (C<T>);",
		"template <class T> concept X = C<T> && requires (T t) {\n  { t.f() } -> C;\n};",
	})
}

func TestRequires_DeductionGuides(t *testing.T) {
	forms := []string{"template <class T> K(T) -> K<T>;", "K(T) -> K<int>;", "template <class T> explicit K(T) -> K<T &>;"}
	for _, clause := range clauses {
		forms = append(forms, "template <class T> "+clause+" K(T) -> K<T>;", "template <class T> K(T) -> K<T> "+clause+";")
	}
	checkBetween(t, source.CPP, "K(T)", forms)
}

func TestRequires_Name(t *testing.T) {
	checkBetween(t, source.CPP, "requires(int)", []string{"void requires(int a) {\n}", "static inline bool requires(int a)\n{\n}"})
	checkBetween(t, source.C, "requires", []string{"void requires(int a) {\n}", "static int *requires(int a, int requires)\n{\n}"})
}

func TestRequires_Unsure(t *testing.T) {
	for _, src := range []string{
		"template <class T> void f(T a) requires sizeof(T) > 4 {\n}\n",
		"template <class T> void f(T a) requires C<T> && {\n}\n",
		"template <class T> void f(T a) requires {\n}\n",
		"template <class T> void f(T a) requires requires (T t) {\n}\n",
		"template <class T> requires 3 + 4 void f(T a) {\n}\n",
		"template <class T> requires (C<T> void f(T a) {\n}\n",
		"template <class T> requires C<T void f(T a) {\n}\n",
		"template <class T> requires ",
		"template <class T> requires C<T> &&",
		"template <class T> requires n::",
		"auto f = []<class T>(T a) requires (C<T>) + 1 {\n};\n",
	} {
		_, err := clike.Parse(context.Background(), []byte(src+"int g() {\n}\n"), source.CPP, source.Options{})
		var unsure *source.UnsureError
		if !errors.As(err, &unsure) {
			t.Errorf("%s: %v", src, err)
		}
	}
}

func TestFunction_BetweenParametersAndBody(t *testing.T) {
	checkBetween(t, source.CPP, "f()", []string{
		"void f() noexcept(noexcept(x())) {\n}", "void f() throw(int, A) {\n}", "int f() try {\n} catch (A &a) {\n} catch (...) {\n}",
		"auto f() -> decltype(x{}) {\n}", "auto f() -> decltype([] { return 1; }()) {\n}", "auto f() -> std::array<int, sizeof(A{})> {\n}",
		"auto f() -> int (*)(int) {\n}", "auto f() -> struct A {\n}", "auto f() -> class n::A & {\n}", "void f() [[noreturn]] {\n}",
		"void f() = delete;", "void f() = delete(\"because {\");", "void f() noexcept(A{} == B{}) {\n}", "int f() OVERRIDE {\n}",
		"int f() GUARDED_BY(x) NOEXCEPT {\n}", "struct A f() noexcept {\n}", "template <class T, auto L = [] { return 1; }> int f() {\n}",
		"int f() pre(a > 0) post(r : r > 0 && r < 3) {\n}", "struct A f() const pre(a) {\n}",
		"int f [[nodiscard]] () const {\n}", "int f [[nodiscard]] ();",
	})
	checkBetween(t, source.CPP, "operator()(T)", []string{"constexpr A operator()[[nodiscard]](T a) const {\n}"})
	checkBetween(t, source.CPP, "A.A()", []string{
		"A::A() = default;", "A::A() try : x(1), y{2} {\n} catch (...) {\n}", "A::A() : x{1}, y{[] { return 1; }()} {\n}",
		"A::A() : B<int>{a}, C<int>(a) {\n}", "A::A() noexcept(noexcept(B(a))) : B{a} {\n}", "A::A() pre(a > 0) : B(a)... {\n}",
	})
}

func TestInitialValue_Unsure(t *testing.T) {
	const g = "int g(int b) {\n}\n"
	for _, src := range []string{"int new(int a) const {\n}\n", "FOO(\"x\") const {\n}\n", "int f(0) override {\n}\n"} {
		f, err := clike.Parse(context.Background(), []byte(src+g), source.CPP, source.Options{})
		var unsure *source.UnsureError
		if got := outline(f); !errors.As(err, &unsure) || unsure.Line != 1 || len(got) != 1 {
			t.Errorf("%s: %v %q", src, err, got)
		}
	}
	for _, src := range []string{"int v{1}, w{2};\n", "static A a[2]{1, 2};\n", "struct S {\n  A b{}, *c{};\n  std::atomic<int> x{0};\n  void f() {}\n};\n"} {
		read(t, source.CPP, src+g)
	}
}

func TestFunction_KeywordOfCPPInC(t *testing.T) {
	for _, name := range strings.Fields("and catch class delete explicit export final friend mutable namespace new noexcept not operator or override template throw try typeid typename using virtual") {
		checkBetween(t, source.C, name, []string{"int " + name + "(int a) {\n}", "static struct s *" + name + "(struct s *a)\n{\n}"})
	}
}
