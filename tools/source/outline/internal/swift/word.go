package swift

// word is a word that means something to the scanner.
type word uint8

const (
	_ word = iota
	wFunc
	wInit
	wDeinit
	wSubscript
	wClass
	wStruct
	wEnum
	wProtocol
	wExtension
	wActor
	wTypealias
	wAssociatedtype
	wMacro
	wOperator
	wPrecedencegroup
	wImport
	wLet
	wVar
	wModifier
	wAsync
	wThrows
	wWhere
	// An operand, a condition or a pattern follows these, or a block.
	wCase
	wCondition
	wElse
	wIn
	wAs
	wTry
	wStatement
)

// beforeOperand says that an expression cannot end with the word.
func (w word) beforeOperand() bool { return w >= wCase || w == wWhere }

// declares says that the word begins a declaration or stands before it, among
// the members of a type.
func (w word) declares() bool { return w > 0 && w <= wAsync }

// wordOf finds a word. A switch is faster here than a map.
func wordOf(text []byte) word {
	if len(text) < 2 || len(text) > 15 || text[0] < '_' || text[0] > 'w' {
		return 0
	}
	switch string(text) {
	case "func":
		return wFunc
	case "init":
		return wInit
	case "deinit":
		return wDeinit
	case "subscript":
		return wSubscript
	case "class":
		return wClass
	case "struct":
		return wStruct
	case "enum":
		return wEnum
	case "protocol":
		return wProtocol
	case "extension":
		return wExtension
	case "actor":
		return wActor
	case "typealias":
		return wTypealias
	case "associatedtype":
		return wAssociatedtype
	case "macro":
		return wMacro
	case "operator":
		return wOperator
	case "precedencegroup":
		return wPrecedencegroup
	case "import":
		return wImport
	case "let":
		return wLet
	case "var":
		return wVar
	case "case":
		return wCase
	case "public", "private", "fileprivate", "internal", "open", "package", "static", "final", "override", "required",
		"convenience", "lazy", "weak", "unowned", "mutating", "nonmutating", "consuming", "borrowing", "dynamic",
		"optional", "prefix", "postfix", "infix", "indirect", "nonisolated", "isolated", "distributed", "__consuming":
		return wModifier
	case "async":
		return wAsync
	case "throws", "rethrows", "reasync":
		return wThrows
	case "where":
		return wWhere
	case "if", "while", "guard", "for", "switch", "catch":
		return wCondition
	case "else":
		return wElse
	case "in":
		return wIn
	case "as", "is":
		return wAs
	case "try":
		return wTry
	case "await", "return", "throw", "do", "defer", "repeat":
		return wStatement
	}
	return 0
}
