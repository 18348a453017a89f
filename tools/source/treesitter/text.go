package treesitter

import (
	"bytes"
	"strings"
)

// withoutComments is a text with a blank for each comment.
func withoutComments(text []byte) []byte {
	if !bytes.Contains(text, []byte("/*")) && !bytes.Contains(text, []byte("//")) {
		return text
	}
	var out []byte
	for len(text) > 0 {
		end := 1
		switch {
		case bytes.HasPrefix(text, []byte("//")):
			end = bytes.IndexByte(text, '\n')
			out = append(out, ' ')
		case bytes.HasPrefix(text, []byte("/*")):
			if end = bytes.Index(text, []byte("*/")); end >= 0 {
				end += 2
			}
			out = append(out, ' ')
		case text[0] == '"' || text[0] == '\'':
			end = quoted(string(text)) + 1
			out = append(out, text[:end]...)
		default:
			out = append(out, text[0])
		}
		if end < 0 {
			break
		}
		text = text[end:]
	}
	return out
}

// annotationEnd is where the annotation ends that a text begins with: @a.B(c).
func annotationEnd(text string) int {
	at := 1
	for at < len(text) && (isWord(text[at]) || text[at] == '.' || text[at] == ':' || text[at] >= 0x80) {
		at++
	}
	if at < len(text) && text[at] == '<' {
		at += angleEnd(text[at:])
	}
	if rest := strings.TrimLeft(text[at:], " "); strings.HasPrefix(rest, "(") {
		if end := matching(rest); end > 0 {
			return len(text) - len(rest) + end + 1
		}
	}
	return at
}

// tight is a type without the blanks that it can do without.
func tight(text string) string {
	var out strings.Builder
	words := strings.Fields(text)
	for i, word := range words {
		if i > 0 && isWord(word[0]) && isWord(words[i-1][len(words[i-1])-1]) || i > 0 && strings.HasSuffix(words[i-1], "?") && isWord(word[0]) {
			out.WriteByte(' ')
		}
		out.WriteString(word)
	}
	return out.String()
}
