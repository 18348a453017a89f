package editor

import (
	"sync"

	"github.com/dougu-go/dougu/internal/lru"
)

// store keeps what was put into it last, by keys. It forgets what was used least recently.
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

// take is get for what can be used once.
func (s *store[V]) take(key string) (value V, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok = s.kept.Get(key)
	s.kept.Delete(key)
	return value, ok
}

// clear forgets everything.
func (s *store[V]) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.DeleteFunc(func(string, V) bool { return true })
}
