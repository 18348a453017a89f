package search

import (
	"context"
	"fmt"
	"io"
	"math"
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
	// maxCandidates is the number of pieces requested from an index, and so the maximum number of hits of a query.
	maxCandidates = 200
	// hitSize is the estimated size of one hit in the cache, in bytes.
	hitSize = 600
)

// collection is a source of pieces: the index of a plugin, or a temporary index of files that no plugin has indexed yet.
type collection struct {
	index index.Index
	// read returns the text of a file and its modification time.
	read      func(ctx context.Context, path string) (text []byte, modified time.Time, err error)
	guard     *guard
	documents *documents // the plugin; nil for the temporary index
	live      bool       // whether this is the temporary index
	// close releases the temporary index; nil for a plugin.
	close func()
}

// source returns the plugin as a source of pieces.
func (d *documents) source() *collection {
	return &collection{index: d.Index(), read: d.Read, guard: d.guard, documents: d}
}

// hit is a piece that matches a query.
type hit struct {
	file   index.Known
	piece  index.Piece
	score  float64
	source *collection
	lines  []int  // matching lines of an exact search or a template, from 1; nil for a word search
	why    string // the reason for the rank; see Document.Why
	// isTemplate is true if the piece contains the template of the query, which is a message.
	isTemplate bool

	// For exact searches only: the file's position in scan order, and the rank class of the hit (see tierOf), from 0.
	fileOrder, tier int
}

// hitList is the result of a query: hits ordered by rank, best first, and remarks on the search.
type hitList struct {
	hits   []hit
	total  int    // number of matching pieces, at least len(hits)
	mode   string // search mode; see DocumentsMetadata.Mode
	live   int    // number of files that were read because the index lacks them
	notice string // missing part of the index, and the files searched in its place
	notes  []string
	failed []failure
	// partial is true if the semantic search did not cover all files. A partial list is not cached.
	partial    bool
	partSearch *exactPattern // the pattern that found parts of words; nil if whole words matched
	// similar are names that resemble a word without matches; corrections has the nearest one for each of these words.
	similar     []string
	corrections map[string]string
}

// failure is the error of a source that could not be searched.
type failure struct {
	source *collection
	err    error
}

// findDocuments returns the hits of q, from the cache if possible. If the index of a plugin fails, the files of the plugin are
// searched directly.
func (s *Search) findDocuments(ctx context.Context, q *documentQuery) (*hitList, error) {
	kept, slot, ok := lookup[*hitList](s.cache, "documents", s.generation(ctx), filterKey(q.filter), q.mode, q.given)
	gaps := s.gaps()
	// Exact searches read files, which may have changed while the index has not: their results are not cached.
	keeps := len(gaps) == 0 && q.exact == nil
	if ok && keeps {
		return kept, nil
	}
	all, err := s.searchSources(ctx, q, gaps)
	if err == nil && len(all.failed) > 0 {
		gaps = s.addFailedSources(gaps, all.failed)
		all, err = s.searchSources(ctx, q, gaps)
	}
	if err != nil {
		return nil, err
	}
	if keeps && len(gaps) == 0 && all.partSearch == nil && !all.partial {
		slot.store(all, hitSize*len(all.hits))
	}
	return all, nil
}

