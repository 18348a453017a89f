package grep

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// surround is what stands around a place in a text, as far as conditions ask for it.
type surround uint8

const (
	atLine   = surround(syntax.EmptyBeginLine)
	atText   = surround(syntax.EmptyBeginText)
	ended    = surround(syntax.EmptyEndLine)
	done     = surround(syntax.EmptyEndText)
	edge     = surround(syntax.EmptyWordBoundary)
	noEdge   = surround(syntax.EmptyNoWordBoundary)
	inWord   = 1 << 6 // behind a word character
	behindCR = 1 << 7 // behind a CR, in a machine for lines
)

// verdict is what is known behind a byte.
type verdict uint8

const (
	open    verdict = iota // no match has ended so far
	matched                // one has, here or in front of the byte
	invalid                // the bytes are not UTF-8
)

// front is the set of nodes that a machine is at, all at once, between two bytes. Nodes that do not read are passed;
// conditions are kept where the next byte decides them.
type front struct {
	nodes  []int32 // none if nothing can match before the line ends
	before surround
	inside bool // in the middle of a character
}

// walker takes a machine from front to front.
type walker struct {
	m     *machine
	mark  []uint32 // by node: the round in which it was added
	round uint32
	stack []int32
	mid   []int32
	match bool // there is a node that is part of a match
	any   bool // there is a node that reads what is in front of a match
	whole bool // there is the one where a character begins
}

func newWalker(m *machine) walker { return walker{m: m, mark: make([]uint32, len(m.nodes))} }

// begin answers the front at the beginning of a text; matched if the empty text matches everywhere.
func (w *walker) begin(dst []int32) (front, verdict) { return w.beginIn(dst, atLine|atText) }

// beginBehind answers the front in the middle of a text, for matches that begin there or later.
func (w *walker) beginBehind(b byte) (front, verdict) { return w.beginIn(nil, w.behind(b)) }

func (w *walker) beginIn(dst []int32, c surround) (front, verdict) {
	w.clear()
	nodes, hit := w.add(dst, w.m.start, c, false)
	return w.settle(nodes, c, hit)
}

// behind is what is known behind a byte.
func (w *walker) behind(b byte) surround {
	c := surround(0)
	if b == '\n' {
		c |= atLine
	}
	if w.m.words && isWordByte(b) {
		c |= inWord
	}
	return c
}

// step reads a byte at f. The nodes of the new front are appended to dst.
func (w *walker) step(dst []int32, f front, b byte) (front, verdict) {
	m := w.m
	if m.ascii && b >= utf8.RuneSelf {
		if len(f.nodes) == 0 {
			return f, open
		}
		return front{}, invalid
	}
	lineEnd := b == '\n' || b == '\r' && m.lines
	nodes := f.nodes
	if crlf := f.before&behindCR != 0 && b == '\n'; !crlf {
		var hit bool
		if nodes, hit = w.decide(f, w.ahead(f.before, b, lineEnd)); hit {
			return front{}, matched
		}
	}
	if lineEnd && m.lines {
		if f.inside {
			return front{}, invalid
		}
		next, v := w.begin(dst)
		if b == '\r' {
			next.before |= behindCR
		}
		return next, v
	}
	if len(f.nodes) == 0 {
		return f, open
	}
	next := w.behind(b)
	w.clear()
	for _, id := range nodes {
		out := m.read(id, b)
		if out < 0 {
			continue
		}
		var hit bool
		if dst, hit = w.add(dst, out, next, false); hit {
			return front{}, matched
		}
	}
	return w.settle(dst, next, false)
}

// read answers where a node goes on that reads a byte, -1 if it does not read that.
func (m *machine) read(id int32, b byte) int32 {
	n := &m.nodes[id]
	switch n.op {
	case opBytes:
		if m.sets[n.set].has(b) {
			return n.out
		}
	case opClass:
		for _, head := range m.heads[n.out:n.alt] {
			if h := &m.nodes[head]; m.sets[h.set].has(b) {
				return h.out
			}
		}
	}
	return -1
}

// finish tells whether a match ends at the end of the text, f being the front there.
func (w *walker) finish(f front) bool {
	c := f.before | ended | done
	_, hit := w.decide(f, w.edges(c, f.before&inWord != 0))
	return hit
}

// ahead completes what is known at f by what the next byte says.
func (w *walker) ahead(c surround, b byte, lineEnd bool) surround {
	if lineEnd {
		c |= ended
		if w.m.lines {
			c |= done
		}
	}
	return w.edges(c, (c&inWord != 0) != isWordByte(b))
}

func (w *walker) edges(c surround, isEdge bool) surround {
	if isEdge {
		return c | edge
	}
	return c | noEdge
}

// decide passes the conditions that are kept in a front, now that all is known.
func (w *walker) decide(f front, c surround) (nodes []int32, hit bool) {
	if !slices.ContainsFunc(f.nodes, w.isEmptyWidth) {
		return f.nodes, false
	}
	w.clear()
	w.mid = w.mid[:0]
	for _, id := range f.nodes {
		if w.mid, hit = w.add(w.mid, id, c, true); hit {
			return nil, true
		}
	}
	return w.mid, false
}

func (w *walker) isEmptyWidth(id int32) bool { return w.m.nodes[id].op == opEmpty }

// clear begins a new round of add.
func (w *walker) clear() {
	if w.round++; w.round == 0 {
		clear(w.mark)
		w.round = 1
	}
	w.match, w.any, w.whole = false, false, false
}

// add appends the nodes that are reached from a node without reading. Conditions are decided by c; if that is not all
// that is known in the end, those that look ahead are kept. It is true as soon as a match is reached.
func (w *walker) add(dst []int32, id int32, c surround, all bool) ([]int32, bool) {
	w.stack = append(w.stack[:0], id)
	for len(w.stack) > 0 {
		id := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if id < 0 || w.mark[id] == w.round {
			continue
		}
		w.mark[id] = w.round
		switch n := &w.m.nodes[id]; n.op {
		case opMatch:
			return dst, true
		case opBytes, opClass:
			dst = append(dst, id)
			w.any = w.any || id >= w.m.any
			w.match = w.match || id < w.m.any
			w.whole = w.whole || id == w.m.first
		case opEither:
			w.stack = append(w.stack, n.alt, n.out)
		case opEmpty:
			switch {
			case surround(n.look)&^c == 0:
				w.stack = append(w.stack, n.out)
			case !all && n.look&lookBehind == 0:
				dst = append(dst, id)
				w.match = true
			}
		}
	}
	return dst, false
}

// settle makes a front of nodes.
func (w *walker) settle(nodes []int32, c surround, hit bool) (front, verdict) {
	switch {
	case hit:
		return front{}, matched
	case !w.any:
		return front{}, invalid // what reads any character reads no such byte
	case w.m.anchored && !w.match && w.whole:
		return front{}, open
	case !slices.ContainsFunc(nodes, w.isEmptyWidth):
		c = 0 // nothing asks for it
	}
	return front{nodes, c, !w.whole}, open
}
