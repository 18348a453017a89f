package source

import (
	"bytes"
	"unicode/utf8"
)

// signature writes text in one line. It may lie in the text.
func (b *Builder) signature(text []byte) string {
	if text = bytes.TrimRight(text, " "); plain(text) {
		return view(text)
	}
	text = text[:min(len(text), 4*MaxSignature)]
	if lang := b.file.Language; lang != Python && lang != Ruby && hasComment(text) {
		b.kept = withoutComments(b.kept[:0], text, lang)
		text = b.kept
	}
	from := len(b.room)
	if b.room = inOneLine(b.room, text); len(b.room)-from > MaxSignature {
		end := from + MaxSignature
		for end > from && !utf8.RuneStart(b.room[end]) {
			end--
		}
		b.room = append(b.room[:end], "…"...)
	}
	return view(b.room[from:])
}

// inOneLine appends the words of a text with a blank between two of them.
func inOneLine(dst, text []byte) []byte {
	from := len(dst)
	gap := false
	for _, c := range text {
		switch {
		case c >= utf8.RuneSelf:
			dst = dst[:from]
			for word := range bytes.FieldsSeq(text) { // knows the white space of all scripts
				if len(dst) > from {
					dst = append(dst, ' ')
				}
				dst = append(dst, word...)
			}
			return dst
		case c == ' ' || '\t' <= c && c <= '\r':
			gap = true
		default:
			if gap && len(dst) > from {
				dst = append(dst, ' ')
			}
			gap = false
			dst = append(dst, c)
		}
	}
	return dst
}

// plain says that a text is its own signature, as most are.
func plain(text []byte) bool {
	if len(text) > MaxSignature {
		return false
	}
	before := byte(' ')
	for _, c := range text {
		if odd[c] && (c < ' ' || c > '~' || before == ' ' && c == ' ' || before == '/' && c != ' ') {
			return false
		}
		before = c
	}
	return true
}

// odd are the bytes that plain has to look at.
var odd = func() (odd [256]bool) {
	for c := range odd {
		odd[c] = c <= ' ' || c > '~' || c == '/' || c == '*'
	}
	return odd
}()

func hasComment(text []byte) bool {
	return bytes.Contains(text, []byte("//")) || bytes.Contains(text, []byte("/*"))
}

// withoutComments appends a text with a blank for each comment, in languages that write
// them as C does. What is in quotes stays.
func withoutComments(kept, text []byte, lang Language) []byte {
	nested := lang == Swift || lang == Kotlin || lang == Scala || lang == Rust
	apostrophes := lang == JavaScript || lang == TypeScript || lang == TSX || lang == PHP
	for at := 0; at < len(text); {
		rest := text[at:]
		switch {
		case bytes.HasPrefix(rest, []byte("//")):
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				return kept
			}
			at += end
		case bytes.HasPrefix(rest, []byte("/*")):
			kept = append(kept, ' ')
			at += comment(rest, nested)
		case rest[0] == '"' || rest[0] == '`' || rest[0] == '\'' && apostrophes:
			end := quoted(rest)
			kept = append(kept, rest[:end]...)
			at += end
		default:
			kept = append(kept, rest[0])
			at++
		}
	}
	return kept
}

// quoted is the length of the string that begins a text.
func quoted(text []byte) int {
	for at := 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case text[0]:
			return at + 1
		}
	}
	return len(text)
}

// comment is the length of the comment that begins a text.
func comment(text []byte, nested bool) int {
	depth := 1
	for at := 2; at+1 < len(text); at++ {
		switch {
		case text[at] == '*' && text[at+1] == '/':
			at++
			if depth--; depth == 0 {
				return at + 1
			}
		case nested && text[at] == '/' && text[at+1] == '*':
			at++
			depth++
		}
	}
	return len(text)
}
