package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/dougu-go/dougu/bench/search/corpus"
	"github.com/dougu-go/dougu/bench/search/queries"
	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// tree is a repository with the pieces of its files.
type tree struct {
	name, dir string
	names     []string // files with pieces, sorted
	files     map[string]*index.File
	size      int64 // total size of these files

	units map[string]map[pieceKey]string // by file, computed on demand
}

// pieceKey identifies a piece in its file.
type pieceKey struct{ start, end, own int32 }

func keyOf(p *index.Piece) pieceKey {
	k := pieceKey{start: p.Range.Start, end: p.Range.End}
	if len(p.Own) > 0 {
		k.own = p.Own[0].Start
	}
	return k
}

// unit returns the unit of a piece, for the answers of package queries.
func (t *tree) unit(path string, p *index.Piece) string {
	all := t.units[path]
	if all == nil {
		all = map[pieceKey]string{}
		if f := t.files[path]; f != nil {
			for i, u := range queries.Pieces(f) {
				all[keyOf(&f.Pieces[i])] = u
			}
		}
		t.units[path] = all
	}
	if u, ok := all[keyOf(p)]; ok {
		return u
	}
	return path // an unknown piece does not count
}

// cut reads the files of a directory and splits them into pieces.
func cut(ctx context.Context, name, dir string) (*tree, error) {
	names, err := corpus.Files(dir)
	if err != nil {
		return nil, err
	}
	t := &tree{name: name, dir: dir, files: map[string]*index.File{}, units: map[string]map[pieceKey]string{}}
	parsers := builtin.Parsers(builtin.Options{})
	files := make([]*index.File, len(names))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2)
	for i, name := range names {
		group.Go(func() (err error) {
			files[i], err = cutFile(ctx, dir, name, document.Options{Parsers: parsers})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, f := range files {
		if f != nil {
			t.names = append(t.names, names[i])
			t.files[names[i]] = f
			t.size += f.Size
		}
	}
	return t, nil
}

// cutFile returns one file, or nil if it is not searched.
func cutFile(ctx context.Context, dir, name string, o document.Options) (*index.File, error) {
	path := filepath.Join(dir, filepath.FromSlash(name))
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	f, err := document.Cut(ctx, name, content, o)
	switch {
	case errors.Is(err, document.ErrBinary), errors.Is(err, document.ErrTooLarge), errors.Is(err, document.ErrDamaged):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("cutting %s: %w", name, err)
	}
	f.Hash, f.Size, f.ModTime = sha256.Sum256(content), info.Size(), info.ModTime()
	return &f, nil
}
