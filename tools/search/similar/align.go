package similar

import "slices"

// Gains and costs of an alignment. The cost of a gap grows slowly with its length,
// because inserted or deleted lines are one change.
const (
	gainSame   = 20 // equal token, or name or literal with the same text
	gainKind   = 14 // name or literal with another text
	gainPoint  = 8  // equal bracket, comma or dot, which occur everywhere
	lossOther  = 24 // one token replaced by another
	lossOpen   = 40
	lossExtend = 1
)

// pair records that token a of one row corresponds to token b of the other.
type pair struct{ a, b int32 }

// aligner aligns two rows of tokens. It can be reused; it keeps its memory.
type aligner struct {
	best, gapB []int32 // previous line: best score at each cell, and best score with a gap in b
	trace      []uint8
	keys       []uint64 // keys of the tokens of b
	pairs      []pair
	lo, band   int // first diagonal, and number of diagonals
}

// Steps recorded in aligner.trace for a cell: the origin of the best alignment that ends
// there, and whether gaps are longer than one token. Of equal alignments, the step with the
// greatest number is chosen.
const (
	fromGapB uint8 = iota // tokens of b are skipped
	fromGapA              // tokens of a are skipped
	fromDiagonal
	fromNowhere // the alignment begins after this cell
	longerGapA
	longerGapB uint8 = 2 * longerGapA

	ways    = 4 // factor of scores, so that one number holds a score and a step
	wayBits = ways - 1
)

// keyOf returns the parts of a token that the alignment compares.
func keyOf(t *token) uint64 { return uint64(t.code)<<32 | uint64(t.name) }

// point reports whether a token is a bracket, comma or dot.
func point(code uint16) bool {
	switch code {
	case byteOperators | '(', byteOperators | ')', byteOperators | ',', byteOperators | '.', byteOperators | '{', byteOperators | '}':
		return true
	}
	return false
}

// align returns the pairs of the best local alignment with gaps (Smith and Waterman,
// Gotoh), in order. It considers only pairs whose position in b minus the position in a is
// between lo and hi. The pairs are valid until the next call.
func (l *aligner) align(a, b []token, lo, hi int) []pair {
	l.lo, l.band = lo, hi-lo+1
	l.best = zero(l.best, len(b)+2)
	l.gapB = zero(l.gapB, len(b)+2)
	for j := range l.gapB {
		l.gapB[j] = -lossOpen * ways
	}
	l.trace = room(l.trace, l.band*(len(a)+1))
	l.keys = l.keys[:0]
	for i := range b {
		l.keys = append(l.keys, keyOf(&b[i]))
	}
	top, topA, topB := int32(0), 0, 0
	for i := 1; i <= len(a); i++ {
		score, at := l.line(i, &a[i-1])
		if score > top {
			top, topA, topB = score, i, at
		}
	}
	return l.back(a, b, topA, topB)
}

// line computes one line of the table, for one token of a. It returns the highest score in
// the line and its column.
func (l *aligner) line(i int, t *token) (top int32, topAt int) {
	one, same := keyOf(t), int32(gainSame*ways)
	if point(t.code) {
		same = gainPoint * ways
	}
	from, to := max(1, i+l.lo), min(len(l.keys), i+l.lo+l.band-1)
	if from > to {
		return 0, 0
	}
	trace := l.trace[i*l.band+from-i-l.lo:]
	best, gapB, keys := l.best[from:to+1], l.gapB[from:to+1], l.keys[from-1:to]
	trace, gapB, keys = trace[:len(best)], gapB[:len(best)], keys[:len(best)]
	diagonal, left, gapA := l.best[from-1], int32(0), int32(-lossOpen*ways)
	for j := range best {
		above := best[j]
		open, longer := above-lossOpen*ways, gapB[j]-lossExtend*ways
		bits := bit(longer > open) * longerGapA
		up := max(open, longer)
		gapB[j] = up
		open, longer = left-lossOpen*ways, gapA-lossExtend*ways
		bits |= bit(longer > open) * longerGapB
		gapA = max(open, longer)
		gain, key := int32(-lossOther*ways), keys[j]^one
		if key>>32 == 0 {
			gain = gainKind * ways
		}
		if key == 0 {
			gain = same
		}
		score := max((diagonal+gain)|int32(fromDiagonal), up|int32(fromGapA), int32(fromNowhere), gapA|int32(fromGapB))
		trace[j] = bits | uint8(score)&wayBits
		score &^= wayBits
		diagonal, left = above, score
		best[j] = score
		if score > top {
			top, topAt = score, from+j
		}
	}
	return top, topAt
}

// bit returns 1 for true.
func bit(is bool) (n uint8) {
	if is {
		n = 1
	}
	return n
}

// step returns the recorded step for a cell, or none outside the table.
func (l *aligner) step(i, j int) uint8 {
	if at := j - i - l.lo; i > 0 && j > 0 && 0 <= at && at < l.band {
		return l.trace[i*l.band+at]
	}
	return fromNowhere
}

// back follows the steps from the end of the best alignment to its beginning, and returns
// its pairs.
func (l *aligner) back(a, b []token, i, j int) []pair {
	l.pairs = l.pairs[:0]
	for {
		switch l.step(i, j) & wayBits {
		case fromDiagonal:
			i--
			j--
			if a[i].code == b[j].code {
				l.pairs = append(l.pairs, pair{int32(i), int32(j)})
			}
		case fromGapA:
			for longer := true; longer; i-- {
				longer = l.step(i, j)&longerGapA != 0
			}
		case fromGapB:
			for longer := true; longer; j-- {
				longer = l.step(i, j)&longerGapB != 0
			}
		default:
			slices.Reverse(l.pairs)
			return l.pairs
		}
	}
}

// room returns a slice of n values, with undefined content. It reuses the memory of of.
func room(of []uint8, n int) []uint8 {
	if cap(of) < n {
		return make([]uint8, n)
	}
	return of[:n]
}

// zero returns a slice of n zero values. It reuses the memory of room.
func zero[T int32 | uint8 | uint64](room []T, n int) []T {
	if cap(room) < n {
		return make([]T, n)
	}
	room = room[:n]
	clear(room)
	return room
}
