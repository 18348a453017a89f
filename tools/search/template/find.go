package template

import (
	"bytes"
	"iter"
)

const (
	// minWeight is the minimum of letters in the fixed parts of a template, and sureWeight the number that is enough
	// in a long message.
	minWeight, sureWeight = 8, 24
	// minShare and minPlainShare are the minimum shares of a line of the message that the fixed parts are: of a text that looks
	// like a message, and of words only.
	minShare, minPlainShare = 0.3, 0.66
	// maxGap is the maximum number of bytes between two literals of one statement.
	maxGap = 200
	// maxBudget limits the comparisons with the message in one text. A literal takes one to three.
	maxBudget = 300_000
	// maxTries limits the occurrences of the first part in the message.
	maxTries = 8
)

// Match is a template in a text.
type Match struct {
	Start, End int // bytes of the template
	Line       int // first line, from 1
	// Weight is the number of letters of the message that the fixed parts are. Share is their part of the line of the
	// message, from 0 to 1.
	Weight int
	Share  float64
}

// Find returns the templates in a text that can have produced a part of the message, in order. With values, the values of keys
// without quotes are literals as well, as in YAML and properties files, and texts between tags.
func (m *Message) Find(text []byte, values bool) iter.Seq[Match] {
	return func(yield func(Match) bool) {
		s := scan{m: m, text: text, yield: yield, budget: maxBudget}
		number := 0
		for start := 0; start < len(text); {
			end := len(text)
			if n := bytes.IndexByte(text[start:], '\n'); n >= 0 {
				end = start + n
			}
			number++
			s.line(start, end, number, values)
			if s.stopped {
				return
			}
			if s.budget <= 0 {
				break
			}
			start = end + 1
		}
		s.flush()
	}
}

// scan is the state of one Find.
type scan struct {
	m       *Message
	text    []byte
	yield   func(Match) bool
	stopped bool
	budget  int // remaining comparisons

	literal literal
	// chain is the current template, of one or more literals; its count is 0 without one.
	chain matched
}

// matched is a literal, or a chain of literals, that occurs in the message.
type matched struct {
	count         int // literals
	start, end    int // in the text
	line          int
	first, last   int // in the message
	weight, words int
	holes         int
}

// line reads the literals of a line.
func (s *scan) line(start, end, number int, values bool) {
	found := false
	var unclosed ['`' + 1]bool // quotes without an end in the rest of the line
	for i := start; i < end && !s.stopped; {
		c := s.text[i]
		if !isQuote[c] || unclosed[c] || c == '\'' && i > start && isApostrophe(s.text[start:i]) {
			i++
			continue
		}
		close := literalEnd(s.text[i+1:end], c)
		if close < 0 {
			if unclosed[c] = true; c != '`' {
				i++
				continue
			}
			close = end - i - 1 // the first line of a longer literal
		}
		if s.try(i+1, i+1+close, number) {
			found = true
		}
		i += close + 2
	}
	if !values || found || s.stopped {
		return
	}
	for from, to := range bareValues(s.text[start:end]) {
		if s.try(start+from, start+to, number) || s.stopped {
			return
		}
	}
}

var isQuote = [256]bool{'"': true, '\'': true, '`': true}

// isApostrophe reports whether a quote behind a text is an apostrophe: a letter precedes it that is no prefix of a literal,
// such as f'…'.
func isApostrophe(before []byte) bool {
	n := len(before)
	if !isAlnum(before[n-1]) {
		return false
	}
	if n > 1 && isAlnum(before[n-2]) {
		return n > 2 && isAlnum(before[n-3]) || !isPrefix(before[n-2])
	}
	return !isPrefix(before[n-1])
}

func isPrefix(c byte) bool { return bytes.IndexByte([]byte("fFrRbBuUL"), c) >= 0 }

// literalEnd returns the offset of the quote that ends a literal, or -1.
func literalEnd(text []byte, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case quote:
			return i
		case '\\':
			i++
		}
	}
	return -1
}

