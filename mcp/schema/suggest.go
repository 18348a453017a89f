package schema

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/nearest"
)

// suggestion returns a hint with the most similar known name, or otherwise with all known names if
// they are few.
func suggestion(name string, known []string) string {
	if best := nearest.Name(name, known); best != "" {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	const most = 10
	switch {
	case len(known) == 0:
		return " (there are none)"
	case len(known) > most:
		return ""
	}
	return " (known: " + strings.Join(known, ", ") + ")"
}

// foldName maps names that encoding/json treats as equal to one text. It replaces every rune by the
// smallest one that is equal under simple folding.
func foldName(dst []byte, name []byte) []byte {
	for i := 0; i < len(name); {
		if c := name[i]; c < utf8.RuneSelf {
			if 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(name[i:])
		dst = utf8.AppendRune(dst, smallestFold(r))
		i += n
	}
	return dst
}

// smallestFold returns the smallest rune that is equal to r under simple folding.
func smallestFold(r rune) rune {
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}
