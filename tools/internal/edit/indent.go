package edit

import (
	"fmt"
	"strings"
)

// reindent gives Old and New the indentation of the text at a place. It fails if the lines of Old do not all differ from the
// text in the same way. Then the place is not a match, whatever New contains.
func (p *planner) reindent(pl place) (place, bool) {
	old := splitLines(pl.old)
	begin := lineStart(p.text, pl.start)
	whole := isBlank(p.text[begin:pl.start]) // the first line of Old is one from its beginning
	was := splitLines(p.text[begin:pl.end])
	if len(was) != len(old) || !whole && indent(old[0].text) != "" {
		return pl, false
	}
	pairs := make([]pair, 0, len(old))
	for i := range old {
		if text := old[i].text; !isBlank(text) && (i > 0 || whole) {
			pairs = append(pairs, pair{indent(text), indent(was[i].text)})
		}
	}
	switch {
	case len(pairs) == 0:
		return pl, false
	case whole && consistent(pairs):
		pl.start = begin
		return p.shifted(pl, old, 0, pairs), true
	case whole && (pl.start == begin || indent(old[0].text) != "" || isBlank(old[0].text) || len(pairs) < 2):
		p.unlike(pl)
		return pl, false
	case whole: // perhaps the blanks in front of the first line alone were left out of Old
		pairs = pairs[1:]
	}
	if !consistent(pairs) {
		p.unlike(pl)
		return pl, false
	}
	return p.shifted(pl, old, 1, pairs), true
}

// unlike keeps that a place differs in more than indentation, in case that there is none that does not.
func (p *planner) unlike(pl place) {
	if p.reason == "" {
		p.reason = fmt.Sprintf("ignoring indentation there is a match, but its lines are not all indented by the same amount more or less than those of oldText (line %d)",
			p.lineAt(pl.start))
	}
}

const (
	notIndentable = "ignoring indentation there is a match, but newText cannot be indented like it"
	notAlike      = "ignoring indentation there is a match, but newText is indented neither like oldText nor like the file"
)

// shifted indents the lines of Old and New from the one with the number first on. In front of that stands a part of a line.
func (p *planner) shifted(pl place, old []line, first int, pairs []pair) place {
	now := splitLines(pl.new)
	switch f := frameOf(old, now, first, pairs); {
	case f == likeWhich || first > 0 && len(now) > 0 && indent(now[0].text) != "":
		pl.refused = notAlike
	case f == likeOld:
		m, ok := p.shiftOf(pairs, now[min(first, len(now)):])
		if ok {
			pl.new, ok = m.lines(now, first)
		}
		if !ok {
			pl.refused = notIndentable
		}
	}
	for i := range old {
		if text := old[i].text; i >= first && !isBlank(text) {
			old[i].text = pairs[0].text + text[len(indent(text)):]
			pairs = pairs[1:]
		}
	}
	pl.old = joinLines(old)
	return pl
}

// pair is the indentation of a line of Old, and of the same line in the text.
type pair struct{ old, text string }

// shift leads from the indentation of Old and New to that of the text.
type shift struct {
	// cut and add change the beginning of the indentation, if linear is not set.
	cut, add string
	linear   bool
	// A line indented by from characters goes to to characters, one by num/den further than that to as many further.
	from, to, num, den int
	char               string // that the text is indented with
}

// indent is the indentation in the text of a line that has another in Old or New.
func (m shift) indent(s string) (string, bool) {
	if !m.linear {
		rest, ok := strings.CutPrefix(s, m.cut)
		return m.add + rest, ok
	}
	n := (len(s) - m.from) * m.num
	if n%m.den != 0 || m.to+n/m.den < 0 {
		return "", false
	}
	return strings.Repeat(m.char, m.to+n/m.den), true
}

