package symbols

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// kindOf says what a symbol declares; Invalid if nothing that is a chunk. word is the
// keyword of the declaration, which tells more than the few kinds of the protocol.
func kindOf(s *Symbol, lang parse.Language, word string, inType bool) parse.Kind {
	if kind, ok := byWord[word]; ok && lang == parse.Swift {
		if kind == parse.Function && inType {
			kind = parse.Method
		}
		if kind.Callable() && isOperator(s.Name) {
			kind = parse.Operator
		}
		return kind
	}
	switch s.Kind {
	case "function", "method":
		switch {
		case isOperator(s.Name):
			return parse.Operator
		case s.Kind == "method" || inType:
			return parse.Method
		}
		return parse.Function
	case "class":
		return parse.Class
	case "interface":
		return parse.Interface
	case "struct":
		return parse.Struct
	case "enum":
		return parse.Enum
	case "constructor":
		return parse.Initializer
	case "operator":
		return parse.Operator
	case "property", "field":
		return parse.Property
	case "variable":
		return value(inType, parse.Variable)
	case "constant":
		return value(inType, parse.Constant)
	case "enummember":
		return parse.EnumCase
	case "typeparameter":
		return parse.TypeAlias
	case "module", "namespace", "package":
		return parse.Module
	case "object":
		return parse.Object
	}
	return parse.Invalid
}

func value(inType bool, kind parse.Kind) parse.Kind {
	if inType {
		return parse.Property
	}
	return kind
}

// byWord are kinds by Swift's keywords: its server calls extensions namespaces, and
// actors classes.
var byWord = map[string]parse.Kind{
	"extension": parse.Extension, "actor": parse.Actor, "class": parse.Class, "struct": parse.Struct, "enum": parse.Enum, "protocol": parse.Interface,
	"typealias": parse.TypeAlias, "associatedtype": parse.TypeAlias, "macro": parse.Macro,
	"func": parse.Function, "init": parse.Initializer, "deinit": parse.Deinitializer, "subscript": parse.Subscript,
}

func isOperator(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return name != "" && !strings.ContainsRune("_`$\"'([#@~", first) && (unicode.IsPunct(first) || unicode.IsSymbol(first)) && first < 0x1f000
}

// split cuts off what tells overloads apart: "travel(distance:)", "push(int)".
func split(name string, kind parse.Kind) (bare, labels string) {
	bare = name
	if at := strings.IndexByte(name, '('); at > 0 && strings.HasSuffix(name, ")") {
		bare, labels = name[:at], name[at:]
	}
	if !kind.Callable() && kind != parse.Macro {
		labels = ""
	}
	return strings.Trim(bare, "`"), labels
}

// modifiers come before the keyword of a declaration in Swift.
var modifiers = map[string]bool{
	"public": true, "private": true, "internal": true, "fileprivate": true, "open": true, "package": true, "static": true, "final": true, "override": true,
	"mutating": true, "nonmutating": true, "required": true, "convenience": true, "indirect": true, "lazy": true, "weak": true, "unowned": true,
	"dynamic": true, "optional": true, "prefix": true, "postfix": true, "infix": true, "nonisolated": true, "isolated": true, "distributed": true,
	"borrowing": true, "consuming": true, "async": true, "set": true, "safe": true, "unsafe": true,
}
