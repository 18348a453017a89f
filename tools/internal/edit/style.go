package edit

import "strings"

// kind is the composition of an indentation.
type kind uint8

const (
	none kind = iota
	spaces
	tabs
	mixed
)

func kindOf(indent string) kind {
	switch {
	case indent == "":
		return none
	case strings.Trim(indent, " ") == "":
		return spaces
	case strings.Trim(indent, "\t") == "":
		return tabs
	}
	return mixed
}

// and is the kind of two indentations together.
func (k kind) and(other kind) kind {
	switch {
	case k == none || k == other:
		return other
	case other == none:
		return k
	}
	return mixed
}

func (k kind) char() string {
	if k == tabs {
		return "\t"
	}
	return " "
}

// style is how a text is indented.
type style struct {
	kind kind // spaces or tabs; none if no line is indented
	unit int  // spaces of a level
}

const defaultUnit = 4

// indentation looks at how most lines of the text are indented.
func (p *planner) indentation() style {
	if p.style != nil {
		return *p.style
	}
	p.work += len(p.text)
	var byTab, bySpace, last int
	var steps [9]int // how often a line is indented by so many spaces more than the one in front
	for at := 0; at < len(p.text); {
		end, next := lineEnd(p.text, at)
		text := p.text[at:end]
		at = next
		in := indent(text)
		switch {
		case len(in) == len(text):
			continue // blank
		case kindOf(in) == tabs:
			byTab++
		case kindOf(in) == spaces:
			bySpace++
		}
		if d := len(in) - last; d > 0 && d < len(steps) && kindOf(in) == spaces {
			steps[d]++
		}
		last = len(in)
	}
	s := style{unit: defaultUnit}
	switch {
	case byTab > bySpace:
		s.kind = tabs
	case bySpace > 0:
		s.kind = spaces
	}
	most := 0
	for _, d := range []int{4, 2, 8, 3} {
		if steps[d] > most {
			s.unit, most = d, steps[d]
		}
	}
	p.style = &s
	return s
}
