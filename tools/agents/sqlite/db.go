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

// Options say how much is kept. The zero value has the defaults.
type Options struct {
	// Agents is how many agents are kept, 0 is 10,000, and Age how long after their creation, 0 is 90 days. Beyond it the
	// oldest that have ended are removed, with their groups if nothing else is in them.
	Agents int
	Age    time.Duration
	// Delay is how late changes of agents that have not ended may be written; 0 is 300 ms.
	Delay time.Duration
	// OutputBytes bounds what is kept of the output of all agents, in bytes; 0 is 1 GB. Of the agents that wrote the longest
	// ago it is removed.
	OutputBytes int64
	// RawBytes and TextBytes bound what is kept of a stream of an agent, the raw one and each of the others; 0 are 20 MB
	// and 1 MB.
	RawBytes, TextBytes int64
	// Log is told what is not in order but was helped; nil is nobody.
	Log *slog.Logger
}

func (o *Options) complete() {
	o.Agents = or(o.Agents, 10_000)
	o.Age = or(o.Age, 90*24*time.Hour)
	o.Delay = or(o.Delay, 300*time.Millisecond)
	o.OutputBytes = or(o.OutputBytes, 1<<30)
	o.RawBytes = or(o.RawBytes, 20<<20)
	o.TextBytes = or(o.TextBytes, 1<<20)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

func or[T ~int | ~int64](is, otherwise T) T {
	if is <= 0 {
		return otherwise
	}
	return is
}

// DB is a database. It is a record.Store, and may be used concurrently.
type DB struct {
	options Options
	file    string
	write   *sql.DB // one connection, whose transactions wait for those of other processes at their beginning
	read    *sql.DB
	live    live
	outputs outputs

	work group.Group
	stop context.CancelFunc
}

var _ record.Store = (*DB)(nil)

// Open opens the database in a file, whose directory is made if it is missing. One that is damaged is moved aside, which the
// log tells, and a new one is begun; one of a later version, or of something else, is an error.
func Open(ctx context.Context, file string, o Options) (*DB, error) {
	o.complete()
	d := &DB{options: o, file: file}
	var err error
	d.write, d.read, err = schema.Open(ctx, file, func(aside string, why error) {
		o.Log.Warn("the database of agents is damaged; it was moved aside and a new one begun", "file", file, "moved to", aside, "error", why)
	})
	if err != nil {
		return nil, fmt.Errorf("opening the database of agents %s: %w", file, err)
	}
	d.live.kick = make(chan struct{}, 1)
	d.outputs.begin(file+".outputs", o)
	if err := d.forget(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the database of agents %s: %w", file, err), d.handles())
	}
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	d.stop = stop
	d.work.OnPanic = func(value any, stack []byte) {
		o.Log.Error("writing records of agents has panicked", "value", value, "stack", string(stack))
	}
	d.work.Go(func() { d.keepWriting(working) })
	d.work.Go(func() { d.outputs.keepWriting(working) })
	return d, nil
}

// Outputs keeps what agents write. It is closed with the database.
func (d *DB) Outputs() record.Outputs { return &d.outputs }

// Close writes what is not written yet, and closes the database.
func (d *DB) Close() error {
	if !d.live.close() {
		return nil
	}
	d.stop()
	d.work.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), sqlitefile.Patience+10*time.Second)
	defer cancel()
	if err := errors.Join(d.flush(ctx), d.outputs.close(), d.handles()); err != nil {
		return fmt.Errorf("closing the database of agents %s: %w", d.file, err)
	}
	return nil
}

func (d *DB) handles() error { return errors.Join(d.read.Close(), d.write.Close()) }

// change makes changes all together or not at all.
func (d *DB) change(ctx context.Context, do func(tx *sql.Tx) error) error {
	return sqlitefile.Change(ctx, d.write, do)
}
