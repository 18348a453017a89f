package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
)

// bleveIndex is an index of bleve on disk.
type bleveIndex struct {
	index bleve.Index
	dir   string
	tree  *tree
}

func bleveMapping() mapping.IndexMapping {
	text := bleve.NewTextFieldMapping()
	text.Store, text.IncludeTermVectors, text.IncludeInAll, text.DocValues = false, false, false, false
	document := bleve.NewDocumentStaticMapping()
	document.AddFieldMappingsAt("text", text)
	m := bleve.NewIndexMapping()
	m.DefaultMapping = document
	return m
}

// bleveDocument is the document that bleve receives for a piece or file.
type bleveDocument struct {
	Text string `json:"text"`
}

func openBleve(ctx context.Context, b *bench, t *tree) (searcher, error) {
	dir, err := os.MkdirTemp(b.dir, "bleve-")
	if err != nil {
		return nil, err
	}
	s := &bleveIndex{dir: dir, tree: t}
	if s.index, err = bleve.New(dir+"/index", bleveMapping()); err != nil {
		return nil, err
	}
	w := bleveWriter{index: s.index, most: pieceBatch}
	for _, name := range t.names {
		if err := w.add(ctx, entriesOf(t.files[name])); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	if err := w.flush(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *bleveIndex) search(ctx context.Context, query string) ([]result, error) {
	q := bleve.NewMatchQuery(query)
	q.SetField("text")
	answer, err := s.index.SearchInContext(ctx, bleve.NewSearchRequestOptions(q, wanted, 0, false))
	if err != nil {
		return nil, err
	}
	var found []result
	for _, hit := range answer.Hits {
		path, number, isPiece := strings.Cut(hit.ID, "#")
		r := result{path: path}
		if isPiece {
			n, err := strconv.Atoi(number)
			if err != nil {
				return nil, fmt.Errorf("bleve found %q", hit.ID)
			}
			r.piece = &s.tree.files[path].Pieces[n]
		}
		found = append(found, r)
	}
	return found, nil
}

func (s *bleveIndex) close() error {
	return errors.Join(s.index.Close(), os.RemoveAll(s.dir))
}
