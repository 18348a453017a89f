package segment

import (
	"context"
	"errors"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Search finds pieces by words: scored by BM25F, in the order of their scores, then
// of paths, then of places. A filter with a pattern that is malformed is an error.
func (ix *Index) Search(ctx context.Context, q index.Query) (index.Found, error) {
	s, err := ix.enter(ctx)
	if err != nil {
		return index.Found{}, err
	}
	defer ix.leave(s)
	found, err := ix.search(ctx, s, &q)
	return found, ix.heal(s, err)
}

func (ix *Index) search(ctx context.Context, s *state, q *index.Query) (index.Found, error) {
	allowed, err := s.allow(&q.Filter)
	if err != nil {
		return index.Found{}, err
	}
	terms, err := s.terms(ctx, q)
	if err != nil {
		return index.Found{}, err
	}
	found := index.Found{Frequencies: make([]int, len(terms))}
	for i := range terms {
		found.Frequencies[i] = int(terms[i].frequency + 0.5)
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	sc := ix.scorers.get()
	defer ix.scorers.put(sc)
	sc.best = &best{limit: limit}
	sc.weighing = s.weighing(q)
	for i, l := range s.live {
		if err := ctx.Err(); err != nil {
			return index.Found{}, err
		}
		if allowed[i].count == 0 {
			continue
		}
		if err := sc.segmentTerms(i, l, allowed[i], terms); err != nil {
			return index.Found{}, err
		}
	}
	found.Total = sc.total
	found.Candidates, err = sc.best.candidates()
	return found, err
}

// segmentTerms scores the i-th segment of a state.
func (s *scorer) segmentTerms(i int, l *live, a *allowed, terms []term) error {
	s.segment, s.allowed = l, a
	var runners []*runner
	used := 0
	for t := range terms {
		r := &runner{term: &terms[t], bound: int64(terms[t].scale*(s.weighing.k1+1)*unit) + 1}
		if t < 64 {
			r.bit = 1 << t
		}
		for _, p := range terms[t].places[i] {
			data, err := l.words.list(p)
			if err != nil {
				return err
			}
			if used == len(s.cursors) {
				s.cursors = append(s.cursors, new(cursor))
			}
			c := s.cursors[used]
			used++
			c.open(data, p.count, l.pieces)
			r.cursors = append(r.cursors, c)
		}
		switch {
		case len(r.cursors) > 0:
			runners = append(runners, r)
		case r.required:
			return nil
		}
	}
	s.run(runners)
	for _, c := range s.cursors[:used] {
		if c.bad {
			return l.blob.damage("a list of postings is malformed")
		}
	}
	return nil
}

// scorers are kept for the next query: they are large.
type scorers struct{ free chan *scorer }

func (p *scorers) get() *scorer {
	select {
	case s := <-p.free:
		return s
	default:
		return &scorer{}
	}
}

// keptCursors is how many cursors a scorer keeps.
const keptCursors = 256

func (p *scorers) put(s *scorer) {
	if len(s.cursors) > keptCursors {
		s.cursors = s.cursors[:keptCursors:keptCursors]
	}
	for _, c := range s.cursors {
		c.data = nil
	}
	clear(s.found[:]) // after an error
	s.best, s.segment, s.allowed, s.read, s.asked, s.total = nil, nil, nil, nil, nil, 0
	select {
	case p.free <- s:
	default:
	}
}

// heal leaves out a segment that turned out to be damaged when it was read: what is
// asked from now on is answered without it, and its files are not known, so that
// they are indexed again.
func (ix *Index) heal(s *state, err error) error {
	damage, ok := errors.AsType[*Damage](err)
	if !ok {
		return err
	}
	ix.commit.Lock()
	defer ix.commit.Unlock()
	ix.mu.Lock()
	current := ix.current
	ix.mu.Unlock()
	var kept []*live
	for _, l := range current.live {
		if segmentName(l.number) != damage.Name {
			kept = append(kept, l)
		}
	}
	if len(kept) == len(current.live) {
		return err
	}
	ix.o.Log.Warn("a part of the search index is left out", "error", damage)
	ix.install(newState(current.generation+1, current.next, current.changed, kept))
	return err
}
