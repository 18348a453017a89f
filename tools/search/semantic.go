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
	"github.com/dougu-go/dougu/tools/search/embed"
	"github.com/dougu-go/dougu/tools/search/index"
)

// Embedding says how documents are found by what they mean.
type Embedding struct {
	// Embedder asks the model. It stays the caller's.
	Embedder embed.Embedder
	// Dir is where vectors are kept, so that nothing is asked twice: a directory of their own, which no tool can reach.
	Dir string
	// PerMinute is how many requests are made in a minute, at most, to learn about documents; Batch how many pieces one is about.
	// 0: the defaults of package embed.
	PerMinute, Batch int
}

// SemanticStatus tells how much can be found by what it means.
type SemanticStatus struct {
	Model string `json:"model"`
	// Pieces can be found; those of PendingFiles cannot yet.
	Pieces       int    `json:"pieces"`
	PendingFiles int    `json:"pendingFiles"`
	Error        string `json:"error,omitempty"`
}

func (e *Embedding) check() error {
	if e != nil && (e.Embedder == nil || e.Dir == "") {
		return errors.New("searching by meaning needs an embedder and a directory")
	}
	return nil
}

// learn begins to learn what the documents of a plugin mean.
func (s *Search) learn(d *documents) {
	e := s.options.Embedding
	if e == nil {
		return
	}
	d.meant = embed.NewCorpus(embed.CorpusOptions{
		Index: d.Index(), Embedder: e.Embedder, Dir: filepath.Join(e.Dir, url.PathEscape(d.name)), PerMinute: e.PerMinute, Batch: e.Batch, Log: s.log,
		Read: func(ctx context.Context, path string) ([]byte, error) {
			text, _, err := d.Read(ctx, path)
			return text, err
		},
	})
}

// semanticStatus sums up the plugins; nil if nothing is searched by meaning.
func (s *Search) semanticStatus() *SemanticStatus {
	if s.options.Embedding == nil {
		return nil
	}
	sum := &SemanticStatus{Model: s.options.Embedding.Embedder.Model()}
	for _, d := range s.documents {
		status := d.meant.Status()
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
	text := fmt.Sprintf("%s, %d pieces", s.Model, s.Pieces)
	if s.PendingFiles > 0 {
		text += fmt.Sprintf(", %d files pending", s.PendingFiles)
	}
	if s.Error != "" {
		text += ": " + s.Error
	}
	return text
}

// findMeaning asks for pieces by meaning, and puts them together with those that were found by words. Where the mode leaves it a
// choice, what fails is noted, and the words stand alone.
func (s *Search) findMeaning(ctx context.Context, q *question, all *found) error {
	var near []hit
	for _, d := range s.documents {
		candidates, err := guarded(ctx, s.meaning, func(ctx context.Context) ([]index.Candidate, error) {
			return d.meant.Nearest(ctx, q.text, q.filter, considered)
		})
		if err != nil {
			if q.mode == modeSemantic || ctx.Err() != nil {
				return err
			}
			all.part = true
			all.notes = append(all.notes, warning(fmt.Errorf("it was not searched by meaning: %w", err)))
			return nil
		}
		from := d.source()
		for _, c := range candidates {
			near = append(near, hit{file: c.File, piece: c.Piece, from: from, score: c.Score})
		}
	}
	slices.SortStableFunc(near, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	if status := s.semanticStatus(); status.PendingFiles > 0 {
		all.part = true
		all.notes = append(all.notes, fmt.Sprintf("%d files cannot be found by meaning yet", status.PendingFiles))
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

// place tells pieces apart.
type place struct {
	path       string
	start, end int32
}

// fuse puts lists together, each the best first, by the places that hits have in them. What is first in all of them has the score 1.
func fuse(lists ...[]hit) []hit {
	byPlace := make(map[place]hit)
	places := make([][]place, len(lists))
	var first [][]place // of a piece that is first in every list that there is
	for i, list := range lists {
		for _, h := range list {
			key := place{h.file.Path, h.piece.Range.Start, h.piece.Range.End}
			if _, ok := byPlace[key]; !ok {
				byPlace[key] = h
			}
			places[i] = append(places[i], key)
		}
		if len(list) > 0 {
			first = append(first, []place{{}})
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
