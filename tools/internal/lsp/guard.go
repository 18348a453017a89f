package lsp

import (
	"errors"
	"fmt"
	"time"
)

// ErrMemory is the failure of a server that used more memory than Config.MaxMemory.
var ErrMemory = errors.New("it used too much memory")

// Defaults of the memory limit.
const (
	maxMemory      = 2 << 30 // bytes of resident memory
	memoryInterval = time.Second
)

// guard ends the session when two measurements in a row exceed the memory limit. One alone does not count: during a fork the
// memory of a process can count twice.
func (s *Session) guard() {
	ticker := time.NewTicker(s.c.MemoryInterval)
	defer ticker.Stop()
	for exceeded := false; ; {
		select {
		case <-ticker.C:
		case <-s.life.Failing():
			return
		}
		bytes, ok := s.child.Memory()
		over := ok && bytes > s.c.MaxMemory
		if over && exceeded {
			s.life.Fail(fmt.Errorf("%w: %d MiB, over the limit of %d MiB", ErrMemory, bytes>>20, s.c.MaxMemory>>20))
			return
		}
		exceeded = over
	}
}
