package uses_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/uses"
	"github.com/dougu-go/dougu/tools/source"
)

// Names of functions can be keywords of other languages, or keywords after a dot.
func TestFind_KeywordNames(t *testing.T) {
	checkUses(t, "add", texts{
		"Money.java": `class Money {
  static Money of(int n) { return new Money(); }
  static Money with(int n) { return new Money(); }
  Money delete(int n) { return this; }
  void add(int n) {} //T
  void run(Optional<Money> all) {
    Money.of(1).add(2); //R
    with(1).add(2); //R
    delete(1).add(2); //R
    Optional.of(1).add(2);
    all.get().add(2); //R
  }
}
`,
	})
	checkUses(t, "of", texts{"A.java": "class A {\n  static A of(int n) { return null; } //T\n  void f() { of(1); } //R\n}\n"})
	checkUses(t, "delete", texts{"a.py": "def delete(x): pass #T\ndelete(1) #R\n"})
	checkUses(t, "of", texts{"a.ts": "function of(x: number): number[] { return [x] } //T\nconst a = of(1); //R\nfor (const x of (of(2))) { } //R\nfunction g() { return of(3) } //R\n"})
	checkUses(t, "render", texts{"a.ts": `class P { catch(f: any): P { return this } delete(f: any): P { return this }
  render() {} //T
}
class F { render() {} }
function g(p: P, f: F) {
  p.catch(f).render(); //R
  p.delete(f).render(); //R
  for (const x of (f as any).list) { x.render() } //U
}
`})
}

func TestFind_JavaConstructor(t *testing.T) {
	files := texts{
		"shop/Foo.java": `package shop;
public class Foo {
  public Foo(String name) {} //T
  public Foo(String name, int n) { }
  static class Inner { Inner(String name) {} }
  static Foo make() { return new Foo("a"); } //R
}
`,
		"shop/Use.java": `package shop;
class Use {
  void f() {
    new Foo("a"); //R
    new Foo("a", 1);
    new shop.Foo("a"); //R
    Foo[] all = new Foo[1];
    Sup s = Foo::new; //U
    new Foo("a") { }; //R
  }
}
`,
	}
	checkUses(t, "Foo", files)
	checkUses(t, "Foo", texts{
		"Foo.java": "class Foo { //T\n  Foo() {}\n  void f() { new Foo(); } //R\n}\n",
		"Use.java": "class Use {\n  Foo f = new Foo(); //R\n}\n",
	})
}

// Uses of a method that the reader of declarations does not see are unresolved.
func TestFind_UnseenDeclaration(t *testing.T) {
	checkUses(t, "f", texts{"a.js": "class X { }\nX[0].prototype.f = function () {}; //T\nnew X().f(); //U\nclass Y { f() {} }\nnew Y().f();\n"})
}

func TestFind_PathPatterns(t *testing.T) {
	checkUses(t, "run", texts{
		"tsconfig.json":       `{"compilerOptions": {"paths": {"*": ["any/*"], "@app/*": ["app/*"], "@app/lib/*": ["lib/*"], "@app/lib/one": ["one"]}}}`,
		"any/@app/lib/two.ts": "export function run() {}\n", "app/lib/two.ts": "export function run() {}\n", "lib/one.ts": "export function run() {}\n", "one.ts": "export function run() {}\n",
		"lib/two.ts": "export function run() {} //T\n",
		"use.ts":     "import { run } from '@app/lib/two';\nrun(); //R\n",
		"other.ts":   "import { run } from '@app/lib/one';\nrun();\n",
	})
}

// The elements of collections are found by the methods of the language.
func TestFind_CollectionMethodsByLanguage(t *testing.T) {
	checkUses(t, "add", texts{"a.ts": "class A {\n  add() {} //T\n}\nconst a = new A();\n[a].join().add();\n[a].pop().add(); //R\n"})
}

// The return statements of a lambda expression do not belong to the method around it.
func TestFind_JavaReturnOfLambda(t *testing.T) {
	checkUses(t, "add", texts{"A.java": `class A {
  void add() {} //T
  void f(Optional<A> all) {
    all.map(x -> { run(y -> { return new A(); }); return new B(); }).get().add();
    all.map(x -> { if (x == null) { return new A(); } return null; }).get().add(); //R
  }
}
class B {
  void add() {}
}
`})
}

