package edit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// plain splits s[from:to] into units with their plain form: composed characters and ASCII punctuation.
func plain(s string, from, to int, yield func(unit) bool) bool {
	for from < to {
		run := from + asciiRun(s[from:to])
		if run > from && run < to && !norm.NFC.PropertiesString(s[run:to]).BoundaryBefore() {
			run-- // a mark belongs to the character in front of it
		}
		if run > from {
			if !yield(unit{from, run, s[from:run], true}) {
				return false
			}
			from = run
			continue
		}
		next := from + norm.NFC.NextBoundaryInString(s[from:to], true)
		text := simplify(norm.NFC.String(s[from:next]))
		if !yield(unit{from, next, text, text == s[from:next] && utf8.RuneCountInString(text) == 1}) {
			return false
		}
		from = next
	}
	return true
}

func asciiRun(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return i
		}
	}
	return len(s)
}

func isASCII(s string) bool { return asciiRun(s) == len(s) }

// simplify writes punctuation in ASCII.
func simplify(s string) string {
	if r, size := utf8.DecodeRuneInString(s); size == len(s) {
		if ascii, ok := ascii(r); ok {
			return ascii
		}
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if ascii, ok := ascii(r); ok {
			b.WriteString(ascii)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// ascii returns the plain form of a punctuation character. Some characters of Japanese text differ between conversion tables;
// their plain form is the character of Windows.
func ascii(r rune) (string, bool) {
	switch r {
	case '‘', '’', '‚', '‛', '′', '‵', 'ʼ':
		return "'", true
	case '“', '”', '„', '‟', '″', '‶':
		return `"`, true
	case '‐', '‑', '‒', '–', '—', '―', '−', '－', '﹣':
		return "-", true
	case '…':
		return "...", true
	case '\u200B', '\u200C', '\u2060', '\uFEFF', '\u00AD':
		return "", true // not to be seen
	case '〜':
		return "～", true
	case '‖':
		return "∥", true
	case '¢':
		return "￠", true
	case '£':
		return "￡", true
	case '¥':
		return "￥", true
	case '¬':
		return "￢", true
	case '¦':
		return "￤", true
	case '‾':
		return "￣", true
	}
	if unicode.Is(unicode.Zs, r) {
		return " ", true
	}
	return "", false
}

// weight counts the letters and digits of a text, up to a limit.
func weight(s string, limit int) int {
	n := 0
	for _, r := range s {
		if n >= limit {
			break
		}
		if isWord(r) {
			n++
		}
	}
	return n
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// isUnspaced reports whether a letter belongs to a script without spaces between words.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) || r == 'ー'
}

// cutsWord reports whether an offset is inside a word.
func cutsWord(s string, at int) bool {
	if at <= 0 || at >= len(s) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	return isWord(before) && isWord(after) && !isUnspaced(before) && !isUnspaced(after)
}
