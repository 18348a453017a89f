package rank

import (
	"math/bits"
	"strings"

	"github.com/dougu-go/dougu/tools/search/token"
)

// Parts of a unit that a name contains in another form than the query: as another form of
// the word, or inside a name without a mark between its words ("timesince").
const (
	asForm         = 0.9 // another form of the word
	asEnd          = 0.6 // the word at the beginning or end of a longer name
	asEndOfForm    = 0.5 // another form at the beginning or end of a longer name
	asTranslation  = 0.6 // an English word for a Japanese one
	minWithin      = 4   // minimum length of a word that is searched inside names, in bytes
	minCompound    = 7   // minimum length of the name, in bytes
	maxPartsOfUnit = 64  // parts of a unit that count; they are bits of a uint64
)

// vocabulary finds the words of a query in names.
type vocabulary struct {
	units  []unit
	words  map[string][]wordOf // by word
	starts []start             // prefixes, of parts with "*" at the end
	ends   []within            // words that are searched at the ends of longer names
}

// wordOf is a word of a unit: all of the unit with a credit, or one of its parts.
type wordOf struct {
	unit, part int // part counts from 0; -1 for all of the unit
	credit     float64
}

// start is a prefix that selects part number part of a unit.
type start struct {
	prefix     string
	unit, part int
}

// within is a word that is searched at the ends of a longer name, with its credit.
type within struct {
	word   string
	unit   int
	credit float64
}

func newVocabulary(units []unit) *vocabulary {
	v := &vocabulary{units: units, words: map[string][]wordOf{}}
	for i := range units {
		u := &units[i]
		if u.compound() {
			for n, part := range u.parts[:min(len(u.parts), maxPartsOfUnit)] {
				if prefix, open := strings.CutSuffix(part, "*"); open {
					v.starts = append(v.starts, start{prefix, i, n})
					continue
				}
				v.words[part] = append(v.words[part], wordOf{unit: i, part: n})
			}
			if u.kind == token.Pair {
				v.translate(i, u)
			}
			continue
		}
		v.add(i, u.whole, 1, asEnd)
		for _, form := range u.forms {
			v.add(i, form, asForm, asEndOfForm)
		}
		for _, word := range u.joined {
			v.words[word] = append(v.words[word], wordOf{i, -1, asForm}, wordOf{i + 1, -1, asForm})
		}
	}
	return v
}

// translate adds the English words for a run.
func (v *vocabulary) translate(unit int, u *unit) {
	for _, words := range u.others {
		for _, word := range words {
			v.words[word] = append(v.words[word], wordOf{unit, -1, asTranslation / float64(len(u.others))})
		}
	}
}

// add adds a word of a unit.
func (v *vocabulary) add(unit int, word string, credit, atEnd float64) {
	v.words[word] = append(v.words[word], wordOf{unit, -1, credit})
	if !v.units[unit].stop && len(word) >= minWithin {
		v.ends = append(v.ends, within{word, unit, atEnd})
	}
}

// compound reports whether a unit has parts that are searched in names.
func (u *unit) compound() bool { return u.kind == token.Whole || u.kind == token.Pair }

// find returns the matched part of each unit in a label, and marks the label's words that
// occur in the query. It reuses the memory of parts.
func (v *vocabulary) find(l *label, parts *[]uint64) []float64 {
	var has []float64
	at := func(unit int) *float64 {
		if has == nil {
			has = make([]float64, len(v.units))
			*parts = append((*parts)[:0], make([]uint64, len(v.units))...)
		}
		return &has[unit]
	}
	for i, word := range l.words {
		bit := uint64(1) << min(i, 63)
		for _, p := range v.words[word] {
			credit := at(p.unit)
			l.used |= bit
			if p.part >= 0 {
				(*parts)[p.unit] |= 1 << p.part
			}
			*credit = max(*credit, p.credit)
		}
		for _, s := range v.starts {
			if strings.HasPrefix(word, s.prefix) {
				at(s.unit)
				l.used |= bit
				(*parts)[s.unit] |= 1 << s.part
			}
		}
		if len(word) < minCompound {
			continue
		}
		for _, w := range v.ends {
			if len(word) > len(w.word)+1 && (strings.HasPrefix(word, w.word) || strings.HasSuffix(word, w.word)) {
				if credit := at(w.unit); *credit < w.credit {
					*credit = w.credit
				}
				l.used |= bit
			}
		}
	}
	for i := range has {
		if u := &v.units[i]; u.compound() && len(u.parts) > 0 {
			has[i] = max(has[i], float64(bits.OnesCount64((*parts)[i]))/float64(min(len(u.parts), maxPartsOfUnit)))
		}
	}
	return has
}
