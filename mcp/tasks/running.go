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
)

// Why the context of a task's work ends, as context.Cause has it.
var (
	// ErrCancelled says that the task's client has cancelled it.
	ErrCancelled = errors.New("the task was cancelled")
	// ErrExpired says that the task has taken longer than it may.
	ErrExpired = errors.New("the task took longer than it may")
)

const (
	// reportEvery is how often at most what a task says of itself is written down.
	reportEvery = time.Second
	// maxMessage is the most that a task may say of itself, in bytes.
	maxMessage = 1000
)

// running is a task whose work this Runner does.
type running struct {
	r      *Runner
	id     string
	start  mcp.TaskStart
	handle created
	expiry *time.Timer
	leave  func() // stops following changes

	mu      sync.Mutex
	written int64               // the last version that was written here
	used    map[string]struct{} // the keys of all its questions so far
	over    bool
	message string    // what it says of itself now
	said    time.Time // when it was
	told    string    // what of that is written
	telling bool      // that it is written has been ordered
}

var _ mcp.Task = (*running)(nil)

// Begin implements mcp.TaskRunner. When as many tasks are kept as may be, the error
// is a *mcp.ToolError.
func (r *Runner) Begin(ctx context.Context, start mcp.TaskStart) (mcp.Task, error) {
	if r.isClosed() {
		return nil, errClosed
	}
	if err := r.alive(ctx); err != nil {
		return nil, fmt.Errorf("making a task: %w", err)
	}
	ttl := r.opts.TTL
	if start.TTL > 0 {
		ttl = min(ttl, start.TTL)
	}
	t := &running{r: r, id: rand.Text(), start: start, written: 1, used: make(map[string]struct{})}
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
	if err := s.into(&record); err != nil {
		return nil, err
	}
	var err error
	if t.leave, err = r.hub.follow(t.id, t.observe); err != nil {
		return nil, fmt.Errorf("making a task: %w", err)
	}
	if err := r.create(ctx, record); err != nil {
		t.leave()
		return nil, err
	}
	t.expiry = group.AfterFunc(ttl, func() { r.Go(t.expire) })
	if !r.enter(t) {
		t.leave()
		t.expiry.Stop()
		return nil, errors.Join(errClosed, t.fail(errStopped))
	}
	return t, nil
}

func (r *Runner) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// create keeps a new task. What has expired makes room for it.
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
		return &mcp.ToolError{Code: "TOO_MANY_TASKS", Message: "the call cannot become a task: " + err.Error(), Next: "wait for tasks to end, or cancel some; those that have ended are forgotten after a while", Err: err}
	case err != nil:
		return fmt.Errorf("keeping a new task: %w", err)
	}
	return nil
}

// enter counts a task among those that run. It is false when the runner is closed.
func (r *Runner) enter(t *running) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.running[t.id] = t
	r.arm(beat)
	return true
}

// runs is the task of that id if its work is done here, or nil.
func (r *Runner) runs(id string) *running {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running[id]
}

// Handle implements mcp.Task.
func (t *running) Handle() mcp.Result { return t.handle }

// change changes the task, and remembers which version is its own.
func (t *running) change(ctx context.Context, f func(*Record, *state) error) (view, error) {
	return t.r.change(ctx, t.id, func(version int64) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.written = version
	}, f)
}

// observe learns from what others have changed whether the work is to end.
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
	if s, err := stateOf(&record); err == nil && s.Cancel {
		t.start.Cancel(ErrCancelled)
	}
}

// Report implements mcp.Task. What is told too fast is written when there is time.
func (t *running) Report(message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "")
	}
	if message == t.message {
		return
	}
	t.message, t.said = message, nowMillis()
	t.tell()
}

// tell has the message written, unless that has been ordered; the lock is held.
func (t *running) tell() {
	if !t.over && !t.telling && t.message != t.told {
		t.telling = t.r.Go(t.write)
	}
}

// write writes what the task says of itself, and again after a while if it says
// something else by then.
func (t *running) write() {
	t.mu.Lock()
	message := t.message
	t.told = message
	t.mu.Unlock()
	ctx, cancel := detached()
	defer cancel()
	_, err := t.change(ctx, func(_ *Record, s *state) error {
		if s.Status.Ended() || s.Cancel {
			return errUnchanged
		}
		s.Message = message
		return nil
	})
	if err != nil && !errors.Is(err, ErrNotFound) {
		t.r.opts.Log.Warn("what a task says of itself could not be written", "task", t.id, "error", err)
	}
	group.AfterFunc(reportEvery, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.telling = false
		t.tell()
	})
}

// End implements mcp.Task.
func (t *running) End(result *mcp.ToolResult, why error) {
	var raw []byte
	if why == nil {
		if raw, why = result.AppendJSON(nil, mcp.Latest); why != nil {
			why = mcp.Errorf(mcp.CodeInternal, "Internal error: the result could not be encoded: %v", why)
		}
	}
	ended, keep := nowMillis(), t.r.opts.Keep
	t.finish(len(raw), func(record *Record, s *state) {
		switch {
		case s.Cancel && (why != nil || result.IsError):
			s.end(record, Cancelled, "The task was cancelled.", ended, keep)
		case why != nil:
			s.Error = failureOf(why)
			s.end(record, Failed, s.Error.Message, ended, keep)
		default:
			s.Result, s.IsError = raw, result.IsError
			s.end(record, Completed, "", ended, keep)
		}
	})
}

// finish writes what the work has come to: later, if that is not possible now. size is
// that of the result.
func (t *running) finish(size int, end func(*Record, *state)) {
	err := t.settle(end)
	if errors.Is(err, ErrFull) {
		err = t.fail(mcp.Errorf(mcp.CodeInternal, "The result of the task has %d bytes; there is no room to keep it. Call the tool again later, or ask for less", size))
	}
	if err == nil {
		t.release()
		return
	}
	t.r.opts.Log.Error("the end of a task could not be written; it is tried again", "task", t.id, "error", err)
	group.AfterFunc(beat, func() {
		if t.r.runs(t.id) == t { // else it has expired, or the runner is closed
			t.r.Go(func() { t.finish(size, end) })
		}
	})
}

// expire ends a task that has taken too long.
func (t *running) expire() {
	may := time.Duration(t.handle.state.TTL) * time.Millisecond
	if err := t.end(ErrExpired, mcp.Errorf(mcp.CodeInternal, "The task took longer than the %v that it may; ask for less at once", may)); err != nil {
		t.r.opts.Log.Error("a task that took too long could not be ended", "task", t.id, "error", err)
	}
}

// fail ends the task before its work does, which is cancelled.
func (t *running) fail(why error) error { return t.end(why, why) }

func (t *running) end(cause, why error) error {
	defer t.release()
	err := t.settle(func(record *Record, s *state) {
		if s.Cancel {
			s.end(record, Cancelled, "The task was cancelled.", nowMillis(), t.r.opts.Keep)
			return
		}
		s.Error = failureOf(why)
		s.end(record, Failed, s.Error.Message, nowMillis(), t.r.opts.Keep)
	})
	t.start.Cancel(cause)
	return err
}

// settle writes the end of the task, unless it has one or has been removed.
func (t *running) settle(end func(*Record, *state)) error {
	ctx, cancel := detached()
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

// release lets go of a task that has ended. Its work may still be ending.
func (t *running) release() {
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
	t.expiry.Stop()
	t.leave()
	t.r.mu.Lock()
	delete(t.r.running, t.id)
	t.r.mu.Unlock()
}
