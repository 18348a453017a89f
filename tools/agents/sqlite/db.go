package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/sqlitefile"
)

// Options limit the stored records. Zero values select the defaults.
type Options struct {
	// MaxAgents is the number of agents, default 10,000. MaxAge is the time since their creation,
	// default 90 days. Above these limits the oldest ended agents are removed, with groups that
	// become empty.
	MaxAgents int
	MaxAge    time.Duration
	// WriteDelay is the delay of updates of unfinished agents. Default 300 ms.
	WriteDelay time.Duration
	// MaxOutputBytes limits the output of all agents. Above it, the output of the agents that wrote
	// least recently is removed. Default 1 GiB.
	MaxOutputBytes int64
	// MaxRawBytes and MaxTextBytes limit the stored size of a stream: the Raw stream and each other
	// one. Defaults 20 MiB and 1 MiB.
	MaxRawBytes, MaxTextBytes int64
	// Log receives warnings about damaged data and failed writes; nil discards them.
	Log *slog.Logger
}

// setDefaults replaces zero and negative values.
func (o *Options) setDefaults() {
	o.MaxAgents = positiveOr(o.MaxAgents, 10_000)
	o.MaxAge = positiveOr(o.MaxAge, 90*24*time.Hour)
	o.WriteDelay = positiveOr(o.WriteDelay, 300*time.Millisecond)
	o.MaxOutputBytes = positiveOr(o.MaxOutputBytes, 1<<30)
	o.MaxRawBytes = positiveOr(o.MaxRawBytes, 20<<20)
	o.MaxTextBytes = positiveOr(o.MaxTextBytes, 1<<20)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// positiveOr returns value if it is positive, otherwise fallback.
func positiveOr[T ~int | ~int64](value, fallback T) T {
	if value <= 0 {
		return fallback
	}
	return value
}

// DB is a database of agents. It is a record.Store and safe for concurrent use.
type DB struct {
	options Options
	file    string
	write   *sql.DB // one connection; its transactions take the write lock at their beginning
	read    *sql.DB
	live    liveAgents // the current state of the unfinished agents of this process
	outputs outputs

	work group.Group
	stop context.CancelFunc
}

var _ record.Store = (*DB)(nil)

// Open opens the database in a file and creates the file and its directory if necessary. A damaged
// database is moved aside with a log message, and a new one is created. A database of a later
// version or of another program is an error.
func Open(ctx context.Context, file string, o Options) (*DB, error) {
	o.setDefaults()
	d := &DB{options: o, file: file}
	var err error
	// The function is called for a damaged database, after it was moved aside.
	d.write, d.read, err = schema.Open(ctx, file, func(backup string, cause error) {
		o.Log.Warn("the database of agents is damaged; it was moved aside and replaced by a new one", "file", file, "backup", backup, "error", cause)
	})
	if err != nil {
		return nil, fmt.Errorf("opening the database of agents %s: %w", file, err)
	}
	d.live.wakeup = make(chan struct{}, 1)
	d.outputs.open(file+".outputs", o)
	if err := d.removeOld(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the database of agents %s: %w", file, err), d.closeHandles())
	}
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	d.stop = stop
	d.work.OnPanic = func(value any, stack []byte) {
		o.Log.Error("a background task of the database of agents panicked", "value", value, "stack", string(stack))
	}
	d.work.Go(func() { d.writeLoop(working) })
	d.work.Go(func() { d.outputs.writeLoop(working) })
	return d, nil
}

// Outputs returns the outputs, which Close closes.
func (d *DB) Outputs() record.Outputs { return &d.outputs }

// Close writes pending updates and closes the database.
func (d *DB) Close() error {
	if !d.live.close() { // closed before
		return nil
	}
	d.stop()
	d.work.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), sqlitefile.LockTimeout+10*time.Second)
	defer cancel()
	if err := errors.Join(d.flush(ctx), d.outputs.close(), d.closeHandles()); err != nil {
		return fmt.Errorf("closing the database of agents %s: %w", d.file, err)
	}
	return nil
}

// closeHandles closes both connections.
func (d *DB) closeHandles() error { return errors.Join(d.read.Close(), d.write.Close()) }

// transact runs do in a write transaction.
func (d *DB) transact(ctx context.Context, do func(tx *sql.Tx) error) error {
	return sqlitefile.Change(ctx, d.write, do)
}
