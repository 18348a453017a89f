package clike_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

const hardCPP = `namespace a::b {
/// A stack.
template <typename T, typename A = std::allocator<T>>
class EXPORT Stack final : public Base<T> {
 public:
  Stack() : items_{}, n_(0) {}
  explicit Stack(std::initializer_list<T> xs);
  ~Stack() noexcept override = default;
  Stack &operator=(const Stack &) = delete;
  operator bool() const { return n_ > 0; }
  T operator[](int i) const { return items_[i]; }
  [[nodiscard]] T pop() LOCKS(mu_) { return T(); }
  static int count;
  void (*callback)(int);
  enum class Mode : int { kOne = 1, kTwo };
  using value_type = T;
  friend bool operator==(const Stack &x, const Stack &y) { return true; }
  virtual void push(const T &x, int n = 3) = 0;
  template <class U> U as(U &&u) { return u; }
};
template <typename T, typename A>
Stack<T, A>::Stack(std::initializer_list<T> xs) : n_(xs.size()) { f(xs); }
template <> void Stack<int>::push(const int &x, int n) {}
namespace { int hidden; }
auto f() -> decltype(g()) { return g(); }
}
`

func TestCPP(t *testing.T) {
	check(t, source.CPP, []snippet{
		{"a class", hardCPP, []string{
			"1-26 module a.b", "4-20 class a.b.Stack", "6-6 initializer a.b.Stack.Stack()", "7-7 initializer a.b.Stack.Stack(std::initializer_list<T>)",
			"8-8 deinitializer a.b.Stack.~Stack()", "9-9 operator a.b.Stack.operator=(Stack&)", "10-10 operator a.b.Stack.operator bool()",
			"11-11 operator a.b.Stack.operator[](int)", "12-12 method a.b.Stack.pop()", "13-13 property a.b.Stack.count", "14-14 property a.b.Stack.callback",
			"15-15 enum a.b.Stack.Mode", "15-15 enumCase a.b.Stack.Mode.kOne", "15-15 enumCase a.b.Stack.Mode.kTwo", "16-16 typeAlias a.b.Stack.value_type",
			"17-17 operator a.b.Stack.operator==(Stack&,Stack&)", "18-18 method a.b.Stack.push(T&,int)", "19-19 method a.b.Stack.as(U&&)",
			"22-22 initializer a.b.Stack.Stack(std::initializer_list<T>)", "23-23 method a.b.Stack.push(int&,int)", "24-24 variable a.b.hidden", "25-25 function a.b.f()",
		}},
		{"out of class", "bool a::b::T::operator()(int x) { }\na::b::T::operator int() const { }\na::T::~T() { }\nint a::T::count = 0;\nT<int>::T() try : x(1) { } catch (...) {\n}\nauto operator\"\"_km(long double x) { }\nvoid *T::operator new[](size_t n) { }\n",
			[]string{"1-1 operator a.b.T.operator()(int)", "2-2 operator a.b.T.operator int()", "3-3 deinitializer a.T.~T()", "4-4 variable a.T.count",
				"5-6 initializer T.T()", "7-7 operator operator\"\"_km(long double)", "8-8 operator T.operator new[](size_t)"}},
		{"lambdas", "auto twice = [](int x) { return 2 * x; };\nvoid f() {\n  auto add = [&](int a) -> int {\n    return a;\n  };\n  auto once = [] { return 1; }();\n  run([] { });\n}\n",
			[]string{"1-1 lambda twice(int)", "2-8 function f()", "3-5 lambda f.add(int)"}},
		{"templates", "template <typename T> concept Small = sizeof(T) < 4;\ntemplate <class T> requires Small<T> void f(T t) { }\ntemplate <class T> using Vec = std::vector<T>;\ntemplate <> struct A<int, (3 > 2)> { };\ntemplate <int N, class = std::enable_if_t<(N > 1)>> int g();\ntemplate <std::size_t... Is>\nstruct B : negation<seq<bool, 0 <= Is...>> {};\n",
			[]string{"1-1 interface Small", "2-2 function f(T)", "3-3 typeAlias Vec", "4-4 struct A", "5-5 function g()", "7-7 struct B"}},
		{"linkage", "extern \"C\" { void f(int); int v; }\nextern \"C\" int g(void) { return 2; }\n", []string{"1-1 function f(int)", "1-1 variable v", "2-2 function g()"}},
		{"macros", "TEST(Suite, Name) {\n}\nTEST_CASE(\"text\") {\n  int x;\n}\nclass Q { Q_OBJECT\n public slots:\n  void on();\n};\nvoid f() EXCLUSIVE_LOCKS(mu) { }\nstruct alignas(8) A { };\nclass MACRO(x) B { };\nNAMESPACE_BEGIN\nusing S = int;\n",
			[]string{"1-2 function TEST(Suite,Name)", "6-9 class Q", "8-8 method Q.on()", "10-10 function f()", "11-11 struct A", "12-12 class B", "14-14 typeAlias S"}},
		{"variables", "std::string s(\"x\");\nint u{5}, w = f(1, 2);\nstd::map<int, int> m = {{1, 2}};\nconst Foo x(3);\nFoo<int> y;\n",
			[]string{"1-1 variable s", "2-2 variable u", "2-2 variable w", "3-3 variable m", "4-4 variable x", "5-5 variable y"}},
		{"no declarations", "using namespace std;\nusing std::string;\nnamespace fs = std::filesystem;\nclass Forward;\nenum class E : int;\nfriend class X;\nstatic_assert(sizeof(int) == 4, \"no\");\ntemplate class V<int>;\nextern template class V<long>;\n", nil},
		{"expressions and friends", "BENCH(x)->Range(1, 2);\nclass A { friend class b::C; friend D; };\nA::A() = default;\n", []string{"2-2 class A", "3-3 initializer A.A()"}},
		{"literals", "auto s = R\"x(\n} \" )\" )x\";\nint n = 1'000'000;\nvoid f() { char c = '\"'; auto r = LR\"({)\"; int m = 0x1'0; }\n",
			[]string{"1-2 variable s", "3-3 variable n", "4-4 function f()"}},
		{"local types", "void f() {\n  struct In : Base { void m() { } int x; };\n  using A = int;\n  switch (x) { case 1: using B = int; }\n  class Y y;\n}\n",
			[]string{"1-6 function f()", "2-2 struct f.In", "2-2 method f.In.m()", "2-2 property f.In.x", "3-3 typeAlias f.A", "4-4 typeAlias f.B"}},
	})
}
