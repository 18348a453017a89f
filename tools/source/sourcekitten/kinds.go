package sourcekitten

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/source"
)

// kindOf returns the kind of a node's declaration; Invalid if the node is no chunk.
func kindOf(n *node, in nodeContext) source.Kind {
	kind, found := strings.CutPrefix(n.Kind, "source.lang.swift.decl.")
	if !found {
		return source.Invalid
	}
	switch kind {
	case "function.subscript":
		return source.Subscript
	case "function.constructor":
		return source.Initializer
	case "function.destructor":
		return source.Deinitializer
	case "class":
		return source.Class
	case "struct":
		return source.Struct
	case "enum":
		return source.Enum
	case "protocol":
		return source.Interface
	case "actor":
		return source.Actor
	case "typealias", "associatedtype":
		return source.TypeAlias
	case "macro":
		return source.Macro
	case "enumelement":
		return source.EnumCase
	case "var.instance", "var.static", "var.class":
		return source.Property
	case "var.global", "var.local":
		return source.Variable
	}
	switch {
	case kind == "extension" || strings.HasPrefix(kind, "extension."):
		return source.Extension
	case strings.HasPrefix(kind, "function.accessor."):
		return source.Accessor
	case strings.HasPrefix(kind, "function.operator"):
		return source.Operator
	case strings.HasPrefix(kind, "function."):
		return functionKind(n.Name, in)
	}
	return source.Invalid
}

// functionKind distinguishes the functions that SourceKit calls methods.
func functionKind(name string, in nodeContext) source.Kind {
	bare, _, _ := strings.Cut(name, "(")
	first, _ := utf8.DecodeRuneInString(name)
	switch {
	case bare == "init" && in.inType:
		return source.Initializer
	case bare == "deinit" && in.inType:
		return source.Deinitializer
	case first != '_' && first != '`' && (unicode.IsPunct(first) || unicode.IsSymbol(first)) && first < 0x1f000:
		return source.Operator
	case in.inType:
		return source.Method
	}
	return source.Function
}

// split cuts the labels off a name: "travel(distance:)".
func split(name string, kind source.Kind) (bare, labels string) {
	bare = name
	if at := strings.LastIndexByte(name, '('); at > 0 && strings.HasSuffix(name, ")") {
		bare, labels = name[:at], name[at:]
	}
	if !kind.IsCallable() && kind != source.Macro {
		labels = ""
	}
	return strings.Trim(bare, "`"), labels
}

// call notes a call by the last part of its name.
func (r *reader) call(n *node, in nodeContext) {
	if !r.calls || n.Name == "" {
		return
	}
	text := n.Name
	if at := strings.IndexByte(text, '<'); at > 0 {
		text = text[:at]
	}
	text = strings.TrimRight(text, "?!")
	at := strings.LastIndexFunc(text, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	last := text[at+1:]
	if last == "" || unicode.IsDigit(rune(last[0])) {
		return
	}
	place := n.Offset
	if from := n.NameOffset; fits(from, len(n.Name), n.Offset, n.end()) {
		if at := bytes.LastIndex(r.src[from:from+len(n.Name)], []byte(last)); at >= 0 {
			place = from + at
		}
	}
	r.builder.Call(last, place, in.callable)
}

// imports finds the imports, which SourceKit's structure leaves out: lines outside
// of all declarations that begin with the word or with attributes before it.
func (r *reader) imports() {
	at := 0
	for line := range bytes.Lines(r.src) {
		for len(r.covered) > 0 && r.covered[0].to <= at {
			r.covered = r.covered[1:]
		}
		if len(r.covered) == 0 || at < r.covered[0].from {
			r.importLine(string(line), at)
		}
		at += len(line)
	}
}

func (r *reader) importLine(line string, at int) {
	line, _, _ = strings.Cut(line, "//")
	words := strings.Fields(strings.TrimRight(strings.TrimSpace(line), ";"))
	for len(words) > 0 && (words[0][0] == '@' || isAccess(words[0])) {
		words = words[1:]
	}
	if len(words) < 2 || words[0] != "import" {
		return
	}
	path := words[1]
	switch path {
	case "struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor":
		if len(words) > 2 {
			path = words[2]
		}
	}
	r.builder.Import(path, at)
}

func isAccess(word string) bool {
	switch word {
	case "public", "internal", "private", "fileprivate", "package":
		return true
	}
	return false
}
