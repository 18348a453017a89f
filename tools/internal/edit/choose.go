package edit

// all allows the places of an edit that changes every place. The places must not overlap. Later steps must not find more
// places, because the edit would then be incomplete.
func (p *planner) all(e Edit, r reading, m match, later []Step) (match, error) {
	m.places = apart(m.places)
	if m.by&^LineEnds != 0 {
		for _, s := range later {
			more, err := p.find(r, s)
			if err != nil {
				return match{}, err
			}
			if more = apart(more); len(more) > len(m.places) {
				err := p.ambiguous(e, more, r.by|s)
				err.Partial = true
				return match{}, err
			}
		}
	}
	if n := len(m.places); e.ExpectedCount > 0 && n != e.ExpectedCount {
		return match{}, &CountError{Edit: p.edit, Expected: e.ExpectedCount, Lines: p.linesOf(starts(m.places)), Count: n, By: m.by}
	}
	return m, nil
}

// apart leaves out places that overlap one in front.
func apart(places []place) []place {
	kept := places[:0:0]
	for _, pl := range places {
		if n := len(kept); n == 0 || pl.start >= kept[n-1].end {
			kept = append(kept, pl)
		}
	}
	return kept
}

// one allows the only place of an edit, or the one that is clearly nearest to the line that the edit names.
func (p *planner) one(e Edit, r reading, m match) (match, error) {
	if len(m.places) == 1 {
		return m, nil
	}
	line := e.NearLine
	if line == 0 {
		line = r.line
	}
	if line > 0 {
		if i, ok := p.nearest(m.places, line); ok {
			return match{m.places[i : i+1], m.by}, nil
		}
	}
	return match{}, p.ambiguous(e, m.places, m.by)
}

// A place farther away from NearLine than far lines is not chosen, nor one of which others are not clearly farther away.
const (
	far     = 25
	clearly = 3 // times
)

// nearest chooses the place that is clearly nearest to a line.
func (p *planner) nearest(places []place, line int) (int, bool) {
	ends := make([]int, len(places))
	for i, pl := range places {
		ends[i] = max(pl.start, pl.end-1)
	}
	first, last := p.originalLines(starts(places)), p.originalLines(ends)
	best, distance, second := -1, 0, 0
	for i := range places {
		d := max(first[i]-line, line-last[i], 0)
		switch {
		case best < 0:
			best, distance, second = i, d, 1<<30
		case d < distance:
			best, distance, second = i, d, distance
		default:
			second = min(second, d)
		}
	}
	return best, distance <= far && second > distance && second >= clearly*distance
}

// originalLines returns the lines, in the original file, of places in the text in ascending order.
func (p *planner) originalLines(places []int) []int {
	p.work += len(p.original)
	lines := lineNumbers(p.original, origins(p.changes, places))
	for i := range lines {
		lines[i] += p.linesBefore
	}
	return lines
}

func starts(places []place) []int {
	all := make([]int, len(places))
	for i, pl := range places {
		all[i] = pl.start
	}
	return all
}

// mostLines is how many lines an error lists.
const mostLines = 20

// linesOf returns the lines of the first of some places.
func (p *planner) linesOf(places []int) []int {
	return p.originalLines(places[:min(len(places), mostLines)])
}

func (p *planner) ambiguous(e Edit, places []place, by Step) *AmbiguousError {
	return &AmbiguousError{Edit: p.edit, Lines: p.linesOf(starts(places)), Count: len(places), By: by, Near: e.NearLine, Part: p.part}
}