// lines indents lines from the one with the number first on. Blank ones stay.
func (m shift) lines(lines []line, first int) (string, bool) {
	var b strings.Builder
	for i, l := range lines {
		if i >= first && !isBlank(l.text) {
			was := indent(l.text)
			is, ok := m.indent(was)
			if !ok {
				return "", false
			}
			b.WriteString(is)
			b.WriteString(l.text[len(was):])
		} else {
			b.WriteString(l.text)
		}
		b.WriteString(l.end)
	}
	return b.String(), true
}

// consistent reports whether all pairs differ by the same shift.
func consistent(pairs []pair) bool {
	var old, text kind
	for _, x := range pairs {
		old, text = old.and(kindOf(x.old)), text.and(kindOf(x.text))
	}
	if old == mixed || text == mixed {
		_, ok := byPrefix(pairs)
		return ok
	}
	m := shift{from: len(pairs[0].old), to: len(pairs[0].text), num: 1, den: 1}
	m.slope(pairs)
	return m.leads(pairs)
}

// shiftOf returns the shift for New by which all pairs differ. The indentation of New shows the author's unit of a level.
func (p *planner) shiftOf(pairs []pair, now []line) (shift, bool) {
	var old, text kind
	for _, x := range pairs {
		old, text = old.and(kindOf(x.old)), text.and(kindOf(x.text))
	}
	author := old
	var news []string
	for _, l := range now {
		if !isBlank(l.text) {
			news = append(news, indent(l.text))
			author = author.and(kindOf(indent(l.text)))
		}
	}
	if author == mixed || text == mixed {
		return byPrefix(pairs)
	}
	is := p.indentation()
	if text == none {
		text = is.kind
	}
	if text == none {
		text = author
	}
	if author == none {
		author = text
	}
	m := shift{linear: true, from: len(pairs[0].old), to: len(pairs[0].text), char: text.char()}
	if !m.slope(pairs) && !m.unit(author, text, news, is.unit) {
		return m, false
	}
	return m, m.leads(pairs)
}

// leads reports whether a linear shift maps each indentation of Old to that of the text. A shift that removes or multiplies
// levels does not count.
func (m shift) leads(pairs []pair) bool {
	for _, x := range pairs {
		if (len(x.text)-m.to)*m.den != (len(x.old)-m.from)*m.num {
			return false
		}
	}
	const most = 8
	return m.num > 0 && m.den > 0 && m.num <= most*m.den && m.den <= most*m.num
}

// byPrefix returns the prefix that is added to the indentation of Old, or removed from it.
func byPrefix(pairs []pair) (shift, bool) {
	var m shift
	first := pairs[0]
	if add, ok := strings.CutSuffix(first.text, first.old); ok {
		m.add = add
	} else if cut, ok := strings.CutSuffix(first.old, first.text); ok {
		m.cut = cut
	} else {
		return m, false
	}
	for _, x := range pairs {
		if got, ok := m.indent(x.old); !ok || got != x.text {
			return m, false
		}
	}
	return m, true
}

// slope takes the ratio from two lines of Old that are indented differently.
func (m *shift) slope(pairs []pair) bool {
	for _, x := range pairs {
		if len(x.old) != m.from {
			m.num, m.den = len(x.text)-m.to, len(x.old)-m.from
			if m.den < 0 {
				m.num, m.den = -m.num, -m.den
			}
			return true
		}
	}
	return false
}

// unit sets the ratio between a level of the author and a level of the text.
func (m *shift) unit(author, text kind, news []string, inText int) bool {
	m.num, m.den = 1, 1
	step, further := m.from, false
	for _, s := range news {
		if d := len(s) - m.from; d != 0 {
			step, further = gcd(step, max(d, -d)), true
		}
	}
	switch {
	case !further: // the levels of New are all in Old
	case author == spaces && text == tabs:
		for _, m.den = range []int{8, 4, 2, 3} {
			if step == m.den || m.den < 8 && step%m.den == 0 {
				return true
			}
		}
		return false
	case author == tabs && text == spaces:
		m.num = inText
	case author == spaces && text == spaces && m.from%step == 0 && m.to%inText == 0 && m.from/step == m.to/inText && m.from > 0:
		m.num, m.den = inText, step // the same level, of another width
	}
	return true
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
