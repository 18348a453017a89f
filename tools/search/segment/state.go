package segment

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/tools/search/index"
)

// state is the content of the index between two changes.
type state struct {
	generation uint64
	changed    time.Time
	next       uint64 // number of the next segment
	live       []*live

	refs  int // number of calls, plus 1 for the Index; guarded by Index.mu
	stats func() index.Stats
	rules filterCache
}

// live is a segment with the later changes of its files. It is immutable.
type live struct {
	*segment
	dead       bitset           // removed and replaced files
	deadPieces uint32           // pieces of the dead files
	touched    map[uint32]stamp // by number of the file
}

// stamp is a size and a modification time that Touch recorded.
type stamp struct {
	size    int64
	seconds int64
	nanos   int32
}

func stampOf(k index.Known) stamp {
	return stamp{k.Size, k.ModTime.Unix(), int32(k.ModTime.Nanosecond())}
}

func newState(generation, next uint64, changed time.Time, all []*live) *state {
	s := &state{generation: generation, next: next, changed: changed, live: all, refs: 1}
	s.stats = sync.OnceValue(s.count)
	return s
}

// row returns the current metadata of a file.
func (l *live) row(file uint32) row {
	r := l.rows[file]
	if t, ok := l.touched[file]; ok {
		r.size, r.seconds, r.nanos = t.size, t.seconds, t.nanos
	}
	return r
}

// find returns the number of the file with a path, unless it is deleted.
func (l *live) find(path string) (uint32, bool) {
	for _, file := range l.segment.find(path) {
		if !l.dead.has(file) {
			return file, true
		}
	}
	return 0, false
}

func (l *live) alive() int { return len(l.rows) - l.dead.count() }

// change is a live under construction. It copies only the changed parts.
type change struct {
	*live
	marked, noted bool
}

func changing(l *live) *change {
	copied := *l
	return &change{live: &copied}
}

func (c *change) changed() bool { return c.marked || c.noted }

// remove marks a file as deleted.
func (c *change) remove(file uint32) {
	if c.dead.has(file) {
		return
	}
	if !c.marked {
		c.dead = append(newBitset(0), c.dead...)
		c.dead = append(c.dead, make(bitset, len(newBitset(uint32(len(c.rows))))-len(c.dead))...)
		c.marked = true
	}
	c.dead.set(file)
	c.deadPieces += c.rows[file].count
}

// touch records a size and a modification time.
func (c *change) touch(file uint32, s stamp) {
	r := c.row(file)
	if s == (stamp{r.size, r.seconds, r.nanos}) {
		return
	}
	if !c.noted {
		c.touched = maps.Clone(c.touched)
		if c.touched == nil {
			c.touched = make(map[uint32]stamp)
		}
		c.noted = true
	}
	c.touched[file] = s
}

// count returns the statistics except the size on disk.
func (s *state) count() index.Stats {
	st := index.Stats{Generation: s.generation, Changed: s.changed, Languages: make(map[string]int)}
	for _, l := range s.live {
		st.Disk += l.size
		st.Pieces += int(l.pieces - l.deadPieces)
		counts := make([]int, len(l.languages))
		for file := range l.rows {
			if l.dead.has(uint32(file)) {
				continue
			}
			r := l.row(uint32(file))
			st.Files++
			st.Source += r.size
			counts[r.language]++
		}
		for i, n := range counts {
			if n > 0 {
				st.Languages[l.languages[i]] += n
			}
		}
	}
	return st
}

// lookup finds a file by its path.
func (s *state) lookup(path string) (*live, uint32, bool) {
	for _, l := range slices.Backward(s.live) {
		if file, ok := l.find(path); ok {
			return l, file, true
		}
	}
	return nil, 0, false
}
