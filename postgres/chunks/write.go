package chunks

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/dougu-go/dougu/tools/chunking/graph"
)

// writing is the relations of some files, and files that are gone.
type writing struct {
	project int32
	changed []graph.Source
	removed []string

	ids                     []int64 // of the changed files
	symbols, calls, imports [][]any
}

// write replaces the records of the changed and removed files.
func (w *writing) write(ctx context.Context, tx pgx.Tx) error {
	gone := make([][]byte, 0, len(w.changed)+len(w.removed))
	for _, f := range w.changed {
		gone = append(gone, digest(f.Path))
	}
	for _, path := range w.removed {
		gone = append(gone, digest(path))
	}
	if _, err := tx.Exec(ctx, "DELETE FROM graph_sources WHERE project = $1 AND sha256(path) = ANY ($2)", w.project, gone); err != nil {
		return err
	}
	if err := w.sources(ctx, tx); err != nil {
		return err
	}
	for i := range w.changed {
		w.file(w.ids[i], &w.changed[i])
	}
	for _, table := range []struct {
		name    string
		columns []string
		rows    [][]any
	}{
		{"graph_symbols", []string{"source", "n", "project", "name", "chunk", "container", "signature", "kind", "line"}, w.symbols},
		{"graph_calls", []string{"source", "n", "project", "name", "caller", "line"}, w.calls},
		{"graph_imports", []string{"source", "n", "path", "line"}, w.imports},
	} {
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{table.name}, table.columns, pgx.CopyFromRows(table.rows)); err != nil {
			return err
		}
	}
	return nil
}

// sources writes the files, which get their numbers.
func (w *writing) sources(ctx context.Context, tx pgx.Tx) error {
	w.ids = make([]int64, len(w.changed))
	rows := new(pgx.Batch)
	for i, f := range w.changed {
		rows.Queue("INSERT INTO graph_sources (project, path, digest, language) VALUES ($1, $2, $3, $4) RETURNING id",
			w.project, []byte(f.Path), []byte(f.Digest), []byte(f.Language)).QueryRow(func(row pgx.Row) error { return row.Scan(&w.ids[i]) })
	}
	return tx.SendBatch(ctx, rows).Close()
}

// file notes the relations of a file.
func (w *writing) file(id int64, f *graph.Source) {
	declares := make(map[int32]bool)
	for i := range f.Parsed.Chunks {
		c := &f.Parsed.Chunks[i]
		if !graph.Declares(c) {
			continue
		}
		declares[int32(i)] = true
		w.symbols = append(w.symbols, []any{id, int32(i), w.project, []byte(c.Name), []byte(f.ID(i)), []byte(c.Container), []byte(c.Signature), int32(c.Kind), c.Line})
	}
	for i, c := range f.Parsed.Calls {
		var caller any
		if declares[c.Chunk] {
			caller = c.Chunk
		}
		w.calls = append(w.calls, []any{id, int32(i), w.project, []byte(c.Name), caller, c.Line})
	}
	for i, n := range f.Parsed.Imports {
		w.imports = append(w.imports, []any{id, int32(i), []byte(n.Path), n.Line})
	}
}
