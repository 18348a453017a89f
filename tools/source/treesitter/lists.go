package treesitter

import (
	"bytes"
	"strings"
)

// inBrackets is the text between the brackets around a list.
func inBrackets(list []byte) string {
	text := strings.TrimSpace(string(list))
	if len(text) < 2 || matching(text) != len(text)-1 {
		return text
	}
	return text[1 : len(text)-1]
}

// accessorsOnly reports whether a list of accessors, { get; set; }, has no code.
func accessorsOnly(list []byte) bool {
	if len(list) == 0 || list[0] != '{' {
		return false
	}
	inside, _, _ := bytes.Cut(list[1:], []byte("}"))
	return bytes.IndexByte(inside, '{') < 0 && !bytes.Contains(inside, []byte("=>"))
}

// splitTop cuts a list at the commas that no brackets are around. Angle brackets
// count unless they are part of an arrow.
func splitTop(list string) []string {
	var items []string
	for {
		at := topLevel(list, ',')
		if at < 0 {
			break
		}
		items = append(items, list[:at])
		list = list[at+1:]
	}
	if strings.TrimSpace(list) != "" {
		items = append(items, list)
	}
	return items
}

// topLevel is where a byte first stands outside of all brackets and strings, as
// no part of an operator of two; -1 if it does not.
func topLevel(text string, b byte) int {
	depth := 0
	for at := 0; at < len(text); at++ {
		c := text[at]
		if c == b && depth == 0 && !strings.HasPrefix(text[at:], "=>") && !strings.HasPrefix(text[at:], "==") {
			return at
		}
		switch c {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}':
			depth--
		case '>':
			if at == 0 || text[at-1] != '=' && text[at-1] != '-' {
				depth--
			}
		case '"', '\'':
			at += quoted(text[at:])
		}
	}
	return -1
}

// matching is where the bracket closes that a text begins with; -1 if it does
// not.
func matching(text string) int {
	depth := 0
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return at
			}
		case '"', '\'':
			at += quoted(text[at:])
		}
	}
	return -1
}

// quoted is how far the closing quote is from the one that a text begins with; 0
// if there is none.
func quoted(text string) int {
	for at := 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case text[0]:
			return at
		case '\n':
			return 0
		}
	}
	return 0
}
