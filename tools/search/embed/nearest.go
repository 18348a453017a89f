package embed

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
)

// Match is a vector found by Store.Nearest.
type Match struct {
	Key Key
	// Score is the cosine of the angle between the vectors: 1 for the same direction.
	Score float32
}

// Nearest returns the vectors nearest to vector, best first: at most limit vectors that keep accepts, or any if keep is nil.
// keep is called concurrently, only for keys that would be among the results so far; it must not call the Store. The error is
// that of ctx, or of a wrong number of dimensions.
func (s *Store) Nearest(ctx context.Context, vector []float32, limit int, keep func(Key) bool) ([]Match, error) {
	if len(vector) != s.dimensions {
		return nil, fmt.Errorf("searching vectors: the query has %d dimensions, not %d", len(vector), s.dimensions)
	}
	numbers := make([]byte, paddedWidth(s.dimensions))
	sum, scale := quantize(numbers[:s.dimensions], vector)
	w := queryVector{words: interleave(numbers), sum: sum, scale: scale}
	s.mu.RLock()
	defer s.mu.RUnlock()
	const least = 4096
	workers := max(1, min(runtime.GOMAXPROCS(0), len(s.keys)/least))
	tops := make([]matchHeap, workers)
	var panicked atomic.Pointer[any]
	g := group.Group{OnPanic: func(value any, _ []byte) { panicked.Store(&value) }}
	for n := range tops {
		g.Go(func() {
			tops[n] = s.nearestInRange(ctx, &w, n*len(s.keys)/workers, (n+1)*len(s.keys)/workers, limit, keep)
		})
	}
	g.Wait()
	if value := panicked.Load(); value != nil {
		panic(*value) // keep panicked: the caller handles that
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var all matchHeap
	for _, t := range tops {
		all = append(all, t...)
	}
	slices.SortFunc(all, compareMatches)
	return all[:min(len(all), max(limit, 0))], nil
}

// compareMatches orders matches by score, highest first, then by key.
func compareMatches(a, b Match) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), bytes.Compare(a.Key[:], b.Key[:]))
}

// queryVector is the quantized vector of a query, prepared for dot.
type queryVector struct {
	words []uint64
	sum   int32
	scale float32
}

// score returns the cosine between the query and vector i.
func (s *Store) score(w *queryVector, i int) float32 {
	width := paddedWidth(s.dimensions)
	product := int64(dot(w.words, s.numbers[i*width:(i+1)*width]))
	product -= quantizedOffset*int64(w.sum+s.sums[i]) + quantizedOffset*quantizedOffset*int64(s.dimensions)
	return float32(product) * w.scale * s.scales[i]
}

// nearestInRange returns the nearest vectors with indexes from from to to.
func (s *Store) nearestInRange(ctx context.Context, w *queryVector, from, to, limit int, keep func(Key) bool) (best matchHeap) {
	if limit <= 0 {
		return nil
	}
	for i := from; i < to; i++ {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil
		}
		near := Match{s.keys[i], s.score(w, i)}
		if len(best) == limit && compareMatches(near, best[0]) >= 0 || keep != nil && !keep(near.Key) {
			continue
		}
		best.put(near, limit)
	}
	return best
}

// matchHeap is a heap of the best matches, with the worst of them at index 0.
type matchHeap []Match

// put adds a match, and drops the worst if there are more than limit.
func (t *matchHeap) put(n Match, limit int) {
	h := *t
	if len(h) < limit {
		h = append(h, n)
		for i := len(h) - 1; i > 0; {
			parent := (i - 1) / 2
			if compareMatches(h[i], h[parent]) <= 0 {
				break
			}
			h[i], h[parent] = h[parent], h[i]
			i = parent
		}
		*t = h
		return
	}
	h[0] = n
	for i := 0; ; {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if compareMatches(h[child], h[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		h[i], h[worst] = h[worst], h[i]
		i = worst
	}
}

// A vector is stored as one byte per dimension: a value from −63 to 63, plus 64. With seven bits, one 64-bit multiplication
// computes and adds four products; see dot. The error of a score is less than 0.005.
const (
	maxQuantized    = 63
	quantizedOffset = 64
)

// quantize writes the quantized vector to dst. It returns the sum of the values, and the factor that scales the values to
// length 1; the factor is 0 for a zero or infinite vector.
func quantize(dst []byte, v []float32) (sum int32, scale float32) {
	var square, most float64
	for _, x := range v {
		square += float64(x) * float64(x)
		most = max(most, math.Abs(float64(x)))
	}
	if most == 0 || math.IsInf(square, 0) || math.IsNaN(square) {
		for i := range dst {
			dst[i] = quantizedOffset
		}
		return 0, 0
	}
	times := maxQuantized / most
	for i, x := range v {
		n := int32(math.RoundToEven(float64(x) * times))
		dst[i] = byte(n + quantizedOffset)
		sum += n
	}
	return sum, float32(most / maxQuantized / math.Sqrt(square))
}

// sumQuantized returns the sum of the values of a quantized vector.
func sumQuantized(numbers []byte) (sum int32) {
	for _, x := range numbers {
		sum += int32(x) - quantizedOffset
	}
	return sum
}

// laneMask selects four bytes, each in the low half of a 16-bit lane.
const laneMask = 0x00FF00FF00FF00FF

// interleave prepares a vector for dot. Its length must be a multiple of 8. Of each eight bytes, the ones at even and at odd
// positions become one word each, in reverse order.
func interleave(numbers []byte) []uint64 {
	words := make([]uint64, 0, len(numbers)/4)
	for ; len(numbers) >= 8; numbers = numbers[8:] {
		for odd := range 2 {
			var word uint64
			for i := odd; i < 8; i += 2 {
				word = word<<16 | uint64(numbers[i])
			}
			words = append(words, word)
		}
	}
	return words
}

// dot returns the dot product of two byte vectors, of which the first is interleaved. The top lane of a 64-bit product is the
// sum of the products of opposite lanes; lower lanes are too small to carry into it.
func dot(a []uint64, b []byte) (sum uint64) {
	for len(b) >= 16 && len(a) >= 4 {
		x, y := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:16])
		sum += (x&laneMask*a[0])>>48 + (x>>8&laneMask*a[1])>>48 + (y&laneMask*a[2])>>48 + (y>>8&laneMask*a[3])>>48
		a, b = a[4:], b[16:]
	}
	return sum
}

// paddedWidth rounds a number of dimensions up to a multiple of 16, as dot requires.
func paddedWidth(dimensions int) int { return (dimensions + 15) &^ 15 }
