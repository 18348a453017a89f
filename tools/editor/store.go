package editor

import (
	"sync"

	"github.com/dougu-go/dougu/internal/lru"
)

// store is a concurrent least-recently-used cache.
type store[V any] struct {
	mu   sync.Mutex
	kept lru.Cache[string, V]
}

func newStore[V any](most int) *store[V] {
	return &store[V]{kept: lru.Cache[string, V]{MaxEntries: most, MaxSize: most}}
}

func (s *store[V]) put(key string, value V) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.Put(key, value, 1)
}

func (s *store[V]) get(key string) (value V, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept.Get(key)
}

// pop returns a value and removes it.
func (s *store[V]) pop(key string) (value V, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok = s.kept.Get(key)
	s.kept.Delete(key)
	return value, ok
}

// clear removes all values.
func (s *store[V]) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.DeleteFunc(func(string, V) bool { return true })
}
