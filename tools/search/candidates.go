package search

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
)

const (
	// considered is how many pieces an index is asked for, and so how many results can be looked at.
	considered = 200
	// sizeOfHit is about what one takes in the cache, in bytes.
	sizeOfHit = 600
)

// collection is where pieces come from: a plugin, or files that are not indexed yet.
type collection struct {
	index index.Index
	read  func(ctx context.Context, path string) (text []byte, modified time.Time, err error)
	guard *guard
	of    *documents // nil for files that are not indexed
	live  bool
	close func()
}

func (d *documents) source() *collection {
	return &collection{index: d.Index(), read: d.Read, guard: d.guard, of: d}
}

// hit is a piece that was found.
type hit struct {
	file  index.Known
	piece index.Piece
	score float64
	from  *collection
	lines []int // that match exactly, from 1; nil for what was found by words
	why   string

	// Of what was found by exact text alone: which file was read as the how manieth, and how far behind the hit stands, from 0.
	nth, behind int
}

// found are the hits of a question, best first.
type found struct {
	hits   []hit
	total  int
	mode   string
	live   int    // files that were read because the index lacks them
	notice string // what of the index was missing, and what was searched instead
	notes  []string
	failed []failure
	// part says that it was not searched by meaning everywhere.
	part  bool
	parts *exact // the search for parts of words that has found the hits; nil for whole words
	// similar are names like a word that nothing has.
	similar []string
}

// failure is a source that did not answer.
type failure struct {
	from *collection
	err  error
}

// find answers a question, or the cache does. A plugin whose index fails is searched in its files.
func (s *Search) find(ctx context.Context, q *question) (*found, error) {
	kept, slot, ok := lookUp[*found](s.cache, "documents", s.generation(ctx), filterKey(q.filter), q.mode, q.text)
	gaps := s.gaps()
	// What is found by exact text is read in files, which may have changed without an index knowing.
	keeps := len(gaps) == 0 && q.exact == nil
	if ok && keeps {
		return kept, nil
	}
	all, err := s.findIn(ctx, q, gaps)
	if err == nil && len(all.failed) > 0 {
		gaps = s.widen(gaps, all.failed)
		all, err = s.findIn(ctx, q, gaps)
	}
	if err != nil {
		return nil, err
	}
	if keeps && len(gaps) == 0 && all.parts == nil && !all.part {
		slot.keep(all, sizeOfHit*len(all.hits))
	}
	return all, nil
}

// findIn asks the indexes, and the files in their gaps.
func (s *Search) findIn(ctx context.Context, q *question, gaps []gap) (*found, error) {
	all := &found{mode: modeKeyword}
	var sources []*collection
	if len(gaps) > 0 {
		live, err := s.fill(ctx, q, gaps, all)
		if err != nil {
			return nil, err
		}
		if live != nil {
			defer live.close()
			sources = append(sources, live) // before the indexes, which may have former contents of the same files
		}
	}
	for _, d := range s.documents {
		if !slices.ContainsFunc(gaps, func(g gap) bool { return g.documents == d && g.err != nil }) {
			sources = append(sources, d.source())
		}
	}
	if len(sources) == 0 && all.live == 0 {
		if err := failedGap(gaps); err != nil {
			return nil, err
		}
	}
	var err error
	switch {
	case q.exact != nil:
		err = s.findExact(ctx, q, sources, all)
	case q.mode != modeSemantic:
		err = s.findWords(ctx, q, sources, all)
	}
	if err == nil && q.exact == nil && q.mode != modeKeyword && s.options.Embedding != nil {
		err = s.findMeaning(ctx, q, all)
	}
	if err == nil && q.exact == nil && q.mode != modeSemantic && len(all.hits) == 0 && len(all.failed) == 0 {
		err = s.findParts(ctx, q, sources, all)
	}
	return all, err
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

// findWords asks the indexes, and puts their answers in order. Failures are noted.
func (s *Search) findWords(ctx context.Context, q *question, sources []*collection, all *found) error {
	parsed := rank.Parse(q.text)
	asked := parsed.Index(q.filter, considered)
	var gathered index.Found
	from := make(map[string]*collection, considered)
	for _, src := range sources {
		got, err := guarded(ctx, src.guard, func(ctx context.Context) (index.Found, error) { return src.index.Search(ctx, asked) })
		if err != nil {
			all.failed = append(all.failed, failure{src, err})
			continue
		}
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

const (
	headSize    = 2 << 10 // bytes of a file that say whether a program wrote it
	maxJudgment = 20_000
)

// judgments are what is known of files: whether a program wrote them. The zero value knows nothing.
type judgments struct {
	mu    sync.Mutex
	known map[string]judgment // by path
}

type judgment struct {
	hash      [32]byte
	generated bool
}

// generated makes a function that tells whether a program wrote one of the files that were found. A file is looked into once, until
// it is indexed with another content; what cannot be read was written by somebody.
func (s *Search) generated(ctx context.Context, among []index.Candidate) func(path string) bool {
	hashes := make(map[string][32]byte)
	for _, c := range among {
		hashes[c.File.Path] = c.File.Hash
	}
	return func(path string) bool {
		j := &s.judged
		j.mu.Lock()
		known, ok := j.known[path]
		j.mu.Unlock()
		if ok && known.hash == hashes[path] {
			return known.generated
		}
		is := document.Generated(head(ctx, s.root, path))
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.known == nil || len(j.known) >= maxJudgment {
			j.known = make(map[string]judgment)
		}
		j.known[path] = judgment{hashes[path], is}
		return is
	}
}

// head is the beginning of a file, or nothing.
func head(ctx context.Context, root *security.Root, path string) []byte {
	f, err := root.Open(ctx, path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text := make([]byte, headSize)
	n, _ := io.ReadFull(f, text) // a shorter file is one as well
	return text[:n]
}
