package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
	"github.com/dougu-go/dougu/tools/search/segment"
)

// douguSearch is the search of this library.
type douguSearch struct {
	tree      *tree
	index     index.Index
	generated map[string]bool
}

// openDougu keeps the index in memory. Results are the same on disk.
func openDougu(ctx context.Context, _ *bench, t *tree) (searcher, error) {
	s := &douguSearch{tree: t, index: segment.NewMemory(), generated: map[string]bool{}}
	for name, f := range t.files {
		s.generated[name] = document.Generated(f.Text[:min(len(f.Text), 16<<10)])
	}
	if err := put(ctx, s.index, t); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// put writes a tree to an index.
func put(ctx context.Context, ix index.Index, t *tree) error {
	w, err := ix.Begin(ctx, index.WriteOptions{})
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, name := range t.names {
		if err := w.Put(ctx, *t.files[name]); err != nil {
			return fmt.Errorf("indexing %s: %w", name, err)
		}
	}
	return w.Commit(ctx)
}

func (s *douguSearch) search(ctx context.Context, query string) ([]result, error) {
	q := rank.Parse(query)
	found, err := s.index.Search(ctx, q.Index(index.Filter{}, 0))
	if err != nil {
		return nil, err
	}
	order := rank.Order(q, found, rank.Options{Limit: wanted, Generated: func(path string) bool { return s.generated[path] }})
	results := make([]result, len(order))
	for i := range order {
		results[i] = result{order[i].File.Path, &order[i].Piece}
	}
	return results, nil
}

func (s *douguSearch) close() error { return s.index.Close(context.Background()) }
