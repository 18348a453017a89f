package treesitter_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

func TestScalaSnippets(t *testing.T) { checkSnippets(t, source.Scala, scalaSnippets) }

func TestScalaCutShort(t *testing.T) { checkCut(t, source.Scala, scalaSnippets) }

func FuzzScala(f *testing.F) { fuzzSnippets(f, source.Scala, scalaSnippets) }

var scalaSnippets = []snippet{{
	name: "packages and imports", src: `
package a.b
package c

import java.util.{List => JList, Map}
import scala.collection.mutable._, x.y

package object d {
  val one = 1
}
package e {
  class E
}
`, want: `
1-1 module a.b
2-2 module c
7-9 object d
8-8 property d.one
10-12 module e
11-11 class e.E
4 import java.util.{List => JList, Map}
5 import scala.collection.mutable._, x.y
`}, {
	name: "classes and their companions", src: `
/** A point. */
@deprecated("no", "1")
final case class Point(x: Int, var y: Int = 0) extends Base(x) with Ordered[Point] {
  def this(x: Int) = this(x, 0)
  private[this] lazy val sum: Int = x + y
  override def compare(that: Point): Int = {
    val local = 1
    local
  }
}
object Point extends (Int => Point) {
  def apply(x: Int) = new Point(x)
}
class Plain(a: Int, val b: String)
`, want: `
1-10 class Point
3-3 property Point.x
3-3 property Point.y
4-4 initializer Point.this(Int)
5-5 property Point.sum
6-9 method Point.compare(Point)
11-13 object Point
12-12 method Point.apply(Int)
14-14 class Plain
14-14 property Plain.b
`}, {
	name: "parameters in several lists", src: `
trait T[F[_]] { self: Other =>
  def fold[A, B](list: List[A])(zero: => B)(f: (B, A) => B)(implicit c: Ctx[A, B]): B
  def empty: Int
  def none(): Unit
  def many(xs: Int*)(using Ordering[Int]): Map[String, (Int, Int)] = ???
  def defaults(a: Int = f(1, 2), b: String = ","): Unit = ()
}
`, want: `
1-7 interface T
2-2 method T.fold(List[A])(=>B)((B,A)=>B)(Ctx[A,B])
3-3 method T.empty
4-4 method T.none()
5-5 method T.many(Int*)(Ordering[Int])
6-6 method T.defaults(Int,String)
`}, {
	name: "bodies with and without an equals sign", src: `
object O {
  def old(x: Int) { println(x) }
  def expr = 1 + 2
  def block = { 1 }
  def lines =
    1 +
      2

  // part of the next
  def matched(x: Int) = x match {
    case 1 => "{"
    case _ => "}"
  }
  def +(o: Int) = o
  def unary_! : Boolean = false
  def ` + "`type`" + ` = 1
}
`, want: `
1-17 object O
2-2 method O.old(Int)
3-3 method O.expr
4-4 method O.block
5-7 method O.lines
9-13 method O.matched(Int)
14-14 method O.+(Int)
15-15 method O.unary_!
16-16 method O.type
`}, {
	name: "functions bound to names", src: `
object F {
  val twice = (x: Int) => x * 2
  val typed: Int => Int = x => x + 1
  private val partial: PartialFunction[Int, Int] = {
    case 1 => 2
  }
  var block = { (x: Int) => x }
  val next =
    (x: Int) => x
  val none = List(1).map(x => x)
}
`, want: `
1-11 object F
2-2 lambda F.twice
3-3 lambda F.typed
4-6 lambda F.partial
7-7 lambda F.block
8-9 lambda F.next
10-10 property F.none
`}, {
	name: "several names at once", src: `
class P {
  val (a, b) = (1, 2)
  val c, d = 1
  var e: Int = _
  val f: Int
  val Some(g) = x
}
`, want: `
1-7 class P
2-2 property P.a
2-2 property P.b
3-3 property P.c
3-3 property P.d
4-4 property P.e
5-5 property P.f
`}, {
	name: "functions within functions", src: `
object N {
  def outer(x: Int) = {
    def inner(y: Int): Int = {
      def deep = 1
      deep
    }
    val f = (z: Int) => z
    class Local { def m = 1 }
    inner(x)
  }
  val made = new Runnable { def run() = () }
}
`, want: `
1-12 object N
2-10 method N.outer(Int)
3-6 function N.outer.inner(Int)
4-4 function N.outer.inner.deep
7-7 lambda N.outer.f
8-8 class N.outer.Local
8-8 method N.outer.Local.m
11-11 property N.made
11-11 function N.made.run()
`}, {
	name: "strings that compute", src: `
object S {
  def a = s"${x.map { y => s"{$y}" }} }"
  def b = """ { " def no = { """
  def c = raw"\{"
  def d = f"${1}%2d {"
  def e = '{'
  def f = 'symbol // } def no
  /* { /* nested } */ def no = */
  def g = '\''
}
class After
`, want: `
1-10 object S
2-2 method S.a
3-3 method S.b
4-4 method S.c
5-5 method S.d
6-6 method S.e
7-7 method S.f
9-9 method S.g
11-11 class After
`}, {
	name: "indentation, with marks of ends that are statements of their own", src: `
class A(x: Int):
  def one: Int =
    val y = 1
    y + x

  def two(z: Int): Int =
    if z > 1 then
      2
    else
      3
  end two

object B:
  def f = 1
end B

def top(args: String*): Unit = println("x")
`, want: `
1-11 class A
2-4 method A.one
6-10 method A.two(Int)
13-14 object B
14-14 method B.f
17-17 function top(String*)
`}, {
	name: "enums", src: `
enum Color(val rgb: Int):
  case Red extends Color(1)
  case Green extends Color(2)
  def hex = rgb

enum Tree[+T] {
  case Leaf, Empty
  case Node(left: Tree[T], right: Tree[T])
}
`, want: `
1-4 enum Color
1-1 property Color.rgb
2-2 enumCase Color.Red
3-3 enumCase Color.Green
4-4 method Color.hex
6-9 enum Tree
7-7 enumCase Tree.Leaf
7-7 enumCase Tree.Empty
8-8 enumCase Tree.Node
`}, {
	name: "givens and extensions", src: `
given intOrd: Ord[Int] with
  def compare(x: Int, y: Int) = x - y

given [T](using Ord[T]): Ord[List[T]] with
  def compare(x: List[T], y: List[T]) = 0

given ctx: Context = Context.default

extension (c: Circle)
  def area: Double = 1.0
  def twice = c

extension [T](xs: List[T])(using Ord[T]) def most = xs.max
`, want: `
1-2 object intOrd
2-2 method intOrd.compare(Int,Int)
4-5 object Ord[List[T]]
5-5 method Ord[List[T]].compare(List[T],List[T])
7-7 constant ctx
9-11 extension Circle
10-10 method Circle.area
11-11 method Circle.twice
13-13 extension List[T]
13-13 method List[T].most
`}, {
	name: "type aliases and matches on types", src: `
object Types {
  type Id = Int
  type F[A] <: Seq[A]
  opaque type Name = String
  type Elem[X] = X match
    case String => Char
    case Array[t] => t
  def refined(x: { def close(): Unit }): Unit = ()
}
`, want: `
1-9 object Types
2-2 typeAlias Types.Id
3-3 typeAlias Types.F
4-4 typeAlias Types.Name
5-7 typeAlias Types.Elem
8-8 method Types.refined({defclose():Unit})
8-8 function Types.refined.close()
`}, {
	name: "a body below a header of several lines", src: `
trait Big[A] extends Small
  with Other[A]
  with More[A]
{
  def m = "${"
  val v = 1
  def n = '}'
}
class Next
`, want: `
1-8 interface Big
5-5 method Big.m
6-6 property Big.v
7-7 method Big.n
9-9 class Next
`}, {
	name: "comprehensions and handlers", src: `
object C {
  def all = for {
    x <- xs
    y = { case class No(); x }
    if y > 1
  } yield y
  def tries = try { 1 } catch { case e: E => 2 } finally { done() }
  lazy val big =
    for (a <- b) yield {
      val hidden = 1
      a
    }
}
`, want: `
1-13 object C
2-6 method C.all
4-4 class C.all.No
7-7 method C.tries
8-12 property C.big
`}}
