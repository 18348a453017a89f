package segment

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Search finds pieces by words and scores them with BM25F. Hits are sorted by
// descending score, path and position. A malformed pattern in the filter is an error.
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
	sc.topHits = &topHits{limit: limit}
	sc.scoring = s.scoring(q)
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
	found.Candidates, err = sc.topHits.candidates()
	return found, err
}

// segmentTerms scores the i-th segment of a state.
func (s *scorer) segmentTerms(i int, l *live, a *allowed, terms []term) error {
	s.segment, s.allowed = l, a
	var runners []*runner
	used := 0
	for t := range terms {
		r := &runner{term: &terms[t], bound: int64(terms[t].scale*(s.scoring.k1+1)*unit) + 1}
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

// scorers keeps scorers for later queries, because they are large.
type scorers struct{ free chan *scorer }

func (p *scorers) get() *scorer {
	select {
	case s := <-p.free:
		return s
	default:
		return &scorer{}
	}
}

// keptCursors is the maximum number of cursors that a scorer keeps.
const keptCursors = 256

func (p *scorers) put(s *scorer) {
	if len(s.cursors) > keptCursors {
		s.cursors = s.cursors[:keptCursors:keptCursors]
	}
	for _, c := range s.cursors {
		c.data = nil
	}
	clear(s.found[:]) // an interrupted run leaves entries
	s.topHits, s.segment, s.allowed, s.read, s.asked, s.total = nil, nil, nil, nil, nil, 0
	select {
	case p.free <- s:
	default:
	}
}

// heal drops a segment that turned out to be damaged during a query. Later queries
// ignore it, and its files count as unknown, so that they are indexed again.
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

// Defaults of a Query.
const (
	defaultK1    = 1.2
	defaultLimit = 200
)

func defaultWeights() [index.Fields]float64 {
	return [index.Fields]float64{index.Name: 4, index.Signature: 2, index.Doc: 1.5, index.Body: 1, index.Path: 1.5}
}

func defaultB() [index.Fields]float64 {
	return [index.Fields]float64{index.Name: 0.4, index.Signature: 0.4, index.Doc: 0.6, index.Body: 0.75, index.Path: 0.3}
}

// term is a term of a query in a state.
type term struct {
	number    int // index in the query
	required  bool
	scale     float64       // maximum score
	frequency float64       // approximate number of pieces with the term
	places    [][]wordPlace // locations of the postings of its words, by segment
}

// terms finds the words of a query.
func (s *state) terms(ctx context.Context, q *index.Query) ([]term, error) {
	pieces := 0.0
	for _, l := range s.live {
		pieces += float64(l.pieces - l.deadPieces)
	}
	list := make([]term, len(q.Terms))
	for i := range q.Terms {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t, err := s.term(&q.Terms[i])
		if err != nil {
			return nil, err
		}
		t.number, t.required = i, q.Terms[i].Required
		t.frequency = min(t.frequency, pieces)
		weight := q.Terms[i].Weight
		if weight == 0 {
			weight = 1
		}
		t.scale = max(weight, 0) * math.Log(1+(pieces-t.frequency+0.5)/(t.frequency+0.5))
		list[i] = t
	}
	return list, nil
}

func (s *state) term(q *index.Term) (t term, err error) {
	words, err := s.expand(q.Words)
	if err != nil {
		return t, err
	}
	t.places = make([][]wordPlace, len(s.live))
	for i, l := range s.live {
		count := 0
		for _, word := range words {
			p, ok, err := l.words.lookup(word)
			if err != nil {
				return t, err
			}
			if ok {
				t.places[i] = append(t.places[i], p)
				count += p.count
			}
		}
		if l.pieces > 0 {
			t.frequency += float64(count) * float64(l.pieces-l.deadPieces) / float64(l.pieces)
		}
	}
	return t, nil
}

// maxExpansions is the maximum number of words, the most frequent ones, for a prefix.
const maxExpansions = 200

// maxWalk is the maximum number of words that are examined for a prefix.
const maxWalk = 500_000

// expand replaces prefixes by words.
func (s *state) expand(words []string) ([]string, error) {
	var all []string
	for _, word := range words {
		prefix, ok := strings.CutSuffix(word, "*")
		switch {
		case !ok:
			all = append(all, word)
		case prefix != "":
			found, err := s.wordsWithPrefix(prefix)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// wordsWithPrefix returns the most frequent words with a prefix.
func (s *state) wordsWithPrefix(prefix string) ([]string, error) {
	walks := make([]wordWalk, 0, len(s.live))
	for _, l := range s.live {
		walk := l.words.from(prefix)
		more := walk.next()
		for more && string(walk.word) < prefix {
			more = walk.next()
		}
		if more {
			walks = append(walks, walk)
		}
		if walk.err != nil {
			return nil, walk.err
		}
	}
	var most frequent
	var word []byte
	for range maxWalk {
		first := -1
		for i := range walks {
			if first < 0 || bytes.Compare(walks[i].word, walks[first].word) < 0 {
				first = i
			}
		}
		if first < 0 || !bytes.HasPrefix(walks[first].word, []byte(prefix)) {
			break
		}
		word = append(word[:0], walks[first].word...)
		count := 0
		for i := 0; i < len(walks); i++ {
			if !bytes.Equal(walks[i].word, word) {
				continue
			}
			count += walks[i].place.count
			if !walks[i].next() {
				if walks[i].err != nil {
					return nil, walks[i].err
				}
				walks = slices.Delete(walks, i, i+1)
				i--
			}
		}
		most.add(word, count)
	}
	return most.words(), nil
}

// frequent is a heap of the most frequent words, with the least frequent on top. Words are
// added in order; of equally frequent words the first ones stay.
type frequent []counted

// counted is a word with the number of its occurrences.
type counted struct {
	word  string
	count int
}

// below reports whether one word is dropped before another.
func (c *counted) below(o *counted) bool {
	return c.count < o.count || c.count == o.count && c.word > o.word
}

func (f *frequent) add(word []byte, count int) {
	h := *f
	if len(h) == maxExpansions {
		if count <= h[0].count {
			return
		}
		h[0] = counted{string(word), count}
		h.down()
		return
	}
	h = append(h, counted{string(word), count})
	for i := len(h) - 1; i > 0 && h[i].below(&h[(i-1)/2]); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	*f = h
}

func (f frequent) down() {
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(f); child++ {
			if f[child].below(&f[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		f[i], f[least] = f[least], f[i]
		i = least
	}
}

func (f frequent) words() []string {
	list := make([]string, len(f))
	for i := range f {
		list[i] = f[i].word
	}
	return list
}
