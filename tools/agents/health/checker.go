package health

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/roles"

	"golang.org/x/sync/semaphore"
)

// Errors of a Checker, to be found with errors.Is.
var (
	// ErrUnknownRole is a role that is not there.
	ErrUnknownRole = errors.New("there is no such role")
	// ErrClosed is a Checker that was closed.
	ErrClosed = errors.New("the checks have ended")
)

// Options say what is checked, and how.
type Options struct {
	// Executors run roles; the first is that of roles that name none.
	Executors []executor.Executor
	// Roles are the roles of now.
	Roles func() []roles.Role
	// Log is told of what happens: the record.Health events. nil: nobody is.
	Log record.Log
	// Dir is a directory in which answers are kept over restarts; it is made if it is not there. Empty: in memory only.
	Dir string
	// Keep is how long a model that has answered is not asked again, and a list of models is believed. Default 1 h.
	Keep time.Duration
	// Fallback allows the model "auto" in the place of one that is not there.
	Fallback bool
	// Timeout bounds a list of models, and the answer of a model. Default 60 s.
	Timeout time.Duration
	// Env are variables for those who answer, as NAME=value: at least what tells a server of ours that it is started by one,
	// since people have theirs in the settings of every project.
	Env []string
	// Parallel is how many models are asked at once. Default 3.
	Parallel int
	// Retry is after how long Wait has a role checked again that could not be used. Default 1 min.
	Retry time.Duration
	// Logger is told of roles that cannot be used. nil: nobody is.
	Logger *slog.Logger
	// Now is the clock. Default time.Now.
	Now func() time.Time
}

func (o *Options) defaults() {
	for at, d := range map[*time.Duration]time.Duration{&o.Keep: time.Hour, &o.Timeout: time.Minute, &o.Retry: time.Minute} {
		if *at <= 0 {
			*at = d
		}
	}
	if o.Parallel <= 0 {
		o.Parallel = 3
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// key is what is asked once, whichever roles have it.
type key struct{ Executor, Model string }

// entry is what is known of a role.
type entry struct {
	key   key   // what State is about
	state State // as far as it is known now
	known *State
}

// models is what an executor has said of its models.
type models struct {
	list []executor.Model
	err  error
	at   time.Time
}

// Checker checks roles. It may be used concurrently. Close it.
type Checker struct {
	o      Options
	ctx    context.Context // of all checks
	cancel context.CancelFunc
	round  *semaphore.Weighted // of 1, for a round of checks
	checks group.Group

	mu       sync.Mutex
	closed   bool
	pending  int           // rounds that were begun and are not done
	queued   bool          // one of them, of Refresh, waits for its turn
	changed  chan struct{} // closed and made anew with every change
	entries  map[string]*entry
	models   map[string]models
	answers  map[key]answer
	progress Progress
}

// New makes a Checker, which has checked nothing yet, and knows what the file in Options.Dir tells.
func New(o Options) *Checker {
	o.defaults()
	c := &Checker{
		o: o, round: semaphore.NewWeighted(1), changed: make(chan struct{}),
		entries: make(map[string]*entry), models: make(map[string]models), answers: make(map[key]answer),
		progress: Progress{Phase: Models},
	}
	c.checks.OnPanic = func(value any, stack []byte) {
		o.Logger.Error("a check of roles has panicked", slog.Any("panic", value), slog.String("stack", string(stack)))
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.load()
	return c
}

// Start checks, in the background, all roles of which nothing is known that still holds. The end of ctx ends all
// checks, those begun later too.
func (c *Checker) Start(ctx context.Context) {
	context.AfterFunc(ctx, c.cancel)
	c.Refresh()
}

// Run begins to check all roles again, whatever is known of them, and returns at once: Settled waits for the end. It
// is ErrClosed if the Checker is closed.
func (c *Checker) Run(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return c.begin(func() { c.check(true) })
}

// Refresh begins to check the roles that are new, or have another model or executor than they had, and returns at once.
func (c *Checker) Refresh() {
	c.mu.Lock()
	queued := c.queued
	c.queued = true
	c.mu.Unlock()
	if queued { // it has not looked yet what there is to do
		return
	}
	_ = c.begin(func() {
		c.mu.Lock()
		c.queued = false
		c.mu.Unlock()
		c.check(false)
	})
}

// Settled waits until nothing is being checked.
func (c *Checker) Settled(ctx context.Context) error {
	return c.until(ctx, func() bool { return c.pending == 0 })
}

// now is the time as it is told.
func (c *Checker) now() time.Time { return c.o.Now().UTC().Truncate(time.Millisecond) }

// begin runs a round of checks once the one before it is done.
func (c *Checker) begin(check func()) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.ctx.Err() != nil {
		return ErrClosed
	}
	c.pending++
	c.checks.Go(func() {
		defer c.update(func() { c.pending-- })
		if c.round.Acquire(c.ctx, 1) != nil {
			return
		}
		defer c.round.Release(1)
		check()
	})
	return nil
}

// update changes what is known, and wakes who waits for that.
func (c *Checker) update(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
	close(c.changed)
	c.changed = make(chan struct{})
}

// until waits for a condition, which is asked for under the lock.
func (c *Checker) until(ctx context.Context, met func() bool) error {
	for {
		c.mu.Lock()
		done, changed := met(), c.changed
		c.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.ctx.Done():
			return ErrClosed
		}
	}
}

// Close ends what is being checked, and waits for that.
func (c *Checker) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	c.checks.Wait()
}
