package similar

import "github.com/dougu-go/dougu/tools/search/index"

// Compare returns how much of a is contained in b, and the most similar part of b in bytes.
//
// A copy with another layout or other comments scores 1. Consistently renamed code scores
// at least 0.9. Recognizable code with added, removed or changed lines scores 0.7 or more,
// unrelated code less than 0.3. If a is a part of b, that is a complete match. If b is a
// part of a, the score is lower, and lower still for a small b.
//
// The time is bounded: of code with more than 8,000 tokens, only parts are compared.
func Compare(a, b []byte, lang string) (score float64, where index.Span) {
	var c comparer
	d := newDialect(lang, nil)
	got := c.compare(newRow(lex(nil, a, d)), lex(nil, b, d))
	return got.score, got.where
}

// likeness is the result of a comparison.
type likeness struct {
	score float64
	// covered is the part of a that was found, without regard to the length of b.
	covered float64
	where   index.Span
}

// Weights of a pair of different tokens, relative to a pair of equal tokens, and other
// factors of the score.
const (
	countRenamed  = 0.91 // name that is consistently replaced by the other
	countOnce     = 0.86 // name that occurs once; any replacement is consistent
	countOther    = 0.3  // name with several replacements
	countLiteral  = 0.92
	countPoint    = 0.5 // bracket, comma or dot
	runTokens     = 10  // number of consecutive tokens with full weight
	lossPut       = 0.3 // maximum loss for tokens between matched ones
	smallest      = 0.8 // factor for a match of a small part of a
	identicalGain = 1 - 1e-9
)

// comparer compares rows of tokens. It can be reused; it keeps its memory.
type comparer struct {
	aligner
	matched  []pair
	seeds    map[uint32]struct{}
	used     []uint8
	together map[[2]uint32]int32
	fromA    map[uint32]int32
	fromB    map[uint32]int32
	hashes   []uint32
	shapes   []uint32

	prefix    []uint64 // hashes of the prefixes of b
	seen      [len(gramSizes)][]uint8
	inB       []uint8 // level of the longest common sequence at each position of b
	levels    []uint8
	met       []int32
	diagonals []int32
}

// compare returns how much of a row is contained in b.
func (c *comparer) compare(of *row, b []token) likeness {
	if len(of.tokens) == 0 || len(b) == 0 {
		return likeness{}
	}
	return c.compareAs(of, b, c.look(of, b))
}

// compareAs is compare with a given survey.
func (c *comparer) compareAs(of *row, b []token, s survey) likeness {
	a := of.tokens
	if len(a) == 0 || len(b) == 0 {
		return likeness{}
	}
	compared := c.matchAll(of, b, s)
	if len(c.matched) == 0 {
		return likeness{}
	}
	c.names(a, b)
	weight := 0.0
	for i := 0; i < len(c.matched); {
		j := i + 1
		for j < len(c.matched) && c.matched[j] == (pair{c.matched[j-1].a + 1, c.matched[j-1].b + 1}) {
			j++
		}
		sum := 0.0
		for _, p := range c.matched[i:j] {
			sum += weightOf(&a[p.a]) * c.credit(&a[p.a], &b[p.b])
		}
		weight += sum * runPart(j-i, len(a), len(b))
		i = j
	}
	return c.rate(a, b, weight/compared, weight/total(b), compared/of.weight)
}

// runPart returns the factor for a run of consecutive tokens. Short runs occur in unrelated
// code.
func runPart(run, a, b int) float64 {
	if run == a || run == b {
		return 1
	}
	return min(1, float64(run-1)/runTokens)
}

// weightOf returns the weight of a token.
func weightOf(t *token) float64 {
	if point(t.code) {
		return countPoint
	}
	return 1
}

// total returns the sum of the weights of all tokens.
func total(tokens []token) (sum float64) {
	for i := range tokens {
		sum += weightOf(&tokens[i])
	}
	return sum
}

// rate computes the likeness from the found weights inB and inA and the compared weight of
// a.
func (c *comparer) rate(a, b []token, inB, inA, compared float64) likeness {
	first, last := c.matched[0].b, c.matched[0].b
	for _, p := range c.matched {
		first, last = min(first, p.b), max(last, p.b)
	}
	found := int(float64(len(c.matched)) / compared)
	inB *= gapFactor(int(last-first)+1-found, len(a))
	score := inB
	if len(b) < len(a) {
		between := int(c.matched[len(c.matched)-1].a-c.matched[0].a) + 1 - found
		part := float64(len(b)) / float64(len(a))
		score = max(score, inA*gapFactor(between, len(b))*min(1, 2*part)*(smallest+(1-smallest)*part))
	}
	if score > identicalGain {
		score = 1
	}
	return likeness{score: score, covered: min(inB, 1), where: index.Span{Start: b[first].start, End: b[last].end}}
}

// gapFactor returns the factor for between unmatched tokens among of tokens.
func gapFactor(between, of int) float64 {
	if between <= 0 {
		return 1
	}
	return 1 - lossPut*float64(between)/float64(between+of)
}

// names counts which names correspond to each other.
func (c *comparer) names(a, b []token) {
	if c.together == nil {
		c.together, c.fromA, c.fromB = map[[2]uint32]int32{}, map[uint32]int32{}, map[uint32]int32{}
	}
	clear(c.together)
	clear(c.fromA)
	clear(c.fromB)
	for _, p := range c.matched {
		if a[p.a].code != identifier {
			continue
		}
		x, y := a[p.a].name, b[p.b].name
		c.together[[2]uint32{x, y}]++
		c.fromA[x]++
		c.fromB[y]++
	}
}

// credit returns the contribution of a token that corresponds to another one.
func (c *comparer) credit(a, b *token) float64 {
	switch {
	case a.name == b.name:
		return 1
	case a.code != identifier:
		return countLiteral
	}
	n, most := c.together[[2]uint32{a.name, b.name}], max(c.fromA[a.name], c.fromB[b.name])
	switch {
	case most == 1:
		return countOnce
	case 2*n <= most:
		return countOther
	}
	return countRenamed
}
