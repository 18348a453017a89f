package similar

import "strings"

// Tokens returns the tokens of a text: names as a, literals as 1 and "", and others
// unchanged.
func Tokens(src, lang string) string {
	var b strings.Builder
	for i, t := range lex(nil, []byte(src), newDialect(lang, nil)) {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch t.code {
		case identifier:
			b.WriteByte('a')
		case number:
			b.WriteByte('1')
		case text:
			b.WriteString(`""`)
		default:
			b.WriteString(src[t.start:t.end])
		}
	}
	return b.String()
}

// Parts returns the texts of the parts of code.
func Parts(code, lang string) []string {
	var parts []string
	for _, p := range split([]byte(code), newDialect(lang, nil)) {
		parts = append(parts, string(p.text))
	}
	return parts
}

// Guess returns the guessed language of code.
func Guess(code string) string { return guess([]byte(code), nil) }

// Keyword reports whether a word is a keyword of a language.
func Keyword(word, lang string) bool {
	return words.code(hashOf([]byte(word)), []byte(word), rulesOf(lang).words) != 0
}

// AtMost returns the upper limit of the score of Compare.
func AtMost(a, b []byte, lang string) float64 {
	var c comparer
	return c.look(newRow(lex(nil, a, newDialect(lang, nil))), lex(nil, b, newDialect(lang, nil))).most
}
