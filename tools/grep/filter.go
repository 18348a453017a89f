package grep

import "bytes"

// filter finds possible positions of literals, and passes them to the literalSearch for verification.
type filter interface {
	// find returns the first position from from on at which h.match is true, or notFound or tooFrequent.
	find(h *literalSearch, from int) int
}

// byteFilter finds a byte.
type byteFilter byte

func (f byteFilter) find(h *literalSearch, from int) int {
	for {
		n := bytes.IndexByte(h.text[from:], byte(f))
		if n < 0 {
			return notFound
		}
		if from += n; h.match(from, 1) {
			return from
		}
		if h.recordMiss(from) {
			return tooFrequent
		}
		from++
	}
}

// tableFilter finds pairs of adjacent bytes with a table of all pairs. Each entry has a bit for each of eight groups of
// literals.
type tableFilter [1 << 16]uint8

func (e *elements) tableFilter(p plan) *tableFilter {
	f := new(tableFilter)
	var any byteSet
	any.add(0, 255)
	for i, l := range p.set {
		places := p.picks[i].places
		first, second := e.set(l.elems[places[0]]), any
		if len(places) > 1 {
			second = e.set(l.elems[places[1]])
		}
		for a := range 256 {
			if first.has(byte(a)) {
				f.add(byte(a), &second, 1<<(i&7))
			}
		}
	}
	return f
}

func (f *tableFilter) add(first byte, second *byteSet, group uint8) {
	for b := range 256 {
		if second.has(byte(b)) {
			f[int(first)|b<<8] |= group
		}
	}
}

func (f *tableFilter) find(h *literalSearch, from int) int {
	const block = 16 // bytes read by search at once
	for at := from; ; {
		at += f.search(h.text[at:h.readEnd(at, block+1)])
		for end := min(at+block, len(h.text)); at < end; at++ {
			behind := byte(0)
			if at+1 < len(h.text) {
				behind = h.text[at+1]
			}
			groups := f[int(h.text[at])|int(behind)<<8]
			if groups == 0 {
				continue
			}
			if h.match(at, groups) {
				return at
			}
			if h.recordMiss(at) {
				return tooFrequent
			}
		}
		if at >= len(h.text) {
			return notFound
		}
	}
}

// search returns the start of the first 16-byte block that contains a pair, or of the rest of the text.
func (f *tableFilter) search(text []byte) int {
	rest := text
	for len(rest) >= 17 {
		p := (*[17]byte)(rest)
		v, w := word(p[0:8]), word(p[1:9])
		found := f[uint16(v)] | f[uint16(w)] | f[uint16(v>>16)] | f[uint16(w>>16)] |
			f[uint16(v>>32)] | f[uint16(w>>32)] | f[v>>48] | f[w>>48]
		v, w = word(p[8:16]), word(p[9:17])
		found |= f[uint16(v)] | f[uint16(w)] | f[uint16(v>>16)] | f[uint16(w>>16)] |
			f[uint16(v>>32)] | f[uint16(w>>32)] | f[v>>48] | f[w>>48]
		if found != 0 {
			break
		}
		rest = rest[16:]
	}
	return len(text) - len(rest)
}
