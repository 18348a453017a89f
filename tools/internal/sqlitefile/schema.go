package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Schema describes databases of one kind. Use it for data that cannot be computed again.
type Schema struct {
	// Application is the application_id that marks databases of this kind.
	Application int
	// Migrations are SQL statements, each from one version to the next. Published migrations must not change; append new ones.
	Migrations []string
}

// errForeign is the end of errors about files that must not be changed.
var errForeign = errors.New("name another file")

// Settings of the connections: page cache, number of readers, size of the write-ahead log.
const (
	cache   = "cache_size(-4000)" // 4 MB
	readers = 4
	logSize = "journal_size_limit(4194304)"
)

// Open opens the database in a file, for writing with one connection and for reading with several. It creates the directory and the
// file. A damaged database is renamed, moved is called, and a new one is created. A database of a later version or of another
// application is an error.
func (s Schema) Open(ctx context.Context, file string, moved func(aside string, why error)) (write, read *sql.DB, err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, nil, err
	}
	was, _ := os.Stat(file)
	write, read, err = s.open(ctx, file)
	if !errors.Is(err, ErrDamaged) || ctx.Err() != nil {
		return write, read, err
	}
	is, _ := os.Stat(file)
	if was != nil && is != nil && os.SameFile(was, is) { // not a file that another process created in the meantime
		aside, moving := moveAside(file)
		if moving != nil {
			return nil, nil, errors.Join(err, fmt.Errorf("moving it aside: %w", moving))
		}
		moved(aside, err)
	}
	return s.open(ctx, file)
}

// moveAside renames a database and its companion files; the database last.
func moveAside(file string) (aside string, err error) {
	aside = file + ".damaged-" + time.Now().UTC().Format("20060102T150405.000000000")
	for _, suffix := range []string{"-shm", "-wal", ""} {
		if err := os.Rename(file+suffix, aside+suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return aside, nil
}

// open opens the database and does not replace a damaged one.
func (s Schema) open(ctx context.Context, file string) (write, read *sql.DB, err error) {
	err = Open(ctx, file, func() (err error) {
		if write, err = Writer(file, cache, logSize); err != nil {
			return err
		}
		write.SetMaxOpenConns(1)
		if err = s.migrate(ctx, write); err == nil {
			read, err = Reader(file, cache)
		}
		if err != nil {
			return errors.Join(err, write.Close())
		}
		read.SetMaxOpenConns(readers)
		read.SetMaxIdleConns(readers)
		return nil
	})
	return write, read, err
}

// migrate runs the missing migrations.
func (s Schema) migrate(ctx context.Context, db *sql.DB) error {
	return Change(ctx, db, func(tx *sql.Tx) error {
		var version, whose, tables int
		row := tx.QueryRowContext(ctx, "SELECT v.user_version, a.application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version v, pragma_application_id a")
		if err := row.Scan(&version, &whose, &tables); err != nil {
			return err
		}
		switch {
		case whose != s.Application && (tables > 0 || version != 0):
			return fmt.Errorf("the database belongs to another application: %w", errForeign)
		case version > len(s.Migrations):
			return fmt.Errorf("the database has version %d, this program supports versions up to %d: update the program, or: %w", version, len(s.Migrations), errForeign)
		case version > 0:
			if err := Check(ctx, tx); err != nil {
				return err
			}
		}
		for _, statements := range s.Migrations[version:] {
			if _, err := tx.ExecContext(ctx, statements); err != nil {
				return fmt.Errorf("create tables: %w", err)
			}
		}
		_, err := tx.ExecContext(ctx, "PRAGMA application_id = "+strconv.Itoa(s.Application)+"; PRAGMA user_version = "+strconv.Itoa(len(s.Migrations)))
		return err
	})
}
