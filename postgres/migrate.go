package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// migrations make the tables, one version after the other. A released migration never
// changes.
//
// Paths and names are bytes, since names of files are not always UTF-8.
var migrations = []string{`
CREATE TABLE projects (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE);

CREATE TABLE search_indexes (project int PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
	version bigint NOT NULL DEFAULT 0, manifest bytea, committers bytea NOT NULL DEFAULT '', changed timestamptz);
CREATE TABLE search_segments (project int NOT NULL REFERENCES projects ON DELETE CASCADE, number bigint NOT NULL,
	committed bool NOT NULL DEFAULT false, retired timestamptz, PRIMARY KEY (project, number));
CREATE TABLE search_pages (project int NOT NULL, number bigint NOT NULL, page int NOT NULL, data bytea NOT NULL, PRIMARY KEY (project, number, page),
	FOREIGN KEY (project, number) REFERENCES search_segments ON DELETE CASCADE);
ALTER TABLE search_pages ALTER data SET STORAGE EXTERNAL; -- it is compressed already

CREATE TABLE chunk_files (project int NOT NULL REFERENCES projects ON DELETE CASCADE, path bytea NOT NULL, content bytea NOT NULL);
CREATE UNIQUE INDEX chunk_files_path ON chunk_files (project, sha256(path));

CREATE TABLE graph_sources (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, project int NOT NULL REFERENCES projects ON DELETE CASCADE,
	path bytea NOT NULL, digest bytea NOT NULL, language bytea NOT NULL);
CREATE UNIQUE INDEX graph_sources_path ON graph_sources (project, sha256(path));
CREATE TABLE graph_symbols (source bigint NOT NULL REFERENCES graph_sources ON DELETE CASCADE, n int NOT NULL, project int NOT NULL,
	name bytea NOT NULL, chunk bytea NOT NULL, container bytea NOT NULL, signature bytea NOT NULL, kind int NOT NULL, line int NOT NULL, PRIMARY KEY (source, n));
CREATE TABLE graph_calls (source bigint NOT NULL REFERENCES graph_sources ON DELETE CASCADE, n int NOT NULL, project int NOT NULL,
	name bytea NOT NULL, caller int, line int NOT NULL, PRIMARY KEY (source, n));
CREATE TABLE graph_imports (source bigint NOT NULL REFERENCES graph_sources ON DELETE CASCADE, n int NOT NULL, path bytea NOT NULL, line int NOT NULL, PRIMARY KEY (source, n));
CREATE INDEX graph_symbols_name ON graph_symbols (project, sha256(name));
CREATE INDEX graph_symbols_chunk ON graph_symbols (project, sha256(chunk));
CREATE INDEX graph_calls_name ON graph_calls (project, sha256(name));
CREATE INDEX graph_calls_caller ON graph_calls (source, caller);

CREATE TABLE vectors (model bytea NOT NULL, key bytea NOT NULL, numbers bytea NOT NULL, used date NOT NULL DEFAULT current_date, PRIMARY KEY (model, key));
`}

// migrate brings the schema up to date; one process at a time does.
func (db *DB) migrate(ctx context.Context) error {
	return db.Change(ctx, "migrate", 0, func(ctx context.Context, tx pgx.Tx) error {
		has, err := db.version(ctx, tx)
		if err != nil {
			return err
		}
		if has > len(migrations) {
			return fmt.Errorf("the tables in the schema %q are of version %d and this program knows %d: use a newer one, or another schema", db.o.Schema, has, len(migrations))
		}
		if has == len(migrations) {
			return nil
		}
		for _, statements := range migrations[has:] {
			if _, err := tx.Exec(ctx, statements); err != nil {
				return fmt.Errorf("making the tables: %w", err)
			}
		}
		_, err = tx.Exec(ctx, "INSERT INTO version VALUES ($1)", len(migrations))
		return err
	})
}

// version is that of the tables, 0 if there are none yet.
func (db *DB) version(ctx context.Context, tx pgx.Tx) (version int, err error) {
	var schema, table bool
	err = tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1), EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'version')",
		db.o.Schema).Scan(&schema, &table)
	if err != nil {
		return 0, err
	}
	if !schema { // a user without the right to make a schema can use an existing empty one
		if _, err := tx.Exec(ctx, "CREATE SCHEMA "+pgx.Identifier{db.o.Schema}.Sanitize()); err != nil {
			return 0, fmt.Errorf("making the schema %q: %w", db.o.Schema, err)
		}
	}
	if !table {
		if _, err := tx.Exec(ctx, "CREATE TABLE version (version int NOT NULL)"); err != nil {
			return 0, fmt.Errorf("making the tables: %w", err)
		}
	}
	err = tx.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM version").Scan(&version)
	return version, err
}
