package edit

import (
	"iter"
	"strings"
)

// fold lists the differences that a comparison ignores, beside line ends.
type fold struct {
	trailing    bool // spaces and tabs at the end of lines
	indentation bool // and at their beginning
	punctuation bool // how characters are written, see plain
}

// foldOf returns the differences that a step ignores.
func foldOf(s Step) fold {
	return fold{
		trailing:    s&^LineEnds != 0,
		indentation: s&Indentation != 0,
		punctuation: s&Punctuation != 0,
	}
}

// unit is a part of a text with its folded form. Either both are equal, or the unit is indivisible: no match begins or ends
// inside it.
type unit struct {
	from, to int
	text     string
	same     bool
}

// units splits a text. They follow each other without gaps. atEnd adds a line end at the end of the text, taking no bytes, if it has none.
func (f fold) units(s string, atEnd bool) iter.Seq[unit] {
	return func(yield func(unit) bool) {
		if !f.trailing && !strings.Contains(s, "\r") {
			if !yield(unit{0, len(s), s, true}) {
				return
			}
		} else if !f.lines(s, yield) {
			return
		}
		if atEnd && s != "" && s[len(s)-1] != '\n' && s[len(s)-1] != '\r' {
			yield(unit{len(s), len(s), "\n", false})
		}
	}
}

// lines splits a text line by line.
func (f fold) lines(s string, yield func(unit) bool) bool {
	for at := 0; at < len(s); {
		end, next := lineEnd(s, at)
		first, last := at, end
		if f.indentation {
			first += len(indent(s[at:end]))
		}
		if f.trailing {
			last = first + len(strings.TrimRight(s[first:end], blanks))
		}
		ok := (first == at || yield(unit{at, first, "", false})) &&
			(last == first || f.body(s, first, last, yield)) &&
			(end == last || yield(unit{last, end, "", false})) &&
			(next == end || yield(unit{end, next, "\n", next-end == 1}))
		if !ok {
			return false
		}
		at = next
	}
	return true
}

// body splits the content of a line into units.
func (f fold) body(s string, from, to int, yield func(unit) bool) bool {
	if !f.punctuation || isASCII(s[from:to]) {
		return yield(unit{from, to, s[from:to], true})
	}
	return plain(s, from, to, yield)
}

// apply is a text as it is compared.
func (f fold) apply(s string, atEnd bool) string {
	var b strings.Builder
	for u := range f.units(s, atEnd) {
		if b.Len() == 0 {
			if u.same && len(u.text) == len(s) && !atEnd {
				return s
			}
			b.Grow(len(s) + 1)
		}
		b.WriteString(u.text)
	}
	return b.String()
}

// side says which place is meant where nothing that counts lies between several.
type side bool

const (
	early side = false // before ignored text
	late  side = true  // behind it
)

// locate returns the offsets in the text of ascending offsets in the folded text; -1 for offsets inside a unit.
func (f fold) locate(s string, atEnd bool, places []int, which side) []int {
	found := make([]int, 0, len(places))
	done := 0 // how much of the compared text is passed
	for u := range f.units(s, atEnd) {
		end := done + len(u.text)
		for len(found) < len(places) {
			place := places[len(found)]
			if place > end || place == end && which == late {
				break
			}
			found = append(found, u.at(place-done))
		}
		if len(found) == len(places) {
			return found
		}
		done = end
	}
	for len(found) < len(places) {
		found = append(found, len(s))
	}
	return found
}

// at returns the offset in the text that corresponds to n bytes of the folded form.
func (u unit) at(n int) int {
	switch {
	case n == 0:
		return u.from
	case u.same:
		return u.from + n
	case n == len(u.text):
		return u.to
	}
	return -1
}

const blanks = " \t"

// indent is the blanks that a line begins with.
func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, blanks))] }

// isBlank reports whether a line consists of blanks.
func isBlank(line string) bool { return strings.Trim(line, blanks) == "" }

// lineEnd returns the end of the line that begins at at, and the beginning of the next line.
func lineEnd(s string, at int) (end, next int) {
	i := strings.IndexAny(s[at:], "\r\n")
	if i < 0 {
		return len(s), len(s)
	}
	end, next = at+i, at+i+1
	if s[end] == '\r' && next < len(s) && s[next] == '\n' {
		next++
	}
	return end, next
}

// lineStart is where the line begins that a place is in.
func lineStart(s string, at int) int { return strings.LastIndexAny(s[:at], "\r\n") + 1 }

// line is a line of a text and its line end.
type line struct{ text, end string }

func splitLines(s string) []line {
	lines := make([]line, 0, strings.Count(s, "\n")+1)
	for at := 0; at < len(s); {
		end, next := lineEnd(s, at)
		lines = append(lines, line{s[at:end], s[end:next]})
		at = next
	}
	return lines
}

func joinLines(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
		b.WriteString(l.end)
	}
	return b.String()
}
