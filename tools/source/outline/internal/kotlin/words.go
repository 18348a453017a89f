package kotlin

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// word is what an identifier means to the scanner. Modifiers are bits, so that
// those of a declaration can be gathered.
type word uint16

const (
	name word = iota // an identifier like any other
	wordFun
	wordVal // or var
	wordClass
	wordInterface
	wordObject
	wordTypealias
	wordConstructor
	wordInit
	wordAccessor // get, set
	wordField
	wordPackage
	wordImport
	wordContext

	wordIf
	wordElse
	wordWhen
	wordTry
	wordCatch // or finally
	wordLoop  // for, while
	wordDo
	wordReturn
	wordBreak // or continue
	wordThrow
	wordThis // or super
	wordAs
	wordIs
	wordIn
	wordLiteral // true, false, null

	modifier   word = 1 << 8
	enum       word = modifier | 1<<9
	annotation word = modifier | 1<<10
	operator   word = modifier | 1<<11
	companion  word = modifier | 1<<12
	constant   word = modifier | 1<<13
)

// hard says that a word is a keyword everywhere, which ends an expression before
// it.
func (w word) hard() bool {
	switch w {
	case wordFun, wordVal, wordClass, wordInterface, wordObject, wordTypealias, wordPackage:
		return true
	}
	return wordIf <= w && w <= wordLiteral && w != wordCatch
}

// wordOf says what an identifier means.
func wordOf(w []byte) word {
	if len(w) < 2 || len(w) > 11 || w[0] < 'a' || w[0] > 'w' {
		return name
	}
	switch string(w) {
	case "fun":
		return wordFun
	case "val", "var":
		return wordVal
	case "class":
		return wordClass
	case "interface":
		return wordInterface
	case "object":
		return wordObject
	case "typealias":
		return wordTypealias
	case "constructor":
		return wordConstructor
	case "init":
		return wordInit
	case "get", "set":
		return wordAccessor
	case "field":
		return wordField
	case "package":
		return wordPackage
	case "import":
		return wordImport
	case "context":
		return wordContext
	case "if":
		return wordIf
	case "else":
		return wordElse
	case "when":
		return wordWhen
	case "try":
		return wordTry
	case "catch", "finally":
		return wordCatch
	case "for", "while":
		return wordLoop
	case "do":
		return wordDo
	case "return":
		return wordReturn
	case "break", "continue":
		return wordBreak
	case "throw":
		return wordThrow
	case "this", "super":
		return wordThis
	case "as":
		return wordAs
	case "is":
		return wordIs
	case "in":
		return wordIn
	case "true", "false", "null":
		return wordLiteral
	case "enum":
		return enum
	case "annotation":
		return annotation
	case "operator":
		return operator
	case "companion":
		return companion
	case "const":
		return constant
	case "public", "private", "protected", "internal", "abstract", "final", "open", "sealed", "data", "inner", "value",
		"override", "lateinit", "tailrec", "infix", "inline", "external", "suspend", "expect", "actual",
		"vararg", "noinline", "crossinline", "reified", "out":
		return modifier
	}
	return name
}

// identifier is the end of the identifier that is the next token, or its
// beginning if the next token is none.
func (s *scanner) identifier() int {
	switch {
	case s.at == len(s.src):
		return s.at
	case s.src[s.at] == '`':
		line := s.src[s.at+1 : lex.Line(s.src, s.at)]
		if n := bytes.IndexByte(line, '`'); n > 0 {
			return s.at + 1 + n + 1
		}
		return s.at
	case lex.Class[s.src[s.at]] == lex.Letter:
		return lex.Identifier(s.src, s.at)
	}
	return s.at
}

// word is what the next token means if it is an identifier.
func (s *scanner) word() word {
	if s.at < len(s.src) && lex.Class[s.src[s.at]] == lex.Letter {
		return wordOf(s.src[s.at:lex.Identifier(s.src, s.at)])
	}
	return name
}

// isWord says that the next token is this identifier.
func (s *scanner) isWord(word string) bool {
	end := s.at + len(word)
	return end <= len(s.src) && string(s.src[s.at:end]) == word &&
		(end == len(s.src) || lex.Class[s.src[end]]&(lex.Letter|lex.Digit) == 0)
}
