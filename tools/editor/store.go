package editor

import (
	"container/list"
	"sync"
)

// store keeps what was put into it last, by keys. It forgets what was used least recently.
type store[V any] struct {
	most int

	mu      sync.Mutex
	entries map[string]*list.Element
	order   list.List // of kept[V], the latest first
}

type kept[V any] struct {
	key   string
	value V
}

func newStore[V any](most int) *store[V] {
	return &store[V]{most: most, entries: make(map[string]*list.Element)}
}

func (s *store[V]) put(key string, value V) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(key)
	s.entries[key] = s.order.PushFront(kept[V]{key, value})
	if s.order.Len() > s.most {
		s.drop(s.order.Back().Value.(kept[V]).key)
	}
}

func (s *store[V]) get(key string) (value V, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[key]
	if !ok {
		return value, false
	}
	s.order.MoveToFront(e)
	return e.Value.(kept[V]).value, true
}

// take is get for what can be used once.
func (s *store[V]) take(key string) (value V, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[key]
	if ok {
		value = e.Value.(kept[V]).value
		s.drop(key)
	}
	return value, ok
}

// clear forgets everything.
func (s *store[V]) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.entries)
	s.order.Init()
}

// drop is called with mu held.
func (s *store[V]) drop(key string) {
	if e, ok := s.entries[key]; ok {
		s.order.Remove(e)
		delete(s.entries, key)
	}
}
