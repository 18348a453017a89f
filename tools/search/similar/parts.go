package similar

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Limits for the division of the code.
const (
	maxParts  = 12
	longHead  = 300  // bytes, or tokens, that suffice to recognize a declaration
	longPart  = 1500 // tokens of code that is searched as one part in addition to its declarations
	typeParts = 120  // tokens of a type that is divided
)

// part is a declaration in the code, or all of the code.
type part struct {
	*row
	span index.Span
	text []byte // removeLines surrounding white space
}

// split divides code into its declarations. Code that is not a sequence of declarations is
// one part.
func split(code []byte, d dialect) []part {
	tokens := lex(nil, code, d)
	rows := declarations(code, tokens)
	if len(rows) == 1 && len(tokens) > typeParts {
		if inner := bodyTokens(tokens); len(inner) > 0 && typeHead(code, tokens) {
			if members := declarations(code, inner); len(members) > 1 {
				rows = members
			}
		}
	}
	var parts []part
	if len(rows) < 2 || len(tokens) <= longPart {
		parts = append(parts, newPart(code, tokens))
	}
	if len(rows) > 1 {
		for _, row := range rows {
			if len(row) >= MinTokens && len(parts) < maxParts {
				parts = append(parts, newPart(code, row))
			}
		}
	}
	if len(parts) == 0 { // no declaration is long enough
		parts = append(parts, newPart(code, tokens[:min(len(tokens), longPart)]))
	}
	return parts
}

func newPart(code []byte, tokens []token) part {
	p := part{row: newRow(tokens)}
	if len(tokens) > 0 {
		p.span = index.Span{Start: tokens[0].start, End: tokens[len(tokens)-1].end}
		p.text = bytes.TrimSpace(code[p.span.Start:p.span.End])
	}
	return p
}

// declarations divides tokens at lines with the smallest indentation, outside brackets. It
// returns one row if the result is not a sequence of declarations.
func declarations(code []byte, tokens []token) [][]token {
	if len(tokens) == 0 {
		return nil
	}
	left := margin(code, tokens)
	var rows [][]token
	start, depth := 0, 0
	for i := range tokens {
		t := &tokens[i]
		if i > start && depth == 0 && !closing(t.code) && column(code, t) == left && declares(code, tokens[start:i]) && complete(code, tokens[start:i]) {
			rows = append(rows, tokens[start:i])
			start = i
		}
		depth = max(0, depth+bracket(t.code))
	}
	rows = append(rows, tokens[start:])
	for _, row := range rows {
		if len(row) >= MinTokens && !declares(code, row) {
			return [][]token{tokens}
		}
	}
	return rows
}

// complete reports whether a row has a body, that is, a second line.
func complete(code []byte, row []token) bool {
	last := row[len(row)-1]
	text := code[row[0].start:last.end]
	return last.code == byteOperators|'}' || len(text) > longHead || bytes.IndexByte(text, '\n') >= 0
}

// margin returns the smallest column at which a line begins.
func margin(code []byte, tokens []token) int {
	left := -1
	for i := range tokens {
		if at := column(code, &tokens[i]); at >= 0 && (left < 0 || at < left) {
			left = at
		}
	}
	return left
}

// column returns the number of bytes of white space before the first token of a line, or -1
// for another token.
func column(code []byte, t *token) int {
	n := 0
	for i := int(t.start) - 1; i >= 0 && code[i] != '\n'; i-- {
		if code[i] != ' ' && code[i] != '\t' {
			return -1
		}
		n++
	}
	return n
}

func bracket(code uint16) int {
	switch code {
	case byteOperators | '(', byteOperators | '[', byteOperators | '{':
		return 1
	case byteOperators | ')', byteOperators | ']', byteOperators | '}':
		return -1
	}
	return 0
}

func closing(code uint16) bool { return bracket(code) < 0 }

// declares reports whether a row looks like a declaration: it begins with a word, but not
// with the keyword of a statement.
func declares(code []byte, row []token) bool {
	for i := range row[:min(len(row), longHead)] {
		t := &row[i]
		switch string(code[t.start:t.end]) {
		case "func", "fun", "def", "fn", "function", "class", "struct", "interface", "trait", "impl", "enum", "protocol", "extension", "type", "object", "actor", "public", "private", "protected", "static", "override", "internal", "fileprivate", "export", "abstract", "final", "pub", "module", "namespace", "void", "extern", "typedef", "template", "constexpr":
			return true
		case "const", "let", "var", "val":
			return arrow(code, row)
		case "async", "suspend", "@", "#", "[", "]", "unsafe", "inline", "open", "default":
			continue
		}
		return method(row[i:])
	}
	return false
}

// arrow reports whether a row contains the start of a function body: => or {.
func arrow(code []byte, row []token) bool {
	for i := range row[:min(len(row), longHead)] {
		if text := code[row[i].start:row[i].end]; string(text) == "=>" || string(text) == "function" {
			return true
		}
	}
	return false
}

// method reports whether a row begins like a function in C or a method in a script
// language: names, brackets and a body.
func method(row []token) bool {
	depth, seen := 0, false
	for i := range row[:min(len(row), longHead)] {
		code := row[i].code
		switch {
		case depth == 0 && code == byteOperators|'{':
			return seen
		case depth == 0 && !seen && code != identifier && code < firstWord && code != byteOperators|'*' && code != byteOperators|'(':
			return false
		case i == 0 && code != identifier:
			return false
		}
		depth = max(0, depth+bracket(code))
		seen = seen || depth > 0
	}
	return false
}

// typeHead reports whether code is one type.
func typeHead(code []byte, tokens []token) bool {
	for i := range tokens[:min(len(tokens), 12)] {
		switch t := &tokens[i]; string(code[t.start:t.end]) {
		case "class", "struct", "interface", "trait", "impl", "enum", "protocol", "extension", "object", "actor", "module", "namespace", "void", "extern", "typedef", "template", "constexpr":
			return true
		}
	}
	return false
}

// bodyTokens returns the tokens in the body of a declaration: between the first { and its }, or
// after the first colon or the first line.
func bodyTokens(tokens []token) []token {
	for i := range tokens {
		switch tokens[i].code {
		case byteOperators | '{':
			return tokens[i+1 : max(i+1, len(tokens)-1)]
		case byteOperators | ':':
			return tokens[i+1:]
		}
	}
	return nil
}
