package grep

import "context"

// Match is a matching line or, in multiline mode, the lines that contain matches.
type Match struct {
	Line  int // number of the first line, from 1
	Lines int // number of lines; 1 in line mode
	Start int // offset of the first line
	End   int // offset of the end of the last line, without its line end

	m        *Matcher
	text     []byte
	from, to int // first match, if known
	known    bool
}

// First returns the range of the first match in the lines, as offsets in the text: the leftmost match that RE2 and Perl prefer.
// In line mode it is computed by this call.
func (h Match) First() (from, to int) {
	if h.known {
		return h.from, h.to
	}
	line := h.text[h.Start:h.End]
	if from, to, ok := h.m.set.first(line); ok && !h.m.excluded.occursIn(line) {
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
