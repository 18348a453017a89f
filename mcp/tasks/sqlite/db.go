package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/sqlitefile"
	"github.com/dougu-go/dougu/mcp/tasks"
)

// application marks the databases of this package.
const application = 0x7461736b

// migrations lead from one version to the next. What was published is not changed any more: more is added.
var migrations = [...]string{`
CREATE TABLE tasks (id TEXT PRIMARY KEY, principal TEXT NOT NULL, owner TEXT NOT NULL, version INTEGER NOT NULL, ended INTEGER NOT NULL,
	created INTEGER NOT NULL, expires INTEGER NOT NULL, changed INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX tasks_principal ON tasks (principal, created, id);
CREATE INDEX tasks_expires ON tasks (expires);
CREATE INDEX tasks_changed ON tasks (changed) WHERE changed > 0;
CREATE INDEX tasks_running ON tasks (owner) WHERE ended = 0;
CREATE TABLE owners (id TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE clock (changes INTEGER NOT NULL);
INSERT INTO clock VALUES (0);
`}

// errForeign says that a database must not be touched.
var errForeign = errors.New("name another file")

// Options configure a DB. The zero value has the defaults.
type Options struct {
	// MaxBytes bounds what is kept of one task, in bytes. Default 32 MiB.
	MaxBytes int
	// Poll is how soon what other processes change is heard of, while somebody
	// watches. Default 200 ms.
	Poll time.Duration
	// Log is told what is not in order but was helped; nil is nobody.
	Log *slog.Logger
}

// DB is a database. It is a tasks.Store, and may be used concurrently.
type DB struct {
	options Options
	file    string
	write   *sql.DB // one connection, whose transactions wait for those of other processes at their beginning
	read    *sql.DB

	mu       sync.Mutex
	watchers map[int64]func(tasks.Record)
	last     int64
	unwatch  context.CancelFunc // ends polling; nil while nobody watches
	work     group.Group
	closed   bool
}

var _ tasks.Store = (*DB)(nil)

// Open opens the database in a file, whose directory is made if it is missing. One that is damaged is moved aside, which the
// log tells, and a new one is begun; one of a later version, or of something else, is an error.
func Open(ctx context.Context, file string, o Options) (*DB, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 32 << 20
	}
	if o.Poll <= 0 {
		o.Poll = 200 * time.Millisecond
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &DB{options: o, file: file, watchers: make(map[int64]func(tasks.Record))}
	d.work.OnPanic = func(value any, stack []byte) {
		o.Log.Error("panic while tasks are watched", "panic", value, "stack", string(stack))
	}
	if err := d.open(ctx); err != nil {
		return nil, fmt.Errorf("opening the database of tasks %s: %w", file, err)
	}
	return d, nil
}

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
		d.options.Log.Warn("the database of tasks is damaged; it was moved aside and a new one begun", "file", d.file, "moved to", aside, "error", err)
	}
	return d.openAsIs(ctx)
}

// openAsIs opens the database, and leaves one that is damaged where it is.
func (d *DB) openAsIs(ctx context.Context) error {
	const cache = "cache_size(-4000)" // 4 MB a connection
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

// migrate makes what is missing in an older database, or in a new one.
func (d *DB) migrate(ctx context.Context) error {
	return sqlitefile.Change(ctx, d.write, func(tx *sql.Tx) error {
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

// Close closes the database, which no runner may use any more.
func (d *DB) Close() error {
	d.mu.Lock()
	d.closed = true
	if d.unwatch != nil {
		d.unwatch()
		d.unwatch = nil
	}
	d.mu.Unlock()
	d.work.Wait()
	if err := errors.Join(d.read.Close(), d.write.Close()); err != nil {
		return fmt.Errorf("closing the database of tasks %s: %w", d.file, err)
	}
	return nil
}
