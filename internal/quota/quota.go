// Package quota divides limited resources, for example connections or kept results, between the principals of a server. Its
// functions keep no state, and their callers do the locking.
package quota

import (
	"cmp"
	"slices"
)

// MayTake reports whether a principal that holds own places may take another one. limit is the number of places, and taken the
// number that all principals hold. A principal without a place gets one if any is free. A principal with places gets another one
// if it holds fewer than are free, so that it has half of the places alone, rounded up. The principal "", which was not
// authenticated, is bound by limit alone.
func MayTake(principal string, own, taken, limit int) bool {
	free := limit - taken
	return free > 0 && (principal == "" || own == 0 || own < free)
}

// Surplus returns the items to remove so that at most `most` items of `room` bytes together remain; neither may be negative. The
// items of all are in order, the oldest first. Each step takes the oldest item of the principal with the most bytes, or with the
// most items once the bytes fit. No principal loses an item to make room for a principal that has more.
func Surplus[T any](all []T, owner func(T) string, size func(T) int64, most int, room int64) (surplus []T) {
	type held struct {
		items []T
		size  int64
	}
	by, left, total := make(map[string]*held), len(all), int64(0)
	var order []*held // in the order of first items, as the order of a map would make ties random
	for _, item := range all {
		h := by[owner(item)]
		if h == nil {
			h = new(held)
			by[owner(item)] = h
			order = append(order, h)
		}
		h.items = append(h.items, item)
		h.size += size(item)
		total += size(item)
	}
	for left > most || left > 0 && total > room {
		from := slices.MaxFunc(order, func(a, b *held) int {
			if total > room {
				return cmp.Compare(a.size, b.size)
			}
			return cmp.Compare(len(a.items), len(b.items))
		})
		oldest := from.items[0]
		from.items = from.items[1:]
		from.size -= size(oldest)
		total -= size(oldest)
		left--
		surplus = append(surplus, oldest)
	}
	return surplus
}
