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
	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	// minDelay and maxDelay bound the pauses of subscriptions, which double.
	minDelay = time.Second
	maxDelay = time.Minute
)

// errRemoved is the error of calls whose upstream was removed.
var errRemoved = errors.New("the server has been removed from the gateway")

// member is an upstream in a gateway, shared or of one principal. One goroutine keeps it connected
// after its first use.
type member struct {
	g         *Gateway
	up        *Upstream
	principal string // "" if the member is shared
	log       *slog.Logger

	life context.Context
	stop context.CancelCauseFunc
	run  group.Group

	live  atomic.Pointer[link]  // current connection; nil if there is none
	has   atomic.Pointer[lists] // lists of the last connection; nil before the first one
	stale chan struct{}         // receives a token when the lists must be read again

	wake    chan struct{} // receives a token when a request wants to try a login again
	refused chan error    // receives the error that ends the connection: the login is no longer valid

	mu      sync.Mutex    // guards the fields up to startup
	started bool          // the goroutine that connects the upstream was started
	retired bool          // removed from the gateway; it does not start again
	status  Status        // current state; it may not be published yet
	shown   State         // last published state
	goneAt  time.Time     // end of the last ready state
	changed chan struct{} // closed at the next publish
	login   *Login        // login whose page was sent to a client; nil if none
	checked time.Time     // time at which a missing login was found

	loggedInAt time.Time // end of the last login for which a request waited
	retries    retries
	answer     time.Time     // last response on closed links
	startup    time.Duration // duration of the last start that succeeded

	subs subscriptions
	pool connectionPool
}

// link is a connection to an upstream.
type link struct {
	conn   protocol.Conn
	local  bool         // the upstream is in this process
	modern bool         // the upstream speaks revision 2026-07-28
	calls  atomic.Int64 // running calls
	logs   logs         // routes the log messages of the upstream to clients
	live   *liveness    // nil for local and pooled connections
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
	m.pool.m = m
	return m
}

// start starts the upstream if necessary, and connects it again if its login was missing.
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
	m.run.Go(m.maintain)
}

// set changes the state without publishing it. The caller holds m.mu.
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

// enter changes and publishes the state.
func (m *member) enter(state State, err error) {
	m.mu.Lock()
	if !m.retired {
		m.set(state, err)
	}
	m.mu.Unlock()
	m.publish()
}

// publish updates the tables with the member's state and lists, and then wakes waiting requests.
func (m *member) publish() {
	m.g.rebuild()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shown = m.status.State
	close(m.changed)
	m.changed = make(chan struct{})
}

// snapshot returns the status and the lists, which are nil before the first connection.
func (m *member) snapshot() (Status, *lists) {
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

// slow reports whether the member has been starting for longer than the duration.
func (m *member) slow(than time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.status.State == Starting && time.Since(m.status.Since) > than
}

// await returns the connection, or an error if there is none. It waits for a connection that is
// being opened.
func (m *member) await(ctx context.Context) (*link, error) {
	if l := m.live.Load(); l != nil {
		return l, nil
	}
	m.start()
	limit := m.g.opts.ListTimeout
	if m.has.Load() != nil {
		limit = min(limit, reconnectTimeout)
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
	status, _ := m.snapshot()
	return nil, m.down(errors.New(status.reason()))
}

// down returns the error of a call that was not sent: a *loginError if a user has to log in first.
func (m *member) down(why error) error {
	status, _ := m.snapshot()
	switch {
	case status.State == NeedsLogin:
		return &loginError{upstream: m.up.Name, err: status.Err}
	case errors.Is(why, ErrLoginNeeded):
		return &loginError{upstream: m.up.Name, err: why}
	}
	return &downError{m.up.Name, why, m.retryAt(), status.LastAnswer}
}

// requestReload makes the lists be read again soon.
func (m *member) requestReload() {
	select {
	case m.stale <- struct{}{}:
	default:
	}
}

// busy reports whether the member has running calls.
func (m *member) busy() bool {
	l := m.live.Load()
	return l != nil && l.calls.Load() > 0 || m.pool.busy()
}

// retire removes the member. Running calls may finish within grace.
func (m *member) retire(grace time.Duration) {
	for end := time.Now().Add(grace); m.busy() && time.Now().Before(end); {
		if wait.Sleep(m.g.life, 20*time.Millisecond) != nil {
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
	m.pool.close()
	m.subs.close()
	m.run.Wait()
}
