package treesitter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

// TestDetails compares a chunk's signature, the beginning of its body (after a bar), its
// documentation (after another bar), and its calls with their chunks.
func TestDetails(t *testing.T) {
	for _, test := range []struct {
		lang      source.Language
		src, want string
	}{{source.CSharp, `
// All of it.
[Serializable, Obsolete("no")]
[Other]
public class C<T> :
    Base where T : new()
{
    /* Runs. */
    [A] public async Task<T> Run(int x) { Log(x); return a?.Get<T>(new List<int>()); }
    public int Size => items.Count();
    Func<int, int> f = x => Twice(x);
    abstract void None();
    public int Auto { get; private set; } = 1;
}
`, `
public class C<T> : Base where T : new() | { /* | // All of it.
public async Task<T> Run(int x) | { Lo | /* Runs. */
public int Size | => i |
Func<int, int> f = x | => T |
abstract void None(); |  |
public int Auto { get; private set; } = 1; |  |
Log in Run
Get in Run
List in Run
Count in Size
Twice in f
`}, {source.Ruby, `
# A stack.
class Stack < Base
  # Adds.
  def push(x, *rest)
    @items.push(x)
  end
  private def last = @items.last
  attr_reader :size, :items
  Make = ->(n) { Stack.new(n) }
  def none; end
end
`, `
class Stack < Base | # Ad | # A stack.
def push(x, *rest) | @ite | # Adds.
private def last | = @i |
attr_reader :size |  |
:items |  |
Make = ->(n) | { St |
def none; end |  |
push in push
private in last
last in last
attr_reader in -
new in Make
`}, {source.PHP, `
<?php
/** Adds. */
#[Pure]
function add(int $a, int ...$b): int
{
    return sum($a) + $this->more($b) + A\B::of(1) + new Num(2);
}
$f = fn(int $x): int => add($x);
abstract class K { abstract public function m(); const A = 1; }
`, `
function add(int $a, int ...$b): int | { re | /** Adds. */
$f = fn(int $x): int | => a |
abstract class K | { ab |
abstract public function m(); |  |
const A = 1; |  |
sum in add
more in add
of in add
Num in add
add in f
`}, {source.Scala, `
/** A box. */
@tailrec
final class Box[A](val item: A) extends Base[A] {
  // Maps.
  @inline def map[B](f: A => B): Box[B] = new Box(f(item))
  def proc(x: Int) { run(x).apply[Int](1) }
  val g = (x: Int) => x.twice(1)
  def none: Int
}
`, `
final class Box[A](val item: A) extends Base[A] | { // | /** A box. */
val item: A |  |
def map[B](f: A => B): Box[B] | = ne | // Maps.
def proc(x: Int) | { ru |
val g = (x: Int) | => x |
def none: Int |  |
Box in map
f in map
run in proc
apply in proc
twice in g
`}} {
		t.Run(string(test.lang), func(t *testing.T) {
			p := grammarsOf(t)
			src := strings.TrimPrefix(test.src, "\n")
			f, err := p.Parse(t.Context(), []byte(src), test.lang, source.Options{Calls: true})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := details(src, f), strings.TrimSpace(test.want); got != want {
				t.Errorf("found\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func details(src string, f *source.File) string {
	var lines []string
	for i := range f.Chunks {
		c := &f.Chunks[i]
		body := ""
		if c.Body > 0 {
			body = strings.Join(strings.Fields(src[c.Body:min(int(c.Body)+4, len(src))]), " ")
			if rest := src[c.Body:]; strings.HasPrefix(rest, "{\n") {
				body = strings.TrimSpace("{ " + firstWord(rest[1:]))
			}
		}
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%s | %s | %s", c.Signature, body, src[c.Doc:c.DocEnd]), " "))
	}
	for _, c := range f.Calls {
		in := "-"
		if c.Chunk >= 0 {
			in = f.Chunks[c.Chunk].Name
		}
		lines = append(lines, c.Name+" in "+in)
	}
	return strings.Join(lines, "\n")
}

func firstWord(text string) string {
	return strings.TrimSpace(text)[:2]
}
