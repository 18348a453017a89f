package chunks

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// Graph keeps a graph: it is a graph.Graph. Closing it leaves the database open.
func (p *Project) Graph() graph.Graph { return &relations{Project: p} }

type relations struct {
	*Project
	digests graph.Digests
}

func (*relations) Close() error { return nil }

// graphPurpose is the name of the lock of changes to the graph of a project.
const graphPurpose = "graph"

// batch is how many files are written in one transaction.
const batch = 500

func (g *relations) Update(ctx context.Context, s *index.Snapshot) error {
	stored, err := g.stored(ctx)
	if err != nil {
		return fmt.Errorf("comparing the graph: %w", err)
	}
	changed, removed, err := g.digests.Changed(s, stored)
	if err != nil {
		return fmt.Errorf("comparing the graph: %w", err)
	}
	for len(changed)+len(removed) > 0 {
		w := writing{project: g.id, changed: changed[:min(batch, len(changed))], removed: removed[:min(batch, len(removed))]}
		changed, removed = changed[len(w.changed):], removed[len(w.removed):]
		if err := g.db.Change(ctx, graphPurpose, g.id, w.write); err != nil {
			return fmt.Errorf("writing the graph: %w", err)
		}
	}
	return nil
}

// stored are the digests of the files that the graph has.
func (g *relations) stored(ctx context.Context) (map[string]string, error) {
	type src struct{ path, digest []byte }
	list, err := collect(ctx, g, func(row pgx.CollectableRow) (s src, err error) {
		return s, row.Scan(&s.path, &s.digest)
	}, "SELECT path, digest FROM graph_sources WHERE project = $1", g.id)
	stored := make(map[string]string, len(list))
	for _, s := range list {
		stored[string(s.path)] = string(s.digest)
	}
	return stored, err
}

// collect answers the rows of a query, which is asked again if the connection is lost.
func collect[T any](ctx context.Context, g *relations, read pgx.RowToFunc[T], query string, args ...any) (list []T, err error) {
	err = g.db.Read(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, query, args...)
		if err == nil {
			list, err = pgx.AppendRows([]T(nil), rows, read)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("asking the graph: %w", err)
	}
	return list, nil
}

func (g *relations) Declared(ctx context.Context, name string, limit int) ([]graph.Symbol, error) {
	return collect(ctx, g, func(row pgx.CollectableRow) (graph.Symbol, error) {
		var id, container, signature, file, language []byte
		var kind, line int32
		err := row.Scan(&id, &container, &signature, &file, &language, &kind, &line)
		return graph.Symbol{ID: string(id), Name: name, Container: string(container), Signature: string(signature), File: string(file),
			Language: source.Language(language), Kind: source.Kind(kind), Line: line}, err
	}, `SELECT s.chunk, s.container, s.signature, f.path, f.language, s.kind, s.line FROM graph_symbols s JOIN graph_sources f ON f.id = s.source
		WHERE s.project = $1 AND sha256(s.name) = $2 AND s.kind < $3 ORDER BY f.path, s.line, s.n LIMIT $4`, g.id, digest(name), int32(source.Property), limit)
}

const selectCalls = `SELECT c.name, coalesce(s.chunk, ''), f.path, f.language, c.line FROM graph_calls c JOIN graph_sources f ON f.id = c.source
	LEFT JOIN graph_symbols s ON s.source = c.source AND s.n = c.caller `

func (g *relations) Calls(ctx context.Context, name string, limit int) ([]graph.Call, error) {
	return collect(ctx, g, readCall, selectCalls+"WHERE c.project = $1 AND sha256(c.name) = $2 ORDER BY f.path, c.line, c.n LIMIT $3", g.id, digest(name), limit)
}

func (g *relations) Called(ctx context.Context, id string, limit int) ([]graph.Call, error) {
	return collect(ctx, g, readCall, selectCalls+`WHERE (c.source, c.caller) = (SELECT source, n FROM graph_symbols WHERE project = $1 AND sha256(chunk) = $2 ORDER BY source, n LIMIT 1)
		ORDER BY c.line, c.n LIMIT $3`, g.id, digest(id), limit)
}

func readCall(row pgx.CollectableRow) (graph.Call, error) {
	var name, caller, file, language []byte
	var line int32
	err := row.Scan(&name, &caller, &file, &language, &line)
	return graph.Call{Name: string(name), Caller: string(caller), File: string(file), Language: source.Language(language), Line: line}, err
}

func (g *relations) Imports(ctx context.Context, file string) ([]source.Import, error) {
	return collect(ctx, g, func(row pgx.CollectableRow) (source.Import, error) {
		var path []byte
		var line int32
		err := row.Scan(&path, &line)
		return source.Import{Path: string(path), Line: line}, err
	}, "SELECT path, line FROM graph_imports WHERE source = (SELECT id FROM graph_sources WHERE project = $1 AND sha256(path) = $2) ORDER BY line, n", g.id, digest(file))
}
