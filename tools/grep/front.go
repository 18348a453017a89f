package grep

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// surround is a bit set of the conditions that hold at a position of a text.
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

// outcome is the result of reading a byte.
type outcome uint8

const (
	undecided outcome = iota // no match has ended yet
	matched                  // a match has ended at or before the byte
	invalid                  // the bytes are not UTF-8
)

// front is the set of nodes that a machine has reached between two bytes. Nodes that read no byte are skipped; conditions
// remain if the next byte decides them.
type front struct {
	nodes  []int32 // empty if no match is possible before the line end
	before surround
	inside bool // in the middle of a character
}

// walker moves a machine from front to front.
type walker struct {
	m           *machine
	mark        []uint32 // by node: the round in which it was added
	round       uint32
	stack       []int32
	mid         []int32
	match       bool // whether a node belongs to a match
	any         bool // whether a node reads text before a match
	atCharStart bool // whether a node is at the start of a character
}

func newWalker(m *machine) walker { return walker{m: m, mark: make([]uint32, len(m.nodes))} }

// begin returns the front at the start of a text. The outcome is matched if the empty text matches everywhere.
func (w *walker) begin(dst []int32) (front, outcome) { return w.beginIn(dst, atLine|atText) }

// beginBehind returns the front behind a byte within a text, for matches that start there or later.
func (w *walker) beginBehind(b byte) (front, outcome) { return w.beginIn(nil, w.behind(b)) }

func (w *walker) beginIn(dst []int32, c surround) (front, outcome) {
	w.clear()
	nodes, hit := w.add(dst, w.m.start, c, false)
	return w.settle(nodes, c, hit)
}

// behind returns the conditions known after a byte.
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

// step returns the front after a byte. Its nodes are appended to dst.
func (w *walker) step(dst []int32, f front, b byte) (front, outcome) {
	m := w.m
	if m.ascii && b >= utf8.RuneSelf {
		if len(f.nodes) == 0 {
			return f, undecided
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
		return f, undecided
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

// read returns the next node if node id reads b, otherwise -1.
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

// finish reports whether a match ends at the end of the text.
func (w *walker) finish(f front) bool {
	c := f.before | ended | done
	_, hit := w.decide(f, w.edges(c, f.before&inWord != 0))
	return hit
}

// ahead adds the conditions that the next byte decides to c.
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

// decide follows the remaining conditions of a front when all are known.
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

// clear starts a new round of add.
func (w *walker) clear() {
	if w.round++; w.round == 0 {
		clear(w.mark)
		w.round = 1
	}
	w.match, w.any, w.atCharStart = false, false, false
}

// add appends the nodes that are reachable from id without reading. c decides the conditions; unless all are known, conditions
// on the next byte are kept. It returns true as soon as a match is reached.
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
			w.atCharStart = w.atCharStart || id == w.m.first
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

// settle returns the front of nodes.
func (w *walker) settle(nodes []int32, c surround, hit bool) (front, outcome) {
	switch {
	case hit:
		return front{}, matched
	case !w.any:
		return front{}, invalid // no node accepts the byte: invalid UTF-8
	case w.m.anchored && !w.match && w.atCharStart:
		return front{}, undecided
	case !slices.ContainsFunc(nodes, w.isEmptyWidth):
		c = 0 // no node depends on it
	}
	return front{nodes, c, !w.atCharStart}, undecided
}
