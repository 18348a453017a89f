package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/blevesearch/bleve/v2"
	"golang.org/x/sync/errgroup"

	"github.com/dougu-go/dougu/bench/search/corpus"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// indexDougu indexes as a server does: with the rules of the Root and .gitignore, hashes and fingerprints.
func indexDougu(ctx context.Context, from, into string) (files int, err error) {
	p, err := openPlugin(ctx, from, into)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.Close(context.WithoutCancel(ctx))) }()
	report, err := p.Refresh(ctx, plugin.RefreshOptions{})
	return report.Files, err
}

// served is a plugin with its Root.
type served struct {
	*filesystem.Filesystem
	root *security.Root
}

func (s served) Close(ctx context.Context) error {
	return errors.Join(s.Filesystem.Close(ctx), s.root.Close())
}

// openPlugin opens the plugin for a directory, with its index in another. It checks for changes only on request.
func openPlugin(ctx context.Context, from, into string) (served, error) {
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{from}, Blocked: security.DefaultBlocked()})
	if err != nil {
		return served{}, err
	}
	ix, err := segment.Open(ctx, into, segment.Options{})
	if err != nil {
		return served{}, errors.Join(err, root.Close())
	}
	o := filesystem.Options{Index: ix, Parsers: builtin.Parsers(builtin.Options{}), MaxFile: corpus.MaxFile, Interval: -1}
	p, err := filesystem.New(tools.Env{Root: root}, o)
	if err != nil {
		return served{}, errors.Join(err, ix.Close(ctx), root.Close())
	}
	return served{p, root}, nil
}

func indexBlevePieces(ctx context.Context, from, into string) (int, error) {
	o := document.Options{Parsers: builtin.Parsers(builtin.Options{})}
	return indexBleve(ctx, from, into, pieceBatch, func(ctx context.Context, name string) ([]bleveEntry, error) {
		f, err := cutFile(ctx, from, name, o)
		if err != nil || f == nil {
			return nil, err
		}
		return entriesOf(f), nil
	})
}

// bleveEntry is a document of bleve.
type bleveEntry struct{ id, text string }

func entriesOf(f *index.File) []bleveEntry {
	entries := make([]bleveEntry, len(f.Pieces))
	for i := range f.Pieces {
		entries[i] = bleveEntry{f.Path + "#" + strconv.Itoa(i), pieceText(f, &f.Pieces[i])}
	}
	return entries
}

func indexBleveFiles(ctx context.Context, from, into string) (int, error) {
	return indexBleve(ctx, from, into, fileBatch, func(_ context.Context, name string) ([]bleveEntry, error) {
		content, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(name)))
		if err != nil || !corpus.IsText(content) {
			return nil, err
		}
		return []bleveEntry{{name, name + "\n" + string(content)}}, nil
	})
}

// indexBleve writes the entries of each file to an index of bleve.
func indexBleve(ctx context.Context, from, into string, batch int, read func(ctx context.Context, name string) ([]bleveEntry, error)) (files int, err error) {
	names, err := corpus.Files(from)
	if err != nil {
		return 0, err
	}
	ix, err := bleve.New(into, bleveMapping())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	w := bleveWriter{index: ix, most: batch}
	err = pipe(ctx, names, read, func(ctx context.Context, some []bleveEntry) error {
		if len(some) > 0 {
			files++
		}
		return w.add(ctx, some)
	})
	return files, errors.Join(err, w.flush())
}

// pipe passes the result of read for each name to write: two goroutines read, one writes.
func pipe[T any](ctx context.Context, names []string, read func(ctx context.Context, name string) (T, error), write func(ctx context.Context, made T) error) error {
	entries := make(chan T, 64)
	writers, writing := errgroup.WithContext(ctx)
	writers.Go(func() error { // not in the group of the readers, which ends when they have closed entries
		for made := range entries {
			if err := write(writing, made); err != nil {
				for range entries { // unblock the readers
				}
				return err
			}
		}
		return nil
	})
	readers, reading := errgroup.WithContext(ctx)
	readers.SetLimit(2)
	for _, name := range names {
		readers.Go(func() error {
			made, err := read(reading, name)
			if err != nil {
				return fmt.Errorf("reading %s: %w", name, err)
			}
			entries <- made
			return nil
		})
	}
	err := readers.Wait()
	close(entries)
	return errors.Join(err, writers.Wait())
}

// bleveWriter writes in batches.
type bleveWriter struct {
	index bleve.Index
	most  int // bytes of a batch
	batch *bleve.Batch
	bytes int
}

// Batch sizes in bytes with which bleve is fastest. Larger ones take gigabytes of memory.
const (
	pieceBatch = 4 << 20
	fileBatch  = 16 << 20
)

func (w *bleveWriter) add(ctx context.Context, some []bleveEntry) error {
	for _, e := range some {
		if w.batch == nil {
			w.batch = w.index.NewBatch()
		}
		if err := w.batch.Index(e.id, bleveDocument{e.text}); err != nil {
			return err
		}
		if w.bytes += len(e.text); w.bytes >= w.most {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

func (w *bleveWriter) flush() error {
	if w.batch == nil {
		return nil
	}
	batch := w.batch
	w.batch, w.bytes = nil, 0
	return w.index.Batch(batch)
}
