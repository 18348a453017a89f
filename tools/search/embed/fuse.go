package embed

import (
	"cmp"
	"slices"
)

// Ranked is an item of several lists with its fused score.
type Ranked[T comparable] struct {
	Item  T
	Score float64
}

// fuseBase is the constant of reciprocal rank fusion, with its usual value. A larger value reduces the advantage of first
// positions.
const fuseBase = 60

// Fuse merges ranked lists, each best first, by reciprocal rank fusion: an item scores the sum of 1/(60+rank) over the lists,
// with ranks from 1. Items with equal scores keep the order of their first occurrence.
func Fuse[T comparable](lists ...[]T) []Ranked[T] {
	var all []Ranked[T]
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
				all = append(all, Ranked[T]{Item: item})
			}
			all[i].Score += 1 / float64(fuseBase+rank+1)
		}
	}
	slices.SortStableFunc(all, func(a, b Ranked[T]) int { return cmp.Compare(b.Score, a.Score) })
	return all
}
