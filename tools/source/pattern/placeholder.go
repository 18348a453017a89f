package pattern

import (
	"fmt"
	"strconv"
	"strings"
)

// piece is a part of the text of a pattern or template: literal text or a variable.
type piece struct {
	text     string // as written
	variable bool
	name     string // without dollar signs; "" for a variable that captures nothing
	many     bool   // $$$
	line     int    // line of its start, from 0
}

// split returns the pieces of a text. A variable is a dollar sign, or three, before capitals, digits and underscores. A dollar sign
// within a name is literal, and so is one before other letters.
func split(text string) []piece {
	var pieces []piece
	start := 0
	for at := 0; at < len(text); {
		p, ok := variableAt(text[at:])
		if !ok || at > 0 && isNameByte(text[at-1]) {
			at++
			continue
		}
		if at > start {
			pieces = append(pieces, piece{text: text[start:at]})
		}
		pieces = append(pieces, p)
		at += len(p.text)
		start = at
	}
	if start < len(text) {
		pieces = append(pieces, piece{text: text[start:]})
	}
	return pieces
}

// variableAt returns the variable at the start of a text.
func variableAt(text string) (piece, bool) {
	rest, many := strings.CutPrefix(text, "$$$")
	if !many {
		var ok bool
		if rest, ok = strings.CutPrefix(text, "$"); !ok {
			return piece{}, false
		}
	}
	n := 0
	for n < len(rest) && (isCapital(rest[n]) || n > 0 && '0' <= rest[n] && rest[n] <= '9') {
		n++
	}
	if n == 0 && !many || n < len(rest) && (isNameByte(rest[n]) || rest[n] == '$') {
		return piece{}, false
	}
	p := piece{text: text[:len(text)-len(rest)+n], variable: true, many: many}
	if n > 0 && rest[0] != '_' {
		p.name = rest[:n]
	}
	return p, true
}

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' || c == '_' }

func isNameByte(c byte) bool {
	return isCapital(c) || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '$' || c >= 0x80
}

// variable is a variable of a pattern.
type variable struct {
	piece
	id   int    // index of the name in Pattern.names; -1 for a variable that captures nothing
	word string // the identifier that stands for the variable while the pattern is parsed
	form int    // index in forms of the language
}

// wordsFor returns a format of identifiers that a text does not contain.
func wordsFor(text string) string {
	text = strings.ToLower(text)
	prefix := "zqq"
	for n := 0; strings.Contains(text, prefix); n++ {
		prefix = "zq" + strconv.Itoa(n) + "q"
	}
	return prefix + "%dv"
}

// written returns the text that stands for the variable in a form: "%s" is the word, "%S" the word with a capital.
func (v *variable) written(forms []string) string {
	form := forms[v.form]
	if strings.Contains(form, "%S") {
		return strings.ReplaceAll(form, "%S", strings.ToUpper(v.word[:1])+v.word[1:])
	}
	return fmt.Sprintf(form, v.word)
}
