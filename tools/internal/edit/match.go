package edit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// place is where an edit changes the text.
type place struct {
	start, end int
	// texts of the edit in the form of this reading: unescaped, indented, without line numbers
	old, new string
	refused  string // reason why the edit is refused at this match
}

// match is the set of places of an edit with the ignored differences.
type match struct {
	places []place
	by     Step
}

// reading is a way to understand an edit.
type reading struct {
	old, new string
	by       Step   // Escapes, LineNumbers or none
	refused  string // why new cannot be understood in the same way
	line     int    // where old says that it is, if it has line numbers
}

// cutDangling takes the blanks behind the last line end from Old and New: the indentation of a line that neither says
// anything of. It fails if New does not end like Old.
func (r *reading) cutDangling() bool {
	old := strings.TrimRight(r.old, blanks)
	if old == r.old || !endsLine(old) {
		return true
	}
	r.old, r.new = old, strings.TrimRight(r.new, blanks)
	return endsLine(r.new)
}

// order is the order of the steps; the first literal ones are tried before others are asked how they understand the edit.
var order = [...]Step{Exact, LineEnds, TrailingSpace, Indentation, Punctuation, Punctuation | Indentation}

const literal = 4

// match finds the places of an edit with the first step that has any, and refuses places that the edit does not allow.
func (p *planner) match(e Edit) (match, error) {
	asGiven := []reading{{old: e.Old, new: e.New}}
	if m, err := p.try(e, asGiven, order[:literal]); err != nil || m.places != nil {
		return m, err
	}
	if m, err := p.tryEscapes(e); err != nil || m.places != nil {
		return m, err
	}
	if m, err := p.try(e, asGiven, order[literal:]); err != nil || m.places != nil {
		return m, err
	}
	if m, err := p.try(e, withoutNumbers(e.Old, e.New), order[:]); err != nil || m.places != nil {
		return m, err
	}
	return match{}, p.noMatch(e)
}

// try looks for readings step by step.
func (p *planner) try(e Edit, readings []reading, steps []Step) (match, error) {
	for _, s := range steps {
		for _, r := range readings {
			if m, err := p.step(e, r, s); err != nil || m.places != nil {
				return m, err
			}
		}
	}
	return match{}, nil
}

// step searches a reading with one step. It returns the allowed matches, or an error.
func (p *planner) step(e Edit, r reading, s Step) (match, error) {
	if s == Exact && e.every() && strings.ContainsAny(r.old, "\r\n") {
		return match{}, nil // line ends are invisible, so all places count as equal apart from them
	}
	places, err := p.find(r, s)
	if err != nil || len(places) == 0 {
		return match{}, err
	}
	m := match{places, r.by | s}
	if s == LineEnds && p.exact(m) {
		m.by = r.by
	}
	if e.every() {
		m, err = p.all(e, r, m, order[slices.Index(order[:], s)+1:])
	} else {
		m, err = p.one(e, r, m)
	}
	for _, pl := range m.places {
		if pl.refused != "" {
			p.reason = fmt.Sprintf("%s (line %d)", pl.refused, p.lineAt(pl.start))
			return match{}, p.noMatch(e)
		}
	}
	return m, err
}

// exact reports whether all places contain Old byte for byte.
func (p *planner) exact(m match) bool {
	for _, pl := range m.places {
		if p.text[pl.start:pl.end] != pl.old {
			return false
		}
	}
	return true
}

