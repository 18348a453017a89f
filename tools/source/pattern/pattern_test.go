package pattern_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/pattern"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

// grammars are shared by the tests of the package: their compilation takes most of the time.
var grammars *treesitter.Parser

func TestMain(m *testing.M) {
	grammars = treesitter.New(treesitter.Options{CacheDir: cacheDir()})
	code := m.Run()
	grammars.Close()
	os.Exit(code)
}

// cacheDir is the user's directory of compiled grammars, as the programs use it; "" if there is none.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "dougu", "grammars")
}

func compile(t testing.TB, lang source.Language, text string) *pattern.Pattern {
	t.Helper()
	p, err := pattern.Compile(t.Context(), grammars, lang, text)
	if err != nil {
		t.Fatalf("%s: %s: %v", lang, text, err)
	}
	return p
}

// find returns the matches of a pattern, each with its captures: "f(a, b) A=a B=b".
func find(t testing.TB, lang source.Language, text, src string) []string {
	t.Helper()
	r, err := compile(t, lang, text).Find(t.Context(), []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	found := []string{}
	for _, m := range r.Matches {
		s := src[m.Start:m.End]
		for _, c := range m.Captures {
			s += fmt.Sprintf(" %s=%s", c.Name, src[c.Start:c.End])
		}
		found = append(found, strings.Join(strings.Fields(s), " "))
	}
	return found
}

func TestPattern_Find_Languages(t *testing.T) {
	for _, c := range []struct {
		lang         source.Language
		pattern, src string
		want         string // matches, separated by " | "
	}{
		{source.Go, "if err != nil { return $E }", "package p\nfunc f() error {\n\tif err != nil {\n\t\treturn err // no\n\t}\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\tif err != nil {\n\t\treturn fmt.Errorf(\"x: %w\", err)\n\t}\n\tif err != nil { return err } else { g() }\n\treturn nil\n}\n",
			"if err != nil { return err // no } E=err | if err != nil { return fmt.Errorf(\"x: %w\", err) } E=fmt.Errorf(\"x: %w\", err)"},
		{source.Go, "errors.New($MSG)", "package p\nvar e = errors.New(\"a\")\nvar s = \"errors.New(b)\" // errors.New(c)\nvar f = errors.New(\n\t`d`,\n)\n", "errors.New(\"a\") MSG=\"a\" | errors.New( `d`, ) MSG=`d`"},
		{source.Go, "func ($R *$T) Close() error { $$$BODY }", "package p\nfunc (a *A) Close() error { x(); return nil }\nfunc (b *B) Close() error {\n}\nfunc (b B) Close() error { return nil }\n",
			"func (a *A) Close() error { x(); return nil } R=a T=A BODY=x(); return nil | func (b *B) Close() error { } R=b T=B BODY="},
		{source.Go, "$A = append($A, $$$B)", "package p\nfunc f() { a = append(a, 1, 2); b = append(a, 1); c = append(c); d.e = append(d . e, x...) }\n", "a = append(a, 1, 2) A=a B=1, 2 | c = append(c) A=c B= | d.e = append(d . e, x...) A=d.e B=x..."},
		{source.Go, "sync.Mutex", "package p\ntype T struct { mu sync.Mutex }\nvar m = sync.Mutex{}\n", "sync.Mutex | sync.Mutex"},
		{source.Go, "$X := $Y\nif $X != nil { $$$ }", "package p\nfunc f() {\n\te := g()\n\tif e != nil { h() }\n\tk := g()\n\tif e != nil { h() }\n}\n", "e := g() if e != nil { h() } X=e Y=g()"},
		{source.Go, "Name string", "package p\ntype T struct {\n\tName string\n\tAge int\n}\nfunc f(Name string) {}\n", "Name string | Name string"},
		{source.Go, "case $X: return $Y", "package p\nfunc f() int { switch x { case 1: return 2\n case 2, 3: return 4\n default: return 5 } }\n", "case 1: return 2 X=1 Y=2"},
		{source.JavaScript, "console.log($$$ARGS)", "console.log(); console.log(a, `b ${c}`);\nconsole.error(d)\n// console.log(e)\n", "console.log() ARGS= | console.log(a, `b ${c}`) ARGS=a, `b ${c}`"},
		{source.JavaScript, "{ a: $X }", "f({ a: 1 }); f({ a: 2, b: 3 })\n", "{ a: 1 } X=1"},
		{source.TypeScript, "$A && $A.$B", "const x = a && a.b; const y = a && c.b; const z = a.b() && a . b().c\n", "a && a.b A=a B=b | a.b() && a . b().c A=a.b() B=c"},
		{source.TypeScript, "interface $N { $$$M }", "interface A { x: string; f(): void }\ninterface B {}\n", "interface A { x: string; f(): void } N=A M=x: string; f(): void | interface B {} N=B M="},
		{source.TSX, "<Button onClick={$F}>$$$C</Button>", "const x = <Button onClick={f}>a <b/></Button>;\n", "<Button onClick={f}>a <b/></Button> F=f C=a <b/>"},
		{source.Python, "except $E:\n    pass", "try:\n    f()\nexcept ValueError:\n    pass\nexcept (A, B):\n    pass\nexcept C:\n    g()\n", "except ValueError: pass E=ValueError | except (A, B): pass E=(A, B)"},
		{source.Python, "def $F($$$P):\n    return $X", "def f(a, b=1):\n    return a\n\ndef g():\n    x = 1\n    return x\n", "def f(a, b=1): return a F=f P=a, b=1 X=a"},
		{source.Python, "if $C:\n    $$$B", "if a:\n    b()\n    c()\nif d:\n    e()\nelse:\n    g()\n", "if a: b() c() C=a B=b() c()"},
		{source.Java, "System.out.println($X);", "class A { void f() { System.out.println(\"a\"); System.err.println(1); System . out.println( b ); } }\n", "System.out.println(\"a\"); X=\"a\" | System . out.println( b ); X=b"},
		{source.Java, "public void $F($$$P) { $$$B }", "class A { public void f(int a) { x(); } public int g() { return 1; } public void h() {} }\n", "public void f(int a) { x(); } F=f P=int a B=x(); | public void h() {} F=h P= B="},
		{source.C, "free($P);", "void f(char *a) { free(a); g(\"free(b);\"); if (a) free(a->b); }\n", "free(a); P=a | free(a->b); P=a->b"},
		{source.C, "malloc($N * sizeof(int))", "void f() { int *a = malloc(n * sizeof(int)); char *b = malloc(n); }\n", "malloc(n * sizeof(int)) N=n"},
		{source.C, "while ($C) { $$$B }", "void f() { while (a) { b(); c(); } while (d) e(); }\n", "while (a) { b(); c(); } C=a B=b(); c();"},
		{source.CPP, "std::vector<$T>", "std::vector<int> a; void f(const std::vector<std::string> &b);\n", "std::vector<int> T=int | std::vector<std::string> T=std::string"},
		{source.CSharp, "string.Format($F, $$$A)", "class A { void F() { var x = string.Format(\"a\", 1, 2); var y = string.Format(\"b\"); } }\n", "string.Format(\"a\", 1, 2) F=\"a\" A=1, 2 | string.Format(\"b\") F=\"b\" A="},
		{source.Rust, "$E.unwrap()", "fn f() { let a = b.unwrap(); c(d).unwrap(); e.unwrap_or(1); }\n", "b.unwrap() E=b | c(d).unwrap() E=c(d)"},
		{source.Rust, "Some($X) => $Y", "fn f() { match a { Some(1) => b, Some(c) => d(), None => 0 } }\n", "Some(1) => b X=1 Y=b | Some(c) => d() X=c Y=d()"},
		{source.Ruby, "$A.nil? ? $B : $A", "x = a.nil? ? 1 : a\ny = a.nil? ? 1 : b\n", "a.nil? ? 1 : a A=a B=1"},
		{source.Ruby, "class $C < Base\n $$$B\nend", "class Foo < Base\n  def f; end\nend\nclass Bar < Other\nend\nclass Baz < Base\nend\n", "class Foo < Base def f; end end C=Foo B=def f; end | class Baz < Base end C=Baz B="},
		{source.PHP, "array_push($A, $B)", "<?php array_push($x, 1); array_push($x, 1, 2); array_push($this->y, $z);\n", "array_push($x, 1) A=$x B=1 | array_push($this->y, $z) A=$this->y B=$z"},
		{source.PHP, "$X = isset($X) ? $X : $D;", "<?php $a = isset($a) ? $a : 1; $b = isset($c) ? $c : 2;\n", "$a = isset($a) ? $a : 1; X=$a D=1"},
		{source.Kotlin, "val $X = $Y!!", "fun f() { val a = b!!\n val c = d }\n", "val a = b!! X=a Y=b"},
		{source.Scala, "$X.map($F).flatten", "object O { val a = b.map(c).flatten; val d = e.map(f) }\n", "b.map(c).flatten X=b F=c"},
		{source.Swift, "guard let $X = $Y else { return }", "func f() { guard let a = b else { return }\n guard let c = d else { throw e } }\n", "guard let a = b else { return } X=a Y=b"},
		{"lua", "local $X = require($M)", "local a = require(\"b\")\nlocal c = d\n", "local a = require(\"b\") X=a M=\"b\""},
		{"dart", "setState(() { $$$B })", "void f() { setState(() { x = 1; }); g(); }\n", "setState(() { x = 1; }) B=x = 1;"},
		{"elixir", "IO.inspect($X)", "def f(a) do\n  IO.inspect(a)\n  IO.puts(a)\nend\n", "IO.inspect(a) X=a"},
		{"zig", "try $F($$$A)", "fn f() !void { try g(1, 2); h(); }\n", "try g(1, 2) F=g A=1, 2"},
		{"haskell", "map $F (map $G $X)", "a = map f (map g xs)\nb = map f xs\n", "map f (map g xs) F=f G=g X=xs"},
		{"shell", "rm -rf $X", "rm -rf /tmp/a\nrm -r b\n", "rm -rf /tmp/a X=/tmp/a"},
		{"css", "color: $C;", "a { color: red; margin: 0 }\nb { color: #fff; }\n", "color: red; C=red | color: #fff; C=#fff"},
		{"json", `"version": $V`, "{\"name\": \"a\", \"version\": \"1.0\"}\n", `"version": "1.0" V="1.0"`},
		{"terraform", "region = $R", "provider \"aws\" {\n  region = var.r\n}\n", "region = var.r R=var.r"},
		{"sql", "SELECT $C FROM users", "select id from users;\nSELECT name FROM users;\nSELECT a FROM b;\n", "select id from users C=id | SELECT name FROM users C=name"},
		{"objectivec", "[$O release]", "@implementation A\n- (void)f { [a release]; [b retain]; }\n@end\n", "[a release] O=a"},
		{"julia", "println($X)", "println(a)\nprint(b)\n", "println(a) X=a"},
		{"perl", "die $X unless $C;", "die \"a\" unless $b;\ndie \"c\" if $d;\n", "die \"a\" unless $b; X=\"a\" C=$b"},
		{"ocaml", "List.map $F $L", "let a = List.map f xs\nlet b = List.iter f xs\n", "List.map f xs F=f L=xs"},
	} {
		if testing.Short() && c.lang != source.Go && c.lang != source.Python && c.lang != source.JavaScript {
			continue // each grammar takes up to seconds to compile
		}
		t.Run(string(c.lang)+" "+c.pattern, func(t *testing.T) {
			if got := strings.Join(find(t, c.lang, c.pattern, c.src), " | "); got != c.want {
				t.Errorf("%s, want %s; kinds %v", got, c.want, compile(t, c.lang, c.pattern).Kinds())
			}
		})
	}
}
