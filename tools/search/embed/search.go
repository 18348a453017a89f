package embed

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Nearest returns the pieces whose meaning is nearest to text, best first, restricted by the filter f. Their Score is the
// cosine: 1 for the same meaning, 0 for unrelated texts. Errors are those of ctx, the Embedder and the index.
func (c *Corpus) Nearest(ctx context.Context, text string, f index.Filter, limit int) ([]index.Candidate, error) {
	matcher, err := f.Matcher()
	if err != nil {
		return nil, err
	}
	store, err := c.openStore(ctx)
	if err != nil {
		return nil, err
	}
	vectors, err := c.o.Embedder.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	if len(vectors) != 1 {
		return nil, ErrAnswer
	}
	near, err := store.Nearest(ctx, vectors[0], limit, func(k Key) bool { return len(c.matchingRefs(k, matcher)) > 0 })
	if err != nil {
		return nil, err
	}
	var found []index.Candidate
	for _, n := range near {
		for _, r := range c.matchingRefs(n.Key, matcher) {
			if len(found) == limit {
				return found, nil
			}
			candidate, ok, err := c.candidate(ctx, r)
			if err != nil {
				return nil, fmt.Errorf("semantic search: %w", err)
			}
			if ok {
				candidate.Score = float64(n.Score)
				found = append(found, candidate)
			}
		}
	}
	return found, nil
}

// matchingRefs returns the pieces with the text k that the filter accepts.
func (c *Corpus) matchingRefs(k Key, m *index.Matcher) (left []ref) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.refs[k] {
		if f := c.files[r.path]; f != nil && m.File(f.known) && m.Piece(index.Piece{Kind: r.kind}) {
			left = append(left, r)
		}
	}
	return left
}

// candidate returns the indexed piece for r; ok is false if the index no longer contains it.
func (c *Corpus) candidate(ctx context.Context, r ref) (found index.Candidate, ok bool, err error) {
	found.File, ok, err = c.o.Index.Lookup(ctx, r.path)
	if err != nil || !ok {
		return found, false, err
	}
	pieces, err := c.o.Index.Pieces(ctx, r.path)
	if err != nil {
		return found, false, err
	}
	for _, p := range pieces {
		if p.Range == r.span && p.Kind == r.kind {
			found.Piece = p
			return found, true, nil
		}
	}
	return found, false, nil
}
