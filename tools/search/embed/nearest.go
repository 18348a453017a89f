package embed

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
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
