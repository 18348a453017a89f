package embed

import (
	"cmp"
	"slices"
)

// Fused is something that several lists have, with the sum of what its places count.
type Fused[T comparable] struct {
	Item  T
	Score float64
}

// fuseBase is how little the first places differ: the usual one of reciprocal rank
// fusion.
const fuseBase = 60

// Fuse makes one list of several, each best first: what is far in front in some, or
// in many, comes first (reciprocal rank fusion). Of equal ones the one comes first
// that the earlier list has, or has further in front.
func Fuse[T comparable](lists ...[]T) []Fused[T] {
	var all []Fused[T]
	at := map[T]int{}
	for _, list := range lists {
		seen := map[T]bool{}
		for rank, item := range list {
			if seen[item] {
				continue
			}
			seen[item] = true
			i, ok := at[item]
			if !ok {
				i = len(all)
				at[item] = i
				all = append(all, Fused[T]{Item: item})
			}
			all[i].Score += 1 / float64(fuseBase+rank+1)
		}
	}
	slices.SortStableFunc(all, func(a, b Fused[T]) int { return cmp.Compare(b.Score, a.Score) })
	return all
}
