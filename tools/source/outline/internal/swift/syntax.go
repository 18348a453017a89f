package swift

import "github.com/dougu-go/dougu/tools/source/outline/internal/engine"

// The words that mean something. The words up to wordAsync begin a declaration or stand
// before it, among the members of a type.
const (
	_ uint8 = iota
	wordFunc
	wordInit
	wordDeinit
	wordSubscript
	wordClass
	wordStruct
	wordEnum
	wordProtocol
	wordExtension
	wordActor
	wordTypealias
	wordAssociatedtype
	wordMacro
	wordOperator
	wordPrecedencegroup
	wordImport
	wordLet
	wordVar
	wordModifier
	wordAsync
	wordThrows
	wordWhere
	// An operand, a condition or a pattern follows these, or a block.
	wordCase
	wordCondition
	wordElse
	wordIn
	wordAs
	wordTry
	wordStatement
)

var table = engine.Syntax{
	Keywords: map[uint8]string{
		wordFunc: "func", wordInit: "init", wordDeinit: "deinit", wordSubscript: "subscript", wordClass: "class", wordStruct: "struct",
		wordEnum: "enum", wordProtocol: "protocol", wordExtension: "extension", wordActor: "actor", wordTypealias: "typealias",
		wordAssociatedtype: "associatedtype", wordMacro: "macro", wordOperator: "operator", wordPrecedencegroup: "precedencegroup",
		wordImport: "import", wordLet: "let", wordVar: "var",
		wordModifier: "public private fileprivate internal open package static final override required convenience lazy weak unowned " +
			"mutating nonmutating consuming borrowing dynamic optional prefix postfix infix indirect nonisolated isolated distributed __consuming",
		wordAsync: "async", wordThrows: "throws rethrows reasync", wordWhere: "where", wordCase: "case",
		wordCondition: "if while guard for switch catch", wordElse: "else", wordIn: "in", wordAs: "as is", wordTry: "try",
		wordStatement: "await return throw do defer repeat",
	},
	Quotes:  `"`,
	Literal: func(src []byte, at int) (engine.Literal, int) { return literal(src, at, 0) },
	Special: signs + ":#\\" + above,
	Read:    read,
}.Compile()

// beforeOperand reports whether an expression cannot end with a word.
func beforeOperand(word uint8) bool { return word >= wordCase || word == wordWhere }

// declares reports whether a word begins a declaration or precedes it.
func declares(word uint8) bool { return word > 0 && word <= wordAsync }

// operandEnded reports whether an operand may end with a token, so that an operator
// may follow it.
func operandEnded(t *engine.Token) bool {
	switch t.Kind {
	case engine.Word:
		return !beforeOperand(t.Word)
	case engine.Value, engine.Hash, engine.Postfix, engine.RightParen, engine.RightBracket, engine.RightBrace:
		return true
	}
	return false
}
