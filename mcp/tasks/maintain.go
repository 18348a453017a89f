package tasks

import (
	"context"
	"errors"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// sweepInterval is the minimum interval between removals of expired tasks.
const sweepInterval = 10 * time.Second

// errOrphaned is the error of a task whose server has died.
var errOrphaned error = protocol.Errorf(protocol.CodeInternal, "The server ended before the task did; the work may be done or not. Check its effects before you call the tool again")

// schedule schedules maintain after d, unless it is scheduled already. The caller holds the lock.
func (r *Runner) schedule(d time.Duration) {
	if r.timer == nil && !r.closed {
		r.timer = group.AfterFunc(d, func() { r.Go(r.maintain) })
	}
}

// keepMaintained keeps the maintenance running for a client that waits for a task of another runner. The
// caller calls leave at the end.
func (r *Runner) keepMaintained() (leave func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.maintenanceUses++
	r.schedule(leaseRenewal)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.maintenanceUses--
	}
}

// maintain renews the lease of the runner, ends the tasks of dead runners, and removes expired
// tasks.
func (r *Runner) maintain() {
	ctx, cancel := backgroundContext()
	defer cancel()
	r.mu.Lock()
	r.timer = nil
	busy := len(r.running) > 0
	r.mu.Unlock()
	if busy {
		if err := r.renewLease(ctx); err != nil {
			r.opts.Log.Error("a runner of tasks could not say that it lives; others may end its tasks", "error", err)
		}
	}
	r.failOrphans(ctx)
	next, err := r.store.Sweep(ctx, time.Now())
	if err != nil {
		r.opts.Log.Warn("tasks that have expired could not be removed", "error", err)
		next = time.Now().Add(time.Minute)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case len(r.running) > 0, r.maintenanceUses > 0:
		r.schedule(leaseRenewal)
	case !next.IsZero():
		r.schedule(max(time.Until(next), sweepInterval))
	}
}

// renewLease renews the lease of the runner if it expires soon.
func (r *Runner) renewLease(ctx context.Context) error {
	now := time.Now()
	r.mu.Lock()
	until := r.leaseEnd
	r.mu.Unlock()
	if until.Sub(now) > leaseTime-leaseRenewal/2 {
		return nil
	}
	until = now.Add(leaseTime)
	if err := r.store.Beat(ctx, r.owner, until); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leaseEnd = until
	return nil
}

// failOrphans ends the tasks of dead runners, at most once in half of leaseRenewal. It reports whether there were
// any.
func (r *Runner) failOrphans(ctx context.Context) bool {
	now := time.Now()
	r.mu.Lock()
	again := now.Sub(r.orphansChecked) < leaseRenewal/2
	if !again {
		r.orphansChecked = now
	}
	r.mu.Unlock()
	if again {
		return false
	}
	ids, err := r.store.Orphans(ctx, now)
	if err != nil {
		r.opts.Log.Warn("tasks of ended servers could not be searched", "error", err)
		return false
	}
	found := false
	for _, id := range ids {
		if r.runningTask(id) != nil {
			continue // the machine was suspended, and the lease expired
		}
		found = true
		_, err := r.change(ctx, id, nil, func(record *Record, s *state) error {
			switch {
			case s.Status.Ended():
				return errUnchanged
			case s.Cancel:
				s.finish(record, Cancelled, "The task was cancelled.", nowMillis(), r.opts.Keep)
			default:
				s.Error = failureOf(errOrphaned)
				s.finish(record, Failed, s.Error.Message, nowMillis(), r.opts.Keep)
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrNotFound) {
			r.opts.Log.Warn("a task of an ended server could not be ended", "task", id, "error", err)
		}
	}
	return found
}