// searchSources searches the indexes, and directly the files that they lack.
func (s *Search) searchSources(ctx context.Context, q *documentQuery, gaps []gap) (*hitList, error) {
	all := &hitList{mode: modeKeyword}
	var sources []*collection
	if len(gaps) > 0 {
		live, err := s.searchGaps(ctx, q, gaps, all)
		if err != nil {
			return nil, err
		}
		if live != nil {
			defer live.close()
			sources = append(sources, live) // before the indexes, which may contain older versions of the same files
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
	if err == nil && q.mode != modeSemantic && (q.exact == nil || q.exact.literal && len(all.hits) == 0) {
		err = s.findTemplates(ctx, q, sources, all)
	}
	if err == nil {
		err = s.dropExcluded(ctx, q, all)
	}
	if err == nil && q.exact == nil && q.mode != modeSemantic && len(all.hits) == 0 && len(all.failed) == 0 {
		if err = s.findParts(ctx, q, sources, all); err == nil {
			err = s.dropExcluded(ctx, q, all)
		}
	}
	return all, err
}

// generation returns a cache key that changes whenever an index or its embeddings change. A plugin whose statistics fail
// contributes "?".
func (s *Search) generation(ctx context.Context) string {
	var b strings.Builder
	for _, d := range s.documents {
		stats, err := guarded(ctx, d.guard, func(ctx context.Context) (index.Stats, error) { return d.Index().Stats(ctx) })
		if err != nil {
			b.WriteString("?")
		}
		b.WriteString(strconv.FormatUint(stats.Generation, 36) + ".")
		if d.corpus != nil {
			learnt := d.corpus.Status()
			fmt.Fprintf(&b, "%d.%d.", learnt.Updated.UnixNano(), learnt.Pieces)
		}
	}
	return b.String()
}

// findWords searches all sources by words and ranks the candidates together. Failed sources are recorded in all.failed.
func (s *Search) findWords(ctx context.Context, q *documentQuery, sources []*collection, all *hitList) error {
	parsed := rank.Parse(q.text)
	asked := parsed.Index(q.filter, maxCandidates)
	var gathered index.Found
	from := make(map[string]*collection, maxCandidates)
	found, pieces := s.searchEach(ctx, asked, sources, all)
	scaleScores(found, pieces)
	for i, got := range found {
		src := sources[i]
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
	ordered := rank.Order(parsed, gathered, rank.Options{Generated: s.generatedFilter(ctx, gathered.Candidates)})
	all.hits = make([]hit, 0, len(ordered))
	for _, r := range ordered {
		all.hits = append(all.hits, hit{file: r.File, piece: r.Piece, score: r.Score, source: from[r.File.Path], why: r.Why})
	}
	return nil
}

// searchEach searches the sources and returns their candidates and numbers of pieces. Failed sources have no candidates and are
// recorded in all.failed.
func (s *Search) searchEach(ctx context.Context, asked index.Query, sources []*collection, all *hitList) (found []index.Found, pieces []int) {
	found, pieces = make([]index.Found, len(sources)), make([]int, len(sources))
	for i, src := range sources {
		got, err := guarded(ctx, src.guard, func(ctx context.Context) (got index.Found, err error) {
			if len(sources) > 1 {
				stats, err := src.index.Stats(ctx)
				if err != nil {
					return got, err
				}
				pieces[i] = stats.Pieces
			}
			return src.index.Search(ctx, asked)
		})
		if err != nil {
			all.failed = append(all.failed, failure{src, err})
			continue
		}
		found[i] = got
	}
	return found, pieces
}

// scaleScores makes the scores of several indexes comparable. An index weighs a term by its rarity there, so that the same match
// has another score in a small index than in a large one. Each score is multiplied by the ratio of the weights of its terms in
// all indexes together to those in its own.
func scaleScores(found []index.Found, pieces []int) {
	if len(found) < 2 {
		return
	}
	var frequencies []int
	total := 0
	for i, f := range found {
		frequencies = addFrequencies(frequencies, f.Frequencies)
		total += pieces[i]
	}
	for i, f := range found {
		f.Candidates = slices.Clone(f.Candidates) // they belong to the index
		found[i] = f
		for at := range f.Candidates {
			c := &f.Candidates[at]
			var own, together float64
			for term := range min(len(f.Frequencies), 64) {
				if c.Matched&(1<<term) != 0 {
					own += rarity(pieces[i], f.Frequencies[term])
					together += rarity(total, frequencies[term])
				}
			}
			if own > 0 {
				c.Score *= together / own
			}
		}
	}
}

// rarity returns the weight of a term with a document frequency among pieces (the inverse document frequency of BM25).
func rarity(pieces, frequency int) float64 {
	return math.Log(1 + (float64(max(pieces-frequency, 0))+0.5)/(float64(frequency)+0.5))
}

// addFrequencies adds the document frequencies of the terms in two sources.
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
	generatedHeadSize   = 2 << 10 // bytes read from a file to detect generated code
	maxGeneratedEntries = 20_000
)

// generatedCache records which files are generated by programs, by path and content hash. The zero value is empty. It is safe
// for concurrent use.
type generatedCache struct {
	mu      sync.Mutex
	entries map[string]generatedEntry // by path
}

// generatedEntry is the classification of one version of a file.
type generatedEntry struct {
	hash      [32]byte
	generated bool
}

// generatedFilter returns a function that reports whether a candidate's file is generated. Each version of a file is read once.
// An unreadable file counts as not generated.
func (s *Search) generatedFilter(ctx context.Context, among []index.Candidate) func(path string) bool {
	hashes := make(map[string][32]byte)
	for _, c := range among {
		hashes[c.File.Path] = c.File.Hash
	}
	return func(path string) bool {
		j := &s.generatedFiles
		j.mu.Lock()
		known, ok := j.entries[path]
		j.mu.Unlock()
		if ok && known.hash == hashes[path] {
			return known.generated
		}
		is := !s.external(path) && document.Generated(readHead(ctx, s.root, path))
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.entries == nil || len(j.entries) >= maxGeneratedEntries {
			j.entries = make(map[string]generatedEntry)
		}
		j.entries[path] = generatedEntry{hashes[path], is}
		return is
	}
}

// readHead returns the first bytes of a file, or nil if it cannot be opened.
func readHead(ctx context.Context, root *security.Root, path string) []byte {
	f, err := root.Open(ctx, path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text := make([]byte, generatedHeadSize)
	n, _ := io.ReadFull(f, text) // io.ErrUnexpectedEOF only means that the file is shorter
	return text[:n]
}
