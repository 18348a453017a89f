package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/tools/internal/sqlitefile"
)

// schema has the tables of a task database. Application is the number in the header of the file by
// which Open recognizes it. Migrations run once for each file, in order: a later column is a
// further migration.
//
// owner is the tasks.Runner that runs a task, in one server process. owners.until is the time, in
// milliseconds, up to which it counts as alive. clock.changes counts the updates of all tasks, and
// tasks.changed is that number at the last update of the task.
var schema = sqlitefile.Schema{Application: 0x7461736b, Migrations: []string{`
CREATE TABLE tasks (id TEXT PRIMARY KEY, principal TEXT NOT NULL, owner TEXT NOT NULL, version INTEGER NOT NULL, ended INTEGER NOT NULL,
	created INTEGER NOT NULL, expires INTEGER NOT NULL, changed INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX tasks_principal ON tasks (principal, created, id);
CREATE INDEX tasks_expires ON tasks (expires);
CREATE INDEX tasks_changed ON tasks (changed) WHERE changed > 0;
CREATE INDEX tasks_running ON tasks (owner) WHERE ended = 0;
CREATE TABLE owners (id TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE clock (changes INTEGER NOT NULL);
INSERT INTO clock VALUES (0);
`}}

// Options configure a DB. The zero value has the defaults.
type Options struct {
	// MaxBytes limits the data of one task, in bytes. Create and Update of a larger task
	// return tasks.ErrFull. Default:
	// 32 MiB.
	MaxBytes int
	// PollInterval is the time between two queries for changes of other processes, while a watcher
	// exists. Default: 200 ms.
	PollInterval time.Duration
	// Log receives warnings, for example about a damaged database. Default: no log.
	Log *slog.Logger
}

// DB is a database of tasks. It is a tasks.Store and safe for concurrent use.
type DB struct {
	options Options
	file    string
	write   *sql.DB // one connection; its transactions wait for other processes at BEGIN
	read    *sql.DB // parallel queries

	mu          sync.Mutex // guards the fields below, apart from work
	watchers    map[int64]func(tasks.Record)
	last        int64              // number of the newest watcher
	stopPolling context.CancelFunc // nil without watchers
	work        group.Group
	closed      bool
}

var _ tasks.Store = (*DB)(nil)

// Open opens the database in a file, and creates the file and its directory if necessary. A damaged
// database is renamed with a log message, and a new one is created. A database of a later version
// or of another program is an error.
func Open(ctx context.Context, file string, o Options) (*DB, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 32 << 20
	}
	if o.PollInterval <= 0 {
		o.PollInterval = 200 * time.Millisecond
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &DB{options: o, file: file, watchers: make(map[int64]func(tasks.Record))}
	d.work.OnPanic = func(value any, stack []byte) {
		o.Log.Error("panic while polling for task changes", "panic", value, "stack", string(stack))
	}
	var err error
	d.write, d.read, err = schema.Open(ctx, file, func(aside string, why error) {
		o.Log.Warn("the task database is damaged; it was renamed and a new one was created", "file", file, "moved to", aside, "error", why)
	})
	if err != nil {
		return nil, fmt.Errorf("opening the task database %s: %w", file, err)
	}
	return d, nil
}

// Close closes the database. The caller closes every tasks.Runner that uses it first.
func (d *DB) Close() error {
	d.mu.Lock()
	d.closed = true
	if d.stopPolling != nil {
		d.stopPolling()
		d.stopPolling = nil
	}
	d.mu.Unlock()
	d.work.Wait()
	if err := errors.Join(d.read.Close(), d.write.Close()); err != nil {
		return fmt.Errorf("closing the task database %s: %w", d.file, err)
	}
	return nil
}
