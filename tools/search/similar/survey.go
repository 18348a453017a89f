package similar

import "slices"

// Parameters of a survey.
const (
	gramTokens  = 5
	maxRepeated = 4  // occurrences of one sequence that are counted
	bandStep    = 16 // diagonals that are counted together
	bandMargin  = 40 // diagonals added on both sides of the band
)

// gramSizes are the lengths of the compared sequences. A longer one is only looked up where
// the shorter one was found.
var gramSizes = [...]int{gramTokens, 8, runTokens + 1}

// row is a row of tokens, prepared for comparisons with many others.
type row struct {
	tokens []token
	weight float64
	grams  [len(gramSizes)]numbering
	at     [len(gramSizes)][]int32 // number of the sequence at each position
	last   []int32                 // last position of each sequence of gramTokens
	before []int32                 // previous position of the same sequence

	names  numbering // by keyOf
	called []int32   // number of the name of each token
	counts []int32   // number of occurrences of each name
	kinds  [text + 1]int32
}

func newRow(tokens []token) *row {
	r := &row{tokens: tokens, weight: total(tokens)}
	for level, size := range gramSizes {
		hashes := sequences(make([]uint32, 0, len(tokens)), tokens, size, shapeOf)
		r.grams[level], r.at[level] = newNumbering(len(hashes)), make([]int32, len(hashes))
		for i, h := range hashes {
			r.at[level][i] = r.grams[level].add(uint64(h))
		}
	}
	r.last, r.before = make([]int32, r.grams[0].n), make([]int32, len(r.at[0]))
	for i := range r.last {
		r.last[i] = -1
	}
	for i, n := range r.at[0] {
		r.before[i] = r.last[n]
		r.last[n] = int32(i)
	}
	r.names, r.called, r.counts = newNumbering(len(tokens)), make([]int32, len(tokens)), make([]int32, len(tokens))
	for i := range tokens {
		t := &tokens[i]
		r.called[i] = r.names.add(keyOf(t))
		r.counts[r.called[i]]++
		if t.code <= text {
			r.kinds[t.code]++
		}
	}
	return r
}

// has reports whether the row contains a sequence of gramTokens.
func (r *row) has(hash uint32) bool { return r.grams[0].find(uint64(hash)) >= 0 }

// survey is the result of a fast comparison of token sequences without their order. It
// limits the possible score and the area of the alignment.
type survey struct {
	most   float64 // approximate upper limit of the score
	lo, hi int     // range of diagonals: position in b minus position in a
	longer bool    // both have a common sequence of more than gramTokens
	alike  bool    // both have the same shape and need no alignment
}

// cells returns the number of table cells that an alignment needs.
func (s survey) cells(a, b int) int {
	if s.alike {
		return 0
	}
	return min(a*(s.hi-s.lo+1), a*b)
}

// look surveys a row and tokens.
func (c *comparer) look(a *row, b []token) survey {
	c.hash(b)
	c.inB = zero(c.inB, len(b)+1)
	for level := range c.seen {
		c.seen[level] = zero(c.seen[level], int(a.grams[level].n)+1)
	}
	c.diagonals = zero(c.diagonals, (len(a.tokens)+len(b))/bandStep+2)
	votes, longer := 0, false
	for j := 0; j+gramTokens <= len(b); j++ {
		n := a.grams[0].find(uint64(c.gram(0, j)))
		if n < 0 {
			continue
		}
		c.seen[0][n], c.inB[j] = 1, 1
		for level := 1; level < len(gramSizes) && j+gramSizes[level] <= len(b); level++ {
			n := a.grams[level].find(uint64(c.gram(level, j)))
			if n < 0 {
				break
			}
			c.seen[level][n], c.inB[j], longer = 1, uint8(level+1), true
		}
		for i, times := a.last[n], 0; i >= 0 && times < maxRepeated; i, times = a.before[i], times+1 {
			c.diagonals[(j-int(i)+len(a.tokens))/bandStep]++
			votes++
		}
	}
	s := survey{lo: -len(a.tokens), hi: len(b), longer: longer, alike: alike(a.tokens, b)}
	s.most = c.atMost(a, b)
	c.band(&s, len(a.tokens), votes)
	return s
}

// alike reports whether two rows have the same shape.
func alike(a, b []token) bool {
	return slices.EqualFunc(a, b, func(x, y token) bool { return x.code == y.code })
}

// band removes diagonals with few matches on both sides.
func (c *comparer) band(s *survey, a, votes int) {
	if votes == 0 {
		return
	}
	least := max(1, slices.Max(c.diagonals)/16)
	lo, hi := 0, len(c.diagonals)-1
	for lo < hi && c.diagonals[lo] < least {
		lo++
	}
	for hi > lo && c.diagonals[hi] < least {
		hi--
	}
	s.lo = max(s.lo, lo*bandStep-a-bandMargin)
	s.hi = min(s.hi, (hi+1)*bandStep-a+bandMargin)
}
