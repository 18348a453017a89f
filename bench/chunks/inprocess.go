package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
)

// inProcess measures a Go program that uses the tool set directly.
func (b *bench) inProcess(ctx context.Context, dir string) (err error) {
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, Blocked: security.DefaultBlocked()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	log := slog.New(slog.NewTextHandler(b.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	var set *chunking.Chunks
	opened := &series{what: "open the index", where: "in process"}
	err = opened.time(func() (err error) {
		set, err = chunking.New(ctx, tools.Env{Root: root, Log: log}, chunking.Options{})
		return err
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, set.Close(ctx)) }()
	opened.row(b)
	for _, measure := range []func(context.Context, *chunking.Chunks) error{b.searches, b.gets, b.maps} {
		if err := measure(ctx, set); err != nil {
			return err
		}
	}
	return b.changes(ctx, set, filepath.Join(dir, filepath.FromSlash(changing)))
}

func (b *bench) searches(ctx context.Context, set *chunking.Chunks) error {
	s := &series{what: "search_symbols", where: "in process", bar: searchBar}
	for i := range b.calls {
		query := queries()[i%len(queries())]
		err := s.time(func() error {
			r, err := set.SearchSymbols(ctx, chunking.SearchSymbolsArgs{Query: query})
			if err == nil && i == 0 && len(r.Symbols) == 0 {
				err = fmt.Errorf("nothing is found for %q", query)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	s.row(b)
	return nil
}

func (b *bench) gets(ctx context.Context, set *chunking.Chunks) error {
	s := &series{what: "get_chunk", where: "in process", bar: getBar}
	for i := range b.calls {
		err := s.time(func() error {
			_, err := set.Chunk(ctx, chunking.GetChunkArgs{ChunkID: chunkIDs()[i%len(chunkIDs())]})
			return err
		})
		if err != nil {
			return err
		}
	}
	s.row(b)
	return nil
}

func (b *bench) maps(ctx context.Context, set *chunking.Chunks) error {
	for _, what := range []string{"get_repo_map, first", "get_repo_map, again"} {
		s := &series{what: what, where: "in process"}
		err := s.time(func() error {
			_, err := set.RepoMap(ctx, chunking.RepoMapArgs{})
			return err
		})
		if err != nil {
			return err
		}
		s.row(b)
	}
	return nil
}

// changes measures the indexing of one changed file: by its name, as the watcher does, and by a scan of all files.
func (b *bench) changes(ctx context.Context, set *chunking.Chunks, file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	byName := &series{what: "one file has changed", where: "in process", bar: changeBar}
	looking := &series{what: "analyze_project, one file has changed", where: "in process", bar: changeBar}
	for i := range max(b.rounds, 3) {
		for _, s := range []*series{byName, looking} {
			content = fmt.Appendf(content, "\nfunc added%d%c() {}\n", i, s.what[0])
			if err := os.WriteFile(file, content, 0o644); err != nil {
				return err
			}
			err := s.time(func() error {
				var parsed int
				if s == byName {
					r, err := set.Index().Update(ctx, changing)
					if err != nil {
						return err
					}
					parsed = r.Parsed
				} else {
					r, err := set.Analyze(ctx, chunking.AnalyzeArgs{ProjectPath: "."})
					if err != nil {
						return err
					}
					parsed = r.Parsed
				}
				if parsed != 1 {
					return fmt.Errorf("%d files were read, not the one that has changed", parsed)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	byName.row(b)
	looking.row(b)
	return nil
}
