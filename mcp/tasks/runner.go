package tasks

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
)

// ID is the id of the extension.
const ID = mcp.TasksExtension

const (
	// lease is how long a Runner is taken for alive after it has said so, and beat
	// how often it does while it runs tasks.
	lease = 30 * time.Second
	beat  = 10 * time.Second
	// closeGrace is how long Close waits for work that was cancelled.
	closeGrace = 10 * time.Second
	// storeTimeout bounds what is written when nobody waits for it.
	storeTimeout = 30 * time.Second
	// maxTries is how often a change is tried again because others change the same
	// task.
	maxTries = 100
)

// Options configure a Runner. The zero value, or nil, has the defaults.
type Options struct {
	// Store keeps the tasks. Default: a Memory.
	Store Store
	// TTL is how long a task may take: then its work is cancelled, and it has
	// failed. A session's client may want less. Default 1 hour.
	TTL time.Duration
	// Keep is how long at least a task can be asked for after its end. Default 10
	// minutes.
	Keep time.Duration
	// PollInterval is how often clients are told to ask for a task. Default 1
	// second.
	PollInterval time.Duration
	// MaxPerPrincipal and MaxTasks are how many tasks are kept, those that have
	// ended included, of each principal and in all; all who are not authenticated
	// are one. Default 256 and 10,000.
	MaxPerPrincipal int
	MaxTasks        int
	// Log receives what nobody else can be told. Default: slog.Default().
	Log *slog.Logger
}

// Runner runs calls as tasks: see mcp.ServerOptions. It may serve several servers,
// of which none may have a tool of the same name that does something else.
type Runner struct {
	opts  Options
	store Store
	owner string // who it is in the store
	work  group.Group
	hub   hub

	mu      sync.Mutex
	closed  bool
	running map[string]*running
	claims  map[claim]chan struct{} // questions that are being put in sessions
	timer   *time.Timer             // of what is done from time to time; nil when there is nothing
	beaten  time.Time               // until when it has said that it lives
	reaped  time.Time               // when orphans were looked for
	waiting int                     // who waits for tasks that others may run
}

var _ mcp.TaskRunner = (*Runner)(nil)

// New returns a Runner. It does nothing until there are tasks.
func New(o *Options) *Runner {
	r := &Runner{owner: rand.Text(), running: make(map[string]*running), claims: make(map[claim]chan struct{})}
	if o != nil {
		r.opts = *o
	}
	r.opts.TTL = cmp.Or(max(r.opts.TTL, 0), time.Hour)
	r.opts.Keep = cmp.Or(max(r.opts.Keep, 0), 10*time.Minute)
	r.opts.PollInterval = max(cmp.Or(max(r.opts.PollInterval, 0), time.Second), time.Millisecond)
	r.opts.MaxPerPrincipal = cmp.Or(max(r.opts.MaxPerPrincipal, 0), 256)
	r.opts.MaxTasks = cmp.Or(max(r.opts.MaxTasks, 0), 10_000)
	if r.opts.Log == nil {
		r.opts.Log = slog.Default()
	}
	if r.store = r.opts.Store; r.store == nil {
		r.store = new(Memory)
	}
	r.hub.store = r.store
	r.work.OnPanic = func(value any, stack []byte) {
		r.opts.Log.Error("panic in a task", "panic", value, "stack", string(stack))
	}
	return r
}

// Go implements mcp.TaskRunner.
func (r *Runner) Go(f func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.work.Go(f)
	return true
}

// errStopped is what the tasks fail with that run when their server stops.
var errStopped error = mcp.Errorf(mcp.CodeInternal, "The server was stopped while the task was running; call the tool again")

// Close ends the tasks that run: they have failed. It waits for their work, but
// not for ever: work that goes on is an error. The Store is the caller's to close,
// afterwards.
func (r *Runner) Close() error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	if r.timer != nil {
		r.timer.Stop()
	}
	var all []*running
	for _, t := range r.running {
		all = append(all, t)
	}
	r.mu.Unlock()
	var failed error
	for _, t := range all {
		failed = errors.Join(failed, t.fail(errStopped))
	}
	if !r.work.WaitFor(closeGrace) {
		failed = errors.Join(failed, fmt.Errorf("the work of a task goes on, %v after it was cancelled", closeGrace))
	}
	r.hub.close()
	if failed != nil {
		return fmt.Errorf("closing the runner of tasks: %w", failed)
	}
	return nil
}

// errUnchanged is returned by a function that changes a task when there is nothing
// to change.
var errUnchanged = errors.New("nothing changes")

// change changes a task. f may be called several times, and its error ends that.
// before, if not nil, hears of the version that is about to be written.
func (r *Runner) change(ctx context.Context, id string, before func(version int64), f func(*Record, *state) error) (view, error) {
	for range maxTries {
		record, err := r.store.Get(ctx, id)
		if err != nil {
			return view{}, err
		}
		s, err := stateOf(&record)
		if err != nil {
			return view{}, err
		}
		seen := view{id, record.Created, s}
		switch err := f(&record, s); {
		case errors.Is(err, errUnchanged):
			return seen, nil
		case err != nil:
			return seen, err
		}
		s.Updated = nowMillis()
		if err := s.into(&record); err != nil {
			return seen, err
		}
		if before != nil {
			before(record.Version)
		}
		if err = r.store.Update(ctx, record); !errors.Is(err, ErrConflict) {
			return seen, err
		}
	}
	return view{}, fmt.Errorf("changing the task %s: %w", id, ErrConflict)
}

// nowMillis is the time in whole milliseconds, which is what is told and kept.
func nowMillis() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// detached is a context for what is written when nobody waits for it.
func detached() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), storeTimeout)
}
