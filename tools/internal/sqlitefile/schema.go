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

// Schema is what is in databases of one kind, which keep what cannot be had again.
type Schema struct {
	// Application marks databases of this kind.
	Application int
	// Migrations are statements that lead from one version to the next. What was
	// published is not changed any more: more is added.
	Migrations []string
}

// errForeign says that a database must not be touched.
var errForeign = errors.New("name another file")

// How much each connection keeps in memory, how many ask at once, and how large the log
// stays that is written ahead.
const (
	cache   = "cache_size(-4000)" // 4 MB
	readers = 4
	logSize = "journal_size_limit(4194304)"
)

// Open opens the database in a file, whose directory is made if it is missing, to change
// it by one connection and to ask it by several. One that is damaged is moved aside, of
// which moved is told, and a new one is begun; one of a later version, or of something
// else, is an error.
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
	if was != nil && is != nil && os.SameFile(was, is) { // and not what another process has put there meanwhile
		aside, moving := moveAside(file)
		if moving != nil {
			return nil, nil, errors.Join(err, fmt.Errorf("moving it aside: %w", moving))
		}
		moved(aside, err)
	}
	return s.open(ctx, file)
}

// moveAside gives a database another name, the file itself last.
func moveAside(file string) (aside string, err error) {
	aside = file + ".damaged-" + time.Now().UTC().Format("20060102T150405.000000000")
	for _, suffix := range []string{"-shm", "-wal", ""} {
		if err := os.Rename(file+suffix, aside+suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return aside, nil
}

// open leaves a database that is damaged where it is.
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

// migrate makes what is missing in an older database, or in a new one.
func (s Schema) migrate(ctx context.Context, db *sql.DB) error {
	return Change(ctx, db, func(tx *sql.Tx) error {
		var version, whose, tables int
		row := tx.QueryRowContext(ctx, "SELECT v.user_version, a.application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version v, pragma_application_id a")
		if err := row.Scan(&version, &whose, &tables); err != nil {
			return err
		}
		switch {
		case whose != s.Application && (tables > 0 || version != 0):
			return fmt.Errorf("it is a database of something else: %w", errForeign)
		case version > len(s.Migrations):
			return fmt.Errorf("it has the version %d, which is later than %d, that of this program: update the program, or: %w", version, len(s.Migrations), errForeign)
		case version > 0:
			if err := Check(ctx, tx); err != nil {
				return err
			}
		}
		for _, statements := range s.Migrations[version:] {
			if _, err := tx.ExecContext(ctx, statements); err != nil {
				return fmt.Errorf("making its tables: %w", err)
			}
		}
		_, err := tx.ExecContext(ctx, "PRAGMA application_id = "+strconv.Itoa(s.Application)+"; PRAGMA user_version = "+strconv.Itoa(len(s.Migrations)))
		return err
	})
}
