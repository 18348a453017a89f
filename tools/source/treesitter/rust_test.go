package treesitter_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

func TestRustSnippets(t *testing.T) { checkSnippets(t, source.Rust, rustSnippets) }

func TestRustCutShort(t *testing.T) { checkCut(t, source.Rust, rustSnippets) }

func FuzzRust(f *testing.F) { fuzzSnippets(f, source.Rust, rustSnippets) }

var rustSnippets = []snippet{{
	name: "attributes and documentation", src: `
//! About the file.

/// A stack.
/// Of things.
#[derive(Debug, Clone)]
#[repr(C)]
pub struct Stack<T: Clone = u8>
where
    T: Copy,
{
    /// The items.
    #[serde(skip)]
    pub items: Vec<T>,
    n: usize,
}

#[cfg(test)]
// why
#[inline(always)]
pub(crate) fn r#type() {}
`, want: `
3-15 struct Stack
11-13 property Stack.items
14-14 property Stack.n
17-20 function r#type
`}, {
	name: "kinds of types", src: `
pub struct Unit;
struct Pair(pub i32, i32);
union Bits { i: u32, f: f32 }
pub enum Shape {
    Circle(f64),
    #[default]
    Square { side: f64 },
    None = 3,
}
type Alias<T> = Vec<T>;
pub unsafe trait Area: Sized + Send {
    const N: usize = 1;
    type Out;
    fn area(&self) -> f64;
    fn twice(&self) -> f64 { self.area() * 2.0 }
}
`, want: `
1-1 struct Unit
2-2 struct Pair
3-3 struct Bits
3-3 property Bits.i
3-3 property Bits.f
4-9 enum Shape
5-5 enumCase Shape.Circle
6-7 enumCase Shape.Square
7-7 property Shape.Square.side
8-8 enumCase Shape.None
10-10 typeAlias Alias
11-16 interface Area
12-12 property Area.N
13-13 typeAlias Area.Out
14-14 method Area.area
15-15 method Area.twice
`}, {
	name: "impl blocks", src: `
impl<T> Area for Stack<T>
where
    T: Copy,
{
    type Out = T;
    const N: usize = 2;
    #[inline]
    fn area(&self) -> f64 { 1.0 }
}
impl<T: Copy> a::b::Stack<T> {
    pub const fn new() -> Self { Self {} }
    pub async unsafe fn go<'a>(&'a mut self) {}
}
impl<'a> Read for &'a mut dyn Foo { fn read(self) {} }
impl<T> Foo for [T] { fn foo(&self) {} }
impl<A, B> Foo for (A, B) { fn foo(&self) {} }
unsafe impl Send for Stack<u8> {}
`, want: `
1-9 extension Stack
5-5 typeAlias Stack.Out
6-6 property Stack.N
7-8 method Stack.area
10-13 extension Stack
11-11 method Stack.new
12-12 method Stack.go
14-14 extension Foo
14-14 method Foo.read
15-15 extension [T]
15-15 method [T].foo
16-16 extension (A, B)
16-16 method (A, B).foo
17-17 extension Stack
`}, {
	name: "modules", src: `
use std::{fmt, io::{self, Read}};
use crate::a::b;
extern crate alloc;
mod outer;
pub mod inner {
    //! About the module.
    pub static mut COUNT: usize = 0;
    const fn f() {}
    mod deep { fn g() {} }
}
extern "C" {
    fn c_fn(x: i32) -> i32;
    static c_var: i32;
}
pub extern "C" fn exported() {}
const X: i32 = 1;
`, want: `
5-10 module inner
7-7 variable inner.COUNT
8-8 function inner.f
9-9 module inner.deep
9-9 function inner.deep.g
12-12 function c_fn
13-13 variable c_var
15-15 function exported
16-16 constant X
1 import std::{fmt, io::{self, Read}}
2 import crate::a::b
3 import alloc
4 import outer
`}, {
	name: "within functions", src: `
fn main() {
    let add = |a, b| a + b;
    let mut mv = move |x: i32| -> i32 {
        x
    };
    let n = 1;
    fn local() {}
    struct L { x: i32 }
    impl L { fn m(&self) {} }
    run(|| ());
    const LC: i32 = 2;
}
`, want: `
1-12 function main
2-2 lambda main.add
3-5 lambda main.mv
7-7 function main.local
8-8 struct main.L
8-8 property main.L.x
9-9 extension main.L
9-9 method L.m
`}, {
	name: "macros", src: `
#[macro_export]
macro_rules! mac {
    ($x:expr) => { fn not_one() {} };
}
mac! { fn neither() {} }
/** In a block. */
fn after() { println!("{}", "fn no() {"); let c = '{'; let s = r#"fn no() { ""#; let l: &'static str = "}"; }
`, want: `
1-4 macro mac
6-7 function after
`}}
