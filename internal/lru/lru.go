// Package lru is a cache of the most recently used values, with limits of their number and size.
package lru

import "container/list"

// Cache keeps values by key and evicts the least recently used. The zero value keeps nothing until it has limits. It
// is not safe for concurrent use.
type Cache[K comparable, V any] struct {
	// MaxEntries and MaxSize bound the number of values and the sum of their sizes.
	MaxEntries, MaxSize int

	entries map[K]*list.Element // of *entry[K, V]
	order   list.List           // the one used last first
	size    int
}

type entry[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// Get answers the value of a key, and notes that it was used.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	found, ok := c.entries[key]
	if !ok {
		return value, false
	}
	c.order.MoveToFront(found)
	return found.Value.(*entry[K, V]).value, true
}

// Put stores a value and replaces the former value of the key. It does not store a value that exceeds MaxSize by
// itself.
func (c *Cache[K, V]) Put(key K, value V, size int) {
	c.Delete(key)
	if c.MaxEntries <= 0 || size > c.MaxSize {
		return
	}
	if c.entries == nil {
		c.entries = make(map[K]*list.Element)
	}
	c.entries[key] = c.order.PushFront(&entry[K, V]{key, value, size})
	c.size += size
	for len(c.entries) > c.MaxEntries || c.size > c.MaxSize {
		c.remove(c.order.Back())
	}
}

// Delete forgets a key.
func (c *Cache[K, V]) Delete(key K) {
	if found, ok := c.entries[key]; ok {
		c.remove(found)
	}
}

// DeleteFunc forgets every value for which del answers true.
func (c *Cache[K, V]) DeleteFunc(del func(key K, value V) bool) {
	for at := c.order.Front(); at != nil; {
		next := at.Next()
		if e := at.Value.(*entry[K, V]); del(e.key, e.value) {
			c.remove(at)
		}
		at = next
	}
}

// Len is how many values there are, Size the sum of their sizes.
func (c *Cache[K, V]) Len() int  { return len(c.entries) }
func (c *Cache[K, V]) Size() int { return c.size }

func (c *Cache[K, V]) remove(at *list.Element) {
	e := c.order.Remove(at).(*entry[K, V])
	delete(c.entries, e.key)
	c.size -= e.size
}
