package kotlin

import (
	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
)

// The words that mean something. The words from wordModifier on are modifiers.
const (
	_ uint8 = iota
	wordFun
	wordVal
	wordClass
	wordInterface
	wordObject
	wordTypealias
	wordConstructor
	wordInit
	wordAccessor
	wordField
	wordPackage
	wordImport
	wordContext
	wordBy
	wordWhere

	wordIf // reserved from here to wordThis
	wordElse
	wordWhen
	wordTry
	wordLoop
	wordDo
	wordReturn
	wordBreak
	wordThrow
	wordAs
	wordIs
	wordIn
	wordLiteral
	wordThis
	wordCatch

	wordModifier
	wordEnum
	wordAnnotation
	wordOperator
	wordCompanion
	wordConst
)

var table = engine.Syntax{
	Keywords: map[uint8]string{
		wordFun: "fun", wordVal: "val var", wordClass: "class", wordInterface: "interface", wordObject: "object",
		wordTypealias: "typealias", wordConstructor: "constructor", wordInit: "init", wordAccessor: "get set",
		wordField: "field", wordPackage: "package", wordImport: "import", wordContext: "context", wordBy: "by", wordWhere: "where",
		wordIf: "if", wordElse: "else", wordWhen: "when", wordTry: "try", wordLoop: "for while", wordDo: "do",
		wordReturn: "return", wordBreak: "break continue", wordThrow: "throw", wordAs: "as", wordIs: "is", wordIn: "in",
		wordLiteral: "true false null", wordThis: "this super", wordCatch: "catch finally",
		wordModifier: "public private protected internal abstract final open sealed data inner value override lateinit tailrec infix " +
			"inline external suspend expect actual vararg noinline crossinline reified out",
		wordEnum: "enum", wordAnnotation: "annotation", wordOperator: "operator", wordCompanion: "companion", wordConst: "const",
	},
	Operators: map[engine.Kind]string{
		engine.Arrow:   "->",
		engine.Dot:     ":: ?. ?::",
		engine.Postfix: "!! ++ --",
		engine.Infix:   "?: && || .. ..< == === != !== <= += -= *= /= %=",
	},
	Quotes:  "\"'$",
	Literal: literal,
}.Compile()

// literal is a string or a character, before which there may be the dollar signs
// that its templates begin with.
func literal(src []byte, at int) (engine.Literal, int) {
	dollars := 0
	for at < len(src) && src[at] == '$' {
		at++
		dollars++
	}
	switch {
	case at == len(src):
		return engine.Literal{}, 0
	case src[at] == '\'' && dollars == 0:
		return engine.Literal{Close: "'", Escape: `\`}, at + 1
	case src[at] != '"':
		return engine.Literal{}, 0
	}
	code := engine.Marked("", "$", max(dollars, 1)) + "{"
	if at+2 < len(src) && src[at+1] == '"' && src[at+2] == '"' {
		return engine.Literal{Close: `"""`, Code: code, Lines: true, Greedy: true}, at + 3
	}
	return engine.Literal{Close: `"`, Escape: `\`, Code: code}, at + 1
}

// hard reports whether a word is a keyword everywhere, which ends an expression
// before it.
func hard(word uint8) bool {
	return wordFun <= word && word <= wordTypealias || word == wordPackage || wordIf <= word && word <= wordThis
}

// named reports whether a word may be the name of something that is called.
func named(word uint8) bool { return word < wordIf || word >= wordModifier }
