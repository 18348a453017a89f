package segment

import "sync"

// budget is how many bytes of segments are kept in memory.
type budget struct {
	limit int64

	mu   sync.Mutex
	kept int64
}

// reserve counts what is kept, unless it is too much.
func (b *budget) reserve(size int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept+size > b.limit {
		return false
	}
	b.kept += size
	return true
}
