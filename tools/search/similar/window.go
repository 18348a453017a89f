package similar

import (
	"cmp"
	"slices"
)

// Limits of one alignment: tokens of a row, and table cells.
const (
	maxCells  = 1 << 20
	blockRow  = 512
	maxBlocks = 16
)

// matchAll assigns tokens of a to tokens of b, in order of a. Small inputs are aligned
// at once. Otherwise each block of a is aligned with the part of b that has most in
// common with it; of very many blocks, only some are aligned. It returns the compared
// weight of a.
func (c *comparer) matchAll(of *row, b []token, s survey) (weight float64) {
	a := of.tokens
	c.matched = c.matched[:0]
	if s.alike {
		for i := range a {
			c.matched = append(c.matched, pair{int32(i), int32(i)})
		}
		return of.weight
	}
	if s.cells(len(a), len(b)) <= maxCells {
		c.matched = append(c.matched, c.align(a, b, s.lo, s.hi)...)
		return of.weight
	}
	size := len(a)
	if size > 2*blockRow {
		size = blockRow
	}
	blocks := (len(a) + size - 1) / size
	step := max(1, (blocks+maxBlocks-1)/maxBlocks)
	c.used = zero(c.used, len(b))
	for n := 0; n < blocks; n += step {
		block := newRow(a[n*size : min((n+1)*size, len(a))])
		start, end := c.window(block, b, maxCells/size)
		s := c.look(block, b[start:end])
		weight += block.weight
		for _, p := range c.align(block.tokens, b[start:end], s.lo, s.hi) {
			at := int32(start) + p.b
			if c.used[at] == 0 {
				c.used[at] = 1
				c.matched = append(c.matched, pair{p.a + int32(n*size), at})
			}
		}
	}
	slices.SortFunc(c.matched, func(x, y pair) int { return cmp.Compare(x.a, y.a) })
	return weight
}

// window returns the part of b, of at most most tokens, that has the most sequences in
// common with a.
func (c *comparer) window(a *row, b []token, most int) (start, end int) {
	if len(b) <= most {
		return 0, len(b)
	}
	if c.seeds == nil {
		c.seeds = map[uint32]struct{}{}
	}
	clear(c.seeds)
	c.hashes = sequences(c.hashes[:0], a.tokens, gramTokens, namingOf)
	for _, h := range c.hashes {
		c.seeds[h] = struct{}{}
	}
	c.shapes = sequences(c.shapes[:0], b, gramTokens, shapeOf)
	c.hashes = sequences(c.hashes[:0], b, gramTokens, namingOf)
	vote := func(i int) (v int) {
		if a.has(c.shapes[i]) {
			v = 1
		}
		if _, ok := c.seeds[c.hashes[i]]; ok {
			v += 2
		}
		return v
	}
	best, votes, reach := -1, 0, min(most, 2*len(a.tokens))
	for i := range c.shapes {
		votes += vote(i)
		if i >= reach {
			votes -= vote(i - reach)
		}
		if votes > best {
			best, end = votes, i+gramTokens
		}
	}
	start = max(0, min(end-reach-gramTokens-(most-reach)/2, len(b)-most))
	return start, min(len(b), start+most)
}
