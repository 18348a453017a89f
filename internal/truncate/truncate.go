// Package truncate shortens texts that come from outside, for errors and answers.
package truncate

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is a text in one line and without control characters, of at most so many
// bytes and a mark that it was cut.
func Line(text string, most int) string {
	return Cut(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, text), most)
}

// Cut returns at most most bytes of a text, in entire characters, with a mark if the text is longer. Invalid UTF-8 is
// replaced.
func Cut(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:max(most, 0)], "") + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Within is Cut with the mark counted: the text has at most so many bytes, of which
// there must be three.
func Within(text string, most int) string {
	if text = strings.ToValidUTF8(text, "\uFFFD"); len(text) > most {
		return Cut(text, most-len("…"))
	}
	return text
}

// Quote is the beginning of a text, of at most so many bytes, in whole characters and
// in quotation marks, with a mark if there is more. Characters that cannot be shown are escaped.
func Quote(text string, most int) string {
	if len(text) <= most {
		return strconv.Quote(text)
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return strconv.Quote(text[:most] + "…")
}
