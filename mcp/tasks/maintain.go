package tasks

import (
	"context"
	"errors"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
)

// sweepEvery is how often at most what has expired is removed.
const sweepEvery = 10 * time.Second

// errOrphaned is what a task fails with whose server is gone.
var errOrphaned error = mcp.Errorf(mcp.CodeInternal, "The server that ran the task was ended before the task was; the work may or may not have been done. Look at what there is before you call the tool again")

// arm has what is to be done from time to time done after d, if nothing is ordered
// yet; the lock is held.
func (r *Runner) arm(d time.Duration) {
	if r.timer == nil && !r.closed {
		r.timer = group.AfterFunc(d, func() { r.Go(r.maintain) })
	}
}

// attend has the tasks of others that somebody waits for looked after, until it is
// told that nobody does.
func (r *Runner) attend() (leave func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting++
	r.arm(beat)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.waiting--
	}
}

// maintain says that the runner lives, ends the tasks of those who do not, and
// removes what has expired.
func (r *Runner) maintain() {
	ctx, cancel := detached()
	defer cancel()
	r.mu.Lock()
	r.timer = nil
	busy := len(r.running) > 0
	r.mu.Unlock()
	if busy {
		if err := r.alive(ctx); err != nil {
			r.opts.Log.Error("a runner of tasks could not say that it lives; others may end its tasks", "error", err)
		}
	}
	r.reap(ctx)
	next, err := r.store.Sweep(ctx, time.Now())
	if err != nil {
		r.opts.Log.Warn("tasks that have expired could not be removed", "error", err)
		next = time.Now().Add(time.Minute)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case len(r.running) > 0, r.waiting > 0:
		r.arm(beat)
	case !next.IsZero():
		r.arm(max(time.Until(next), sweepEvery))
	}
}

// alive says that the runner lives, if it is time to.
func (r *Runner) alive(ctx context.Context) error {
	now := time.Now()
	r.mu.Lock()
	until := r.beaten
	r.mu.Unlock()
	if until.Sub(now) > lease-beat/2 {
		return nil
	}
	until = now.Add(lease)
	if err := r.store.Beat(ctx, r.owner, until); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.beaten = until
	return nil
}

// reap ends the tasks whose runner is gone, unless that was done a moment ago. It
// reports whether there were any.
func (r *Runner) reap(ctx context.Context) bool {
	now := time.Now()
	r.mu.Lock()
	again := now.Sub(r.reaped) < beat/2
	if !again {
		r.reaped = now
	}
	r.mu.Unlock()
	if again {
		return false
	}
	ids, err := r.store.Orphans(ctx, now)
	if err != nil {
		r.opts.Log.Warn("tasks whose server is gone could not be looked for", "error", err)
		return false
	}
	found := false
	for _, id := range ids {
		if r.runs(id) != nil {
			continue // the machine has slept
		}
		found = true
		_, err := r.change(ctx, id, nil, func(record *Record, s *state) error {
			switch {
			case s.Status.Ended():
				return errUnchanged
			case s.Cancel:
				s.end(record, Cancelled, "The task was cancelled.", nowMillis(), r.opts.Keep)
			default:
				s.Error = failureOf(errOrphaned)
				s.end(record, Failed, s.Error.Message, nowMillis(), r.opts.Keep)
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrNotFound) {
			r.opts.Log.Warn("a task whose server is gone could not be ended", "task", id, "error", err)
		}
	}
	return found
}
