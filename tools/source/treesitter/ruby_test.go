package treesitter_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

func TestRubySnippets(t *testing.T) { checkSnippets(t, source.Ruby, rubySnippets) }

func TestRubyCutShort(t *testing.T) { checkCut(t, source.Ruby, rubySnippets) }

func FuzzRuby(f *testing.F) { fuzzSnippets(f, source.Ruby, rubySnippets) }

var rubySnippets = []snippet{{
	name: "modules and classes within each other", src: `
# Shapes.
module Shapes
  class Base < Struct
    def area; 0; end
  end

  # A circle.
  class Round::Circle < Base
    def area
      PI
    end
  end
end
def free; end
`, want: `
1-13 module Shapes
3-5 class Shapes.Base
4-4 method Shapes.Base.area
7-12 class Shapes.Round::Circle
9-11 method Shapes.Round::Circle.area
14-14 function free
`}, {
	name: "singleton methods", src: `
class A
  def self.make; end
  class << self
    attr_reader :count
    def other
    end
    private def hidden; end
  end
end
def A.outside
end
`, want: `
1-9 class A
2-2 method A.make
4-4 property A.count
5-6 method A.other
7-7 method A.hidden
10-11 method A.outside
`}, {
	name: "operators, setters and names with marks", src: `
class V
  def ==(o) = true
  def +(o); end
  def -@; end
  def [](i); end
  def []=(i, v); end
  def x=(v); @x = v; end
  def empty?; end
  def clear!; end
  def <=>(o); end
  def !; end
  def class; end
end
`, want: `
1-13 class V
2-2 method V.==
3-3 method V.+
4-4 method V.-@
5-5 method V.[]
6-6 method V.[]=
7-7 method V.x=
8-8 method V.empty?
9-9 method V.clear!
10-10 method V.<=>
11-11 method V.!
12-12 method V.class
`}, {
	name: "methods without an end", src: `
def square(x) = x * x
def self.long(a) =
  a.map { |e| e }
   .sum
private def z = 1
`, want: `
1-1 function square
2-4 method long
5-5 function z
`}, {
	name: "attributes one by one", src: `
class P
  attr_accessor :x, :y,
                :z
  attr_reader(:name)
  private attr_writer :w
  cattr_accessor :shared
  validates :x, :y
  has_many :pieces
end
`, want: `
1-9 class P
2-2 property P.x
2-2 property P.y
3-3 property P.z
4-4 property P.name
5-5 property P.w
6-6 property P.shared
`}, {
	name: "methods that calls define", src: `
class D
  define_method(:a) { |x| x }
  define_method "b" do
    1
  end
  define_singleton_method :c, &blk
  alias_method :d, :a
  alias e a
  alias :f :a
  define_method("g_#{x}") { }
  define_method(name) { }
  it "does" do
  end
end
`, want: `
1-14 class D
2-2 method D.a
3-5 method D.b
6-6 method D.c
7-7 method D.d
8-8 method D.e
9-9 method D.f
`}, {
	name: "functions bound to names", src: `
square = ->(x) { x * x }
Cube = lambda do |x|
  x ** 3
end
@ivar ||= proc { 1 }
$global = Proc.new { |x| x }
result = list.map { |x| x }
other = compute { 1 }
call ->(x) { x }
`, want: `
1-1 lambda square
2-4 lambda Cube
5-5 lambda @ivar
6-6 lambda $global
`}, {
	name: "classes that calls make", src: `
Point = Struct.new(:x, :y) do
  def dist; end
end
Err = Class.new(StandardError)
Mod = Module.new do
  def help; end
end
Pair = Struct.new(:a, keyword_init: true)
Same = Hash.new { |h, k| h[k] = 1 }
Made = Point.new(1, 2)
`, want: `
1-3 class Point
2-2 method Point.dist
4-4 class Err
5-7 module Mod
6-6 method Mod.help
8-8 class Pair
9-9 constant Same
10-10 constant Made
`}, {
	name: "heredocs", src: `
class H
  SQL = <<~SQL.freeze
    def no; end
    select #{1 + 1}
  SQL
  TWO = [<<A, <<-'B']
end
A
  class No
  B
  def text
    puts(<<~ONE, <<~TWO)
      end
    ONE
      def no
    TWO
  end
end
`, want: `
1-18 class H
2-5 property H.SQL
6-10 property H.TWO
11-17 method H.text
`}, {
	name: "words that look like others", src: `
class W
  def if_needed; x = 1 if y; end
  def loops
    while x do y end
    z = begin; 1; end until q
    a = if b then c else d end
    puts :end, {end: 1, class: 2}, x.class
    %w[end def class].each { |e| e.end }
    /def x#{"}"} end/ =~ s; ?e
  end
end
`, want: `
1-11 class W
2-2 method W.if_needed
3-10 method W.loops
`}, {
	name: "constants and variables of a class", src: `
module M
  A, B = 1, 2
  C ||= 3
  D::E = 4
  class K
    @@all = []
    @one = 1
    LIST = [
      1,
    ].freeze
    def x
      local = 1
      @@all = local
    end
  end
end
$g = 1
`, want: `
1-16 module M
2-2 constant M.A
2-2 constant M.B
3-3 constant M.C
4-4 constant M.D::E
5-15 class M.K
6-6 property M.K.@@all
8-10 property M.K.LIST
11-14 method M.K.x
17-17 variable $g
`}, {
	name: "what is required", src: `
require 'json'
require_relative "lib/a"
require(File.join("x", "y"))
load("z.rb") if x
puts "no"
autoload :X, "x"
`, want: `
1 import json
2 import lib/a
4 import z.rb
`}, {
	name: "comments, documents and the end", src: `
=begin
def no; end
=end
# not this

# this
# and this
def f # not this
end # no
def g; end
__END__
def no; end
`, want: `
6-9 function f
10-10 function g
`}, {
	name: "visibility before a definition", src: `
class V
  private def a
    1
  end
  private_class_method def self.b; end
  memoize def c(x) = x
  private :a, :b
  public

  # Documented.
  protected def d; end
end
`, want: `
1-12 class V
2-4 method V.a
5-5 method V.b
6-6 method V.c
10-11 method V.d
`}, {
	name: "patterns, rescues and blocks", src: `
def m(a, (b, c), *d, e: 1, **f, &g)
  case a
  in {x: Integer => y} if y > 1 then y
  in [1, *] then 2
  end
rescue A => e
  retry
else
  1
ensure
  2
end
it { def inner; end }
`, want: `
1-12 function m
13-13 method inner
`}}
