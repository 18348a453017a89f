package edit

import (
	"strings"

	"github.com/dougu-go/dougu/tools/internal/textdiff"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// hunks returns the changes at the places of a match, without unchanged text.
func (p *planner) hunks(m match) []hunk {
	var all []hunk
	rewrite := p.rewriter(m)
	for _, pl := range m.places {
		for _, h := range rewrite(pl) {
			if p.text[h.start:h.end] != h.text {
				all = append(all, h)
			}
		}
	}
	return all
}

// rewriter chooses how places are changed.
func (p *planner) rewriter(m match) func(place) []hunk {
	switch {
	case m.by&Punctuation != 0:
		return p.byTokens
	case m.by&^(Escapes|LineNumbers) != 0:
		return func(pl place) []hunk { return p.byLines(pl, m.by) }
	case len(m.places) > 0 && strings.ContainsAny(m.places[0].old, "\r\n") && textfile.DetectEOL(p.text) == textfile.Mixed:
		return func(pl place) []hunk { return p.byLines(pl, m.by) } // lines keep their ends
	}
	return p.replaceAll
}

// replaceAll replaces all of a place.
func (p *planner) replaceAll(pl place) []hunk {
	return []hunk{{pl.start, pl.end, p.fit(pl.start, pl.end, pl.new)}}
}

// byLines replaces the lines of a place that New does not share with Old.
func (p *planner) byLines(pl place, by Step) []hunk {
	was, old, now := splitLines(p.text[pl.start:pl.end]), splitLines(pl.old), splitLines(pl.new)
	withoutLastEnd(was, old, now)
	trailing := foldOf(by & (TrailingSpace | Indentation)).trailing
	offsets := make([]int, len(was)+1)
	offsets[0] = pl.start
	for i, l := range was {
		offsets[i+1] = offsets[i] + len(l.text) + len(l.end)
	}
	var hunks []hunk
	for _, s := range textdiff.Compare(keys(old), keys(now)) {
		if trailing && s.A1-s.A0 == s.B1-s.B0 {
			for i := range s.A1 - s.A0 {
				keepBlanks(was[s.A0+i], old[s.A0+i], &now[s.B0+i])
			}
		}
		start, end := offsets[s.A0], offsets[s.A1]
		hunks = append(hunks, hunk{start, end, p.fit(start, end, joinLines(now[s.B0:s.B1]))})
	}
	return hunks
}

// withoutLastEnd takes the last line end from Old and New if the text ends without it.
func withoutLastEnd(was, old, now []line) {
	n := len(old) - 1
	if was[n].end != "" || old[n].end == "" {
		return
	}
	old[n].end = ""
	if len(now) > 0 {
		now[len(now)-1].end = ""
	}
}

// keys are lines as they are compared: any line end is like another.
func keys(lines []line) []string {
	all := make([]string, len(lines))
	for i, l := range lines {
		all[i] = l.text
		if l.end != "" {
			all[i] += "\n"
		}
	}
	return all
}

// keepBlanks keeps the blanks at the end of a line that is changed, if the edit does not change them.
func keepBlanks(was, old line, now *line) {
	if ending := trailingBlanks(old.text); ending == trailingBlanks(now.text) && !isBlank(now.text) {
		now.text = strings.TrimSuffix(now.text, ending) + trailingBlanks(was.text)
	}
}

func trailingBlanks(s string) string { return s[len(strings.TrimRight(s, blanks)):] }

// byTokens replaces the words, spaces and other characters of a place that New does not share with Old.
func (p *planner) byTokens(pl place) []hunk {
	if endsLine(pl.old) && !endsLine(p.text[pl.start:pl.end]) {
		pl.old, pl.new = withoutEnd(pl.old), withoutEnd(pl.new)
	}
	old, now := tokens(pl.old), tokens(pl.new)
	places := make([]int, len(old)+1) // of tokens in Old
	for i, token := range old {
		places[i+1] = places[i] + len(token)
	}
	first, last := p.align(pl, places, late), p.align(pl, places, early)
	var hunks []hunk
	for _, s := range merge(textdiff.Compare(old, now), first, last) {
		start, end := first[s.A0], last[s.A1]
		if start > end {
			start = end // something is inserted where blanks do not count
		}
		hunks = append(hunks, hunk{start, end, p.fit(start, end, strings.Join(now[s.B0:s.B1], ""))})
	}
	return hunks
}

func endsLine(s string) bool { return strings.HasSuffix(s, "\n") || strings.HasSuffix(s, "\r") }

// withoutEnd is a text without its last line end.
func withoutEnd(s string) string {
	s = strings.TrimSuffix(s, "\n")
	return strings.TrimSuffix(s, "\r")
}

// tokens splits a text into words, blanks and single characters, for example of scripts without spaces.
func tokens(s string) []string {
	var all []string
	for s != "" {
		n := tokenLen(s)
		all = append(all, s[:n])
		s = s[n:]
	}
	return all
}

func tokenLen(s string) int {
	kind := func(r rune) int {
		switch {
		case isWord(r) && !isUnspaced(r):
			return 1
		case r == ' ' || r == '\t':
			return 2
		}
		return 0
	}
	first := -1
	for i, r := range s {
		if first < 0 {
			first = kind(r)
			continue
		}
		if k := kind(r); first == 0 || k != first {
			return i
		}
	}
	return len(s)
}

// align returns the offsets in the text of offsets in Old, or -1 for offsets without a counterpart.
func (p *planner) align(pl place, places []int, which side) []int {
	f := foldOf(Punctuation)
	// Offsets of Old in the folded form, and in the text.
	folded := make([]int, len(places))
	i, done := 0, 0
	for u := range f.units(pl.old, false) {
		for i < len(places) && places[i] <= u.to {
			folded[i] = -1
			switch n := places[i] - u.from; {
			case n == 0:
				folded[i] = done
			case u.same:
				folded[i] = done + n
			case places[i] == u.to:
				folded[i] = done + len(u.text)
			}
			i++
		}
		done += len(u.text)
	}
	known := make([]int, 0, len(folded))
	for _, place := range folded {
		if place >= 0 {
			known = append(known, place)
		}
	}
	known = f.locate(p.text[pl.start:pl.end], false, known, which)
	for i, place := range folded {
		if place >= 0 {
			folded[i] = known[0]
			if known = known[1:]; folded[i] >= 0 {
				folded[i] += pl.start
			}
		}
	}
	return folded
}

// merge extends spans to offsets that have a counterpart in the text, and joins spans that touch.
func merge(spans []textdiff.Span, first, last []int) []textdiff.Span {
	var all []textdiff.Span
	for i := 0; i < len(spans); i++ {
		s := spans[i]
		for s.A0 > 0 && first[s.A0] < 0 {
			if n := len(all); n > 0 && s.A0 == all[n-1].A1 {
				s.A0, s.B0 = all[n-1].A0, all[n-1].B0
				all = all[:n-1]
				continue
			}
			s.A0, s.B0 = s.A0-1, s.B0-1
		}
		for s.A1 < len(last)-1 && last[s.A1] < 0 {
			if i+1 < len(spans) && s.A1 == spans[i+1].A0 {
				i++
				s.A1, s.B1 = spans[i].A1, spans[i].B1
				continue
			}
			s.A1, s.B1 = s.A1+1, s.B1+1
		}
		all = append(all, s)
	}
	return all
}
