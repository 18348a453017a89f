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

// Errors of a Checker, for errors.Is.
var (
	// ErrUnknownRole reports that the role does not exist.
	ErrUnknownRole = errors.New("the role does not exist")
	// ErrClosed reports that the Checker is closed.
	ErrClosed = errors.New("the checks have ended")
)

// Options configure a Checker. Executors and Roles are required.
type Options struct {
	// Executors run the roles; the first one is the default.
	Executors []executor.Executor
	// Roles returns the current roles.
	Roles func() []roles.Role
	// Log receives the record.Health events. nil: none are emitted.
	Log record.Log
	// Dir is the directory of the cache file; it is created if missing. Empty: the cache is in
	// memory.
	Dir string
	// CacheTime is the time for which a successful check or a list of models stays valid. Default 1
	// h.
	CacheTime time.Duration
	// Fallback replaces an unavailable model by the model "auto", which executors choose themselves, if
	// the executor lists it.
	Fallback bool
	// Language is the language of the messages about models, "ja" or "en". Default "en".
	Language string
	// Timeout limits the listing of models, and the response of a model. Default 60 s.
	Timeout time.Duration
	// Env are additional environment variables of the checked programs, as NAME=value. The settings of
	// a program can contain the server that runs this Checker. The variables must tell that server
	// that an agent program starts it, so that it starts no checks in turn.
	Env []string
	// Parallel is the number of models that are asked at once. Default 3.
	Parallel int
	// RetryInterval is the age after which Checker.Wait repeats a failed check. Default 1 min.
	RetryInterval time.Duration
	// Logger receives messages about unusable roles. nil discards them.
	Logger *slog.Logger
	// Now is the clock. Default time.Now.
	Now func() time.Time
}

// setDefaults replaces unset values.
func (o *Options) setDefaults() {
	for at, d := range map[*time.Duration]time.Duration{&o.CacheTime: time.Hour, &o.Timeout: time.Minute, &o.RetryInterval: time.Minute} {
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

// key identifies a check. Roles with the same executor and model share one check.
type key struct{ Executor, Model string }

// entry is the state of a role.
type entry struct {
	key        key    // of the check that state describes
	state      State  // current state, maybe unfinished
	lastResult *State // last finished state; nil before the first one
}

// models is an executor's list of models, or the error of listing them.
type models struct {
	list []executor.Model
	err  error
	at   time.Time
}

// Checker checks roles in rounds. A round lists the models of the executors and asks the models of
// all roles, or of the roles without a valid result. Rounds run one after the other. A Checker is
// safe for concurrent use. The caller closes it.
type Checker struct {
	o      Options
	ctx    context.Context // parent of all checks
	cancel context.CancelFunc
	round  *semaphore.Weighted // weight 1; held by the running round
	checks group.Group

	mu       sync.Mutex        // guards the fields below
	closed   bool              // Close was called
	pending  int               // running and waiting rounds
	queued   bool              // a round of Refresh waits; it will read the current roles
	changed  chan struct{}     // closed and replaced at each change
	entries  map[string]*entry // states of the roles, by role ID
	models   map[string]models // lists of models, by name of the executor
	answers  map[key]answer    // results of questions
	progress Progress          // of the current or last round
}

// New returns a Checker with the results of the cache file. It starts no check.
func New(o Options) *Checker {
	o.setDefaults()
	c := &Checker{
		o: o, round: semaphore.NewWeighted(1), changed: make(chan struct{}),
		entries: make(map[string]*entry), models: make(map[string]models), answers: make(map[key]answer),
		progress: Progress{Phase: Models},
	}
	c.checks.OnPanic = func(value any, stack []byte) {
		o.Logger.Error("a check of roles panicked", slog.Any("panic", value), slog.String("stack", string(stack)))
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.load()
	return c
}

// Start checks all roles without a valid result, in the background. The end of ctx cancels running
// checks and prevents later ones. Run returns ErrClosed then, as after Close; so do Wait and Settled
// if the result that they wait for is missing.
func (c *Checker) Start(ctx context.Context) {
	context.AfterFunc(ctx, c.cancel)
	c.Refresh()
}

// Run starts a new check of all roles, ignoring earlier results, and returns at once. Settled waits
// for its end. It returns ErrClosed after Close.
func (c *Checker) Run(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return c.startRound(func() { c.check(true) })
}

// Refresh starts checks of roles that are new or have another model or executor, and returns at
// once.
func (c *Checker) Refresh() {
	c.mu.Lock()
	queued := c.queued
	c.queued = true
	c.mu.Unlock()
	if queued { // the queued round will read the current roles
		return
	}
	_ = c.startRound(func() {
		c.mu.Lock()
		c.queued = false
		c.mu.Unlock()
		c.check(false)
	})
}

// Settled waits until no check is running.
func (c *Checker) Settled(ctx context.Context) error {
	return c.waitFor(ctx, func() bool { return c.pending == 0 })
}

// now returns the time in UTC, to the millisecond.
func (c *Checker) now() time.Time { return c.o.Now().UTC().Truncate(time.Millisecond) }

// startRound runs a round of checks after the current one.
func (c *Checker) startRound(check func()) error {
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

// update changes the state and notifies waiting goroutines.
func (c *Checker) update(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
	close(c.changed)
	c.changed = make(chan struct{})
}

// waitFor waits until the condition met holds. met is called with the lock held. If the condition
// does not hold, the error is the cause of the end of ctx, or ErrClosed after the end of all checks.
func (c *Checker) waitFor(ctx context.Context, met func() bool) error {
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

// Close cancels all checks and waits for their ends.
func (c *Checker) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	c.checks.Wait()
}
