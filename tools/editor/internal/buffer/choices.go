package buffer

import (
	"maps"
	"sync"
)

// maxChosen is for how many documents a choice is remembered.
const maxChosen = 1000

// Choices remembers where each document was read: its version has no meaning elsewhere. Of more than a thousand documents the
// earlier ones are forgotten. Its methods may be called concurrently.
type Choices[C any] struct {
	mu     sync.Mutex
	byPath map[string]C
}

// NewChoices makes Choices without any.
func NewChoices[C any]() *Choices[C] { return &Choices[C]{byPath: map[string]C{}} }

// Set remembers where the document of a file was read.
func (c *Choices[C]) Set(path string, chosen C) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byPath) >= maxChosen {
		clear(c.byPath)
	}
	c.byPath[path] = chosen
}

// Get returns where the document of a file was read last.
func (c *Choices[C]) Get(path string) (chosen C, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	chosen, known = c.byPath[path]
	return chosen, known
}

// Forget forgets the choices for which ended returns true.
func (c *Choices[C]) Forget(ended func(C) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.byPath, func(_ string, chosen C) bool { return ended(chosen) })
}
