package debug

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	protocol "github.com/google/go-dap"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/tools/internal/dap"
	"github.com/dougu-go/dougu/tools/internal/spool"

	"golang.org/x/sync/semaphore"
)

// The states of a session.
const (
	stateStarting = "starting"
	stateRunning  = "running"
	stateStopped  = "stopped"
	stateEnded    = "ended"
)

// session is a debugger with the program that it debugs, until it is forgotten.
type session struct {
	d       *Debugger
	owner   string // the principal that has started it, which alone sees it
	id      string
	target  target
	started time.Time
	out     *spool.Spool
	points  points

	ctx    context.Context // ends when the session is to end
	cancel context.CancelCauseFunc
	turn   *semaphore.Weighted // of 1, for operations that run the program

	initialized chan struct{} // closed when the adapter takes breakpoints
	over        chan struct{} // closed when it has ended and nothing is left of it
	forgotten   chan struct{} // closed when it is to be forgotten

	mu     sync.Mutex
	client *dap.Session // nil before the adapter runs
	at     position
	news   chan struct{} // closed when at has changed
	exit   *int
	used   time.Time
	heard  int64 // up to where the output was shown last
	seen   memory
	stuck  *dap.Pending // request without response in time
}

// position is where a program stands.
type position struct {
	state  string
	epoch  int // counts the stops
	reason string
	detail string
	thread int
	hit    []int // breakpoints
	err    error // why it has ended, if that is not its own doing
}

// Why a session ends other than by a failure.
var (
	errTerminated = errors.New("the program has ended")
	errStopped    = errors.New("debug_stop was called")
	errIdle       = errors.New("it was idle for too long")
	errClosed     = errors.New("the server is being stopped")
	errAbandoned  = errors.New("the call that started it was given up")
)

func (d *Debugger) newSession(owner string, t target) *session {
	s := &session{
		d: d, owner: owner, target: t, started: time.Now(), used: time.Now(), out: spool.New(spool.Options{Max: d.options.MaxOutput, Dir: d.options.OutputDir}),
		turn: semaphore.NewWeighted(1), initialized: make(chan struct{}), over: make(chan struct{}), forgotten: make(chan struct{}),
		news: make(chan struct{}), at: position{state: stateStarting},
	}
	s.ctx, s.cancel = context.WithCancelCause(d.life)
	return s
}

// event handles an event of the adapter. The reader of the connection calls it.
func (s *session) event(name string, body json.RawMessage) {
	switch name {
	case "initialized":
		s.once(s.initialized)
	case "stopped":
		var b protocol.StoppedEventBody
		if json.Unmarshal(body, &b) == nil {
			s.stopped(b)
		}
	case "continued":
		s.move(func(p *position) bool {
			if p.state != stateStopped {
				return false
			}
			p.state = stateRunning
			return true
		})
	case "exited":
		var b protocol.ExitedEventBody
		if json.Unmarshal(body, &b) == nil {
			s.mu.Lock()
			s.exit = &b.ExitCode
			s.mu.Unlock()
		}
	case "terminated":
		s.cancel(errTerminated)
	case "output":
		var b protocol.OutputEventBody
		if json.Unmarshal(body, &b) == nil {
			s.printed(b)
		}
	case "breakpoint":
		var b protocol.BreakpointEventBody
		if json.Unmarshal(body, &b) == nil {
			s.points.changed(b.Breakpoint)
		}
	}
}

func (s *session) stopped(b protocol.StoppedEventBody) {
	s.move(func(p *position) bool {
		if p.state == stateEnded {
			return false
		}
		*p = position{state: stateStopped, epoch: p.epoch + 1, reason: b.Reason, detail: b.Description, thread: b.ThreadId, hit: b.HitBreakpointIds}
		if b.Text != "" && b.Text != b.Description {
			p.detail += ": " + b.Text
		}
		return true
	})
}

// printed stores output of the program or the debugger.
func (s *session) printed(b protocol.OutputEventBody) {
	switch b.Category {
	case "telemetry":
	case "stderr":
		s.out.Append(spool.Stderr, []byte(b.Output))
	default:
		s.out.Append(spool.Stdout, []byte(b.Output))
	}
}

// wrote stores output of the adapter outside the protocol.
func (s *session) wrote(stream process.Stream, p []byte) {
	view := spool.Stdout
	if stream == process.Stderr {
		view = spool.Stderr
	}
	s.out.Append(view, p)
}

// move changes the position and notifies waiting calls.
func (s *session) move(change func(p *position) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if change(&s.at) {
		close(s.news)
		s.news = make(chan struct{})
	}
}

// position is where the program stands, and a channel that is closed when that has changed.
func (s *session) position() (position, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at, s.news
}

// await waits until the program does not go on, and reports whether that is so within the time. It is the end of ctx that is an
// error.
func (s *session) await(ctx context.Context, wait time.Duration) (bool, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		at, news := s.position()
		if at.state == stateStopped || at.state == stateEnded {
			return true, nil
		}
		select {
		case <-news:
		case <-timer.C:
			return false, nil
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// settle waits, for a while, until a session that is about to end has ended, so that it can be said how.
func (s *session) settle(ctx context.Context) {
	s.mu.Lock()
	client := s.client
	s.mu.Unlock()
	if s.ctx.Err() == nil && (client == nil || client.Err() == nil) {
		return
	}
	timer := time.NewTimer(settling)
	defer timer.Stop()
	select {
	case <-s.over:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// settling is how long a session is waited for that is about to end.
const settling = 10 * time.Second

// take waits for the right to have the program do something; the caller gives it back.
func (s *session) take(ctx context.Context) (give func(), err error) {
	if s.turn.Acquire(ctx, 1) != nil {
		return nil, problem(codeBusy, "Wait for the other call, or end the session with debug_stop.", "another call works with the session")
	}
	return func() { s.turn.Release(1) }, nil
}

// activeClient returns the adapter of a session that has started and not ended.
func (s *session) activeClient() (*dap.Session, error) {
	s.mu.Lock()
	client, at := s.client, s.at
	s.mu.Unlock()
	switch {
	case at.state == stateEnded || s.ctx.Err() != nil:
		return nil, problem(codeEnded, "debug_status has its output. Start a new session with debug_start.", "the session %s has ended", s.id)
	case at.state == stateStarting || client == nil:
		return nil, problem(codeBusy, "Wait for it with debug_status and waitMs.", "the program is still being built or started")
	case s.busy():
		return nil, problem(codeBusy, "Wait for it with debug_status and waitMs, or end the session with debug_stop.", "the debugger is still busy with the evaluation of an expression")
	}
	return client, nil
}

// busy reports whether the debugger still works on an earlier request.
func (s *session) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stuck != nil && s.stuck.Answered() {
		s.stuck = nil
	}
	return s.stuck != nil
}

// stoppedClient returns the adapter of a session whose program is stopped.
func (s *session) stoppedClient() (*dap.Session, position, error) {
	client, err := s.activeClient()
	if err != nil {
		return nil, position{}, err
	}
	at, _ := s.position()
	if at.state != stateStopped {
		return nil, position{}, problem(codeNotStopped, "Wait for it with debug_status and waitMs, or stop it with debug_step and action=pause.", "the program is running")
	}
	return client, at, nil
}

func (s *session) once(c chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-c:
	default:
		close(c)
	}
}

// forget has the session forgotten, once it has ended.
func (s *session) forget() { s.once(s.forgotten) }

func (s *session) finished() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

// touch records the use of the session.
func (s *session) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
}

// idle returns the time since the last use.
func (s *session) idle() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.used)
}
