package search

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
)

const (
	// considered is how many pieces an index is asked for, and so how many results can be looked at.
	considered = 200
	// sizeOfHit is about what one takes in the cache, in bytes.
	sizeOfHit = 600
)

// source is where pieces come from: a plugin, or files that are not indexed yet.
type source struct {
	index index.Index
	read  func(ctx context.Context, path string) (text []byte, modified time.Time, err error)
	guard *guard
	live  bool
	close func()
}

func (d *documents) source() *source {
	return &source{index: d.Index(), read: d.Read, guard: d.guard}
}

// hit is a piece that was found.
type hit struct {
	file  index.Known
	piece index.Piece
	score float64
	from  *source
	lines []int // that match exactly, from 1; nil for what was found by words
	why   string

	// Of what was found by exact text alone: which file was read as the how manieth, and how far behind the hit stands, from 0.
	nth, behind int
}

// found are the hits of a question, best first.
type found struct {
	hits  []hit
	total int
	mode  string
	live  int // files that were read because they are not indexed
	notes []string
	// part says that a source is missing.
	part bool
}

// find answers a question, or the cache does.
func (s *Search) find(ctx context.Context, q *question) (*found, error) {
	key := cacheKey("documents", s.generation(ctx), filterKey(q.filter), q.mode, q.text)
	complete := !s.building()
	// What is found by exact text is read in files, which may have changed without an index knowing.
	keeps := complete && q.exact == nil
	if kept, _, ok := lookUp[*found](s.cache, key); ok && keeps {
		return kept, nil
	}
	sources := make([]*source, 0, len(s.documents)+1)
	for _, d := range s.documents {
		sources = append(sources, d.source())
	}
	all := &found{mode: modeKeyword}
	var err error
	if !complete {
		live, err := s.live(ctx, q, all)
		if err != nil {
			return nil, err
		}
		if live != nil {
			defer live.close()
			sources = append(sources, live)
		}
	}
	switch {
	case q.exact != nil:
		err = s.findExact(ctx, q, sources, all)
	case q.mode != modeSemantic:
		err = s.findWords(ctx, q, sources, all)
	}
	if err == nil && q.exact == nil && q.mode != modeKeyword && s.options.Embedding != nil {
		err = s.findMeaning(ctx, q, all)
	}
	if err != nil {
		return nil, err
	}
	if keeps && !all.part {
		s.cache.keep(key, all, sizeOfHit*len(all.hits))
	}
	return all, nil
}

// generation changes with everything that is indexed, or learnt. A plugin that does not tell has none; it will not answer either.
func (s *Search) generation(ctx context.Context) string {
	var b strings.Builder
	for _, d := range s.documents {
		stats, err := guarded(ctx, d.guard, func(ctx context.Context) (index.Stats, error) { return d.Index().Stats(ctx) })
		if err != nil {
			b.WriteString("?")
		}
		b.WriteString(strconv.FormatUint(stats.Generation, 36) + ".")
		if d.meant != nil {
			learnt := d.meant.Status()
			fmt.Fprintf(&b, "%d.%d.", learnt.Updated.UnixNano(), learnt.Pieces)
		}
	}
	return b.String()
}

// findWords asks the indexes, and puts what they answer in order. A plugin that fails is left out as long as another one answers.
func (s *Search) findWords(ctx context.Context, q *question, sources []*source, all *found) error {
	parsed := rank.Parse(q.text)
	asked := parsed.Index(q.filter, considered)
	var gathered index.Found
	from := make(map[string]*source, considered)
	var failed error
	answered := 0
	for _, src := range sources {
		got, err := guarded(ctx, src.guard, func(ctx context.Context) (index.Found, error) { return src.index.Search(ctx, asked) })
		if err != nil {
			failed, all.part = err, true
			all.notes = append(all.notes, warning(fmt.Errorf("%s was not searched: %w", src.guard.name, err)))
			continue
		}
		answered++
		gathered.Candidates = slices.Grow(gathered.Candidates, len(got.Candidates))
		for _, c := range got.Candidates {
			if first := from[c.File.Path]; first == nil {
				from[c.File.Path] = src
			} else if first != src {
				continue
			}
			gathered.Candidates = append(gathered.Candidates, c)
		}
		gathered.Total += got.Total
		gathered.Frequencies = addFrequencies(gathered.Frequencies, got.Frequencies)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("searching: %w", context.Cause(ctx))
	}
	if answered == 0 && failed != nil {
		return failed
	}
	all.total = gathered.Total
	ordered := rank.Order(parsed, gathered, rank.Options{Generated: s.generated(ctx, gathered.Candidates)})
	all.hits = make([]hit, 0, len(ordered))
	for _, r := range ordered {
		all.hits = append(all.hits, hit{file: r.File, piece: r.Piece, score: r.Score, from: from[r.File.Path], why: r.Why})
	}
	return nil
}

// addFrequencies adds up in how many pieces the terms are.
func addFrequencies(a, b []int) []int {
	if a == nil {
		return b
	}
	sum := append([]int(nil), a...)
	for i := range min(len(a), len(b)) {
		sum[i] += b[i]
	}
	return sum
}
