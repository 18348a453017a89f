package grep

import (
	"bytes"
	"context"
)

// lanes is how many parts of a text are read at once. A look-up must wait for the one before it in the same part, but
// not for those in others: four lanes are about four times as fast as one.
const lanes = 4

// sweep reads a text of whole lines, of which the last need not be ended, in lanes.
type sweep struct {
	*cache
	ctx  context.Context
	text []byte
	lane [lanes]lane

	rested int // cache.rests when it began
}

type lane struct {
	at, end int // in the text; the state at the place is in cache.live
	busy    bool
}

// scan finds the lines of a text that match. c.hits then has a place in each, in order, lane by lane; it is in the line
// or at its end.
func (c *cache) scan(ctx context.Context, text []byte) {
	const short, often = 24, 16 // bytes read in vain together, and how often that may be
	s := sweep{cache: c, ctx: ctx, text: text, rested: c.rests}
	s.divide()
	for interrupted := 0; s.fresh(); {
		n, busy := s.together()
		if !busy {
			break
		}
		for i := 0; i < lanes && s.fresh(); i++ {
			if s.lane[i].busy {
				s.turn(i)
			}
		}
		if interrupted++; n > short {
			interrupted = 0
		}
		if interrupted > often {
			s.apart()
			interrupted = 0
		}
	}
	s.uncached()
}

// fresh tells whether the cache has not got tired.
func (s *sweep) fresh() bool { return s.tired <= 0 && s.rested == s.rests }

// apart reads for a while in one lane after the other. Where there is something in every line, lanes interrupt each other
// more than they gain.
func (s *sweep) apart() {
	const while = 4 << 10 // bytes
	for i := range s.lane {
		l := &s.lane[i]
		for until := l.at + while; l.busy && l.at < until && s.fresh(); s.turn(i) {
			s.alone(i)
		}
	}
}

// alone reads in one lane until it is at its end or at a byte that asks for more than a look-up.
func (s *sweep) alone(i int) {
	l := &s.lane[i]
	state, n := s.run(s.live[i], s.text[l.at:l.end])
	s.live[i] = state
	l.at += n
	s.used += n
}

// divide parts the text at line ends.
func (s *sweep) divide() {
	const worthwhile = 16 // bytes
	from := 0
	for i := range lanes {
		to := len(s.text)
		if goal := from + (len(s.text)-from)/(lanes-i); i < lanes-1 && len(s.text) >= lanes*worthwhile {
			if n := bytes.IndexByte(s.text[goal:], '\n'); n >= 0 {
				to = goal + n + 1
			}
		}
		s.lane[i] = lane{from, to, from < to}
		s.hits[i], s.live[i] = s.hits[i][:0], s.start
		from = to
	}
}

// together reads in all lanes until one is at its end or at a byte that asks for more than a look-up, and answers how far
// that was. It is false when no lane is busy.
func (s *sweep) together() (int, bool) {
	n, first, busy := len(s.text), 0, 0
	for i, l := range s.lane {
		if l.busy {
			n, first = min(n, l.end-l.at), i
			busy++
		}
	}
	if busy == 1 {
		s.alone(first)
	}
	if busy <= 1 {
		return n, busy == 1
	}
	var part [lanes][]byte
	for i, l := range s.lane {
		if !l.busy { // goes along with another one, which costs nothing
			l.at, s.live[i] = s.lane[first].at, s.live[first]
		}
		part[i] = s.text[l.at : l.at+n]
	}
	n = s.runAll(part[0], part[1], part[2], part[3])
	s.used += n * busy
	for i := range s.lane {
		s.lane[i].at += n // of no meaning where none is busy
	}
	return n, true
}

// run reads as long as the table has the next state.
func (c *cache) run(state uint32, text []byte) (uint32, int) {
	table, class := c.table, &c.m.alphabet.class
	for i, b := range text {
		next := table[state+uint32(class[b])]
		if next >= special {
			return state, i
		}
		state = next
	}
	return state, len(text)
}

// runAll is run for all lanes. The parts are of the same length.
func (c *cache) runAll(t0, t1, t2, t3 []byte) int {
	table, class := c.table, &c.m.alphabet.class
	t1, t2, t3 = t1[:len(t0)], t2[:len(t0)], t3[:len(t0)]
	s0, s1, s2, s3 := c.live[0], c.live[1], c.live[2], c.live[3]
	i := 0
	for ; i < len(t0); i++ {
		n0 := table[s0+uint32(class[t0[i]])]
		n1 := table[s1+uint32(class[t1[i]])]
		n2 := table[s2+uint32(class[t2[i]])]
		n3 := table[s3+uint32(class[t3[i]])]
		if (n0|n1|n2|n3)&special != 0 {
			break
		}
		s0, s1, s2, s3 = n0, n1, n2, n3
	}
	c.live = [lanes]uint32{s0, s1, s2, s3}
	return i
}

// turn takes a lane over its next byte, or its end, unless the cache gets tired of it.
func (s *sweep) turn(i int) {
	l := &s.lane[i]
	b := byte('\n') // ends the text if it does not itself
	if l.at < l.end {
		b = s.text[l.at]
	} else if s.text[l.end-1] == '\n' {
		l.busy = false
		return
	}
	switch next := s.after(s.live[i], b); next {
	case stateTired:
	case stateMatched:
		s.leave(i, true)
	case stateInvalid:
		start, end := lineAround(s.text, l.at)
		s.leave(i, s.mended(s.ctx, s.text[start:end]))
	default:
		s.live[i] = next
		l.busy = l.at < l.end
		l.at++
	}
}

// leave takes a lane to the next line.
func (s *sweep) leave(i int, hit bool) {
	l := &s.lane[i]
	if hit {
		s.hits[i] = append(s.hits[i], l.at)
	}
	s.live[i] = s.start
	n := bytes.IndexByte(s.text[l.at:l.end], '\n')
	l.at += n + 1
	l.busy = n >= 0 && l.at < l.end
}

// uncached does what the lanes have left if the cache is tired.
func (s *sweep) uncached() {
	for i, l := range s.lane {
		for l.busy {
			start, end := lineAround(s.text, min(l.at, l.end-1))
			if s.simulate(s.ctx, s.text[start:end]) {
				s.hits[i] = append(s.hits[i], start)
			}
			n := bytes.IndexByte(s.text[end:l.end], '\n')
			l.at = end + n + 1
			l.busy = n >= 0 && l.at < l.end
		}
	}
}
