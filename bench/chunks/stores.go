package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/sqlite"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
)

// Size of the index that the part stores writes and reads: 3,000 chunks.
const (
	storeFiles  = 300
	storeChunks = 10 // chunks in each file
)

// storeKind is a Store of an index, with the Close of its database.
type storeKind struct {
	name string
	open func(ctx context.Context, dir string) (store index.Store, end func() error, err error)
}

func storeKinds() []storeKind {
	return []storeKind{
		{"JSON", func(_ context.Context, dir string) (index.Store, func() error, error) {
			root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
			if err != nil {
				return nil, nil, err
			}
			store, err := index.NewJSONStore(root, index.JSONOptions{})
			if err != nil {
				return nil, nil, errors.Join(err, root.Close())
			}
			return store, root.Close, nil
		}},
		{"SQLite", func(ctx context.Context, dir string) (index.Store, func() error, error) {
			db, err := sqlite.Open(ctx, filepath.Join(dir, "chunks.db"))
			if err != nil {
				return nil, nil, err
			}
			return db.Store(), db.Close, nil
		}},
	}
}

// stores measures the Stores of the index: the first save, the save of one file, the load of names, the load of the complete index,
// and a search in a project with a stored index.
func (b *bench) stores(ctx context.Context) error {
	project := filepath.Join(b.dir, "stores")
	files, err := storedFiles(ctx, project)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.stdout, "\n%d files of %d chunks; medians of wall time, with the least and the greatest\n", len(files), storeFiles*storeChunks)
	fmt.Fprintf(b.stdout, "\n| store | save all | save one file | load the names | load all | load and search | on disk |\n|---|---:|---:|---:|---:|---:|---:|\n")
	rows := map[string]*storeTimes{}
	for round := range b.rounds {
		for _, kind := range storeKinds() {
			if rows[kind.name] == nil {
				rows[kind.name] = &storeTimes{}
			}
			dir := filepath.Join(b.dir, fmt.Sprintf("store-%s-%d", kind.name, round))
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return err
			}
			if err := rows[kind.name].measure(ctx, kind, dir, project, files, b.calls); err != nil {
				return fmt.Errorf("measuring the store %s: %w", kind.name, err)
			}
		}
	}
	for _, kind := range storeKinds() {
		r := rows[kind.name]
		fmt.Fprintf(b.stdout, "| %s | %s | %s | %s | %s | %s | %d KB |\n", kind.name, medianOf(r.all), medianOf(r.one), medianOf(r.names), medianOf(r.loaded), medianOf(r.search), r.bytes/1000)
	}
	return nil
}

// storeTimes are the measurements of one Store.
type storeTimes struct {
	all, one, names, loaded, search times
	bytes                           int64
}

func medianOf(all times) string {
	s := all.sorted()
	return fmt.Sprintf("%v (%v–%v)", micro(all.median()), micro(s[0]), micro(s[len(s)-1]))
}

// measure measures a new Store in dir once, and the save of one file several times.
func (r *storeTimes) measure(ctx context.Context, kind storeKind, dir, project string, files []*index.File, saves int) error {
	within := func(do func(index.Store) error) error {
		store, end, err := kind.open(ctx, dir)
		if err != nil {
			return err
		}
		return errors.Join(do(store), store.Close(), end())
	}
	add := func(to *times, begun time.Time) { *to = append(*to, time.Since(begun)) }
	err := within(func(s index.Store) error {
		if _, err := s.Load(ctx); err != nil {
			return err
		}
		begun := time.Now()
		if err := s.Save(ctx, files, nil); err != nil {
			return err
		}
		add(&r.all, begun)
		for i := range saves {
			begun := time.Now()
			if err := s.Save(ctx, files[i%len(files):][:1], nil); err != nil {
				return err
			}
			add(&r.one, begun)
		}
		return nil
	})
	if err != nil {
		return err
	}
	begun := time.Now()
	err = within(func(s index.Store) error {
		loaded, err := s.Load(ctx)
		if err != nil {
			return err
		}
		add(&r.names, begun)
		for _, f := range loaded {
			if _, err := f.Parsed(); err != nil {
				return err
			}
		}
		add(&r.loaded, begun)
		if len(loaded) != len(files) {
			return fmt.Errorf("%d of %d files were loaded", len(loaded), len(files))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r.bytes, err = sizeOf(dir); err != nil {
		return err
	}
	return r.searching(ctx, kind, dir, project)
}

// searching measures a start until the result of a search.
func (r *storeTimes) searching(ctx context.Context, kind storeKind, dir, project string) error {
	begun := time.Now()
	store, end, err := kind.open(ctx, dir)
	if err != nil {
		return err
	}
	err = withIndex(ctx, project, store, func(x *index.Index) error {
		_, total := x.Snapshot().Search(index.Query{Text: "Handle7"})
		r.search = append(r.search, time.Since(begun))
		if total == 0 {
			return errors.New("the search has found nothing")
		}
		return nil
	})
	return errors.Join(err, end())
}

// storedFiles writes a Go project and indexes it in memory.
func storedFiles(ctx context.Context, dir string) (files []*index.File, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for i := range storeFiles {
		var text strings.Builder
		text.WriteString("package p\n")
		for k := range storeChunks {
			fmt.Fprintf(&text, "\n// Handle%d_%d answers a request.\nfunc Handle%d_%d(w Writer, r *Request) error {\n", k, i, k, i)
			text.WriteString("\tif err := check(r); err != nil {\n\t\treturn fail(w, err)\n\t}\n\treturn write(w, r.Body)\n}\n")
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%03d.go", i)), []byte(text.String()), 0o600); err != nil {
			return nil, err
		}
	}
	err = withIndex(ctx, dir, nil, func(x *index.Index) error {
		if _, err := x.Analyze(ctx, ".", index.AnalyzeOptions{}, nil); err != nil {
			return err
		}
		files = x.Snapshot().Files()
		return nil
	})
	if n := len(files); err == nil && n != storeFiles {
		err = fmt.Errorf("%d of %d files are indexed", n, storeFiles)
	}
	return files, err
}

// withIndex opens the index of a project for do. A nil store keeps it in memory.
func withIndex(ctx context.Context, project string, store index.Store, do func(*index.Index) error) error {
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{project}})
	if err != nil {
		return err
	}
	defer root.Close()
	parsers := source.NewParsers(golang.Parser{})
	defer parsers.Close()
	x, err := index.Open(ctx, root, index.Options{Parsers: parsers, Store: store})
	if err != nil {
		return err
	}
	return errors.Join(do(x), x.Close(ctx))
}

// sizeOf returns the size of all files below a directory, in bytes.
func sizeOf(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
