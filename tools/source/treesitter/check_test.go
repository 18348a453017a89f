package treesitter_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

const conflict = "<<<<<<< HEAD\n=======\n>>>>>>> other\n"

// Check finds errors that a grammar names, errors without a place, and code that the grammar allows though the language does not.
func TestParser_Check(t *testing.T) {
	p := grammarsOf(t)
	for _, tc := range []struct {
		lang  source.Language
		quick bool
		src   string
		says  string // the first problem; "" if there is none
	}{
		{source.Python, true, "def f(x):\n    return g(x + )\n", "2 the syntax is wrong at: +"},
		{source.Python, true, "def f(x):\n\ndef g():\n    pass\n", "1 a block is empty"},
		{source.Python, true, "def f(x):\n    # nothing\n\ndef g():\n    pass\n", "1 a block is empty"},
		{source.Python, true, "def f(x):\n    a = 1\n      b = 2\n", "3 the indentation is not that of the block"},
		{source.Python, true, "def f(x):\n\ta = 1\n  b = 2\n", "3 the indentation is not that of the block"},
		{source.Python, true, "\ufeff# c\ndef f(x):\n    if x: return 1; b = 3\n    else: pass; y()\n    a = 1; b = 2\n  # comment\n    c = '''\nx\n'''\n\n@d\ndef g():\n    match x:\n        case 1: pass\nclass C: pass\n", ""},
		{source.Python, true, "def f():\n    a = 1; \\\n  b = 2\n    c = 3\n", ""},
		{source.Python, true, "def f():\n    a = 1 # \\\n      b = 2\n", "3 the indentation is not that of the block"},
		{source.Python, true, "def f(): \\\n  a = 1\n  b = 2\n", "3 the indentation is not that of the block"},
		{source.Python, true, "def f(x):\n    a = b.c:(x)\n    d: int = 1\n    e = g = x\n", "2 the syntax is wrong at: b.c:(x)"},
		{source.CSharp, false, "class A { int f(int x) { return g(x + ); } }\n", "0 the syntax is wrong at a place that the grammar does not name"},
		{source.CSharp, false, "class A { void f() { if (a) { else b; } } }\n", "1 misplaced else"},
		{source.CSharp, false, "class A { void f() { if (a) { } else { @else(); } } }\n", ""},
		{source.C, true, "void f(void) {\n  if (a) {\n    else b;\n  }\n}\n", "3 misplaced else"},
		{source.C, true, "void f(void) {\n  if (a) b(); else c();\n}\n", ""},
		{source.Java, false, "class A { void f() { if (a) { else b; } } }\n", "1 misplaced else"},
		{source.Scala, false, "object A {\n  val a = 1\n<<<<<<< HEAD\n  val b = 2\n=======\n  val c = 3\n>>>>>>> other\n}\n", "3 "},
		{source.Scala, false, "object A {\n  val a = b.match { case 1 => 2 }\n}\n", ""},
		{source.Scala, false, "object A {\n  val a = match { case 1 => 2 }\n}\n", "2 misplaced match"},
		{source.Scala, false, "object A {\n  /*\n" + conflict + "*/\n  val a = s\"\"\"${b}\n" + conflict + "\"\"\"\n}\n", ""},
		{source.Swift, false, "/*\n" + conflict + "*/\nlet a = #\"\"\"\n" + conflict + "\"\"\"#\nlet b = \"\"\"\n" + conflict + "\"\"\"\n", ""},
		{source.Swift, false, "/*\n" + conflict + "*/\nfunc f() {\n" + conflict + "}\n", "7 a merge conflict that is not resolved"},
		{source.Swift, false, "func f() {\n<<<<<<< HEAD\n  g()\n=======\n  h()\n>>>>>>> other\n}\n", "2 a merge conflict that is not resolved"},
		{source.Ruby, true, "def f(x)\n  0\nend\nend\n", "4 misplaced end"},
		{source.Ruby, true, "def f(x)\n  a = end String.new(x)\nend\n", "2 misplaced end"},
		{source.Ruby, true, "def end(end:)\n  x.end + y.else(1)\n  {end: 1, if: :end}\nend\n", ""},
		{source.Ruby, true, "def end=(v)\nend\ndef self.class=(v)\nend\nalias end= stop=\nundef do=\n", ""},
		{source.Ruby, true, "def f(a)\n  g(a, ...)\nend\n", `2 the method has no parameter "..." to forward`},
		{source.Ruby, true, "def f(...)\n  g(1, ...)\n  h { g(...) }\nend\ndef self.k(a, ...) = g(...)\ndef m(a)\n  g(a...)\n  [a ...]\nend\n", ""},
		{source.Ruby, true, "def f(...)\n  def k(a)\n    g(...)\n  end\n  g(...)\nend\n", `3 the method has no parameter "..." to forward`},
		{source.Ruby, true, "def f(...)\nend\ng(...)\n", `3 the method has no parameter "..." to forward`},
		{source.Ruby, true, "def f(...)\n  [1, ...]\nend\n", "2 the syntax is wrong at: ..."},
		{source.Ruby, true, "def f(a)\n  a\n    && g\nend\n", "3 before Ruby 4, no line can begin with &&"},
		{source.Ruby, true, "def f(a)\n  g(a\n    or b)\nend\n", "3 before Ruby 4, no line can begin with or"},
		{source.Ruby, true, "def f(a)\n  a &&\n    g || \\\n  h \\\n    and k\n  a.\n    or(1)\nend\n", ""},
		{source.Rust, false, "fn f() { g(1 + ); }\n", "1 "},
		{source.Rust, false, "struct A;\nimpl A {\n  fn f() {}\n  let x = 1;\n}\n", "4 misplaced let"},
		{source.Rust, false, "fn f() {\n  let x = 1;\n  fn g() { let y = 2; }\n}\n", ""},
		{source.Swift, false, "func f() {\n  else { g() }\n}\n", "2 misplaced else"},
		{source.Swift, false, "func f() {\n  x = 1 + * / 2\n}\n", "2 an operand is missing at: *"},
		{source.Swift, false, "func f() {\n  x => => y\n}\n", "2 an operand is missing at: =>"},
		{source.Swift, false, "func f() {\n<<<<<<< HEAD\n  g()\n}\n", "2 a merge conflict that is not resolved"},
		{source.Swift, false, "func f() {\n  x = -a + !b\n  a.reduce(0, +)\n  g(else: 1, for: -1).default { }\n}\n", ""},
		{source.Kotlin, false, "fun f() {\n  else { g() }\n}\n", "2 misplaced else"},
		{source.Kotlin, false, "import a.`in`.b\nfun f() = g(A::class, when (x) { is B -> 1; else -> 2 })\n", ""},
		{source.JavaScript, false, "f(1,\n, 2)\n", "2 the syntax is wrong at: ,"},
		{source.JavaScript, false, "f(, 2)\n", "1 the syntax is wrong at: ,"},
		{source.JavaScript, false, "x = {\n  a: 1,,\n  b: 2,\n}\n", "2 the syntax is wrong at: ,"},
		{source.JavaScript, false, "x = {, a: 1}\n", "1 the syntax is wrong at: ,"},
		{source.JavaScript, false, "const {a,, b} = x\n", "1 the syntax is wrong at: ,"},
		{source.JavaScript, false, "x = [1,, 2, {a, b,}]; const [, c] = x; const {d, e,} = f(g, h,)\n", ""},
		{source.TypeScript, false, "const x = {\n  f() {\n  },\n  ,\n}\n", "4 the syntax is wrong at: ,"},
		{source.TypeScript, false, "f([, ,], 1, )\n", ""},
	} {
		if testing.Short() && !tc.quick {
			continue
		}
		problems, err := p.Check(t.Context(), []byte(tc.src), tc.lang)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(problems) > 0 {
			got = strings.Join([]string{strconv.Itoa(int(problems[0].Line)), problems[0].Message}, " ")
		}
		if (tc.says == "") != (got == "") || !strings.HasPrefix(got, tc.says) {
			t.Errorf("%s %q: %q, want %q", tc.lang, tc.src, got, tc.says)
		}
	}
}

