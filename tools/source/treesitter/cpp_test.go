package treesitter_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

func TestCPPSnippets(t *testing.T) { checkSnippets(t, source.CPP, cppSnippets) }

func TestCPPCutShort(t *testing.T) { checkCut(t, source.CPP, cppSnippets) }

func FuzzCPP(f *testing.F) { fuzzSnippets(f, source.CPP, cppSnippets) }

var cppSnippets = []snippet{{
	name: "a class", src: `
#include <vector>
namespace a::b {
/// A stack.
template <typename T>
class Stack final : public Base<T> {
 public:
  Stack() : items_{}, n_(0) {}
  explicit Stack(std::initializer_list<T> xs);
  template <class U> Stack(U u) {}
  ~Stack() noexcept override = default;
  Stack &operator=(const Stack &) = delete;
  operator bool() const { return n_ > 0; }
  T operator[](int i) const { return items_[i]; }
  [[nodiscard]] T pop() { return T(); }
  static int count;
  void (*callback)(int);
  enum class Mode : int { kOne = 1, kTwo };
  using value_type = T;
  friend bool operator==(const Stack &x, const Stack &y) { return true; }
  virtual void push(const T &x, int n = 3) = 0;
  template <class U> U as(U &&u) { return u; }
  struct Node { Node *next; } *head;
};
}
`, want: `
2-24 module a.b
3-23 class a.b.Stack
7-7 initializer a.b.Stack.Stack()
8-8 initializer a.b.Stack.Stack(std::initializer_list<T>)
9-9 initializer a.b.Stack.Stack(U)
10-10 deinitializer a.b.Stack.~Stack()
11-11 operator a.b.Stack.operator=(Stack&)
12-12 operator a.b.Stack.operator bool()
13-13 operator a.b.Stack.operator[](int)
14-14 method a.b.Stack.pop()
15-15 property a.b.Stack.count
16-16 property a.b.Stack.callback
17-17 enum a.b.Stack.Mode
17-17 enumCase a.b.Stack.Mode.kOne
17-17 enumCase a.b.Stack.Mode.kTwo
18-18 typeAlias a.b.Stack.value_type
19-19 operator a.b.Stack.operator==(Stack&,Stack&)
20-20 method a.b.Stack.push(T&,int)
21-21 method a.b.Stack.as(U&&)
22-22 struct a.b.Stack.Node
22-22 property a.b.Stack.Node.next
22-22 property a.b.Stack.head
1 import vector
`}, {
	name: "a macro in a class's head", src: `
class EXPORT A {
 public:
  void m();
};
struct EXPORT B { int x; };
`, want: `
1-4 class A
3-3 method A.m()
5-5 struct B
5-5 property B.x
`}, {
	name: "out of class", src: `
template <typename T, typename A>
Stack<T, A>::Stack(std::initializer_list<T> xs) : n_(xs.size()) { }
template <> void Stack<int>::push(const int &x, int n) {}
bool a::b::T::operator()(int x) { return x; }
a::b::T::operator int() const { return 1; }
a::T::~T() {}
int *a::T::f() { return 0; }
int a::T::count = 0;
auto g() -> decltype(h()) { return h(); }
`, want: `
1-2 initializer Stack.Stack(std::initializer_list<T>)
3-3 method Stack.push(int&,int)
4-4 operator a.b.T.operator()(int)
5-5 operator a.b.T.operator int()
6-6 deinitializer a.T.~T()
7-7 method a.T.f()
8-8 variable a.T.count
9-9 function g()
`}, {
	name: "lambdas and local types", src: `
auto twice = [](int x) { return 2 * x; };
void f() {
  struct In { void m() {} };
  auto add = [&](int a) -> int { return a; };
  using L = int;
  int v = 1;
  run([] { });
  later = [] { };
}
`, want: `
1-1 lambda twice(int)
2-9 function f()
3-3 struct f.In
3-3 method f.In.m()
4-4 lambda f.add(int)
5-5 typeAlias f.L
8-8 lambda f.later
`}, {
	name: "other declarations", src: `
template <typename T> concept Small = sizeof(T) < 4;
template <class T> using Vec = std::vector<T>;
extern "C" { void c_fn(int); int c_var; }
typedef struct { int x; } Point;
inline namespace v1 { namespace { int hidden; } }
union U { int i; float f; };
int g1 = 1, g2[] = {1, 2};
class Forward;
using namespace std;
#define TWICE(x) (2 * (x))
`, want: `
1-1 interface Small
2-2 typeAlias Vec
3-3 function c_fn(int)
3-3 variable c_var
4-4 struct Point
4-4 property Point.x
5-5 module v1
5-5 variable v1.hidden
6-6 struct U
6-6 property U.i
6-6 property U.f
7-7 variable g1
7-7 variable g2
10-10 macro TWICE
`}}
