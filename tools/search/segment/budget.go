package segment

import "sync"

// budget limits the bytes of segments that are kept in memory.
type budget struct {
	limit int64 // in bytes

	mu   sync.Mutex
	kept int64 // reserved bytes; guarded by mu
}

// reserve takes size bytes from the budget. It returns false if too little is left.
func (b *budget) reserve(size int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept+size > b.limit {
		return false
	}
	b.kept += size
	return true
}