// tryEscapes searches the readings of an edit that was escaped too often or too rarely. All readings must lead to the same
// place.
func (p *planner) tryEscapes(e Edit) (match, error) {
	var found match
	for _, r := range escapeReadings(e.Old, e.New, strings.Contains(p.text, `\`)) {
		m, err := p.try(e, []reading{r}, order[:literal])
		if err != nil {
			return match{}, err
		}
		switch {
		case len(m.places) == 0:
		case found.places == nil:
			found = m
		case !slices.Equal(found.places, m.places):
			both := append(found.places, m.places...)
			slices.SortFunc(both, func(a, b place) int { return cmp.Compare(a.start, b.start) })
			return match{}, p.ambiguous(e, both, Escapes)
		}
	}
	return found, nil
}

// find returns every place of a reading for one step, overlapping places included.
func (p *planner) find(r reading, s Step) ([]place, error) {
	if s&^LineEnds != 0 && !r.cutDangling() {
		return nil, nil
	}
	f := foldOf(s)
	old := r.old
	if s != Exact {
		old = f.apply(r.old, false)
		p.work += len(r.old)
	}
	switch {
	case s == LineEnds && old == r.old && !strings.Contains(old, "\n"):
		return nil, nil // the same as Exact
	case s|r.by != Exact && (r.old == r.new || f.apply(r.new, false) == old):
		return nil, nil // the step would ignore exactly this difference
	case (s|r.by)&^LineEnds != 0 && strings.Trim(old, blanks+"\r\n") == "":
		return nil, nil
	case (s|r.by)&^(LineEnds|TrailingSpace) != 0 && weight(old, 2) < 2:
		return nil, nil
	case s == Exact:
		return p.candidates(r, s, p.search(p.text, old, maxPlaces), len(old))
	}
	return p.candidates(r, s, p.search(p.view(f), old, maxPlaces), len(old))
}

// candidates converts matches in the folded text to places, if they are possible.
func (p *planner) candidates(r reading, s Step, at []int, length int) ([]place, error) {
	if len(at) == 0 {
		return nil, nil
	}
	if len(at) > maxPlaces {
		return nil, p.tooMany()
	}
	starts, ends := at, make([]int, len(at))
	for i, start := range at {
		ends[i] = start + length
	}
	if s == Exact {
		for i, start := range starts {
			if splitsCRLF(p.text, start) || splitsCRLF(p.text, ends[i]) {
				return nil, nil // the line ends have another meaning
			}
		}
	} else {
		f := foldOf(s)
		starts, ends = f.locate(p.text, true, starts, late), f.locate(p.text, true, ends, early)
		p.work += 2 * len(p.text)
	}
	budget := 16*(len(p.text)+len(r.old)) + 1<<16
	var places []place
	for i, start := range starts {
		if s&Indentation != 0 {
			if budget -= ends[i] - start + len(r.old) + len(r.new); budget < 0 {
				return nil, p.tooMany()
			}
			p.work += ends[i] - start
		}
		if pl, ok := p.admissible(r, s, start, ends[i]); ok {
			places = append(places, pl)
		}
	}
	return places, nil
}

// tooMany is the error for more places than can be looked at.
func (p *planner) tooMany() error {
	return &TooLargeError{Edit: p.edit, Message: "oldText is at too many places, or is like too many", Next: "Give a longer oldText, or write the file as a whole."}
}

// admissible makes a place of one that was found, unless it cannot be meant.
func (p *planner) admissible(r reading, s Step, start, end int) (place, bool) {
	pl := place{start: start, end: end, old: r.old, new: r.new}
	switch {
	case start < 0 || end < 0 || start >= len(p.text):
		return pl, false
	case r.by&LineNumbers != 0 && s&Indentation == 0 && start != lineStart(p.text, start):
		return pl, false
	case (r.by|s)&^LineEnds == 0:
		return pl, true
	case cutsWord(p.text, start) || cutsWord(p.text, end):
		return pl, false
	}
	if foldOf(s).trailing && strings.TrimRight(r.old, blanks) != r.old {
		pl.end += len(indent(p.text[end:]))
		if pl.end < len(p.text) && !strings.ContainsRune("\r\n", rune(p.text[pl.end])) {
			return pl, false
		}
	}
	if s&Indentation != 0 {
		var ok bool
		if pl, ok = p.reindent(pl); !ok {
			return pl, false
		}
		if r.by&LineNumbers != 0 && pl.start != lineStart(p.text, pl.start) {
			return pl, false
		}
	}
	if n := pl.end - pl.start; n > 3*len(r.old)+80*(strings.Count(r.old, "\n")+2) {
		pl.refused = fmt.Sprintf("ignoring %s there is a match, but it has %d bytes, and oldText only %d", s.Ignored(), n, len(r.old))
	}
	if r.refused != "" {
		pl.refused = r.refused
	}
	return pl, true
}

func splitsCRLF(s string, at int) bool {
	return at > 0 && at < len(s) && s[at-1] == '\r' && s[at] == '\n'
}
