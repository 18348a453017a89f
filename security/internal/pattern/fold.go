package pattern

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold maps a path to a form in which any two names are equal that some file system takes for the same: case is folded,
// composition is normalised (NFC) and characters that file systems may ignore are dropped. Patterns and paths are compared
// folded; files are always opened by the name that was given.
func Fold(path string) string {
	ascii, lower := true, true
	for i := range len(path) {
		c := path[i]
		ascii = ascii && c < utf8.RuneSelf
		lower = lower && (c < 'A' || c > 'Z')
	}
	switch {
	case ascii && lower:
		return path
	case ascii:
		return strings.ToLower(path)
	}
	path = cases.Fold().String(norm.NFD.String(path))
	path = strings.Map(func(r rune) rune {
		if Ignorable(r) {
			return -1
		}
		return r
	}, path)
	return norm.NFC.String(path)
}

// Ignorable reports whether a character has no visible form of its own, so that some file systems skip it in names.
func Ignorable(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}
