package treesitter_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

// Each language that is defined by this package has a text with all of its declarations. Descriptions of chunks are those of
// checkSnippets.
func TestParse_AddedLanguages(t *testing.T) {
	for _, s := range addedSnippets() {
		lang, _, _ := strings.Cut(s.name, ",")
		checkSnippets(t, source.Language(lang), []snippet{s})
	}
}

func TestParse_AddedLanguagesCutShort(t *testing.T) {
	for _, s := range addedSnippets() {
		lang, _, _ := strings.Cut(s.name, ",")
		checkCut(t, source.Language(lang), []snippet{s})
	}
}

// addedSnippets returns texts whose names begin with the language.
func addedSnippets() []snippet {
	return []snippet{{
		name: "css, a.css", src: `
@import "x.css";
:root { --main: red; }
/* Button. */
.btn, .btn:hover > a { color: var(--main); }
@media (max-width: 3px) { .btn { color: blue } #id { x: y } }
@keyframes spin { from { a: b } to { c: d } }
@font-face { font-family: X; }
@layer base { h1 { a: b } }
`, want: `
2-2 class :root
2-2 property :root.--main
3-4 class .btn, .btn:hover > a
5-5 object @media (max-width: 3px)
5-5 class @media (max-width: 3px)..btn
5-5 class @media (max-width: 3px).#id
6-6 object @keyframes spin
7-7 object @font-face
8-8 object @layer base
8-8 class @layer base.h1
1 import x.css
`,
	}, {
		name: "dart, a.dart", src: `
import 'dart:io';
import 'package:foo/foo.dart' as foo;
part 'a.g.dart';
/// A class.
@immutable
abstract class Stack<T> extends Base with Mix implements Sized {
  final List<T> items;
  static const int max = 3;
  Stack(this.items);
  Stack.named(int a) : items = [] { run(); }
  factory Stack.make() => Stack([]);
  /// Push.
  @override
  void push(T x) { items.add(x); helper(1); }
  int get size => items.length;
  set size(int v) { }
  bool operator ==(Object o) => true;
  Future<void> go() async { await x(); }
  void abs();
  external int ext();
}
mixin Mix on Base { void m() {} }
extension Ext on String { int get twice => length * 2; }
enum Color { red, blue; int f() => 1; }
typedef Fn = void Function(int);
const k = 3;
final int v = 1;
void main(List<String> args) { var f = (int x) => x; print(f(1)); }
int get top => 1;
int short(int a) => a;
`, want: `
4-21 class Stack
7-7 property Stack.items
8-8 property Stack.max
9-9 initializer Stack.Stack
10-10 initializer Stack.Stack.named
11-11 initializer Stack.Stack.make
12-14 method Stack.push
15-15 accessor Stack.size
16-16 accessor Stack.size
17-17 operator Stack.==
18-18 method Stack.go
19-19 method Stack.abs
20-20 method Stack.ext
22-22 class Mix
22-22 method Mix.m
23-23 extension Ext
23-23 accessor Ext.twice
24-24 enum Color
24-24 enumCase Color.red
24-24 enumCase Color.blue
25-25 typeAlias Fn
26-26 constant k
27-27 constant v
28-28 function main
28-28 lambda main.f
29-29 accessor top
30-30 function short
1 import dart:io
2 import package:foo/foo.dart
3 import a.g.dart
`,
	}, {
		name: "dart, d.dart", src: `
enum Color {
  red, blue;
  int f() => 1;
}
sealed class S {}
abstract interface class T { void m(); }
final class U extends S {
  const U(this.x);
  final int x;
  late final String y = "a";
  static int n = 1, m = 2;
  U operator +(U o) => o;
}
`, want: `
1-4 enum Color
2-2 enumCase Color.red
2-2 enumCase Color.blue
5-5 class S
6-6 class T
6-6 method T.m
7-13 class U
8-8 initializer U.U
9-9 property U.x
10-10 property U.y
11-11 property U.n
11-11 property U.m
12-12 operator U.+
`,
	}, {
		name: "elixir, a.ex", src: `
defmodule Stack.Core do
  @moduledoc """
  About.
  """
  use GenServer
  import Enum, only: [map: 2]
  alias Foo.Bar
  require Logger
  @limit 3
  defstruct items: [], n: 0
  @doc "Push."
  @spec push(t, any) :: t
  def push(%Stack{} = s, x) when is_list(x) do
    helper(x)
    Logger.info("x")
  end
  defp helper(x), do: x
  defmacro mac(a) do
    quote do: unquote(a)
  end
  def size, do: 1
  defmodule Inner do
    def f(), do: 1
  end
end
defprotocol Sized do
  def size(x)
end
defimpl Sized, for: Stack do
  def size(x), do: 1
end
test "something" do
  assert 1
end
defmodule Ops do
  defmacro left &&& right do
    left == right
  end
  def -x when is_integer(x), do: x
  def a <> b when a > b, do: a
  def unquote(name)(x) when x, do: x
end
`, want: `
1-25 module Stack.Core
9-9 constant Stack.Core.limit
11-16 function Stack.Core.push
17-17 function Stack.Core.helper
18-20 macro Stack.Core.mac
21-21 function Stack.Core.size
22-24 module Stack.Core.Inner
23-23 function Stack.Core.Inner.f
26-28 interface Sized
27-27 method Sized.size
29-31 extension Sized
30-30 method Sized.size
32-34 function something
35-42 module Ops
36-38 macro Ops.&&&
39-39 function Ops.-
40-40 function Ops.<>
5 import GenServer
6 import Enum
7 import Foo.Bar
8 import Logger
`,
	}, {
		name: "haskell, a.hs", src: `
{-# LANGUAGE X #-}
module Data.Stack (push, Stack(..)) where
import qualified Data.Map as M
import Data.List (sort)
-- | A stack.
data Stack a = Empty | Node { top :: a, rest :: Stack a } deriving (Show)
newtype Id = Id { unId :: Int }
type Name = String
class Sized a where
  size :: a -> Int
  size _ = 0
instance Sized (Stack a) where
  size Empty = 0
  size (Node _ r) = 1 + size r
-- | Push.
push :: a -> Stack a -> Stack a
push x s = Node x s
  where helper y = y
f 0 = 1
f n | n > 0 = n
    | otherwise = f (n - 1)
x <+> y = x + y
main :: IO ()
main = do
  let z = 1
  print z
pi' = 3
`, want: `
2-2 module Data.Stack
5-6 enum Stack
6-6 enumCase Stack.Empty
6-6 enumCase Stack.Node
6-6 property Stack.Node.top
6-6 property Stack.Node.rest
7-7 struct Id
7-7 property Id.unId
8-8 typeAlias Name
9-11 interface Sized
10-11 method Sized.size
12-14 extension Sized (Stack a)
13-14 method Sized (Stack a).size
15-18 function push
18-18 function push.helper
19-21 function f
22-22 operator <+>
23-26 function main
27-27 function pi'
3 import Data.Map
4 import Data.List
`,
	}, {
		name: "html, a.html", src: `
<!DOCTYPE html>
<html><head><title>T</title><script src="a.js"></script>
<script>function f() {}</script><style>.a { color: red }</style></head>
<body><h1 id="top">Title</h1>
<section id="intro" class="x"><p>Text</p><h2>Sub</h2></section>
<form id='f1'><input name="q"></form>
<my-element></my-element>
</body></html>
`, want: `
2-2 object script
3-3 object script
3-3 object style
4-4 object Title
5-5 object section#intro
5-5 object section#intro.Sub
6-6 object form#f1
`,
	}, {
		name: "json, a.json", src: `
{"name": "x", "scripts": {"build": "tsc", "deep": {"a": 1}}, "list": [1, {"k": 2}]}
`, want: `
1-1 property name
1-1 object scripts
1-1 property scripts.build
1-1 object scripts.deep
1-1 property list
`,
	}, {
		name: "julia, a.jl", src: `
module Foo
using LinearAlgebra
import Base: show
export push
"""
Doc of push.
"""
function push(x::Int, y; z=1)
    helper(x)
    return x
end
abstract type Shape end
struct Point{T} <: Shape
    x::T
    y::T
    Point(x) = new(x, x)
end
mutable struct M
    a::Int
end
f(x) = x + 1
const K = 3
g = x -> x
macro mac(e)
    e
end
@inline function h(x) x end
function Base.show(io::IO, p::Point) print(io, p) end
primitive type B 8 end
end
`, want: `
1-30 module Foo
5-11 function Foo.push
12-12 interface Foo.Shape
13-17 struct Foo.Point
14-14 property Foo.Point.x
15-15 property Foo.Point.y
16-16 method Foo.Point.Point
18-20 struct Foo.M
19-19 property Foo.M.a
21-21 function Foo.f
22-22 constant Foo.K
23-23 lambda Foo.g
24-26 macro Foo.mac
27-27 function Foo.h
28-28 function Foo.show
29-29 struct Foo.B
2 import LinearAlgebra
3 import Base
`,
	}, {
		name: "lua, a.lua", src: `
local M = {}
local json = require("json")
--- Push.
-- more
function M.push(x) return json.encode(x) end
function M:pop() self:push(1) end
local function g(a) return a end
M.h = function(a) return a end
local k = function() end
local N = 3
Top = 4
return { run = function() end, [1] = 2, x = 3 }
`, want: `
1-1 variable M
2-2 variable json
3-5 function M.push
6-6 method M.pop
7-7 function g
8-8 function M.h
9-9 lambda k
10-10 variable N
11-11 variable Top
12-12 function run
2 import json
`,
	}, {
		name: "markdown, a.md", src: `
---
title: x
---
# Title

Text

## One
Text ` + "`" + `x` + "`" + `

` + "`" + `` + "`" + `` + "`" + `sh
# not a heading
` + "`" + `` + "`" + `` + "`" + `
### Deep
a
## Two
b

Setext
======
c
`, want: `
4-21 object Title
8-15 object Title.One
14-15 object Title.One.Deep
16-21 object Title.Two
`,
	}, {
		name: "objectivec, a.mm", src: `
#include <mutex>
using namespace facebook::react;
namespace facebook::react {
static int count(std::mutex *m) { return std::max(1, 2); }
}
namespace {
static void local(void) { }
}
@interface Adapter () <
    First
#if !TARGET_OS_TV
    ,
    Second
#endif
    >
@end
@implementation Adapter {
  std::mutex _mutex;
}
- (std::mutex *)lock:(facebook::react::Tag)tag {
  std::mutex *m = ::global;
  return m;
}
- (void)last { facebook::react::run(); }
@end
`, want: `
4-4 function count
7-7 function local
9-16 class Adapter
17-25 extension Adapter
20-23 method Adapter.lock:
24-24 method Adapter.last
1 import mutex
`,
	}, {
		name: "objectivec, macros.mm", src: `
RCT_EXTERN UIImage *blur(UIImage *image);
namespace react = facebook::react;
constexpr NSInteger LIMIT = -1;
struct Box { float error{0.f}; };
@implementation Convert
NUMBER_CONVERTER(int, intValue)
ENUM_CONVERTER(
    Transform,
    (@{ @"none" : @(1), @"a(" : @(2) }),
    integerValue)
NOT_IMPLEMENTED(-(instancetype)initWithFrame : (CGRect)frame)
#ifndef WITHOUT_BRIDGE
- (void)setBridge:(Bridge *)bridge
{
  _bridge = bridge;
}
#endif
+ (Strategy)strategy:(id)json CONVERTER_DYNAMIC
{
  return 1;
}
- (NSDictionary *)dictionaryFor:
    (JS::Manager::Notification &)notification
{
  for (const auto &item : list) { use(item); }
  run([self, &item](const Props &props) mutable -> int { return [self size]; }, a & b, &item);
  return @{};
}
#if A
- (void)split:(int)a {
#else
- (void)split {
#endif
  #if B
  if (a) {
  #else
  if (b) {
  #endif
    run();
  }
}
RCT_EXPORT_METHOD(open:(NSString *)path at:(int)line)
{
  run();
}
RCT_EXTERN_METHOD(close:(BOOL)now)
RCT_CUSTOM_VIEW_PROPERTY(color, UIColor, View)
{
  [view set];
}
- (void)URL_FOR:(id)x { }
- (BOOL)state
{
  static const auto props = std::make_shared<const react::Props>();
  auto state = react::State{RCTSize(self.bounds.size), {0, 1}};
  return static_cast<View *>(_view).ready && 1 < 2;
}
@end
@interface RCT_EXTERN_MODULE(Player, NSObject)
RCT_EXTERN_METHOD(play:(BOOL)now at:(int)time)
@end
`, want: `
1-1 function blur
3-3 constant LIMIT
4-4 struct Box
5-58 extension Convert
13-16 method Convert.setBridge:
18-21 method Convert.strategy:
22-28 method Convert.dictionaryFor:
30-41 method Convert.split:
42-45 method Convert.open:at:
47-50 method Convert.color
51-51 method Convert.URL_FOR:
52-57 method Convert.state
59-61 class Player
60-60 method Player.play:at:
`,
	}, {
		name: "objectivec, a.m", src: `
#import <Foundation/Foundation.h>
#import "Foo.h"
@import UIKit;
@class Bar;
NS_ASSUME_NONNULL_BEGIN
/// A stack.
@interface Stack : NSObject <Sized> {
  int n;
}
@property (nonatomic, strong) NSArray<NSString *> *items;
/// Push.
- (void)push:(id)x at:(int)i;
+ (instancetype)make;
@end
@interface Stack (Extra)
- (void)extra;
@end
@protocol Sized <NSObject>
@optional
- (int)size;
@end
NS_ASSUME_NONNULL_END
@implementation Stack
@synthesize items = _items;
- (void)push:(id)x at:(int)i {
  [self.items addObject:x];
  helper(3);
}
RCT_EXPORT_MODULE()
RCT_EXPORT_METHOD(foo:(NSString *)name with:(int)x) { bar(); }
+ (instancetype)make { return [[self alloc] init]; }
@end
@implementation Stack (Extra)
- (void)extra {}
@end
static void helper(int a) { }
typedef NS_ENUM(NSInteger, Color) { ColorRed, ColorBlue };
typedef struct { int x; } Point;
static const int k = 3;

`, want: `
6-14 class Stack
10-10 property Stack.items
11-12 method Stack.push:at:
13-13 method Stack.make
15-17 extension Stack
16-16 method Stack.extra
18-21 interface Sized
20-20 method Sized.size
23-32 extension Stack
25-28 method Stack.push:at:
30-30 method Stack.foo:with:
31-31 method Stack.make
33-35 extension Stack
34-34 method Stack.extra
36-36 function helper
37-37 enum Color
37-37 enumCase Color.ColorRed
37-37 enumCase Color.ColorBlue
38-38 typeAlias Point
39-39 constant k
1 import Foundation/Foundation.h
2 import Foo.h
3 import UIKit
`,
	}, {
		name: "ocaml, a.ml", src: `
open List
(** A stack. *)
type 'a t = { items : 'a list; n : int }
type shape = Circle of float | Square
and other = int
exception Bad of string
module Inner = struct
  let f x = x
  type t = int
end
module type S = sig
  val size : int -> int
  type t
end
module F (X : S) = struct let g = X.size end
(** Push. *)
let push x s = helper x; { s with items = x :: s.items }
let rec even n = n = 0 || odd (n - 1)
and odd n = even (n - 1)
let k = 3
let () = print_endline "x"
class point x = object (self)
  val mutable y = x
  method get = y
  method set v = y <- v
end
external ext : int -> int = "c_ext"
let anon = fun x -> x
let (+++) a b = a + b
`, want: `
2-3 struct t
3-3 property t.items
3-3 property t.n
4-4 enum shape
4-4 enumCase shape.Circle
4-4 enumCase shape.Square
5-5 typeAlias other
6-6 struct Bad
7-10 module Inner
8-8 function Inner.f
9-9 typeAlias Inner.t
11-14 interface S
12-12 method S.size
13-13 typeAlias S.t
15-15 module F
15-15 constant F.g
16-17 function push
18-18 function even
19-19 function odd
20-20 constant k
22-26 class point
23-23 property point.y
24-24 method point.get
25-25 method point.set
27-27 function ext
28-28 function anon
29-29 operator (+++)
1 import List
`,
	}, {
		name: "ocaml-interface, b.mli", src: `
open Base
(** A stack. *)
type 'a t
type shape = Circle of float | Square
exception Bad of string
(** Push. *)
val push : 'a -> 'a t -> 'a t
module type S = sig
  val size : int
end
external ext : int -> int = "c"
`, want: `
2-3 typeAlias t
4-4 enum shape
4-4 enumCase shape.Circle
4-4 enumCase shape.Square
5-5 struct Bad
6-7 function push
8-10 interface S
9-9 method S.size
11-11 function ext
1 import Base
`,
	}, {
		name: "perl, a.pl", src: `
package Foo::Bar;
use strict;
use List::Util qw(sum);
require Other;
our $VERSION = '1.0';
my %cfg = (a => 1);
use constant PI => 3;
=head1 NAME

Doc

=cut
# Push.
sub push_it {
    my ($self, $x) = @_;
    helper($x);
    $self->other(1);
    return 1;
}
sub other($a) { }
package Inner { sub m { 1 } }
my $f = sub { 1 };
sub text {
    my $s = shift; local $" = ",";
    $s =~ s/^@/\$/;
    return "$s->" if $s =~ /(?:^[~!@#%&]|^-+$)/;
}
sub after { 1 }
1;
__END__
sub no { }
`, want: `
1-1 module Foo::Bar
5-5 variable VERSION
6-6 variable cfg
7-7 constant PI
8-19 function push_it
20-20 function other
21-21 module Inner
21-21 function Inner.m
22-22 lambda f
23-27 function text
28-28 function after
2 import strict
3 import List::Util
4 import Other
7 import constant
`,
	}, {
		name: "shell, a.sh", src: `
#!/bin/bash
set -e
source ./lib.sh
. other.sh
# Prints.
hello() {
  local a=1
  echo "hi $1"
  other
}
function other { for i in 1 2; do hello; done; }
NAME=value
export PATH_X="a"
readonly K=3
alias ll='ls -l'
cat <<EOF
no() { }
EOF
main "$@"
`, want: `
5-10 function hello
11-11 function other
12-12 variable NAME
13-13 variable PATH_X
14-14 constant K
3 import ./lib.sh
4 import other.sh
`,
	}, {
		name: "sql, a.sql", src: `
-- A table.
CREATE TABLE IF NOT EXISTS app.users (
  id SERIAL PRIMARY KEY,
  name TEXT NOT NULL DEFAULT 'x',
  CONSTRAINT u UNIQUE (name)
);
create view v as select * from users;
CREATE MATERIALIZED VIEW mv AS SELECT 1;
CREATE UNIQUE INDEX idx ON users (name);
CREATE OR REPLACE FUNCTION add(a int, b int) RETURNS int AS $$
BEGIN
  RETURN a + b;
END;
$$ LANGUAGE plpgsql;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TRIGGER t BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION add();
ALTER TABLE users ADD COLUMN z int;
INSERT INTO users VALUES (1, 'a');
SELECT * FROM users;
CREATE PROCEDURE p() LANGUAGE SQL AS $$ select 1 $$;
CREATE SCHEMA s;
CREATE SEQUENCE sq;
`, want: `
1-6 struct users
3-3 property users.id
4-4 property users.name
7-7 struct v
8-8 struct mv
9-9 object idx
10-14 function add
15-15 typeAlias mood
16-16 function t
20-20 function p
21-21 module s
22-22 object sq
4 problem the syntax is wrong at: ,…
`,
	}, {
		name: "sql, b.sql", src: `
create table t (a int primary key, b int references t(a), foreign key (b) references t (a));
`, want: `
1-1 struct t
1-1 property t.a
1-1 property t.b
`,
	}, {
		name: "terraform, a.tf", src: `
terraform { required_version = "1" }
variable "region" {
  type = string
}
# The bucket.
resource "aws_s3_bucket" "b" {
  bucket = var.region
  lifecycle { prevent_destroy = true }
}
module "vpc" { source = "./vpc" }
locals {
  x = 1
}
output "o" { value = 1 }
key = "v"
`, want: `
1-1 object terraform
1-1 property terraform.required_version
2-4 object var.region
3-3 property var.region.type
5-9 object aws_s3_bucket.b
7-7 property aws_s3_bucket.b.bucket
8-8 object aws_s3_bucket.b.lifecycle
10-10 object module.vpc
10-10 property module.vpc.source
11-13 object locals
12-12 property locals.x
14-14 object output.o
14-14 property output.o.value
15-15 variable key
`,
	}, {
		name: "toml, a.toml", src: `
title = "x"
[package]
name = "a"
version = "1"
[dependencies.foo]
path = "x"
[[bin]]
name = "b"
`, want: `
1-1 property title
2-4 object package
3-3 property package.name
4-4 property package.version
5-6 object dependencies.foo
6-6 property dependencies.foo.path
7-8 object bin
8-8 property bin.name
`,
	}, {
		name: "yaml, a.yaml", src: `
name: CI
on:
  push:
    branches: [main]
jobs:
  build:
    runs-on: x
    steps:
      - name: a
        run: b
  "test it":
    needs: build
list:
  - a
---
second: 1
`, want: `
1-1 property name
2-4 object on
3-4 object on.push
4-4 property on.push.branches
5-12 object jobs
6-10 object jobs.build
7-7 property jobs.build.runs-on
8-10 object jobs.build.steps
11-12 object jobs.test it
12-12 property jobs.test it.needs
13-14 object list
16-16 property second
`,
	}, {
		name: "zig, a.zig", src: `
const std = @import("std");
/// A stack.
pub const Stack = struct {
    items: []u8,
    n: usize = 0,
    pub fn push(self: *Stack, x: u8) !void {
        helper(x);
        self.items.append(x);
    }
    const max = 3;
};
const E = enum { red, blue, pub fn f() void {} };
const U = union(enum) { a: i32, b };
pub fn main() !void { const y = 1; _ = y; }
fn helper(comptime T: type) void {}
var v: i32 = 3;
pub const Err = error{ A, B };
test "a test" { try main(); }
extern fn ext(a: i32) void;
pub fn List(comptime T: type) type { return struct { a: T, fn m() void {} }; }
`, want: `
1-1 constant std
2-11 struct Stack
4-4 property Stack.items
5-5 property Stack.n
6-9 method Stack.push
10-10 property Stack.max
12-12 enum E
12-12 enumCase E.red
12-12 enumCase E.blue
12-12 method E.f
13-13 struct U
13-13 property U.a
13-13 property U.b
14-14 function main
15-15 function helper
16-16 variable v
17-17 enum Err
18-18 function a test
19-19 function ext
20-20 function List
20-20 property List.a
20-20 method List.m
1 import std
`,
	}}
}

