// Package plural formats numbers of objects in English: "1 file", "2 files", "3 directories".
//
// [Count] is for the texts of answers and errors. It knows the regular plurals: -es after a sibilant, -ies for -y after a consonant,
// and -s. A noun with an irregular plural, for example "child", needs its own text.
package plural

import (
	"strconv"
	"strings"
)

// Count returns a number and a noun, in the plural unless the number is 1. The noun is in the singular.
func Count[N ~int | ~int32 | ~int64](n N, noun string) string {
	if n != 1 {
		noun = of(noun)
	}
	return strconv.FormatInt(int64(n), 10) + " " + noun
}

// of returns the plural of a regular noun.
func of(noun string) string {
	for _, end := range []string{"s", "x", "z", "ch", "sh"} {
		if strings.HasSuffix(noun, end) {
			return noun + "es"
		}
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && stem != "" && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])) {
		return stem + "ies"
	}
	return noun + "s"
}

// Are returns the verb for a number of objects: "is" for 1, else "are".
func Are[N ~int | ~int32 | ~int64](n N) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