// The queries of all checks fit their grammars.
func TestParser_Check_EveryGrammar(t *testing.T) {
	p := grammarsOf(t)
	for _, lang := range source.Languages() {
		if testing.Short() && lang != source.Java {
			continue
		}
		if problems, err := p.Check(t.Context(), nil, lang); err != nil || len(problems) > 0 {
			t.Errorf("%s: %v, %v", lang, problems, err)
		}
	}
}

func TestParser_Check_Errors(t *testing.T) {
	p := treesitter.New(treesitter.Options{})
	defer p.Close()
	if _, err := p.Check(t.Context(), nil, "cobol"); err == nil {
		t.Error("a language without a grammar is checked")
	}
	if _, err := p.Check(t.Context(), make([]byte, source.MaxSource+1), source.Go); err != source.ErrTooLong {
		t.Error(err)
	}
}

// A long line with many statements is read once. The time limit leaves room for a busy machine.
func TestParser_Check_LongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("the text is long")
	}
	p := treesitter.NewLimited(treesitter.Options{}, treesitter.Limits{Time: time.Minute})
	defer p.Close()
	src := "def f():\n    pass\n" + strings.Repeat("a;", 50_000) + "\n  b\n" + strings.Repeat("  c\n", 100)
	problems, err := p.Check(t.Context(), []byte(src), source.Python)
	if err != nil || len(problems) != source.MaxProblems || problems[0].Line != 4 {
		t.Errorf("%d problems, %v", len(problems), err)
	}
}
