package gateway

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
)

const (
	// minDelay and maxDelay bound the pauses of subscriptions, which double.
	minDelay = time.Second
	maxDelay = time.Minute
)

// errRemoved is why a call fails whose upstream has been taken away.
var errRemoved = errors.New("the server has been removed from the gateway")

// member is an upstream in a gateway, or that of one principal. One goroutine
// keeps it connected, once somebody needs it.
type member struct {
	g         *Gateway
	up        *Upstream
	principal string // "" for all
	log       *slog.Logger

	life context.Context
	stop context.CancelCauseFunc
	run  group.Group

	live  atomic.Pointer[link]  // nil while there is none
	has   atomic.Pointer[lists] // nil until it was ready for the first time
	stale chan struct{}         // holds a token when the lists are to be read again

	wake    chan struct{} // holds a token when a request wants to know whether the user has logged in
	refused chan error    // holds why the connection is to be ended: its login is not good any more

	mu      sync.Mutex
	started bool
	retired bool
	status  Status
	shown   State         // of the status that is in the tables
	goneAt  time.Time     // when it ceased to be ready
	changed chan struct{} // closed when what is shown has changed
	login   *Login        // whose page was told to a client; nil for none
	checked time.Time     // when a login was found to be missing

	loggedInAt time.Time // when the last login that a request has waited for has ended
	retries    retries
	answer     time.Time     // of the last sign of life on links that have ended
	startup    time.Duration // duration of the last start that succeeded

	subs  subscriptions
	lanes lanes
}

// link is a connection to an upstream.
type link struct {
	conn   mcp.Conn
	local  bool // it is in the process
	modern bool
	calls  atomic.Int64 // that are under way
	logs   logs
	live   *liveness // nil if local, and for lanes
}

func newMember(g *Gateway, up *Upstream, principal string) *member {
	m := &member{
		g: g, up: up, principal: principal, log: g.opts.Log.With("upstream", up.Name),
		retries: retries{wanted: make(chan struct{}, 1)}, stale: make(chan struct{}, 1), changed: make(chan struct{}), shown: Idle,
		wake: make(chan struct{}, 1), refused: make(chan error, 1),
		status: Status{Name: up.Name, Principal: principal, PerPrincipal: up.PerPrincipal, SharedLogin: up.SharedLogin, State: Idle, Since: time.Now()},
	}
	m.life, m.stop = context.WithCancelCause(g.life)
	m.run.OnPanic = g.run.OnPanic
	m.lanes.m = m
	return m
}

// start has the upstream started, if it is not yet, and connected again if its login was missing.
func (m *member) start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.retryLogin()
	if m.started || m.retired {
		return
	}
	m.started = true
	m.set(Starting, nil)
	m.shown = Starting
	m.run.Go(m.keep)
}

// set changes the state; show has others see it. m.mu is held.
func (m *member) set(state State, err error) {
	if m.status.State == Ready && state != Ready {
		m.goneAt = time.Now()
	}
	m.status.State, m.status.Since, m.status.Retry = state, time.Now(), time.Time{}
	if err != nil {
		m.status.Err = err
	}
	if state == Ready {
		m.status.Err, m.goneAt, m.status.hidden = nil, time.Time{}, false
	}
}

// enter changes the state, and has others see it.
func (m *member) enter(state State, err error) {
	m.mu.Lock()
	if !m.retired {
		m.set(state, err)
	}
	m.mu.Unlock()
	m.show()
}

// show puts what the member has into the tables, and then wakes who waits for it.
func (m *member) show() {
	m.g.rebuild()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shown = m.status.State
	close(m.changed)
	m.changed = make(chan struct{})
}

// look returns how the member is and what it has, nil if that is not known.
func (m *member) look() (Status, *lists) {
	m.mu.Lock()
	defer m.mu.Unlock()
	status, l := m.status, m.has.Load()
	if l != nil {
		status.Server, status.Version, status.Revision = l.info.Server.Name, l.info.Server.Version, string(l.revision)
		status.Tools, status.Prompts, status.Resources, status.Templates = len(l.tools), len(l.prompts), len(l.resources), len(l.templates)
	}
	if status.LastAnswer = m.answer; m.live.Load() != nil && m.live.Load().live != nil {
		status.LastAnswer = m.live.Load().live.lastHeard()
	}
	return status, l
}

// settle waits until the member is ready or has failed.
func (m *member) settle(ctx context.Context) error {
	for {
		m.mu.Lock()
		state, changed := m.shown, m.changed
		m.mu.Unlock()
		if state == Down || state == NeedsLogin || state == Removed || state == Ready && m.live.Load() != nil {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// slow reports whether the member has been starting for longer than a time.
func (m *member) slow(than time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.status.State == Starting && time.Since(m.status.Since) > than
}

// await returns the connection, or why there is none. It waits for one that is
// being opened.
func (m *member) await(ctx context.Context) (*link, error) {
	if l := m.live.Load(); l != nil {
		return l, nil
	}
	m.start()
	limit := m.g.opts.ListTimeout
	if m.has.Load() != nil {
		limit = min(limit, callPatience)
	}
	patience, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	l, err := m.next(patience, nil)
	switch missing := (*loginError)(nil); {
	case err == nil:
		return l, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &missing):
		return nil, missing
	}
	status, _ := m.look()
	return nil, m.down(errors.New(status.reason()))
}

// down returns the error of a call that was not sent: a *loginError if a user has to log in first.
func (m *member) down(why error) error {
	status, _ := m.look()
	switch {
	case status.State == NeedsLogin:
		return &loginError{upstream: m.up.Name, err: status.Err}
	case errors.Is(why, ErrLoginNeeded):
		return &loginError{upstream: m.up.Name, err: why}
	}
	return &downError{m.up.Name, why, m.retryAt(), status.LastAnswer}
}

// outdated has the lists read again, soon.
func (m *member) outdated() {
	select {
	case m.stale <- struct{}{}:
	default:
	}
}

// busy reports whether calls of the member are under way.
func (m *member) busy() bool {
	l := m.live.Load()
	return l != nil && l.calls.Load() > 0 || m.lanes.busy()
}

// retire takes the member away: calls under way may end, for as long as grace.
func (m *member) retire(grace time.Duration) {
	for end := time.Now().Add(grace); m.busy() && time.Now().Before(end); {
		if wait.For(m.g.life, 20*time.Millisecond) != nil {
			break
		}
	}
	m.mu.Lock()
	m.set(Removed, errRemoved)
	m.shown, m.retired = Removed, true
	close(m.changed)
	m.changed = make(chan struct{})
	m.mu.Unlock()
	m.stop(errRemoved)
	m.lanes.close()
	m.subs.close()
	m.run.Wait()
}
