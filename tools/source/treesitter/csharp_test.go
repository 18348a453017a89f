package treesitter_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

func TestCSharpSnippets(t *testing.T) { checkSnippets(t, source.CSharp, csharpSnippets) }

func TestCSharpCutShort(t *testing.T) { checkCut(t, source.CSharp, csharpSnippets) }

func FuzzCSharp(f *testing.F) { fuzzSnippets(f, source.CSharp, csharpSnippets) }

var csharpSnippets = []snippet{{
	name: "a namespace for the whole file", src: `
using System;
using static System.Math;
using Text = System.Text;
global using X.Y;
namespace App.Core;

class A { }
`, want: `
5-5 module App.Core
7-7 class A
1 import System
2 import System.Math
3 import System.Text
4 import X.Y
`}, {
	name: "namespaces in brackets", src: `
namespace A.B {
    namespace C {
        enum E { One, Two = 2 }
    }
    delegate void Done<T>(T value, int n);
}
`, want: `
1-6 module A.B
2-4 module A.B.C
3-3 enum A.B.C.E
3-3 enumCase A.B.C.E.One
3-3 enumCase A.B.C.E.Two
5-5 typeAlias A.B.Done(T,int)
`}, {
	name: "constructors and finalizers", src: `
/// <summary>Holds.</summary>
[Serializable]
public sealed class Holder<T> : Base, IDisposable where T : class, new()
{
    static Holder() { }
    // Makes one.
    public Holder(T item, params string[] rest) : base(item)
    {
    }
    private Holder() => item = null;
    ~Holder() { }
}
`, want: `
1-12 class Holder
5-5 initializer Holder.Holder()
6-9 initializer Holder.Holder(T,string[])
10-10 initializer Holder.Holder()
11-11 deinitializer Holder.~Holder
`}, {
	name: "operators", src: `
struct V {
    public static V operator +(V a, V b) => a;
    public static bool operator true(V a) { return true; }
    public static explicit operator int(V a) => 1;
    public static implicit operator V(List<int> a) => default;
    public int this[int i, string j] { get => i; set { } }
    int this[Index i] => 0;
}
`, want: `
1-8 struct V
2-2 operator V.operator+(V,V)
3-3 operator V.operator true(V)
4-4 operator V.operator int(V)
5-5 operator V.operator V(List<int>)
6-6 subscript V.this(int,string)
6-6 accessor V.this.get
6-6 accessor V.this.set
7-7 subscript V.this(Index)
`}, {
	name: "properties and events", src: `
class P {
    public int A { get; private set; } = 1;
    public int B => a * 2;
    public string C {
        get { return c; }
        [Obsolete]
        protected set => c = value;
    }
    public int D { get => 1; init { } }
    public event EventHandler E, F;
    public event EventHandler G { add { } remove { } }
}
`, want: `
1-12 class P
2-2 property P.A
3-3 property P.B
4-8 property P.C
5-5 accessor P.C.get
6-7 accessor P.C.set
9-9 property P.D
9-9 accessor P.D.get
9-9 accessor P.D.init
10-10 property P.E
10-10 property P.F
11-11 property P.G
11-11 accessor P.G.add
11-11 accessor P.G.remove
`}, {
	name: "fields, constants and functions bound to them", src: `
class F {
    const int A = 1, B = 2;
    private readonly Dictionary<string, List<int>> map = new();
    static readonly Func<int, int> Twice = x => x * 2;
    Action<int> log = delegate (int x) {
        Console.WriteLine(x);
    }, quiet = _ => { };
    fixed byte buffer[10];
}
`, want: `
1-9 class F
2-2 property F.A
2-2 property F.B
3-3 property F.map
4-4 lambda F.Twice
5-7 lambda F.log
7-7 lambda F.quiet
8-8 property F.buffer
`}, {
	name: "functions within functions", src: `
class L {
    async Task<int> Run(CancellationToken token = default) {
        int local = 1;
        static int Inner<T>(ref T x, out int y) where T : struct {
            y = 1;
            return 1;
        }
        [A] int Short() => local;
        Func<int> bound = () => {
            void Deep() { }
            return 1;
        };
        list.ForEach(x => { });
        return await Inner(ref a, out var b);
    }
}
`, want: `
1-16 class L
2-15 method L.Run(CancellationToken)
4-7 function L.Run.Inner(T,int)
8-8 function L.Run.Short()
9-12 lambda L.Run.bound
10-10 function L.Run.bound.Deep()
`}, {
	name: "interfaces and their implementation by name", src: `
public partial interface IThing<in T> : IDisposable {
    int Count { get; }
    void Do(T x);
    void Default() { }
    static abstract int Make();
    event Action Done;
}
class Thing : IThing<int> {
    void IThing<int>.Do(int x) { }
    int IThing<int>.Count => 1;
    event Action IThing<int>.Done { add { } remove { } }
}
`, want: `
1-7 interface IThing
2-2 property IThing.Count
3-3 method IThing.Do(T)
4-4 method IThing.Default()
5-5 method IThing.Make()
6-6 property IThing.Done
8-12 class Thing
9-9 method Thing.Do(int)
10-10 property Thing.Count
11-11 property Thing.Done
11-11 accessor Thing.Done.add
11-11 accessor Thing.Done.remove
`}, {
	name: "records and primary constructors", src: `
public record Person(string First, string Last);
public readonly record struct Point(int X, int Y) {
    public int Sum() => X + Y;
}
record class Node : Base {
}
public class Service(ILogger log) : Base(log) {
    public void Run() => log.Info("run");
}
`, want: `
1-1 class Person
2-4 struct Point
3-3 method Point.Sum()
5-6 class Node
7-9 class Service
8-8 method Service.Run()
`}, {
	name: "branches of the preprocessor", src: `
#define X
namespace N {
#if NET6_0
    using A;
    class New { void M() { } }
#elif OTHER
    class Other { }
#else
    class Old { }
#endif
    #region Things
    class Last {
#if X
        [A]
#endif
        void M() {
#if DEBUG
            Log();
#else
            Quiet();
#endif
        }
    }
    #endregion
}
`, want: `
2-25 module N
5-5 class N.New
5-5 method N.New.M()
7-7 class N.Other
9-9 class N.Old
12-23 class N.Last
14-22 method N.Last.M()
4 import A
`}, {
	name: "brackets in strings", src: `
class S {
    string A() => @"{ "" class No { ";
    string B() => $"{{ {x switch { 1 => "}", _ => $"{y}" }} }}";
    string C() { return """
        { "no" class No {
        """; }
    string D() { return $$"""{ {{x}} "" }"""; }
    char E() => '{';
    char F() => '\'';
    // class No { /* {
}
class T { }
`, want: `
1-11 class S
2-2 method S.A()
3-3 method S.B()
4-6 method S.C()
7-7 method S.D()
8-8 method S.E()
9-9 method S.F()
12-12 class T
`}, {
	name: "statements of a program", src: `
using System;
var name = args[0];
int Twice(int x) => x * 2;
Func<int> f = () => 1;
Console.WriteLine(Twice(2));
if (name == "") { void Inner() { } }
class Helper { static void Help() { } }
`, want: `
2-2 variable name
3-3 function Twice(int)
4-4 lambda f
6-6 function Inner()
7-7 class Helper
7-7 method Helper.Help()
1 import System
`}, {
	name: "types of parameters", src: `
static class X {
    static void A(this string s, ref readonly int a, in Dictionary<string, int[]> b, (int x, string y) c) { }
    static void B([In] int? a, int[,] b, Func<int, (string, int)> c = null, params object[] rest) { }
    unsafe static void C(int* p, delegate*<int, void> f, global::System.String g) { }
    [return: A] static extern int D(scoped Span<int> s);
}
`, want: `
1-6 class X
2-2 method X.A(string,int,Dictionary<string,int[]>,(intx,stringy))
3-3 method X.B(int?,int[,],Func<int,(string,int)>,object[])
4-4 method X.C(int*,delegate*<int,void>,global::System.String)
5-5 method X.D(Span<int>)
`}}
