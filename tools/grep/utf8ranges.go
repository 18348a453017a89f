package grep

import (
	"slices"
	"strconv"
	"unicode/utf8"
)

// runeRange is a range of characters or, behind a lead byte, of the values of the continuation bytes.
type runeRange struct{ lo, hi rune }

// classBuilder adds nodes to a machine that read one character of a class, byte by byte, and continue at out.
type classBuilder struct {
	*builder
	out   int32
	known map[string]int32 // nodes by their ranges
}

// Encodings of UTF-8 by length. Surrogates have none.
var utf8Lengths = [...]struct {
	runeRange
	continuations int
	lead          byte // bits of the first byte that encode the length
}{
	{runeRange{0, 0x7F}, 0, 0},
	{runeRange{0x80, 0x7FF}, 1, 0xC0},
	{runeRange{0x800, 0xD7FF}, 2, 0xE0},
	{runeRange{0xE000, 0xFFFF}, 2, 0xE0},
	{runeRange{0x10000, utf8.MaxRune}, 3, 0xF0},
}

// class returns the node that reads a character of sorted ranges without overlap.
func (b *builder) class(ranges []runeRange, out int32) node {
	c := classBuilder{builder: b, out: out, known: make(map[string]int32)}
	var heads []int32
	for _, l := range utf8Lengths {
		if part := clipRanges(ranges, l.runeRange); len(part) > 0 {
			heads = append(heads, c.first(part, l.continuations, l.lead)...)
		}
	}
	switch len(heads) {
	case 0:
		if b.ascii { // characters beyond ASCII are possible
			return b.nodes[c.bytes(byteSet{}, out)]
		}
		return node{op: opFail}
	case 1:
		return b.nodes[heads[0]]
	}
	b.heads = append(b.heads, heads...)
	return node{op: opClass, out: int32(len(b.heads) - len(heads)), alt: int32(len(b.heads))}
}

// clipRanges returns the part of ranges within one range.
func clipRanges(ranges []runeRange, in runeRange) []runeRange {
	var part []runeRange
	for _, r := range ranges {
		if lo, hi := max(r.lo, in.lo), min(r.hi, in.hi); lo <= hi {
			part = append(part, runeRange{lo, hi})
		}
	}
	return part
}

// first returns nodes that read a first byte with these upper bits, and the continuation bytes that the ranges permit.
func (c *classBuilder) first(ranges []runeRange, continuations int, upper byte) []int32 {
	if continuations == 0 {
		var set byteSet
		for _, r := range ranges {
			set.add(upper|byte(r.lo), upper|byte(r.hi))
		}
		return []int32{c.bytes(set, c.out)}
	}
	sets := make(map[int32]*byteSet) // by the next node
	var order []int32
	for _, under := range splitRanges(ranges, 6*continuations) {
		next := c.rest(under.ranges, continuations-1)
		if sets[next] == nil {
			sets[next] = new(byteSet)
			order = append(order, next)
		}
		sets[next].add(upper|byte(under.lo), upper|byte(under.hi))
	}
	heads := make([]int32, len(order))
	for i, next := range order {
		heads[i] = c.bytes(*sets[next], next)
	}
	return heads
}

// rest is first for continuation bytes, as one node.
func (c *classBuilder) rest(ranges []runeRange, continuations int) int32 {
	key := strconv.AppendInt(nil, int64(continuations), 10)
	for _, r := range ranges {
		key = strconv.AppendInt(append(key, ','), int64(r.lo), 32)
		key = strconv.AppendInt(append(key, '-'), int64(r.hi), 32)
	}
	id, ok := c.known[string(key)]
	if !ok {
		id = c.either(c.first(ranges, continuations, 0x80))
		c.known[string(key)] = id
	}
	return id
}

// prefixRange is a range of upper bits with the same ranges of lower bits.
type prefixRange struct {
	runeRange
	ranges []runeRange
}

// splitRanges divides ranges by the bits above the lowest ones.
func splitRanges(ranges []runeRange, low int) []prefixRange {
	mask := rune(1)<<low - 1
	var parts []prefixRange
	add := func(lo, hi rune, r runeRange) {
		if n := len(parts); n > 0 && lo == hi && parts[n-1].lo == lo && parts[n-1].hi == lo {
			parts[n-1].ranges = append(parts[n-1].ranges, r)
			return
		}
		parts = append(parts, prefixRange{runeRange{lo, hi}, []runeRange{r}})
	}
	for _, r := range ranges {
		lo, hi := r.lo>>low, r.hi>>low
		if lo == hi {
			add(lo, lo, runeRange{r.lo & mask, r.hi & mask})
			continue
		}
		if r.lo&mask != 0 {
			add(lo, lo, runeRange{r.lo & mask, mask})
			lo++
		}
		last := hi
		if r.hi&mask != mask {
			last--
		}
		if lo <= last {
			add(lo, last, runeRange{0, mask})
		}
		if last < hi {
			add(hi, hi, runeRange{0, r.hi & mask})
		}
	}
	return parts
}

// normalRanges sorts ranges, merges adjacent ones and removes characters.
func normalRanges(ranges []runeRange, without ...rune) []runeRange {
	slices.SortFunc(ranges, func(a, b runeRange) int { return int(a.lo - b.lo) })
	var joined []runeRange
	for _, r := range ranges {
		if n := len(joined); n > 0 && r.lo <= joined[n-1].hi+1 {
			joined[n-1].hi = max(joined[n-1].hi, r.hi)
			continue
		}
		joined = append(joined, r)
	}
	for _, gone := range without {
		joined = slices.Concat(clipRanges(joined, runeRange{0, gone - 1}), clipRanges(joined, runeRange{gone + 1, utf8.MaxRune}))
	}
	return joined
}
