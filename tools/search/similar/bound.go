package similar

// partIn is the maximum weight of a token, by the longest common sequence that contains it:
// none, or one of gramSizes. Like runPart, it limits the weight of a run by its length.
var partIn = [len(gramSizes) + 1]float64{
	float64(gramSizes[0]-2) / runTokens, float64(gramSizes[1]-2) / runTokens, float64(gramSizes[2]-2) / runTokens, 1,
}

// atMost returns an upper limit of the score. It assumes that each token lies in the
// longest run that both rows have.
func (c *comparer) atMost(a *row, b []token) float64 {
	if len(a.tokens) == 0 || len(b) == 0 {
		return 0
	}
	same, inA := c.inCommon(a, b)
	seen := min(same, inA) / a.weight
	if len(b) < len(a.tokens) {
		part := float64(len(b)) / float64(len(a.tokens))
		seen = max(seen, min(same, c.covered(b))/total(b)*min(1, 2*part)*(smallest+(1-smallest)*part))
	}
	return min(1, seen)
}

// inCommon returns the maximum contribution of the tokens of a, by frequency of names
// and then by common sequences.
func (c *comparer) inCommon(a *row, b []token) (same, inA float64) {
	c.met = zero(c.met, int(a.names.n)+1)
	var kinds, met [text + 1]int32
	for j := range b {
		t := &b[j]
		if t.code <= text {
			kinds[t.code]++
		}
		if n := a.names.find(keyOf(t)); n >= 0 && c.met[n] < a.counts[n] {
			c.met[n]++
			same += weightOf(t)
			if t.code <= text {
				met[t.code]++
			}
		}
	}
	for code := identifier; code <= text; code++ {
		same += creditOther(code) * float64(min(a.kinds[code], kinds[code])-met[code])
	}
	short := len(a.tokens) < gramSizes[2] || len(b) < gramSizes[2]
	c.levels = c.spread(zero(c.levels, len(a.tokens)), func(level, i int) bool { return c.seen[level][a.at[level][i]] != 0 })
	for i := range a.tokens {
		t := &a.tokens[i]
		part := weightOf(t)
		if !short { // a complete match counts in full, even if it is short
			part *= partIn[c.levels[i]]
		}
		if c.met[a.called[i]] == 0 {
			part *= creditOther(t.code)
		}
		inA += part
	}
	return same, inA
}

// creditOther returns the maximum contribution of a token that corresponds to one with
// another text.
func creditOther(code uint16) float64 {
	switch code {
	case identifier:
		return countRenamed
	case number, text:
		return countLiteral
	}
	return 1
}

// covered returns the maximum contribution of the tokens of b by common sequences.
func (c *comparer) covered(b []token) (inB float64) {
	if len(b) < gramSizes[2] {
		return total(b)
	}
	c.levels = c.spread(zero(c.levels, len(b)), func(level, j int) bool { return int(c.inB[j]) > level })
	for j := range b {
		inB += weightOf(&b[j]) * partIn[c.levels[j]]
	}
	return inB
}

// spread returns, for each token, the longest sequence that contains it.
func (c *comparer) spread(levels []uint8, found func(level, i int) bool) []uint8 {
	for level, size := range gramSizes {
		until := 0
		for i := 0; i+size <= len(levels); i++ {
			if !found(level, i) {
				continue
			}
			for k := max(i, until); k < i+size; k++ {
				levels[k] = uint8(level + 1)
			}
			until = i + size
		}
	}
	return levels
}

// hash prepares the hashes of a row for gram.
func (c *comparer) hash(b []token) {
	c.prefix = append(c.prefix[:0], 0)
	h := uint64(0)
	for i := range b {
		h = h*gramTimes + mix(shapeOf(&b[i]))
		c.prefix = append(c.prefix, h)
	}
}

// gram returns the hash of the sequence at a position; it equals the hash of sequences.
func (c *comparer) gram(level, at int) uint32 {
	return uint32(mix(c.prefix[at+gramSizes[level]]-c.prefix[at]*gramPowers[level]) >> 32)
}

// gramPowers are the powers of gramTimes for the first token of a sequence, by level.
var gramPowers = func() (powers [len(gramSizes)]uint64) {
	for level, size := range gramSizes {
		powers[level] = 1
		for range size {
			powers[level] *= gramTimes
		}
	}
	return powers
}()
