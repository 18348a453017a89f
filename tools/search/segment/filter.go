package segment

import (
	"fmt"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/tools/search/index"
)

// allowed is the set of files and pieces of a segment that pass a filter.
type allowed struct {
	files  bitset // nil: all files
	pieces bitset // nil: all pieces
	count  int    // number of pieces
}

func (a *allowed) piece(n uint32) bool { return a.pieces == nil || a.pieces.has(n) }
func (a *allowed) file(n uint32) bool  { return a.files == nil || a.files.has(n) }

// filterCache keeps the results of recent filters for a state.
type filterCache struct {
	mu   sync.Mutex
	list []cachedFilter // at most cachedFilters; guarded by mu
}

// cachedFilter is the result of a filter, one element for each segment of the state.
type cachedFilter struct {
	key     string // text of the filter
	allowed []*allowed
}

// cachedFilters is the maximum number of cached results.
const cachedFilters = 16

// allow returns the result of a filter for each segment.
func (s *state) allow(f *index.Filter) ([]*allowed, error) {
	key := fmt.Sprintf("%q %q %q %q %q %v", f.Paths, f.Extensions, f.Languages, f.Kinds, f.Exclude, f.ModifiedAfter.UnixNano())
	if f.ModifiedAfter.IsZero() {
		key += "-"
	}
	c := &s.rules
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.list {
		if e.key == key {
			return e.allowed, nil
		}
	}
	r, err := newRules(f)
	if err != nil {
		return nil, err
	}
	list := make([]*allowed, len(s.live))
	for i, l := range s.live {
		list[i] = r.of(l)
	}
	if len(c.list) == cachedFilters {
		c.list = slices.Delete(c.list, 0, 1)
	}
	c.list = append(c.list, cachedFilter{key, list})
	return list, nil
}

// rules is a filter in compiled form.
type rules struct {
	*index.Filter
	matcher *index.Matcher
}

func newRules(f *index.Filter) (r rules, err error) {
	r.Filter = f
	r.matcher, err = f.Matcher()
	return r, err
}

func (r *rules) of(l *live) *allowed {
	a := &allowed{count: int(l.pieces)}
	if len(r.Paths)+len(r.Exclude)+len(r.Extensions)+len(r.Languages)+len(r.Kinds) == 0 && r.ModifiedAfter.IsZero() && l.dead == nil {
		return a
	}
	a.files = newBitset(uint32(len(l.rows)))
	a.pieces = newBitset(l.pieces)
	for i := range l.rows {
		row := l.row(uint32(i))
		if !l.dead.has(uint32(i)) && r.matcher.File(l.known(&row)) {
			a.files.set(uint32(i))
			a.pieces.setRange(row.first, row.first+row.count)
		}
	}
	if len(r.Kinds) > 0 {
		r.dropKinds(l, a)
	}
	a.count = a.pieces.count()
	return a
}

// dropKinds removes the pieces of other kinds.
func (r *rules) dropKinds(l *live, a *allowed) {
	kinds := make([]bool, len(l.kinds))
	for i, name := range l.kinds {
		kinds[i] = slices.Contains(r.Kinds, name)
	}
	for piece := range l.pieces {
		if !kinds[l.kind(piece)] {
			a.pieces[piece/64] &^= 1 << (piece % 64)
		}
	}
}
