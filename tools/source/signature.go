package source

import (
	"bytes"
	"unicode/utf8"
)

// signature returns text in one line, without comments, of at most MaxSignature bytes and "…". The
// result may share the memory of the text.
func (b *Builder) signature(text []byte) string {
	if text = bytes.TrimRight(text, " "); isPlain(text) {
		return unsafeString(text)
	}
	text = text[:min(len(text), 4*MaxSignature)]
	if lang := b.file.Language; lang != Python && lang != Ruby && hasComment(text) {
		b.kept = stripComments(b.kept[:0], text, lang)
		text = b.kept
	}
	from := len(b.room)
	if b.room = collapseSpace(b.room, text); len(b.room)-from > MaxSignature {
		end := from + MaxSignature
		for end > from && !utf8.RuneStart(b.room[end]) {
			end--
		}
		b.room = append(b.room[:end], "…"...)
	}
	return unsafeString(b.room[from:])
}

// collapseSpace appends the words of text to dst, with one blank between them.
func collapseSpace(dst, text []byte) []byte {
	from := len(dst)
	gap := false
	for _, c := range text {
		switch {
		case c >= utf8.RuneSelf:
			dst = dst[:from]
			for word := range bytes.FieldsSeq(text) { // handles the white space of all scripts
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

// isPlain reports whether a text is its own signature, as most texts are: short, without comments,
// and with single blanks alone.
func isPlain(text []byte) bool {
	if len(text) > MaxSignature {
		return false
	}
	before := byte(' ')
	for _, c := range text {
		if suspectBytes[c] && (c < ' ' || c > '~' || before == ' ' && c == ' ' || before == '/' && c != ' ') {
			return false
		}
		before = c
	}
	return true
}

// suspectBytes marks the bytes that isPlain must examine with their neighbour.
var suspectBytes = func() (odd [256]bool) {
	for c := range odd {
		odd[c] = c <= ' ' || c > '~' || c == '/' || c == '*'
	}
	return odd
}()

// hasComment reports whether a text contains a comment sign of C, perhaps in a string.
func hasComment(text []byte) bool {
	return bytes.Contains(text, []byte("//")) || bytes.Contains(text, []byte("/*"))
}

// stripComments appends text with a blank for each comment, for languages with C comments. Quoted
// text stays.
func stripComments(kept, text []byte, lang Language) []byte {
	nested := lang == Swift || lang == Kotlin || lang == Scala || lang == Rust
	apostrophes := lang == JavaScript || lang == TypeScript || lang == TSX || lang == PHP || lang == "dart"
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
			at += commentLen(rest, nested)
		case rest[0] == '"' || rest[0] == '`' || rest[0] == '\'' && apostrophes:
			end := quotedLen(rest)
			kept = append(kept, rest[:end]...)
			at += end
		default:
			kept = append(kept, rest[0])
			at++
		}
	}
	return kept
}

// quotedLen returns the length of the string literal at the beginning of text, or of all the text
// if the literal is not closed.
func quotedLen(text []byte) int {
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

// commentLen returns the length of the block comment at the beginning of text, or of all the text
// if the comment is not closed.
func commentLen(text []byte, nested bool) int {
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
