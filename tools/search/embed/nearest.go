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

// Near is a vector that was found.
type Near struct {
	Key Key
	// Score is the cosine of the angle between both: 1 for the same direction.
	Score float32
}

// Nearest are the vectors nearest to one, best first: at most limit of those that
// keep takes, or of all if it is nil. keep is called on several goroutines, and
// only for what would be among the best; it must not call the Store.
func (s *Store) Nearest(ctx context.Context, vector []float32, limit int, keep func(Key) bool) ([]Near, error) {
	if len(vector) != s.dimensions {
		return nil, fmt.Errorf("searching vectors: one has %d dimensions, not %d", len(vector), s.dimensions)
	}
	numbers := make([]byte, padded(s.dimensions))
	sum, scale := quantize(numbers[:s.dimensions], vector)
	w := wanted{words: spread(numbers), sum: sum, scale: scale}
	s.mu.RLock()
	defer s.mu.RUnlock()
	const least = 4096
	workers := max(1, min(runtime.GOMAXPROCS(0), len(s.keys)/least))
	tops := make([]top, workers)
	var panicked atomic.Pointer[any]
	g := group.Group{OnPanic: func(value any, _ []byte) { panicked.Store(&value) }}
	for n := range tops {
		g.Go(func() {
			tops[n] = s.among(ctx, &w, n*len(s.keys)/workers, (n+1)*len(s.keys)/workers, limit, keep)
		})
	}
	g.Wait()
	if value := panicked.Load(); value != nil {
		panic(*value) // of keep: the caller's
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var all top
	for _, t := range tops {
		all = append(all, t...)
	}
	slices.SortFunc(all, compareNear)
	return all[:min(len(all), max(limit, 0))], nil
}

// compareNear puts the nearer one first, and of equal ones that with the lower key.
func compareNear(a, b Near) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), bytes.Compare(a.Key[:], b.Key[:]))
}

// wanted is the vector that others are compared with.
type wanted struct {
	words []uint64
	sum   int32
	scale float32
}

// score is the cosine of the angle between a vector and the one that is wanted.
func (s *Store) score(w *wanted, i int) float32 {
	width := padded(s.dimensions)
	product := int64(dot(w.words, s.numbers[i*width:(i+1)*width]))
	product -= offset*int64(w.sum+s.sums[i]) + offset*offset*int64(s.dimensions)
	return float32(product) * w.scale * s.scales[i]
}

// among finds the nearest of some vectors.
func (s *Store) among(ctx context.Context, w *wanted, from, to, limit int, keep func(Key) bool) (best top) {
	if limit <= 0 {
		return nil
	}
	for i := from; i < to; i++ {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil
		}
		near := Near{s.keys[i], s.score(w, i)}
		if len(best) == limit && compareNear(near, best[0]) >= 0 || keep != nil && !keep(near.Key) {
			continue
		}
		best.put(near, limit)
	}
	return best
}

// top is a heap with the worst of the best in front.
type top []Near

// put adds one, in place of the worst if there are enough.
func (t *top) put(n Near, limit int) {
	h := *t
	if len(h) < limit {
		h = append(h, n)
		for i := len(h) - 1; i > 0; {
			parent := (i - 1) / 2
			if compareNear(h[i], h[parent]) <= 0 {
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
			if compareNear(h[child], h[worst]) > 0 {
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

// A vector is kept as one byte a dimension: a number from −63 to 63, plus 64. With
// seven bits four products of two numbers can be had, and added, with one
// multiplication of 64 bits: see dot. What is lost is less than 0.005 of a score.
const (
	reach  = 63
	offset = 64
)

// quantize writes the numbers of a vector, and answers with their sum and what they
// are multiplied by to make a vector of length 1: 0 for one of length 0.
func quantize(dst []byte, v []float32) (sum int32, scale float32) {
	var square, most float64
	for _, x := range v {
		square += float64(x) * float64(x)
		most = max(most, math.Abs(float64(x)))
	}
	if most == 0 || math.IsInf(square, 0) || math.IsNaN(square) {
		for i := range dst {
			dst[i] = offset
		}
		return 0, 0
	}
	times := reach / most
	for i, x := range v {
		n := int32(math.RoundToEven(float64(x) * times))
		dst[i] = byte(n + offset)
		sum += n
	}
	return sum, float32(most / reach / math.Sqrt(square))
}

// sumOf is the sum of the numbers of a vector.
func sumOf(numbers []byte) (sum int32) {
	for _, x := range numbers {
		sum += int32(x) - offset
	}
	return sum
}

// lanes are four numbers in the 16 bits of each quarter.
const lanes = 0x00FF00FF00FF00FF

// spread prepares a vector, of a length that is a multiple of 8, for dot: of each
// eight numbers those at even places, and those at odd places, in reverse.
func spread(numbers []byte) []uint64 {
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

// dot adds the products of the bytes of two vectors, of which the first is spread.
// The highest quarter of a product of two words is the sum of the products of what
// stands in opposite quarters, and nothing below it is so large that it reaches it.
func dot(a []uint64, b []byte) (sum uint64) {
	for len(b) >= 16 && len(a) >= 4 {
		x, y := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:16])
		sum += (x&lanes*a[0])>>48 + (x>>8&lanes*a[1])>>48 + (y&lanes*a[2])>>48 + (y>>8&lanes*a[3])>>48
		a, b = a[4:], b[16:]
	}
	return sum
}

// padded is a number of dimensions that dot takes.
func padded(dimensions int) int { return (dimensions + 15) &^ 15 }
