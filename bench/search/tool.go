package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// tool is searchDocuments as a client calls it.
type tool struct {
	tree   *tree
	set    *search.Search
	plugin served
	into   string
}

func openTool(ctx context.Context, b *bench, t *tree) (_ searcher, err error) {
	s := &tool{tree: t}
	if s.into, err = os.MkdirTemp(b.dir, "tool-"); err != nil {
		return nil, err
	}
	if s.plugin, err = openPlugin(ctx, t.dir, s.into); err != nil {
		return nil, err
	}
	if _, err = s.plugin.Refresh(ctx, plugin.RefreshOptions{}); err == nil {
		s.set, err = search.New(tools.Env{Root: s.plugin.root}, search.Options{Plugins: []plugin.Plugin{s.plugin.Filesystem}, NoGit: true})
	}
	if err != nil {
		return nil, errors.Join(err, s.plugin.Close(ctx))
	}
	return s, nil
}

func (s *tool) search(ctx context.Context, query string) ([]result, error) {
	answer, err := s.set.SearchDocuments(ctx, search.DocumentsArgs{Query: query, Limit: wanted, MaxBytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	var found []result
	for _, d := range answer.Results {
		path := d.Path
		if relative, err := filepath.Rel(s.tree.dir, filepath.FromSlash(path)); err == nil && filepath.IsAbs(filepath.FromSlash(path)) {
			path = filepath.ToSlash(relative)
		}
		found = append(found, result{path, s.piece(path, d)})
	}
	return found, nil
}

// piece returns the piece of the tree for a result.
func (s *tool) piece(path string, d search.Document) *index.Piece {
	f := s.tree.files[path]
	if f == nil {
		return &index.Piece{}
	}
	best, most := &index.Piece{Name: d.Name, StartLine: int32(d.StartLine), EndLine: int32(d.EndLine)}, 0
	for i := range f.Pieces {
		p := &f.Pieces[i]
		if int(p.StartLine) != d.StartLine || int(p.EndLine) != d.EndLine {
			continue
		}
		alike := 1 // names of headings may be truncated
		if p.Signature == d.Signature {
			alike++
		}
		if strings.HasSuffix(d.Name, p.Name) {
			alike++
		}
		if alike > most {
			best, most = p, alike
		}
	}
	return best
}

func (s *tool) close() error {
	ctx := context.Background()
	return errors.Join(s.set.Close(ctx), s.plugin.root.Close(), os.RemoveAll(s.into))
}
