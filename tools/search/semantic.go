package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/search/embed"
	"github.com/dougu-go/dougu/tools/search/index"
)

// Embedding configures semantic search.
type Embedding struct {
	// Embedder computes embeddings with a model. The caller closes it.
	Embedder embed.Embedder
	// Dir is the directory for the vectors, which makes repeated requests unnecessary. It must be used for nothing else and not
	// be accessible to tools.
	Dir string
	// PerMinute limits the requests per minute for documents; Batch is the number of pieces per request. 0 means the defaults
	// of package embed.
	PerMinute, Batch int
}

// SemanticStatus is the progress of semantic indexing.
type SemanticStatus struct {
	// Model is the name of the embedding model.
	Model string `json:"model"`
	// Pieces is the number of pieces with a vector.
	Pieces int `json:"pieces"`
	// PendingFiles is the number of files whose pieces have no vector yet.
	PendingFiles int `json:"pendingFiles"`
	// Error is the last error of the model; empty if it works.
	Error string `json:"error,omitempty"`
}

// check reports missing fields. A nil Embedding is valid.
func (e *Embedding) check() error {
	if e != nil && (e.Embedder == nil || e.Dir == "") {
		return errors.New("semantic search needs an embedder and a directory")
	}
	return nil
}

// openCorpus starts computing embeddings for the documents of a plugin, if Options.Embedding is set.
func (s *Search) openCorpus(d *documents) {
	e := s.options.Embedding
	if e == nil {
		return
	}
	d.corpus = embed.NewCorpus(embed.CorpusOptions{
		Index: d.Index(), Embedder: e.Embedder, Dir: filepath.Join(e.Dir, url.PathEscape(d.name)), PerMinute: e.PerMinute, Batch: e.Batch, Log: s.log,
		Read: func(ctx context.Context, path string) ([]byte, error) {
			text, _, err := d.Read(ctx, path)
			return text, err
		},
	})
}

// semanticStatus combines the status of all plugins; nil without Options.Embedding.
func (s *Search) semanticStatus() *SemanticStatus {
	if s.options.Embedding == nil {
		return nil
	}
	sum := &SemanticStatus{Model: s.options.Embedding.Embedder.Model()}
	for _, d := range s.documents {
		status := d.corpus.Status()
		sum.Pieces += status.Pieces
		sum.PendingFiles += status.Pending
		if status.Updated.IsZero() && status.Pending == 0 {
			sum.PendingFiles += d.Status().Files
		}
		if status.Failed != nil && sum.Error == "" {
			sum.Error = truncate.Line(status.Failed.Error(), 300)
		}
	}
	return sum
}

func (s SemanticStatus) describe() string {
	text := s.Model + ", " + plural.Count(s.Pieces, "piece")
	if s.PendingFiles > 0 {
		text += ", " + plural.Count(s.PendingFiles, "file") + " pending"
	}
	if s.Error != "" {
		text += ": " + s.Error
	}
	return text
}

// findMeaning adds pieces with similar embeddings to the hits of the word search. In mode auto a failure is only noted, and the
// hits of the word search remain.
func (s *Search) findMeaning(ctx context.Context, q *documentQuery, all *hitList) error {
	var near []hit
	for _, d := range s.documents {
		candidates, err := guarded(ctx, s.embeddingGuard, func(ctx context.Context) ([]index.Candidate, error) {
			return d.corpus.Nearest(ctx, q.text, q.filter, maxCandidates)
		})
		if err != nil {
			if q.mode == modeSemantic || ctx.Err() != nil {
				return err
			}
			all.partial = true
			all.notes = append(all.notes, warning(fmt.Errorf("the semantic search failed: %w", err)))
			return nil
		}
		from := d.source()
		for _, c := range candidates {
			near = append(near, hit{file: c.File, piece: c.Piece, source: from, score: c.Score})
		}
	}
	slices.SortStableFunc(near, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	if status := s.semanticStatus(); status.PendingFiles > 0 {
		all.partial = true
		all.notes = append(all.notes, fmt.Sprintf("%s %s not in the semantic index yet", plural.Count(status.PendingFiles, "file"), plural.Are(status.PendingFiles)))
	}
	all.mode = "hybrid"
	if q.mode == modeSemantic {
		all.mode = modeSemantic
	}
	byWords := len(all.hits)
	all.hits = fuse(all.hits, near)
	all.total += len(all.hits) - byWords
	return nil
}

// pieceKey identifies a piece.
type pieceKey struct {
	path       string
	start, end int32
}

// fuse merges ranked lists by reciprocal rank. A piece that is first in all non-empty lists has the score 1.
func fuse(lists ...[]hit) []hit {
	byPlace := make(map[pieceKey]hit)
	places := make([][]pieceKey, len(lists))
	var first [][]pieceKey // one list per non-empty list, each with the same single item
	for i, list := range lists {
		for _, h := range list {
			key := pieceKey{h.file.Path, h.piece.Range.Start, h.piece.Range.End}
			if _, ok := byPlace[key]; !ok {
				byPlace[key] = h
			}
			places[i] = append(places[i], key)
		}
		if len(list) > 0 {
			first = append(first, []pieceKey{{}})
		}
	}
	if len(first) == 0 {
		return nil
	}
	most := embed.Fuse(first...)[0].Score
	var all []hit
	for _, f := range embed.Fuse(places...) {
		h := byPlace[f.Item]
		h.score = f.Score / most
		all = append(all, h)
	}
	return all
}
