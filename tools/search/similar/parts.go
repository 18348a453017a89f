package similar

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Bounds of what is looked for at once.
const (
	maxParts  = 12
	longHead  = 300  // bytes, or tokens, by which it is clear what a declaration is
	longPart  = 1500 // tokens of code that is looked for as a whole besides its parts
	typeParts = 120  // tokens of a type that is taken apart
)

// part is a declaration in the code that is looked for, or all of it.
type part struct {
	*row
	span index.Span
	text []byte // without white space around it
}

// split takes code apart into its declarations, each of which is looked for by
// itself. Code that is no row of declarations is one part.
func split(code []byte, lang string) []part {
	tokens := lex(nil, code, lang)
	rows := declarations(code, tokens)
	if len(rows) == 1 && len(tokens) > typeParts {
		if inner := within(tokens); len(inner) > 0 && typeHead(code, tokens) {
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
	if len(parts) == 0 { // many small ones
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

// declarations cuts tokens where a line begins as far left as any and outside of
// brackets. If that is not a row of declarations it is one.
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

// complete says that a row has a body: another line than its first belongs to it.
func complete(code []byte, row []token) bool {
	last := row[len(row)-1]
	text := code[row[0].start:last.end]
	return last.code == byteOperators|'}' || len(text) > longHead || bytes.IndexByte(text, '\n') >= 0
}

// margin is the least column in which a line begins.
func margin(code []byte, tokens []token) int {
	left := -1
	for i := range tokens {
		if at := column(code, &tokens[i]); at >= 0 && (left < 0 || at < left) {
			left = at
		}
	}
	return left
}

// column is how many bytes of white space are before the first token of a line, or
// -1 if it is not the first.
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

// declares says that a row of tokens looks like a declaration: it begins with a
// word, and not with one that begins a statement.
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

// arrow says that a row has the body of a function: => or {.
func arrow(code []byte, row []token) bool {
	for i := range row[:min(len(row), longHead)] {
		if text := code[row[i].start:row[i].end]; string(text) == "=>" || string(text) == "function" {
			return true
		}
	}
	return false
}

// method says that a row begins as functions of C and methods of scripts do, with
// names, brackets and a body.
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

// typeHead says that code is one type.
func typeHead(code []byte, tokens []token) bool {
	for i := range tokens[:min(len(tokens), 12)] {
		switch t := &tokens[i]; string(code[t.start:t.end]) {
		case "class", "struct", "interface", "trait", "impl", "enum", "protocol", "extension", "object", "actor", "module", "namespace", "void", "extern", "typedef", "template", "constexpr":
			return true
		}
	}
	return false
}

// within are the tokens in the body of a declaration: between its first brackets {
// and }, or behind its first colon or its first line.
func within(tokens []token) []token {
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
