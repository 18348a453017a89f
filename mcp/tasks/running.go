package tasks

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Causes of the end of a task's context, see context.Cause.
var (
	// ErrCancelled means that the client has cancelled the task.
	ErrCancelled = errors.New("the task was cancelled")
	// ErrExpired means that the task has exceeded its time limit.
	ErrExpired = errors.New("the task took longer than it may")
)

const (
	// reportInterval is the minimum interval between writes of the status message.
	reportInterval = time.Second
	// maxMessage limits a status message, in bytes.
	maxMessage = 1000
)

// running is a task whose work runs in this Runner.
type running struct {
	runner   *Runner
	id       string
	start    protocol.TaskStart // the call
	handle   created            // response to the call
	expiry   *time.Timer        // runs expire at the end of the time limit
	unfollow func()             // stops following changes

	mu             sync.Mutex
	written        int64               // last version that this runner has written
	used           map[string]struct{} // keys of all questions so far
	ended          bool                // the task has ended
	message        string              // current status message
	messageTime    time.Time           // time of message
	writtenMessage string              // status message in the store
	writeScheduled bool                // a write of the message is scheduled
}

var _ protocol.Task = (*running)(nil)

// Begin implements protocol.TaskRunner. If a limit of tasks is reached, the error is a *mcp.ToolError.
func (r *Runner) Begin(ctx context.Context, start protocol.TaskStart) (protocol.Task, error) {
	if r.isClosed() {
		return nil, errClosed
	}
	if err := r.renewLease(ctx); err != nil {
		return nil, fmt.Errorf("making a task: %w", err)
	}
	ttl := r.opts.TTL
	if start.TTL > 0 {
		ttl = min(ttl, start.TTL)
	}
	t := &running{runner: r, id: rand.Text(), start: start, written: 1, used: make(map[string]struct{})}
	began := nowMillis()
	record := Record{
		ID: t.id, Principal: start.Request.Peer.Principal, Owner: r.owner,
		Created: began, Expires: began.Add(ttl + r.opts.Keep),
	}
	s := &state{
		Tool: start.Tool, Status: Working, Updated: began,
		TTL: max(ttl.Milliseconds(), 1), Poll: max(r.opts.PollInterval.Milliseconds(), 1),
	}
	t.handle = created{view{t.id, began, s}}
	if err := s.storeIn(&record); err != nil {
		return nil, err
	}
	var err error
	if t.unfollow, err = r.hub.follow(t.id, t.observe); err != nil {
		return nil, fmt.Errorf("making a task: %w", err)
	}
	if err := r.create(ctx, record); err != nil {
		t.unfollow()
		return nil, err
	}
	t.expiry = group.AfterFunc(ttl, func() { r.Go(t.expire) })
	if !r.addRunning(t) {
		t.unfollow()
		t.expiry.Stop()
		return nil, errors.Join(errClosed, t.fail(errStopped))
	}
	return t, nil
}

// isClosed reports whether Close was called.
func (r *Runner) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// create stores a new task. If a limit is reached, it removes expired tasks and tries again.
func (r *Runner) create(ctx context.Context, record Record) error {
	most := Limits{PerPrincipal: r.opts.MaxPerPrincipal, Total: r.opts.MaxTasks}
	err := r.store.Create(ctx, record, most)
	var limit *LimitError
	if errors.As(err, &limit) || errors.Is(err, ErrFull) {
		if _, swept := r.store.Sweep(ctx, time.Now()); swept == nil {
			err = r.store.Create(ctx, record, most)
		}
	}
	switch {
	case errors.As(err, &limit), errors.Is(err, ErrFull):
		return &mcp.ToolError{Code: "TOO_MANY_TASKS", Message: "the call cannot become a task: " + err.Error(), Next: "wait for tasks to end, or cancel some; ended tasks are removed after a while", Err: err}
	case err != nil:
		return fmt.Errorf("keeping a new task: %w", err)
	}
	return nil
}

// addRunning adds a task to the running ones. It returns false if the runner is closed.
func (r *Runner) addRunning(t *running) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.running[t.id] = t
	r.schedule(leaseRenewal)
	return true
}

// runningTask returns the task of that id if it runs in this runner, or nil.
func (r *Runner) runningTask(id string) *running {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running[id]
}

// Handle implements protocol.Task.
func (t *running) Handle() protocol.Result { return t.handle }

// change changes the task, and records the written version.
func (t *running) change(ctx context.Context, f func(*Record, *state) error) (view, error) {
	return t.runner.change(ctx, t.id, func(version int64) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.written = version
	}, f)
}

// observe cancels the work if another writer has ended or cancelled the task.
func (t *running) observe(record Record) {
	t.mu.Lock()
	own := record.Version == t.written
	t.mu.Unlock()
	if own {
		return
	}
	if record.Ended {
		t.start.Cancel(ErrCancelled)
		return
	}
	if s, err := readState(&record); err == nil && s.Cancel {
		t.start.Cancel(ErrCancelled)
	}
}

