package treesitter_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

func TestPHPSnippets(t *testing.T) { checkSnippets(t, source.PHP, phpSnippets) }

func TestPHPCutShort(t *testing.T) { checkCut(t, source.PHP, phpSnippets) }

func FuzzPHP(f *testing.F) { fuzzSnippets(f, source.PHP, phpSnippets) }

var phpSnippets = []snippet{{
	name: "a clause of a namespace is nobody's parent", src: `
<?php
namespace App\Model;
use App\Base as B, App\Other;
use function App\{first, second};
function f() {}
`, want: `
2-2 module App\Model
5-5 function f
3 import App\Base
3 import App\Other
4 import first
4 import second
`}, {
	name: "namespaces in brackets are", src: `
<?php
namespace A {
    function f() { }
    const X = 1;
}
namespace {
    function f() { }
}
`, want: `
2-5 module A
3-3 function A.f
4-4 constant A.X
7-7 function f
`}, {
	name: "members of a class", src: `
<?php
/**
 * A point.
 */
#[Entity]
final class Point extends Base implements Stringable
{
    use Helper;
    public const X = 1, Y = 2;
    private static ?Point $last = null;
    protected $a, $b = [1, 2];

    public function __construct(private readonly int $x, protected int $y = 0)
    {
    }

    public function __destruct() {}

    /** Moves it. */
    #[Pure]
    abstract protected static function &move(int ...$by): static;
}
`, want: `
2-22 class Point
9-9 property Point.X
9-9 property Point.Y
10-10 property Point.last
11-11 property Point.a
11-11 property Point.b
13-15 initializer Point.__construct
13-13 property Point.x
13-13 property Point.y
17-17 deinitializer Point.__destruct
19-21 method Point.move
`}, {
	name: "hooks of properties", src: `
<?php
class User {
    public string $name {
        get => ucfirst($this->name);
        set(string $value) {
            $this->name = $value;
        }
    }
    public int $age { get; set; }
}
`, want: `
2-10 class User
3-8 property User.name
4-4 accessor User.name.get
5-7 accessor User.name.set
9-9 property User.age
`}, {
	name: "interfaces, traits and enums", src: `
<?php
interface Shape { const N = 1; public function area(): float; }
trait Loud { public function say(): string { return "x"; } }
enum Suit: string implements HasColor {
    case Hearts = 'H'; case Spades = 'S';
    const Wild = self::Spades;
    public static function from2(string $s): self { return self::Hearts; }
}
`, want: `
2-2 interface Shape
2-2 property Shape.N
2-2 method Shape.area
3-3 interface Loud
3-3 method Loud.say
4-8 enum Suit
5-5 enumCase Suit.Hearts
5-5 enumCase Suit.Spades
6-6 property Suit.Wild
7-7 method Suit.from2
`}, {
	name: "functions bound to variables", src: `
<?php
$add = function ($a, $b) use ($c) {
    return $a + $b;
};
$twice = fn($x) => $x * 2;
$static = static fn(int $x): int =>
    $x;
usort($list, function ($a, $b) { return 0; });
return $last = function () {};
`, want: `
2-4 lambda add
5-5 lambda twice
6-7 lambda static
9-9 lambda last
`}, {
	name: "functions within functions and under conditions", src: `
<?php
if (!function_exists('f')) {
    function f() {
        function g() {}
        $h = function () {};
        $local = 1;
        define('INNER', 1);
    }
}
`, want: `
3-8 function f
4-4 function f.g
5-5 lambda f.h
`}, {
	name: "methods of anonymous classes", src: `
<?php
function make() {
    return new #[A] class(1) extends B {
        private $x = 1;
        public function run() {}
    };
}
`, want: `
2-7 function make
5-5 method make.run
`}, {
	name: "brackets in heredocs, nowdocs and strings", src: `
<?php
function f($a) {
    $x = <<<"EOT"
      } {$a['k']} ${a} function no() {
      EOT . "}";
    return <<<'RAW'
    function no() { $x
    RAW;
}
function g() { return "{$f()}}"; } # } function no() {
`, want: `
2-9 function f
10-10 function g
`}, {
	name: "HTML around the code", src: `
<html>
<?php function head() { ?>
  <b>function no() {}</b>
<?php } ?>
<?= head() ?>
<?php
class A { function m() { ?> } <?php } }
`, want: `
2-4 function head
7-7 class A
7-7 method A.m
`}, {
	name: "constants, and calls that are none", src: `
<?php
const A = 1, B = A;
define('C', 2);
defined('D');
printf("E", 1);
`, want: `
2-2 constant A
2-2 constant B
3-3 constant C
`}, {
	name: "files that are needed", src: `
<?php
require_once 'a.php';
include __DIR__ . '/b.php';
require("c.php");
`, want: `
2 import a.php
`}, {
	name: "keywords as names", src: `
<?php
class Command {
    const class_ = 1;
    function list() { return $this->list(); }
    function default(): void {}
    function match($fn) {}
}
`, want: `
2-7 class Command
3-3 property Command.class_
4-4 method Command.list
5-5 method Command.default
6-6 method Command.match
`}, {
	name: "comments that document", src: `
<?php
// not this

// this
# and this
function f() {}
$x = 1; // not this
function g() {}
`, want: `
4-6 function f
8-8 function g
`}}
