// Package lru keeps what was used last, within a bound on its number and its size.
package lru

import "container/list"

// Cache keeps values by key. The one that was used longest ago goes first. The zero
// value keeps nothing until it has bounds. Who uses it from several goroutines locks.
type Cache[V any] struct {
	// MaxEntries and MaxSize bound the number of values and the sum of their sizes.
	MaxEntries, MaxSize int

	entries map[string]*list.Element // of *entry[V]
	order   list.List                // the one used last first
	size    int
}

type entry[V any] struct {
	key   string
	value V
	size  int
}

// Get answers the value of a key, and notes that it was used.
func (c *Cache[V]) Get(key string) (value V, ok bool) {
	found, ok := c.entries[key]
	if !ok {
		return value, false
	}
	c.order.MoveToFront(found)
	return found.Value.(*entry[V]).value, true
}

// Put keeps a value in place of what the key had. One that is too large by itself is
// not kept.
func (c *Cache[V]) Put(key string, value V, size int) {
	c.Delete(key)
	if c.MaxEntries <= 0 || size > c.MaxSize {
		return
	}
	if c.entries == nil {
		c.entries = make(map[string]*list.Element)
	}
	c.entries[key] = c.order.PushFront(&entry[V]{key, value, size})
	c.size += size
	for len(c.entries) > c.MaxEntries || c.size > c.MaxSize {
		c.remove(c.order.Back())
	}
}

// Delete forgets a key.
func (c *Cache[V]) Delete(key string) {
	if found, ok := c.entries[key]; ok {
		c.remove(found)
	}
}

// DeleteFunc forgets every value for which del answers true.
func (c *Cache[V]) DeleteFunc(del func(key string, value V) bool) {
	for at := c.order.Front(); at != nil; {
		next := at.Next()
		if e := at.Value.(*entry[V]); del(e.key, e.value) {
			c.remove(at)
		}
		at = next
	}
}

// Len is how many values there are, Size the sum of their sizes.
func (c *Cache[V]) Len() int  { return len(c.entries) }
func (c *Cache[V]) Size() int { return c.size }

func (c *Cache[V]) remove(at *list.Element) {
	e := c.order.Remove(at).(*entry[V])
	delete(c.entries, e.key)
	c.size -= e.size
}
