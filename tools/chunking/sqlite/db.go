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
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// version is that of the tables. A database of another one is begun anew.
const version = 2

// DB is a database. It may be used by several goroutines at once.
type DB struct {
	db *sql.DB
}

// errAnew says that a database has to be begun anew.
var errAnew = errors.New("it has to be begun anew")

// Open opens the database in a file, whose directory is made if it is missing. A
// database that is damaged, or of another version, is begun anew; one that cannot
// be opened for other reasons is left as it is.
func Open(ctx context.Context, file string) (*DB, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("making the directory of the database: %w", err)
	}
	db, err := open(ctx, file)
	if err == nil || !errors.Is(err, errAnew) || ctx.Err() != nil {
		return db, err
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(file + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("beginning the database anew: %w", err)
		}
	}
	return open(ctx, file)
}

// Waiting for other processes that use the database.
const (
	patience = 10 * time.Second
	pause    = 20 * time.Millisecond
)

// open opens the database as it is. Two processes that make it at once can be in
// each other's way although they wait: then it is tried again.
func open(ctx context.Context, file string) (*DB, error) {
	if err := ownerOnly(file); err != nil {
		return nil, err
	}
	for late := time.Now().Add(patience); ; {
		db, err := openOnce(ctx, file)
		if err == nil || !busy(err) || time.Now().After(late) {
			return db, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

func openOnce(ctx context.Context, file string) (*DB, error) {
	options := url.Values{
		"_pragma": {"busy_timeout(" + strconv.FormatInt(patience.Milliseconds(), 10) + ")", "journal_mode(wal)", "synchronous(normal)", "foreign_keys(on)", "trusted_schema(off)", "cell_size_check(on)", "cache_size(-16000)"},
		// All transactions write: they wait for each other at their beginning.
		"_txlock": {"immediate"},
	}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath(), RawQuery: options.Encode()}
	handle, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, fmt.Errorf("opening the database %s: %w", file, err)
	}
	db := &DB{handle}
	if err := db.prepare(ctx); err != nil {
		if damaged(err) {
			err = errors.Join(err, errAnew)
		}
		return nil, errors.Join(fmt.Errorf("preparing the database %s: %w", file, err), handle.Close())
	}
	return db, nil
}

// primary is the code of an error of SQLite without what details it; 0 for other
// errors.
func primary(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

func busy(err error) bool {
	code := primary(err)
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED
}

func damaged(err error) bool {
	code := primary(err)
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB || code == sqlite3.SQLITE_FORMAT
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

// tableCount is how many tables and indexes there are in tables.
const tableCount = 13

// prepare makes the tables of a new database, and refuses one that is damaged or
// of another version.
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
			return check(ctx, tx)
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

func check(ctx context.Context, tx *sql.Tx) error {
	var damage string
	if err := tx.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&damage); err != nil {
		return err
	}
	if damage != "ok" {
		return fmt.Errorf("it is damaged: %s: %w", damage, errAnew)
	}
	return nil
}

// change makes changes all together or not at all.
func (d *DB) change(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		if undone := tx.Rollback(); !errors.Is(undone, sql.ErrTxDone) { // as it is when ctx has ended
			err = errors.Join(err, undone)
		}
		return err
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
