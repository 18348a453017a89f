package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// Graph returns the database as a graph.Graph. Closing the graph leaves the database
// open.
func (d *DB) Graph() graph.Graph { return &relations{DB: d} }

type relations struct {
	*DB
	digests graph.Digests
}

func (*relations) Close() error { return nil }

// batch is the number of files in one transaction.
const batch = 500

func (g *relations) Update(ctx context.Context, s *index.Snapshot) error {
	changed, removed, err := g.differences(ctx, s)
	if err != nil {
		return fmt.Errorf("comparing the graph: %w", err)
	}
	for len(changed)+len(removed) > 0 {
		now, gone := changed[:min(batch, len(changed))], removed[:min(batch, len(removed))]
		changed, removed = changed[len(now):], removed[len(gone):]
		if err := g.change(ctx, func(tx *sql.Tx) error { return write(ctx, tx, now, gone) }); err != nil {
			return fmt.Errorf("writing the graph: %w", err)
		}
	}
	return nil
}

// differences returns the files and paths that differ between a Snapshot and the graph.
func (g *relations) differences(ctx context.Context, s *index.Snapshot) (changed []graph.Source, removed []string, err error) {
	known := make(map[string]string)
	err = g.each(ctx, func(scan func(...any) error) error {
		var path, digest string
		if err := scan(&path, &digest); err != nil {
			return err
		}
		known[path] = digest
		return nil
	}, "SELECT path, digest FROM sources")
	if err != nil {
		return nil, nil, err
	}
	return g.digests.Changed(s, known)
}

// writer writes the relations of files in one transaction.
type writer struct {
	ctx                                     context.Context
	insertSource, insertName, findName      *sql.Stmt
	insertSymbol, insertCall, insertImports *sql.Stmt
	names                                   map[string]int64
}

func write(ctx context.Context, tx *sql.Tx, changed []graph.Source, removed []string) error {
	for _, path := range removed {
		if _, err := tx.ExecContext(ctx, "DELETE FROM sources WHERE path = ?", path); err != nil {
			return err
		}
	}
	w := writer{ctx: ctx, names: make(map[string]int64)}
	for into, query := range map[**sql.Stmt]string{
		&w.insertSource:  "INSERT INTO sources (path, digest, language) VALUES (?, ?, ?)",
		&w.insertName:    "INSERT INTO names (name) VALUES (?)",
		&w.findName:      "SELECT id FROM names WHERE name = ?",
		&w.insertSymbol:  "INSERT INTO symbols (source, name, chunk, container, signature, kind, line) VALUES (?, ?, ?, ?, ?, ?, ?)",
		&w.insertCall:    "INSERT INTO calls (source, name, caller, line) VALUES (?, ?, ?, ?)",
		&w.insertImports: "INSERT INTO imports (source, path, line) VALUES (?, ?, ?)",
	} {
		prepared, err := tx.PrepareContext(ctx, query)
		if err != nil {
			return err
		}
		defer prepared.Close()
		*into = prepared
	}
	for _, f := range changed {
		if _, err := tx.ExecContext(ctx, "DELETE FROM sources WHERE path = ?", f.Path); err != nil {
			return err
		}
		if err := w.file(f); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return nil
}

func (w *writer) file(f graph.Source) error {
	src, err := w.insert(w.insertSource, f.Path, []byte(f.Digest), string(f.Language))
	if err != nil {
		return err
	}
	symbols := make(map[int32]int64)
	for i := range f.Parsed.Chunks {
		c := &f.Parsed.Chunks[i]
		if !graph.Declares(c) {
			continue
		}
		name, err := w.name(c.Name)
		if err != nil {
			return err
		}
		if symbols[int32(i)], err = w.insert(w.insertSymbol, src, name, f.ID(i), c.Container, c.Signature, int(c.Kind), c.Line); err != nil {
			return err
		}
	}
	for _, c := range f.Parsed.Calls {
		name, err := w.name(c.Name)
		if err != nil {
			return err
		}
		var caller any
		if id, ok := symbols[c.Chunk]; ok {
			caller = id
		}
		if _, err := w.insertCall.ExecContext(w.ctx, src, name, caller, c.Line); err != nil {
			return err
		}
	}
	for _, i := range f.Parsed.Imports {
		if _, err := w.insertImports.ExecContext(w.ctx, src, i.Path, i.Line); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) insert(stmt *sql.Stmt, args ...any) (int64, error) {
	done, err := stmt.ExecContext(w.ctx, args...)
	if err != nil {
		return 0, err
	}
	return done.LastInsertId()
}

// name returns the row number of a name and inserts the name if necessary.
func (w *writer) name(text string) (int64, error) {
	if id, ok := w.names[text]; ok {
		return id, nil
	}
	var id int64
	err := w.findName.QueryRowContext(w.ctx, text).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		id, err = w.insert(w.insertName, text)
	}
	w.names[text] = id
	return id, err
}

func (g *relations) Declared(ctx context.Context, name string, limit int) (found []graph.Symbol, err error) {
	err = g.each(ctx, func(scan func(...any) error) error {
		s := graph.Symbol{Name: name}
		var kind int
		if err := scan(&s.ID, &s.Container, &s.Signature, &s.File, &s.Language, &kind, &s.Line); err != nil {
			return err
		}
		s.Kind = source.Kind(kind)
		found = append(found, s)
		return nil
	}, `SELECT s.chunk, s.container, s.signature, f.path, f.language, s.kind, s.line FROM symbols s JOIN sources f ON f.id = s.source
		WHERE s.name = (SELECT id FROM names WHERE name = ?) AND s.kind < ? ORDER BY f.path, s.line, s.id LIMIT ?`, name, int(source.Property), limit)
	return found, err
}

const selectCalls = `SELECT n.name, coalesce(s.chunk, ''), f.path, f.language, c.line FROM calls c JOIN sources f ON f.id = c.source
	JOIN names n ON n.id = c.name LEFT JOIN symbols s ON s.id = c.caller `

func (g *relations) Calls(ctx context.Context, name string, limit int) ([]graph.Call, error) {
	return g.calls(ctx, selectCalls+"WHERE c.name = (SELECT id FROM names WHERE name = ?) ORDER BY f.path, c.line, c.rowid LIMIT ?", name, limit)
}

func (g *relations) Called(ctx context.Context, id string, limit int) ([]graph.Call, error) {
	return g.calls(ctx, selectCalls+"WHERE c.caller = (SELECT id FROM symbols WHERE chunk = ?) ORDER BY c.line, c.rowid LIMIT ?", id, limit)
}

func (g *relations) calls(ctx context.Context, query string, args ...any) (found []graph.Call, err error) {
	err = g.each(ctx, func(scan func(...any) error) error {
		var c graph.Call
		if err := scan(&c.Name, &c.Caller, &c.File, &c.Language, &c.Line); err != nil {
			return err
		}
		found = append(found, c)
		return nil
	}, query, args...)
	return found, err
}

func (g *relations) Imports(ctx context.Context, file string) (found []source.Import, err error) {
	err = g.each(ctx, func(scan func(...any) error) error {
		var i source.Import
		if err := scan(&i.Path, &i.Line); err != nil {
			return err
		}
		found = append(found, i)
		return nil
	}, "SELECT path, line FROM imports WHERE source = (SELECT id FROM sources WHERE path = ?) ORDER BY line, rowid", file)
	return found, err
}
