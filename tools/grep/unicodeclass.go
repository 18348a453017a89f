package grep

import (
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The classes \w, \d and \s, their complements, and the conditions \b and \B follow Unicode, as in ripgrep; those of package
// regexp follow ASCII. In ASCII texts both are equal.

// maxClassText limits the size of a pattern with expanded classes, in bytes.
const maxClassText = 4 << 20

// perlClasses are the characters of \w, \d and \s.
var perlClasses = sync.OnceValue(func() map[byte][]runeRange {
	return map[byte][]runeRange{
		'w': tableRanges(unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Other_Lowercase, unicode.Other_Uppercase, unicode.Join_Control),
		'd': tableRanges(unicode.Nd),
		's': tableRanges(unicode.White_Space),
	}
})

// perlClassTexts are the classes and their complements as parts of a bracketed class.
var perlClassTexts = sync.OnceValue(func() map[byte]string {
	texts := make(map[byte]string)
	for letter, ranges := range perlClasses() {
		texts[letter] = classText(ranges)
		texts[letter-'a'+'A'] = classText(complement(ranges))
	}
	return texts
})

// tableRanges returns the characters of tables.
func tableRanges(tables ...*unicode.RangeTable) []runeRange {
	var ranges []runeRange
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			ranges = append(ranges, runeRange{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			ranges = append(ranges, runeRange{r, r})
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return normalRanges(ranges)
}

func complement(ranges []runeRange) []runeRange {
	var rest []runeRange
	next := rune(0)
	for _, r := range ranges {
		if next < r.lo {
			rest = append(rest, runeRange{next, r.lo - 1})
		}
		next = r.hi + 1
	}
	return append(rest, runeRange{next, utf8.MaxRune})
}

// classText writes ranges, each as one range, so that a following - is a character.
func classText(ranges []runeRange) string {
	var b []byte
	for _, r := range ranges {
		b = strconv.AppendInt(append(b, `\x{`...), int64(r.lo), 16)
		b = strconv.AppendInt(append(b, `}-\x{`...), int64(r.hi), 16)
		b = append(b, '}')
	}
	return string(b)
}

// isWordRune reports whether a character belongs to \w.
func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 0 && isWordByte(byte(r))
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Other_Lowercase, unicode.Other_Uppercase, unicode.Join_Control)
}

// readsUnicode reports whether a pattern has another meaning beyond ASCII than in package regexp.
func readsUnicode(pattern string) bool {
	found := false
	rewriteClasses(pattern, func(letter byte, _, _ bool) string {
		found = true
		return ""
	})
	return found || namesBoundary(pattern)
}

func namesBoundary(pattern string) bool {
	for _, token := range tokens(pattern) {
		if token == `\b` || token == `\B` {
			return true
		}
	}
	return false
}

// looseClasses returns a pattern for package regexp that matches wherever pattern does, and in ASCII texts nowhere else: each
// class accepts all characters beyond ASCII. Only \w accepts the long s and the Kelvin sign, whose other cases are s and k.
func looseClasses(pattern string) string {
	return rewriteClasses(pattern, func(letter byte, bracketed, negated bool) string {
		class, nonASCII := `\`+string(letter), `\x{80}-\x{17e}\x{180}-\x{2129}\x{212b}-\x{10ffff}`
		if letter == 'w' {
			nonASCII = `\x{80}-\x{10ffff}`
		}
		upper := letter < 'a'
		switch {
		case !bracketed && !upper:
			return `[` + class + nonASCII + `]`
		case !bracketed || upper != negated:
			return class
		case !negated:
			return class + nonASCII
		}
		return classText(clipRanges(complement(perlClasses()[letter-'A'+'a']), runeRange{0, utf8.RuneSelf - 1}))
	})
}

// wideClasses returns a pattern with expanded classes, and false if it is too long.
func wideClasses(pattern string) (string, bool) {
	texts, size := perlClassTexts(), 0
	wide := rewriteClasses(pattern, func(letter byte, bracketed, _ bool) string {
		text := texts[letter]
		if size += len(text); size > maxClassText {
			return ""
		}
		if bracketed {
			return text
		}
		return "[" + text + "]"
	})
	return wide, size <= maxClassText
}

// rewriteClasses replaces \w, \d, \s and their complements in a valid pattern. replace receives the letter, and whether it is
// in a bracketed and in a negated class.
func rewriteClasses(pattern string, replace func(letter byte, bracketed, negated bool) string) string {
	var b strings.Builder
	for rest := pattern; rest != ""; {
		size, _ := tokenSize(rest)
		switch token := rest[:size]; {
		case token[0] == '[':
			rewriteClass(&b, token, replace)
		case isPerlClass(token):
			b.WriteString(replace(token[1], false, false))
		default:
			b.WriteString(token)
		}
		rest = rest[size:]
	}
	return b.String()
}

// rewriteClass is rewriteClasses for a bracketed class.
func rewriteClass(b *strings.Builder, class string, replace func(letter byte, bracketed, negated bool) string) {
	negated := strings.HasPrefix(class, "[^")
	for i := 0; i < len(class); {
		size := 1
		switch rest := class[i:]; {
		case i > 0 && strings.HasPrefix(rest, "[:") && strings.Contains(rest, ":]"):
			size = strings.Index(rest, ":]") + 2
		case rest[0] == '\\' && len(rest) > 1:
			size = 2
		}
		if part := class[i : i+size]; isPerlClass(part) {
			b.WriteString(replace(part[1], true, negated))
		} else {
			b.WriteString(part)
		}
		i += size
	}
}

func isPerlClass(token string) bool {
	return len(token) == 2 && token[0] == '\\' && strings.IndexByte("wWdDsS", token[1]) >= 0
}
