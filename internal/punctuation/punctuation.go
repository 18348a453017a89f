// Package punctuation joins texts that may or may not end with a full stop, for example errors, reasons and next steps.
//
// [Clause] prepares a text for the middle of a sentence, and [Sentences] joins texts that are sentences each. [Doubled] finds the
// marks that remain if texts are joined without them; tests use it.
package punctuation

import (
	"regexp"
	"strings"
)

// Clause returns a text without white space and full stops at its end, so that another mark can follow. An ellipsis is kept.
func Clause(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, "...") {
		return text
	}
	return strings.TrimRight(text, " .")
}

// Sentences returns the texts as sentences: each ends with one mark, and a space is between two of them. Empty texts are left out.
func Sentences(texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "…") || strings.HasSuffix(text, "...") {
			b.WriteString(text)
		} else {
			b.WriteString(Clause(text) + ".")
		}
	}
	return b.String()
}

var (
	quoted  = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`|'[^' ]*'")
	doubled = regexp.MustCompile(`[\pL\pN")\]}](?:\.[.,;:]|[,;:][.,;:!?]|[.,;:] +[.,;:!?])(?: |$)`)
)

// Doubled returns the first two marks in a text of which one is too many, with the characters around them, or "". Quoted text does
// not count.
func Doubled(text string) string {
	return doubled.FindString(quoted.ReplaceAllString(text, `""`))
}
