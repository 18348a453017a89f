package similar

import "strings"

// Tokens shows how a text is read: names as a, literals as 1 and "", all else as it
// is.
func Tokens(src, lang string) string {
	var b strings.Builder
	for i, t := range lex(nil, []byte(src), lang) {
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

// Parts are the texts that code is taken apart into.
func Parts(code, lang string) []string {
	var parts []string
	for _, p := range split([]byte(code), lang) {
		parts = append(parts, string(p.text))
	}
	return parts
}

// Guess is the language that code is taken for.
func Guess(code string) string { return guess([]byte(code)) }

// Keyword says that a word is none of the names in a language.
func Keyword(word, lang string) bool {
	return words.code(hashOf([]byte(word)), []byte(word), rulesOf(lang).words) != 0
}

// AtMost is what the score of Compare is taken to be at most before it is known.
func AtMost(a, b []byte, lang string) float64 {
	var c comparer
	return c.look(newRow(lex(nil, a, lang)), lex(nil, b, lang)).most
}
