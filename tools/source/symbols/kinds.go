package symbols

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/source"
)

// kindOf returns the kind of a symbol's declaration; Invalid if the symbol is no chunk. word is the
// keyword of the declaration, which is more precise than the few kinds of the protocol.
func kindOf(s *Symbol, lang source.Language, word string, inType bool) source.Kind {
	if kind, ok := byWord[word]; ok && lang == source.Swift {
		if kind == source.Function && inType {
			kind = source.Method
		}
		if kind.IsCallable() && isOperator(s.Name) {
			kind = source.Operator
		}
		return kind
	}
	switch s.Kind {
	case "function", "method":
		switch {
		case isOperator(s.Name):
			return source.Operator
		case s.Kind == "method" || inType:
			return source.Method
		}
		return source.Function
	case "class":
		return source.Class
	case "interface":
		return source.Interface
	case "struct":
		return source.Struct
	case "enum":
		return source.Enum
	case "constructor":
		return source.Initializer
	case "operator":
		return source.Operator
	case "property", "field":
		return source.Property
	case "variable":
		return value(inType, source.Variable)
	case "constant":
		return value(inType, source.Constant)
	case "enummember":
		return source.EnumCase
	case "typeparameter":
		return source.TypeAlias
	case "module", "namespace", "package":
		return source.Module
	case "object":
		return source.Object
	}
	return source.Invalid
}

func value(inType bool, kind source.Kind) source.Kind {
	if inType {
		return source.Property
	}
	return kind
}

// byWord are kinds by Swift's keywords: its server calls extensions namespaces, and
// actors classes.
var byWord = map[string]source.Kind{
	"extension": source.Extension, "actor": source.Actor, "class": source.Class, "struct": source.Struct, "enum": source.Enum, "protocol": source.Interface,
	"typealias": source.TypeAlias, "associatedtype": source.TypeAlias, "macro": source.Macro,
	"func": source.Function, "init": source.Initializer, "deinit": source.Deinitializer, "subscript": source.Subscript,
}

func isOperator(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return name != "" && !strings.ContainsRune("_`$\"'([#@~", first) && (unicode.IsPunct(first) || unicode.IsSymbol(first)) && first < 0x1f000
}

// split separates the labels of an overload from its name: "travel(distance:)", "push(int)".
func split(name string, kind source.Kind) (bare, labels string) {
	bare = name
	if at := strings.IndexByte(name, '('); at > 0 && strings.HasSuffix(name, ")") {
		bare, labels = name[:at], name[at:]
	}
	if !kind.IsCallable() && kind != source.Macro {
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
