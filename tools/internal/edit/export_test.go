package edit

// Span is a place that an edit was found at.
type Span struct {
	Start, End int
	Old, New   string // as they are meant there
}

// Find returns the places of a single edit without changing them.
func Find(content string, e Edit) ([]Span, Step, error) {
	p := planner{original: content, text: content}
	if err := p.admit([]Edit{e}); err != nil {
		return nil, 0, err
	}
	p.edit = 1
	m, err := p.match(e)
	var spans []Span
	for _, pl := range m.places {
		spans = append(spans, Span{pl.start, pl.end, pl.old, pl.new})
	}
	return spans, m.by, err
}

// Work plans edits and returns the number of processed bytes.
func Work(content string, edits []Edit) (work int, result *Result, err error) {
	p := planner{original: content, text: content}
	if err := p.admit(edits); err != nil {
		return p.work, nil, err
	}
	for i, e := range edits {
		p.edit = i + 1
		if err := p.apply(e); err != nil {
			return p.work, nil, err
		}
	}
	return p.work, p.result(), nil
}

// Compose exports compose: b are changes of the result of a.
func Compose(a, b []Change) []Change {
	hunks := make([]hunk, len(b))
	for i, c := range b {
		hunks[i] = hunk{c.Start, c.End, c.New}
	}
	return compose(a, hunks)
}
