package rank

import (
	"math/bits"
	"strings"

	"github.com/dougu-go/dougu/tools/search/token"
)

// label is a name, heading or path as words.
type label struct {
	wholes []string // names as a whole
	words  []string // what has no parts, and the parts of what has
	// has is how much of each unit of the query is in it, from 0 to 1. used has a bit
	// for each of the first 64 words, set for those that are of the query.
	has  []float64
	used uint64
}

// fit is the part of the words that are of the query.
func (l *label) fit() float64 {
	if len(l.words) == 0 {
		return 0
	}
	return float64(bits.OnesCount64(l.used)) / float64(min(len(l.words), 64))
}

// labels reads names for a query. It keeps what it has read, since candidates share
// containers and directories.
type labels struct {
	vocabulary *vocabulary
	scanner    token.Scanner
	known      map[string]*label
	parts      []uint64 // of each unit, those that were found
}

func (l *labels) of(text string) *label {
	if known, ok := l.known[text]; ok {
		return known
	}
	made := new(label)
	l.read(made, text)
	made.has = l.vocabulary.find(made, &l.parts)
	if l.known == nil {
		l.known = make(map[string]*label, 256)
	}
	l.known[text] = made
	return made
}

// read cuts a text into words.
func (l *labels) read(made *label, text string) {
	inWhole, part := int32(-1), int32(-1) // where the name ends whose parts follow, and the last of them begins
	for w := range l.scanner.Words([]byte(text)) {
		switch w.Kind {
		case token.Part:
			if w.End <= inWhole && w.Start != part { // or it is the part before without its digits
				made.words = append(made.words, string(w.Text))
			}
			part = w.Start
			continue
		case token.Whole:
			inWhole = w.End
			made.wholes = append(made.wholes, string(w.Text))
			continue
		case token.Number:
			if len(made.words) == 0 && int(w.End) < len(text) {
				continue // of a chapter
			}
		case token.Last:
			if n := len(made.words); n > 0 && strings.HasSuffix(made.words[n-1], string(w.Text)) {
				continue // it is in the pair before
			}
		}
		word := string(w.Text)
		made.wholes = append(made.wholes, word)
		made.words = append(made.words, word)
	}
}