// TestParse_AddedLanguages_Unterminated checks that a text whose string, comment or block has no end is never read without a problem.
func TestParse_AddedLanguages_Unterminated(t *testing.T) {
	p := grammarsOf(t)
	for lang, texts := range map[source.Language][]string{
		"css":        {"a { b: c }\nd { e: \"f", "/* a"},
		"elixir":     {"defmodule A do\n def b do\n  \"c\n", "def a do\n", "\"\"\"\na\n"},
		"haskell":    {"f :: Int\nf = \"a\n", "{- a\nf = 1\n"},
		"terraform":  {"resource \"a\" \"b\" {\n c = \"d\n", "locals {\n"},
		"json":       {"{\"a\": \"b", "{\"a\": ["},
		"julia":      {"function f(x)\n \"a\n", "f(x) = \"a", "#= a\nf(x) = 1\n"},
		"lua":        {"function f()\n local a = \"b\n", "x = [[a\nfunction f() end\n", "--[[ a\nfunction f() end\n"},
		"objectivec": {"@implementation A\n- (void)b { c(\"d\n", "/* a\n@implementation A @end\n"},
		"ocaml":      {"let f x = \"a\n", "(* a\nlet f x = 1\n"},
		"perl":       {"sub f {\n my $x = \"a;\n", "sub f {\n", "my $x = q{a;\nsub f { 1 }\n", "print <<A;\nsub f { 1 }\n"},
		"sql":        {"CREATE TABLE a (b int, c text DEFAULT 'd\n", "/* a\nCREATE TABLE b (c int);\n"},
		"toml":       {"a = \"b\n", "a = \"\"\"b\n[c]\n"},
		"yaml":       {"a: \"b\nc: d\n", "a: [b\n"},
		"zig":        {"fn f() void {\n const a = \"b\n", "fn f() void {\n"},
	} {
		for _, src := range texts {
			f, err := p.Parse(t.Context(), []byte(src), lang, source.Options{})
			if err != nil || len(f.Problems) == 0 {
				t.Errorf("%s: %q: %+v, %v", lang, src, f, err)
			}
		}
	}
}

// TestParse_AddedLanguages_NestedTooDeeply checks that the failure of a grammar names the cause and the next step.
func TestParse_AddedLanguages_NestedTooDeeply(t *testing.T) {
	p := grammarsOf(t)
	var yaml strings.Builder
	for i := range 2000 {
		yaml.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	for lang, src := range map[source.Language]string{"yaml": yaml.String(), "markdown": strings.Repeat("> ", 2000) + "a\n"} {
		_, err := p.Parse(t.Context(), []byte(src), lang, source.Options{})
		if err == nil || len(err.Error()) > 200 || !strings.Contains(err.Error(), "nested too deeply") || !strings.Contains(err.Error(), "read the file as text") {
			t.Errorf("%s: %v", lang, err)
		}
	}
}
