package pdftext

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// writer makes lines of characters that stand somewhere.
type writer struct {
	out  []byte
	last rune // 0 at the beginning
	at   matrix
	size float64 // of the characters before, as they are shown
	most int
}

// Distances, in parts of the size of the characters.
const (
	wordGap   = 0.15 // from here on there is a blank between two characters
	cjkGap    = 0.8  // the same in a script without blanks
	lineShift = 0.5  // from here on it is another line
	lineGap   = 2.1  // up to here it is the next one of the same paragraph
)

// put writes what a character means that stands between two places.
func (w *writer) put(meaning string, from, to matrix, size float64) {
	if meaning == "" || len(w.out) >= w.most {
		return
	}
	first, _ := utf8.DecodeRuneInString(meaning)
	size *= math.Hypot(from.c, from.d)
	if w.last != 0 {
		w.between(first, from, size)
	}
	if blank := strings.TrimSpace(meaning) == ""; !blank {
		w.out = append(w.out, meaning...)
		w.last, _ = utf8.DecodeLastRuneInString(meaning)
	} else if w.last != 0 && w.last != ' ' && w.last != '\n' {
		w.out = append(w.out, ' ')
		w.last = ' '
	}
	w.at, w.size = to, size
}

// between writes what is between two characters: nothing, a blank, or a line feed.
func (w *writer) between(next rune, from matrix, size float64) {
	length := math.Hypot(from.a, from.b)
	unit := max(size, w.size, 1e-3)
	if length == 0 {
		return
	}
	x, y := (from.e-w.at.e)/unit, (from.f-w.at.f)/unit
	along := (x*from.a + y*from.b) / length
	across := math.Abs(y*from.a-x*from.b) / length
	wide := isWide(w.last) && isWide(next)
	switch {
	case across < lineShift:
		if gap := wordGap; along > gap && (!wide || along > cjkGap) || along < -1.5 {
			w.blank(' ')
		}
	case wide && across < lineGap && math.Abs(size-w.size) < 0.1*unit:
		// The paragraph goes on.
	case w.last == '-' && across < lineGap && unicode.IsLower(next):
		w.unhyphen()
	default:
		w.blank('\n')
	}
}

// blank writes white space, unless some is there.
func (w *writer) blank(c rune) {
	if w.last == '\n' || w.last == ' ' && c == ' ' {
		return
	}
	w.out = utf8.AppendRune(w.out, c)
	w.last = c
}

// unhyphen takes back the hyphen of a word that goes on in the next line.
func (w *writer) unhyphen() {
	kept := bytes.TrimSuffix(w.out, []byte("-"))
	before, _ := utf8.DecodeLastRune(kept)
	if !unicode.IsLetter(before) {
		w.blank('\n')
		return
	}
	w.out, w.last = kept, before
}

// isWide says that a character is of a script that is written without blanks, or its
// punctuation.
func isWide(r rune) bool {
	return 0x2E80 <= r && r <= 0xA4CF || 0xF900 <= r && r <= 0xFAFF || 0xFF00 <= r && r <= 0xFFEF || 0x20000 <= r && r <= 0x3FFFD
}
