package similar_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/search/similar"
)

func TestTokens(t *testing.T) {
	for _, c := range []struct{ lang, src, want string }{
		{"go", "x := m[`a\"b`] // c\n/* d */ if ok { return 'a', 0x1F_e+1 }", `a := a [ "" ] if a { return "" , 1 + 1 }`},
		{"go", "for i := range 10 { f(a, b,) }", "for a := range 1 { a ( a , a ) }"},
		{"go", "a &^= b<<2; c...", "a &^= a << 1 a ..."},
		{"go", "return 1.5e-3 + .5", "return 1 + . 1"},
		{"javascript", "const f = (x) => `a ${g(`b ${c}`)} d`;", `const a = ( a ) => ""`},
		{"javascript", "if (/[/'\"]+/gi.test(s)) n = a / b / c", `if ( "" . a ( a ) ) a = a / a / a`},
		{"javascript", "return /x/.test('it\\'s')", `return "" . a ( "" )`},
		{"typescript", "class A { #p?: string = this.#q ?? $x }", "class a { a ?: a = this . a ?? a }"},
		{"typescript", "n = a! / b // c\nok = !/d/.test(e)", `a = a ! / a a = ! "" . a ( a )`},
		{"tsx", "<p>don't</p>; y === 'z'", `< a > a a < / a > a === ""`},
		{"python", "def f(x):\n    '''Doc.'''\n    # c\n    return rb'\\d' + f\"{x}\"", `def a ( a ) : return "" + ""`},
		{"python", "x = '''kept\n'''\n\"\"\"dropped\"\"\"\n@d\nasync def g(): pass", `a = "" @ a async def a ( ) : pass`},
		{"java", "@Override public String s() { return \"\"\"\n a \"b\" \"\"\"; } // c", `@ a public a a ( ) { return "" }`},
		{"kotlin", "val s = \"a ${f(\"b\")} c\" /* a /* b */ c */ ?: `odd name`", `val a = "" ?: a`},
		{"scala", "s\"a ${b} c\" match { case 'x' => 'sym }", `"" match { case "" => ' a }`},
		{"c", "#include <a.h>\nchar *s = L\"x\"; // it's\nint n = 'a' + 10UL;", `# include < a . a > a * a = "" a a = "" + 1`},
		{"cpp", "auto s = R\"x(a)\" b)x\"; auto n = 1'000'000; a->b();", `auto a = "" auto a = 1 a -> a ( )`},
		{"csharp", "var s = @\"a \"\"b\"\" \\\"; var t = $\"{x}\"; t ??= $@\"c\";", `var a = "" var a = "" a ??= ""`},
		{"rust", "fn f<'a>(x: &'a str) -> char { let r = r#\"a \"b\"\"#; b'\\n'; 'x' }", `fn a < ' a > ( a : & ' a a ) -> a { let a = "" "" "" }`},
		{"rust", "/* a /* b */ c */ 0..10", "1 .. 1"},
		{"swift", "let s = \"a \\(f(\"b\")) c\" + #\"d \"e\" \"#; guard let `in` else { }", `let a = "" + "" guard let a else { }`},
		{"ruby", "x = <<~EOS + y\n  it's a = b\nEOS\n=begin\nnot\n=end\n@a = %w[b c] # d", `a = "" + a a = ""`},
		{"ruby", "puts \"a #{b[\"c\"]} d\" if x =~ /e f/", `a "" if a =~ ""`},
		{"php", "<p>it's</p><?php # c\n$x = <<<T\n it's\nT;\n$this->f(); ?>don't<?= $y", `a = "" $this -> a ( ) a`},
		{"php", "#[Attr]\nfunction f() {}", "# [ a ] function a ( ) { }"},
		{"", "-- c\nlocal x = 'y' # z\n", `a a = ""`},
		{"go", "名前 := \"日本\" // 注釈", `a := ""`},
		{"go", "\"not closed\nx := `open", `a a a := ""`},
		{"go", "", ""},
	} {
		if got := similar.Tokens(c.src, c.lang); got != c.want {
			t.Errorf("%s: %s\n is read as %s\n want       %s", c.lang, c.src, got, c.want)
		}
	}
}

func TestParts(t *testing.T) {
	const one = "func a(x int) int {\n\tif x > 1 {\n\t\treturn x * 2\n\t}\n\treturn x + 3\n}"
	const two = "func (t *T) b(y, z string) string {\n\tfor i := range y {\n\t\tz += y[i:]\n\t}\n\treturn z\n}"
	const body = "if err != nil {\n\treturn nil, fmt.Errorf(\"reading: %w\", err)\n}\nfor _, x := range all {\n\tuse(x, err, nil)\n\tmore(x)\n}"
	const method = "  async run(a, b) {\n    for (const x of a) { await b.call(x, this.y) }\n    return a.length > 3\n  }"
	const other = "  stop(a) {\n    while (this.y.length > a) { this.y.pop().end(a, true) }\n    return this\n  }"
	def := func(name string) string {
		return "def " + name + "(self, a, b):\n    for x in a:\n        b.call(x, self.y, key=1)\n    return [y for y in b if y]"
	}
	for name, c := range map[string]struct {
		lang, code string
		want       []string
	}{
		"one function":        {"go", one, []string{one}},
		"two functions":       {"go", one + "\n\n// b is.\n" + two + "\n", []string{one + "\n\n// b is.\n" + two, one, two}},
		"statements":          {"go", body, []string{body}},
		"functions of Python": {"python", def("f") + "\n\n" + def("g"), []string{def("f") + "\n\n" + def("g"), def("f"), def("g")}},
		"a class": {"javascript", "class A {\n" + method + "\n" + other + "\n" + method + "\n" + other + "\n}", []string{
			"class A {\n" + method + "\n" + other + "\n" + method + "\n" + other + "\n}", method[2:], other[2:], method[2:], other[2:]}},
	} {
		t.Run(name, func(t *testing.T) {
			got := similar.Parts(c.code, c.lang)
			if len(got) != len(c.want) {
				t.Fatalf("%d parts, want %d: %q", len(got), len(c.want), got)
			}
			for i := range got {
				if got[i] != c.want[i] {
					t.Errorf("part %d is\n%s\nwant\n%s", i, got[i], c.want[i])
				}
			}
		})
	}
}

func TestGuess(t *testing.T) {
	for want, code := range map[string]string{
		"go":         "func f(x []byte) error {\n\tif err := g(x); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}",
		"typescript": "export const f = async (x: string) => {\n  const y = await g(x)\n  return y === undefined\n}",
		"python":     "def f(self, x):\n    if x is not None:\n        return [y for y in x]\n    raise ValueError()",
		"rust":       "pub fn f(&self, x: &str) -> Option<u8> {\n    let mut y = 0;\n    match x { _ => Some(y) }\n}",
		"swift":      "func f(_ x: Int?) -> Int {\n    guard let x = x else { return 0 }\n    self.y = nil\n    return x\n}",
		"java":       "public static void f(String x) throws IOException {\n  final List<String> y = new ArrayList<>();\n}",
		"ruby":       "def f(x)\n  x.each do |y|\n    puts y unless y.nil?\n  end\nend\n",
	} {
		if got := similar.Guess(code); got != want {
			t.Errorf("taken for %q, want %q:\n%s", got, want, code)
		}
	}
}
