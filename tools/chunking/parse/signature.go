package parse

import (
	"bytes"
	"unicode/utf8"
)

// signature writes text in one line.
func (b *Builder) signature(text []byte) string {
	if text = bytes.TrimRight(text, " "); plain(text) {
		return string(text)
	}
	text = text[:min(len(text), 4*MaxSignature)]
	if lang := b.file.Language; lang != Python && lang != Ruby && hasComment(text) {
		text = withoutComments(text, lang)
	}
	b.text.Reset()
	for word := range bytes.FieldsSeq(text) {
		if b.text.Len() > 0 {
			b.text.WriteByte(' ')
		}
		b.text.Write(word)
		if b.text.Len() > MaxSignature {
			cut := b.text.String()[:MaxSignature]
			for len(cut) > 0 && !utf8.RuneStart(b.text.String()[len(cut)]) {
				cut = cut[:len(cut)-1]
			}
			return cut + "…"
		}
	}
	return b.text.String()
}

// plain says that a text is its own signature, as most are.
func plain(text []byte) bool {
	if len(text) > MaxSignature {
		return false
	}
	before := byte(' ')
	for _, c := range text {
		if c < ' ' || c > '~' || c == ' ' && before == ' ' || before == '/' && (c == '/' || c == '*') {
			return false
		}
		before = c
	}
	return true
}

func hasComment(text []byte) bool {
	return bytes.Contains(text, []byte("//")) || bytes.Contains(text, []byte("/*"))
}

// withoutComments is a text with a blank for each comment, in languages that write
// them as C does. What is in quotes stays.
func withoutComments(text []byte, lang Language) []byte {
	nested := lang == Swift || lang == Kotlin || lang == Scala || lang == Rust
	apostrophes := lang == JavaScript || lang == TypeScript || lang == TSX || lang == PHP
	kept := make([]byte, 0, len(text))
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
