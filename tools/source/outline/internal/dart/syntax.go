package dart

import "github.com/dougu-go/dougu/tools/source/outline/internal/engine"

// The words with a meaning.
const (
	_ uint8 = iota
	wordClass
	wordMixin
	wordEnum
	wordExtension
	wordTypedef
	wordDirective // import, export, part, library
	wordModifier
	wordConst // const, final
	wordVar
	wordFactory
	wordAccessor // get, set
	wordOperator
	wordAsync
	wordStatement // a word that begins a statement or an expression and that no declaration has
	wordFunction  // the type Function
	wordVoid
)

var table = engine.Syntax{
	Keywords: map[uint8]string{
		wordClass: "class", wordMixin: "mixin", wordEnum: "enum", wordExtension: "extension", wordTypedef: "typedef",
		wordDirective: "import export part library",
		wordModifier:  "abstract base interface sealed external static late covariant augment",
		wordConst:     "const final", wordVar: "var", wordFactory: "factory", wordAccessor: "get set", wordOperator: "operator",
		wordAsync: "async sync native",
		wordStatement: "if else for while do switch case default return throw rethrow break continue try catch finally assert await yield new " +
			"in is as super this null true false with extends implements",
		wordFunction: "Function", wordVoid: "void",
	},
	Operators: map[engine.Kind]string{
		engine.Arrow:   "=>",
		engine.Dot:     "?. .. ?.. ...",
		engine.Postfix: "++ --",
		engine.Infix:   "?? && || == != += -= *= /= ??= ~/",
	},
	Quotes:  `"'`,
	Literal: literal,
	Special: "r",
	Read:    raw,
}.Compile()

// literal returns the string that a quote begins. Code in it stands in "${" and "}".
func literal(src []byte, at int) (engine.Literal, int) {
	quote := string(src[at])
	if isTriple(src, at) {
		return engine.Literal{Close: quote + quote + quote, Escape: `\`, Code: "${", Lines: true}, at + 3
	}
	return engine.Literal{Close: quote, Escape: `\`, Code: "${"}, at + 1
}

func isTriple(src []byte, at int) bool {
	return at+2 < len(src) && src[at+1] == src[at] && src[at+2] == src[at]
}

// raw reads a string without escapes: r'…'.
func raw(l *engine.Lexer, t engine.Token) bool {
	at := l.At + 1
	if at >= len(l.Src) || l.Src[at] != '\'' && l.Src[at] != '"' {
		return false
	}
	x, from := literal(l.Src, at)
	x.Escape, x.Code = "", ""
	l.At = from
	l.Content(t, x)
	return true
}