// Report implements protocol.Task. Messages in quick succession are merged.
func (t *running) Report(message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "")
	}
	if message == t.message {
		return
	}
	t.message, t.messageTime = message, nowMillis()
	t.scheduleWrite()
}

// scheduleWrite schedules a write of the message, unless one is scheduled. The caller holds the lock.
func (t *running) scheduleWrite() {
	if !t.ended && !t.writeScheduled && t.message != t.writtenMessage {
		t.writeScheduled = t.runner.Go(t.writeMessage)
	}
}

// writeMessage stores the status message. After reportInterval it schedules another write if the message has
// changed.
func (t *running) writeMessage() {
	t.mu.Lock()
	message := t.message
	t.writtenMessage = message
	t.mu.Unlock()
	ctx, cancel := backgroundContext()
	defer cancel()
	_, err := t.change(ctx, func(_ *Record, s *state) error {
		if s.Status.Ended() || s.Cancel {
			return errUnchanged
		}
		s.Message = message
		return nil
	})
	if err != nil && !errors.Is(err, ErrNotFound) {
		t.runner.opts.Log.Warn("the status of a task could not be written", "task", t.id, "error", err)
	}
	group.AfterFunc(reportInterval, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.writeScheduled = false
		t.scheduleWrite()
	})
}

// End implements protocol.Task.
func (t *running) End(result protocol.Result, isError bool, why error) {
	var raw []byte
	if why == nil {
		if raw, why = result.AppendJSON(nil, protocol.Latest); why != nil {
			why = protocol.Errorf(protocol.CodeInternal, "Internal error: the result could not be encoded: %v", why)
		}
	}
	ended, keep := nowMillis(), t.runner.opts.Keep
	t.finish(len(raw), func(record *Record, s *state) {
		switch {
		case s.Cancel && (why != nil || isError):
			s.finish(record, Cancelled, "The task was cancelled.", ended, keep)
		case why != nil:
			s.Error = failureOf(why)
			s.finish(record, Failed, s.Error.Message, ended, keep)
		default:
			s.Result, s.IsError = raw, isError
			s.finish(record, Completed, "", ended, keep)
		}
	})
}

// finish stores the end of the task. After a failure of the store it tries again later. size is the
// size of the result in bytes.
func (t *running) finish(size int, end func(*Record, *state)) {
	err := t.storeEnd(end)
	if errors.Is(err, ErrFull) {
		err = t.fail(protocol.Errorf(protocol.CodeInternal, "The result of the task has %d bytes; there is no room to keep it. Call the tool again later, or ask for less", size))
	}
	if err == nil {
		t.release()
		return
	}
	t.runner.opts.Log.Error("the end of a task could not be written; it is tried again", "task", t.id, "error", err)
	group.AfterFunc(leaseRenewal, func() {
		if t.runner.runningTask(t.id) == t { // otherwise the task has expired, or the runner is closed
			t.runner.Go(func() { t.finish(size, end) })
		}
	})
}

// expire ends a task that has exceeded its time limit.
func (t *running) expire() {
	may := time.Duration(t.handle.state.TTL) * time.Millisecond
	if err := t.end(ErrExpired, protocol.Errorf(protocol.CodeInternal, "The task took longer than the %v that it may; ask for less at once", may)); err != nil {
		t.runner.opts.Log.Error("a task that took too long could not be ended", "task", t.id, "error", err)
	}
}

// fail ends the task as failed and cancels its work.
func (t *running) fail(why error) error { return t.end(why, why) }

// end ends the task as failed with the error why, and cancels its work with cause.
func (t *running) end(cause, why error) error {
	defer t.release()
	err := t.storeEnd(func(record *Record, s *state) {
		if s.Cancel {
			s.finish(record, Cancelled, "The task was cancelled.", nowMillis(), t.runner.opts.Keep)
			return
		}
		s.Error = failureOf(why)
		s.finish(record, Failed, s.Error.Message, nowMillis(), t.runner.opts.Keep)
	})
	t.start.Cancel(cause)
	return err
}

// storeEnd stores the end of the task, unless it has ended or was removed.
func (t *running) storeEnd(end func(*Record, *state)) error {
	ctx, cancel := backgroundContext()
	defer cancel()
	_, err := t.change(ctx, func(record *Record, s *state) error {
		if s.Status.Ended() {
			return errUnchanged
		}
		end(record, s)
		return nil
	})
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// release removes an ended task from the running ones. Its work may still be ending.
func (t *running) release() {
	t.mu.Lock()
	t.ended = true
	t.mu.Unlock()
	t.expiry.Stop()
	t.unfollow()
	t.runner.mu.Lock()
	delete(t.runner.running, t.id)
	t.runner.mu.Unlock()
}
