package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/dougu-go/dougu/tools/internal/sqlitefile"
)

// version is the version of the tables. A database of another version is recreated.
const version = 3

// DB is an SQLite database with an index and a graph. Its methods are safe for
// concurrent use.
type DB struct {
	db   *sql.DB
	anew atomic.Bool // a damaged database was replaced, and nothing was saved since
}

// errAnew reports that the database must be recreated.
var errAnew = errors.New("the database must be recreated")

// Open opens the database in a file and creates missing directories. A damaged
// database, or one of another version, is recreated. If the database cannot be opened
// for another reason, it stays unchanged and Open returns the error.
func Open(ctx context.Context, file string) (*DB, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("making the directory of the database: %w", err)
	}
	db, err := open(ctx, file)
	if !errors.Is(err, errAnew) && !errors.Is(err, sqlitefile.ErrDamaged) || ctx.Err() != nil {
		return db, err
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(file + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("beginning the database anew: %w", err)
		}
	}
	anew, openErr := open(ctx, file)
	if openErr == nil {
		anew.anew.Store(errors.Is(err, sqlitefile.ErrDamaged))
	}
	return anew, openErr
}

// open opens the database without recreating it.
func open(ctx context.Context, file string) (*DB, error) {
	var db *DB
	err := sqlitefile.Open(ctx, file, func() error {
		handle, err := sqlitefile.Writer(file, "foreign_keys(on)", "cache_size(-16000)")
		if err != nil {
			return err
		}
		db = &DB{db: handle}
		if err := db.prepare(ctx); err != nil {
			return errors.Join(err, handle.Close())
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("opening the database %s: %w", file, err)
	}
	return db, nil
}

const tables = `
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, content BLOB NOT NULL);
CREATE TABLE sources (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, digest BLOB NOT NULL, language TEXT NOT NULL);
CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE symbols (id INTEGER PRIMARY KEY, source INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE, name INTEGER NOT NULL REFERENCES names,
	chunk TEXT NOT NULL, container TEXT NOT NULL, signature TEXT NOT NULL, kind INTEGER NOT NULL, line INTEGER NOT NULL);
CREATE TABLE calls (source INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE, name INTEGER NOT NULL REFERENCES names, caller INTEGER, line INTEGER NOT NULL);
CREATE TABLE imports (source INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE, path TEXT NOT NULL, line INTEGER NOT NULL);
CREATE INDEX symbols_source ON symbols (source);
CREATE INDEX symbols_name ON symbols (name);
CREATE INDEX symbols_chunk ON symbols (chunk);
CREATE INDEX calls_source ON calls (source);
CREATE INDEX calls_name ON calls (name);
CREATE INDEX calls_caller ON calls (caller);
CREATE INDEX imports_source ON imports (source);
`

// tableCount is the number of tables and indexes in tables.
const tableCount = 13

// prepare creates the tables of a new database. It returns errAnew for another version or
// other tables, and sqlitefile.ErrDamaged for damaged content.
func (d *DB) prepare(ctx context.Context) error {
	return d.change(ctx, func(tx *sql.Tx) error {
		var is, has int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&is); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").Scan(&has); err != nil {
			return err
		}
		switch {
		case is == version && has == tableCount:
			return sqlitefile.Check(ctx, tx)
		case is != 0 || has != 0:
			return fmt.Errorf("it has the version %d and %d tables: %w", is, has, errAnew)
		}
		if _, err := tx.ExecContext(ctx, tables); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "PRAGMA user_version = "+strconv.Itoa(version))
		return err
	})
}

// change runs do in a transaction.
func (d *DB) change(ctx context.Context, do func(tx *sql.Tx) error) error {
	return sqlitefile.Change(ctx, d.db, do)
}

// Close closes the database. Store and Graph fail afterwards.
func (d *DB) Close() error { return d.db.Close() }

// each calls row for each row of a query.
func (d *DB) each(ctx context.Context, row func(scan func(...any) error) error, query string, args ...any) error {
	return sqlitefile.Each(ctx, d.db, row, query, args...)
}
