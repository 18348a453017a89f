package grep

import (
	"bytes"
	"context"
)

// streamCount is the number of parts of a text that are read alternately. The table accesses of one part depend on each other;
// those of different parts run in parallel in the processor. Four parts are about four times as fast as one.
const streamCount = 4

// streamScan reads a text of complete lines in several streams. The last line may lack a line end.
type streamScan struct {
	*cache
	ctx     context.Context
	text    []byte
	streams [streamCount]stream

	pausesBefore int // cache.pauses at the start
}

// stream is one part of the text.
type stream struct {
	at, end int // range left to read; the state at at is in cache.live
	busy    bool
}

// scan finds the matching lines of a text. c.hits then contains a position in each of them, in order, by stream; it is in the
// line or at its end.
func (c *cache) scan(ctx context.Context, text []byte) {
	const short, often = 24, 16 // bytes of a short common run, and the number of successive short runs that is accepted
	s := streamScan{cache: c, ctx: ctx, text: text, pausesBefore: c.pauses}
	s.split()
	for interrupted := 0; s.cacheUsable(); {
		n, busy := s.scanParallel()
		if !busy {
			break
		}
		for i := 0; i < streamCount && s.cacheUsable(); i++ {
			if s.streams[i].busy {
				s.step(i)
			}
		}
		if interrupted++; n > short {
			interrupted = 0
		}
		if interrupted > often {
			s.scanSequentially()
			interrupted = 0
		}
	}
	s.scanUncached()
}

// cacheUsable reports whether the cache was not paused since the start.
func (s *streamScan) cacheUsable() bool { return s.pausedBytes <= 0 && s.pausesBefore == s.pauses }

// scanSequentially reads one stream after the other for a while. In texts with a hit in each line, alternating costs more than
// it gains.
func (s *streamScan) scanSequentially() {
	const while = 4 << 10 // bytes
	for i := range s.streams {
		l := &s.streams[i]
		for until := l.at + while; l.busy && l.at < until && s.cacheUsable(); s.step(i) {
			s.scanOne(i)
		}
	}
}

// scanOne reads one stream until its end, or a byte that needs more than a table access.
func (s *streamScan) scanOne(i int) {
	l := &s.streams[i]
	state, n := s.run(s.live[i], s.text[l.at:l.end])
	s.live[i] = state
	l.at += n
	s.used += n
}

// split divides the text at line ends.
func (s *streamScan) split() {
	const worthwhile = 16 // bytes
	from := 0
	for i := range streamCount {
		to := len(s.text)
		if goal := from + (len(s.text)-from)/(streamCount-i); i < streamCount-1 && len(s.text) >= streamCount*worthwhile {
			if n := bytes.IndexByte(s.text[goal:], '\n'); n >= 0 {
				to = goal + n + 1
			}
		}
		s.streams[i] = stream{from, to, from < to}
		s.hits[i], s.live[i] = s.hits[i][:0], s.start
		from = to
	}
}

// scanParallel reads all streams until one reaches its end, or a byte that needs more than a table access. It returns the
// number of bytes read. The second result is false if no stream is busy.
func (s *streamScan) scanParallel() (int, bool) {
	n, first, busy := len(s.text), 0, 0
	for i, l := range s.streams {
		if l.busy {
			n, first = min(n, l.end-l.at), i
			busy++
		}
	}
	if busy == 1 {
		s.scanOne(first)
	}
	if busy <= 1 {
		return n, busy == 1
	}
	var part [streamCount][]byte
	for i, l := range s.streams {
		if !l.busy { // an idle stream copies another one at no cost
			l.at, s.live[i] = s.streams[first].at, s.live[first]
		}
		part[i] = s.text[l.at : l.at+n]
	}
	n = s.runAll(part[0], part[1], part[2], part[3])
	s.used += n * busy
	for i := range s.streams {
		s.streams[i].at += n // meaningless for idle streams
	}
	return n, true
}

// run reads as long as the table contains the next state.
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

// runAll is run for all streams. The parts have the same length.
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
	c.live = [streamCount]uint32{s0, s1, s2, s3}
	return i
}

// step reads the next byte of a stream, or its end, unless the cache is paused.
func (s *streamScan) step(i int) {
	l := &s.streams[i]
	b := byte('\n') // the line end that the text may lack
	if l.at < l.end {
		b = s.text[l.at]
	} else if s.text[l.end-1] == '\n' {
		l.busy = false
		return
	}
	switch next := s.after(s.live[i], b); next {
	case statePaused:
	case stateMatched:
		s.nextLine(i, true)
	case stateInvalid:
		start, end := lineAround(s.text, l.at)
		s.nextLine(i, s.matchRepaired(s.ctx, s.text[start:end]))
	default:
		s.live[i] = next
		l.busy = l.at < l.end
		l.at++
	}
}

// nextLine moves a stream to the next line.
func (s *streamScan) nextLine(i int, hit bool) {
	l := &s.streams[i]
	if hit {
		s.hits[i] = append(s.hits[i], l.at)
	}
	s.live[i] = s.start
	n := bytes.IndexByte(s.text[l.at:l.end], '\n')
	l.at += n + 1
	l.busy = n >= 0 && l.at < l.end
}

// scanUncached reads the rest of all streams without the cache, after a pause.
func (s *streamScan) scanUncached() {
	for i, l := range s.streams {
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
