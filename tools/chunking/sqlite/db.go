package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	_ "modernc.org/sqlite" // the driver
)

// version is that of the tables. A database of another one is begun anew.
const version = 1

// DB is a database. It may be used by several goroutines at once.
type DB struct {
	db *sql.DB
}

// Open opens the database in a file, whose directory is made if it is missing.
func Open(ctx context.Context, file string) (*DB, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("making the directory of the database: %w", err)
	}
	db, err := open(ctx, file)
	if err == nil {
		return db, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(file + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("beginning the database anew: %w", err)
		}
	}
	return open(ctx, file)
}

// open opens the database as it is.
func open(ctx context.Context, file string) (*DB, error) {
	if err := ownerOnly(file); err != nil {
		return nil, err
	}
	pragmas := url.Values{"_pragma": {"busy_timeout(10000)", "journal_mode(wal)", "synchronous(normal)", "foreign_keys(on)", "trusted_schema(off)", "cell_size_check(on)", "cache_size(-16000)"}}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath(), RawQuery: pragmas.Encode()}
	handle, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, fmt.Errorf("opening the database %s: %w", file, err)
	}
	db := &DB{handle}
	if err := db.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("preparing the database %s: %w", file, err), handle.Close())
	}
	return db, nil
}

// ownerOnly makes the file, if it is missing, so that nobody else can read it.
func ownerOnly(file string) error {
	made, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("opening the database: %w", err)
	}
	return made.Close()
}

const tables = `
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, content BLOB NOT NULL);
CREATE TABLE sources (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, hash BLOB NOT NULL, language TEXT NOT NULL);
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

// prepare makes the tables of a new database, and refuses one that is damaged or
// of another version.
func (d *DB) prepare(ctx context.Context) error {
	return d.change(ctx, func(tx *sql.Tx) error {
		var is int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&is); err != nil {
			return err
		}
		if is == version {
			var damage string
			if err := tx.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&damage); err != nil || damage != "ok" {
				return fmt.Errorf("it is damaged: %s: %w", damage, errors.Join(err, errors.ErrUnsupported))
			}
			return nil
		}
		if is != 0 {
			return fmt.Errorf("it has the version %d", is)
		}
		if _, err := tx.ExecContext(ctx, tables); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "PRAGMA user_version = "+strconv.Itoa(version))
		return err
	})
}

// change makes changes all together or not at all.
func (d *DB) change(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Close closes the database. The Store and the Graph cannot be used any more.
func (d *DB) Close() error { return d.db.Close() }

// each calls a function with each row of a query.
func (d *DB) each(ctx context.Context, row func(scan func(...any) error) error, query string, args ...any) (err error) {
	rows, err := d.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
