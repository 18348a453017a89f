// Package quota divides what a server has between its principals, so that none keeps all others out.
package quota

import (
	"cmp"
	"slices"
)

// MayTake reports whether a principal that holds own places may take another one, of limit places of which taken are held by all
// together. A principal that was authenticated holds at most as many places as it leaves free, and always gets a first place while
// there is one: alone it gets half of them, and no principal keeps all others out. The principal "" is bound by limit alone.
func MayTake(principal string, own, taken, limit int) bool {
	free := limit - taken
	return free > 0 && (principal == "" || own == 0 || own < free)
}

// Surplus returns the items of all, oldest first, that must be forgotten until at most most items remain, of at most room bytes
// together. Each time it takes the oldest item of the principal that has the most bytes, or the most items where the bytes fit: the
// items of a principal make no room for another that has more.
func Surplus[T any](all []T, owner func(T) string, size func(T) int64, most int, room int64) (surplus []T) {
	type held struct {
		items []T
		size  int64
	}
	by, left, total := make(map[string]*held), len(all), int64(0)
	var order []*held // by the oldest item, so that the choice does not change from call to call
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