// bareValues returns the ranges of a line that can be messages without quotes: the value of a key, and texts between tags.
func bareValues(line []byte) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		if at := bytes.IndexAny(line, ":="); at >= 0 && at+1 < len(line) {
			if !yield(at+1, len(line)) {
				return
			}
		}
		for at := 0; at < len(line); {
			open := bytes.IndexByte(line[at:], '>')
			if open < 0 {
				break
			}
			from := at + open + 1
			to := len(line)
			if end := bytes.IndexByte(line[from:], '<'); end >= 0 {
				to = from + end
			}
			if to > from && !yield(from, to) {
				return
			}
			at = max(to, from)
		}
		if !yield(0, len(line)) {
			return
		}
	}
}

// try compares a literal with the message. It reports whether the literal occurs there.
func (s *scan) try(start, end, number int) bool {
	content := s.text[start:end]
	if len(content) < 3 || len(content) > maxMessage {
		return false
	}
	if !s.literal.read(content, s.m) {
		return false
	}
	found := matched{count: 1, start: start, end: end, line: number, holes: s.literal.holes}
	if s.chain.count > 0 && start >= s.chain.end && start-s.chain.end <= maxGap && bytes.IndexByte(s.text[s.chain.end:start], ';') < 0 {
		if s.m.match(&s.literal, s.chain.last, &found, &s.budget) {
			s.chain.join(&found)
			return true
		}
	}
	if !s.m.match(&s.literal, 0, &found, &s.budget) || found.weight < 3 {
		return false
	}
	s.flush()
	s.chain = found
	return true
}

// join appends a literal to a chain.
func (c *matched) join(next *matched) {
	c.count += next.count
	c.end, c.last = next.end, next.last
	c.weight += next.weight
	c.words += next.words
	c.holes += next.holes + 1
}

// flush reports the current chain if it is a template of the message, and ends it.
func (s *scan) flush() {
	c := s.chain
	s.chain = matched{}
	if c.count == 0 || s.stopped {
		return
	}
	l := s.m.lineAt(c.first)
	share := min(1, float64(c.weight)/float64(l.weight))
	if !s.m.accepts(&c, l, share) {
		return
	}
	if !s.yield(Match{Start: c.start, End: c.end, Line: c.line, Weight: c.weight, Share: share}) {
		s.stopped = true
	}
}

// accepts reports whether a match is no coincidence.
func (m *Message) accepts(c *matched, l line, share float64) bool {
	if m.plain {
		return share >= minPlainShare && c.words > 1
	}
	switch {
	case c.words > 1 && c.weight >= minWeight:
		return share >= minShare || c.weight >= sureWeight
	case c.words == 1 && c.holes > 0 && c.weight >= 5:
		return share >= 0.5 && (c.first == l.start || m.text[c.first-1] == ' ' && c.first > 1 && m.text[c.first-2] == ':')
	}
	return false
}

// match looks for the parts of a literal in the message, in order, from an offset. It sets the fields of found that concern the
// message.
func (m *Message) match(l *literal, from int, found *matched, budget *int) bool {
	first := l.parts[0]
	for range maxTries {
		at := m.find(l.text[first.start:first.end], from, first.left, first.right, budget)
		if at < 0 {
			return false
		}
		found.first, found.last = at, at+first.end-first.start
		if m.matchRest(l, found, budget) {
			break
		}
		found.first, from = -1, at+1
	}
	if found.first < 0 {
		return false
	}
	found.weight, found.words = 0, 0
	for _, p := range l.parts {
		found.weight += weigh(l.text[p.start:p.end])
		found.words += countWords(l.text[p.start:p.end])
	}
	return true
}

// matchRest looks for the parts of a literal behind the first one.
func (m *Message) matchRest(l *literal, found *matched, budget *int) bool {
	for _, p := range l.parts[1:] {
		at := m.find(l.text[p.start:p.end], found.last, p.left, p.right, budget)
		if at < 0 {
			return false
		}
		found.last = at + p.end - p.start
	}
	return true
}