// A cancelled call leaves no empty files behind.
func TestFind_Cancelled(t *testing.T) {
	files := texts{
		"a.ts": "import { A } from './b';\nfunction g(a: A) { a.add() }\n", "b.ts": "export class A { add() {} }\n",
		"go.mod": "module m\n", "a/a.go": "package a\n\nfunc Add() {}\n", "b/b.go": "package b\n\nimport \"m/a\"\n\nfunc g() { a.Add() }\n",
	}
	for _, d := range []uses.Declaration{
		{Path: "b.ts", Name: "add", Offset: strings.Index(files["b.ts"], "add"), Language: source.TypeScript},
		{Path: "a/a.go", Name: "Add", Offset: strings.Index(files["a/a.go"], "Add"), Language: source.Go},
	} {
		for stop := range 6 { // the number of the read that ends the context
			ctx, cancel := context.WithCancel(t.Context())
			p := &cancelling{texts: files, left: stop, cancel: cancel}
			f := uses.NewFinder(p)
			_, err := f.Find(ctx, d)
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			p.left = -1
			r, err := f.Find(t.Context(), d)
			if err != nil || len(r.Uses) != 1 || r.Uses[0].Certainty != uses.Resolved {
				t.Errorf("%s after a cancelled call, read %d: %+v, %v", d.Path, stop, r, err)
			}
		}
	}
}

// cancelling ends a context at a read, and fails all later ones.
type cancelling struct {
	texts
	left   int // reads until the end; -1 without an end
	cancel func()
}

func (p *cancelling) ReadFile(ctx context.Context, path string) ([]byte, error) {
	if p.left == 0 {
		p.cancel()
	}
	if p.left > 0 {
		p.left--
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return p.texts.ReadFile(ctx, path)
}

// A call that waits for another one ends with its context.
func TestFind_CancelledWhileWaiting(t *testing.T) {
	reading, release := make(chan struct{}), make(chan struct{})
	f := uses.NewFinder(blocking{texts{"a.py": "def f(): pass\n"}, reading, release})
	d := uses.Declaration{Path: "a.py", Name: "f", Offset: 4, Language: source.Python}
	done := make(chan error)
	go func() {
		_, err := f.Find(t.Context(), d)
		done <- err
	}()
	<-reading
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Find(ctx, d); !errors.Is(err, context.Canceled) {
		t.Errorf("a waiting call ended with %v", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// blocking announces each read, and waits.
type blocking struct {
	texts
	reading chan<- struct{}
	release <-chan struct{}
}

func (p blocking) ReadFile(ctx context.Context, path string) ([]byte, error) {
	select {
	case p.reading <- struct{}{}:
	case <-p.release:
	}
	<-p.release
	return p.texts.ReadFile(ctx, path)
}

// Only an import or an export at the begin of a line makes a module of a script.
func TestFind_ScriptOrModule(t *testing.T) {
	for begin, script := range map[string]bool{
		"importantValue = 1": true, "exported = 1": true, "import$ = 1": true, "import('a')": true, "a.import = 1": true, "namespace N {\n  export const x = 1\n}": true,
		"import 'a'": false, "  import 'a'": false, "import{a}from'a'": false, "export { x }": false, "\texport { x }": false, "{ }\n  import 'a'": false,
	} {
		files := texts{"a.ts": "var other\nfunction add() {}\n" + begin + "\n", "b.ts": "add()\n"}
		d := uses.Declaration{Path: "a.ts", Name: "add", Offset: strings.Index(files["a.ts"], "add"), Language: source.TypeScript}
		r, err := uses.NewFinder(files).Find(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(r.Uses) == 1 && r.Uses[0].Certainty == uses.Resolved; got != script {
			t.Errorf("%q: %+v, a script: %v", begin, r.Uses, script)
		}
	}
}

// A file that a search does not parse is read once, however many names the declaration has.
func TestFind_ReadsOnce(t *testing.T) {
	p := &counting{texts: texts{"a.js": "export function add() {}\n", "b.js": "export { add as plus } from './a'\n", "c.js": "export { plus as sum } from './b'\nexport const kept = { plus }\n", "d.js": "other()\n"}, reads: map[string]int{}}
	d := uses.Declaration{Path: "a.js", Name: "add", Offset: strings.Index(p.texts["a.js"], "add"), Language: source.JavaScript}
	if _, err := uses.NewFinder(p).Find(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if p.reads["d.js"] != 1 {
		t.Errorf("d.js was read %d times", p.reads["d.js"])
	}
}

// counting counts the reads of each file.
type counting struct {
	texts
	reads map[string]int
}

func (p *counting) ReadFile(ctx context.Context, path string) ([]byte, error) {
	p.reads[path]++
	return p.texts.ReadFile(ctx, path)
}
