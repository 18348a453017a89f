package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/internal/sqlitefile"
)

// application marks the databases of this package.
const application = 0x4b75726f

// migrations lead from one version to the next. What was published is not changed any more: more is added.
var migrations = [...]string{`
CREATE TABLE groups (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, active INTEGER NOT NULL, created TEXT NOT NULL,
	revision INTEGER NOT NULL, content TEXT NOT NULL);
CREATE TABLE agents (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, group_id TEXT NOT NULL, role TEXT NOT NULL, status TEXT NOT NULL,
	outcome TEXT NOT NULL, ended INTEGER NOT NULL, created TEXT NOT NULL, version INTEGER NOT NULL, search BLOB NOT NULL, content TEXT NOT NULL);
CREATE INDEX agents_group ON agents (group_id, seq);
CREATE INDEX agents_ended ON agents (ended, created);
CREATE INDEX agents_created ON agents (created);
`}

// errForeign says that a database must not be touched.
var errForeign = errors.New("name another file")

// open opens the database; if it is damaged, a new one in its place.
func (d *DB) open(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(d.file), 0o700); err != nil {
		return err
	}
	was, _ := os.Stat(d.file)
	err := d.openAsIs(ctx)
	if !errors.Is(err, sqlitefile.ErrDamaged) || ctx.Err() != nil {
		return err
	}
	is, _ := os.Stat(d.file)
	if was != nil && is != nil && os.SameFile(was, is) { // and not what another process has put there meanwhile
		aside := d.file + ".damaged-" + time.Now().UTC().Format("20060102T150405.000000000")
		for _, suffix := range []string{"-shm", "-wal", ""} {
			if moving := os.Rename(d.file+suffix, aside+suffix); moving != nil && !errors.Is(moving, os.ErrNotExist) {
				return errors.Join(err, fmt.Errorf("moving it aside: %w", moving))
			}
		}
		d.options.Log.Warn("the database of agents is damaged; it was moved aside and a new one begun", "file", d.file, "moved to", aside, "error", err)
	}
	return d.openAsIs(ctx)
}

// openAsIs opens the database, and leaves one that is damaged where it is.
func (d *DB) openAsIs(ctx context.Context) error {
	return sqlitefile.Open(ctx, d.file, func() (err error) {
		if d.write, err = sqlitefile.Writer(d.file, cache, "journal_size_limit(4194304)"); err != nil {
			return err
		}
		d.write.SetMaxOpenConns(1)
		if err = d.migrate(ctx); err == nil {
			d.read, err = sqlitefile.Reader(d.file, cache)
		}
		if err != nil {
			return errors.Join(err, d.write.Close())
		}
		d.read.SetMaxOpenConns(4)
		d.read.SetMaxIdleConns(4)
		return nil
	})
}

// cache is what each connection may keep in memory: 4 MB.
const cache = "cache_size(-4000)"

// migrate makes what is missing in an older database, or in a new one.
func (d *DB) migrate(ctx context.Context) error {
	return d.change(ctx, func(tx *sql.Tx) error {
		var version, whose, tables int
		row := tx.QueryRowContext(ctx, "SELECT v.user_version, a.application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version v, pragma_application_id a")
		if err := row.Scan(&version, &whose, &tables); err != nil {
			return err
		}
		switch {
		case whose != application && (tables > 0 || version != 0):
			return fmt.Errorf("it is a database of something else: %w", errForeign)
		case version > len(migrations):
			return fmt.Errorf("it has the version %d, which is later than %d, that of this program: update the program, or: %w", version, len(migrations), errForeign)
		case version > 0:
			if err := sqlitefile.Check(ctx, tx); err != nil {
				return err
			}
		}
		for _, statements := range migrations[version:] {
			if _, err := tx.ExecContext(ctx, statements); err != nil {
				return fmt.Errorf("making its tables: %w", err)
			}
		}
		_, err := tx.ExecContext(ctx, "PRAGMA application_id = "+strconv.Itoa(application)+"; PRAGMA user_version = "+strconv.Itoa(len(migrations)))
		return err
	})
}
