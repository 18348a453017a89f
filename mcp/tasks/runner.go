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
	"github.com/dougu-go/dougu/mcp/protocol"
)

// ID is the id of the extension.
const ID = protocol.TasksExtension

const (
	// leaseTime is the time for which a Runner counts as alive after a renewal. leaseRenewal is the
	// interval of renewals while it runs tasks.
	leaseTime    = 30 * time.Second
	leaseRenewal = 10 * time.Second
	// closeTimeout limits the time that Close waits for cancelled work.
	closeTimeout = 10 * time.Second
	// storeTimeout limits writes to the store outside of requests.
	storeTimeout = 30 * time.Second
	// maxTries limits the repetitions of a change after conflicts with other changes of the task.
	maxTries = 100
)

// Options configures a Runner. Nil and the zero value select the defaults.
type Options struct {
	// Store stores the tasks. Default: a Memory.
	Store Store
	// TTL limits the time of a task. After it the work is cancelled and the task fails. A client of
	// a session may request less. Default 1 hour.
	TTL time.Duration
	// Keep is the minimum time for which a task is kept after its end. Default 10 minutes.
	Keep time.Duration
	// PollInterval is the interval between requests about a task that clients are asked to use.
	// Default 1 second.
	PollInterval time.Duration
	// MaxPerPrincipal and MaxTasks limit the stored tasks, including ended ones, of each principal
	// and in total. All unauthenticated clients are one principal. Defaults 256 and 10,000.
	MaxPerPrincipal int
	MaxTasks        int
	// Log receives failures that no client receives. Default slog.Default().
	Log *slog.Logger
}

// Runner runs calls as tasks; see mcp.ServerOptions. It may serve several servers, if tools of the
// same name are the same tool. It is safe for concurrent use.
type Runner struct {
	opts  Options
	store Store
	owner string      // random id of the runner in the store
	work  group.Group // goroutines that Close waits for
	hub   hub         // distributes changes of the store to the requests that follow a task

	mu      sync.Mutex // guards the fields below
	closed  bool
	running map[string]*running // tasks of this runner, by id
	// claims contains the questions that some request is asking the user at this moment, so that two
	// requests do not ask the same question. The channel is closed when the request has finished.
	claims map[questionClaim]chan struct{}

	// Maintenance renews the lease, fails the tasks of dead runners (orphans) and deletes expired
	// tasks. It is scheduled while this runner has tasks, a request waits for a task of another
	// runner, or the store has ended tasks to delete.
	timer           *time.Timer // next maintenance; nil if none is scheduled
	leaseEnd        time.Time   // end of the lease in the store
	orphansChecked  time.Time   // time of the last search for orphans
	maintenanceUses int         // requests that wait for a task of another runner
}

var _ protocol.TaskRunner = (*Runner)(nil)

// New returns a Runner. It starts no goroutine before the first task. o may be nil.
func New(o *Options) *Runner {
	r := &Runner{owner: rand.Text(), running: make(map[string]*running), claims: make(map[questionClaim]chan struct{})}
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

// Go implements protocol.TaskRunner.
func (r *Runner) Go(f func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.work.Go(f)
	return true
}

// errStopped is the error of tasks that are running when Close is called.
var errStopped error = protocol.Errorf(protocol.CodeInternal, "The server was stopped while the task was running; call the tool again")

// Close fails the running tasks with errStopped and cancels their work. It waits at most ten seconds
// for the work; after that it returns an error. Go returns false from then on. The caller closes the
// Store afterwards.
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
	if !r.work.WaitFor(closeTimeout) {
		failed = errors.Join(failed, fmt.Errorf("the work of a task still runs, %v after its cancellation", closeTimeout))
	}
	r.hub.close()
	if failed != nil {
		return fmt.Errorf("closing the runner of tasks: %w", failed)
	}
	return nil
}

// errUnchanged is returned by functions of change to leave the task unchanged.
var errUnchanged = errors.New("nothing changes")

// change changes a task by f. After a conflict with another change it reads the task and calls f
// again, maxTries times at most. An error of f ends the attempts.
//
// beforeWrite, if not nil, receives the version of the record before each write. The runner of the
// task uses it to distinguish its own changes from the changes of others when the store reports them.
func (r *Runner) change(ctx context.Context, id string, beforeWrite func(version int64), f func(*Record, *state) error) (view, error) {
	for range maxTries {
		record, err := r.store.Get(ctx, id)
		if err != nil {
			return view{}, err
		}
		s, err := readState(&record)
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
		if err := s.storeIn(&record); err != nil {
			return seen, err
		}
		if beforeWrite != nil {
			beforeWrite(record.Version)
		}
		if err = r.store.Update(ctx, record); !errors.Is(err, ErrConflict) {
			return seen, err
		}
	}
	return view{}, fmt.Errorf("changing the task %s: %w", id, ErrConflict)
}

// nowMillis returns the current time in whole milliseconds, the precision of tasks.
func nowMillis() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// backgroundContext returns a context for writes outside of requests.
func backgroundContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), storeTimeout)
}
