package grep

import "context"

// Match is a line that matches or, in multiline mode, the lines that matches lie in.
type Match struct {
	Line  int // the number of the (first) line, from 1
	Lines int // how many lines; 1 but in multiline mode
	Start int // where the line begins, as an offset in the text
	End   int // where the (last) line ends, without its line end

	m        *Matcher
	text     []byte
	from, to int // the first match
	known    bool
}

// First answers the range of the first match in the lines, as offsets in the text: the leftmost one and, of those that
// begin there, the one that RE2 and Perl prefer. In line mode it is searched for when it is asked for.
func (h Match) First() (from, to int) {
	if h.known {
		return h.from, h.to
	}
	line := h.text[h.Start:h.End]
	if from, to, ok := h.m.set.first(line); ok && !h.m.left.in(line) {
		return h.Start + from, h.Start + to
	}
	var at []int
	if h.m.wide != nil && !isASCII(line) {
		at = h.m.wide().find(context.Background(), line, 0)
	} else {
		at = h.m.regexp().FindIndex(line)
	}
	if at == nil {
		return h.Start, h.Start
	}
	return h.Start + at[0], h.Start + at[1]
}
