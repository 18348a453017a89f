package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
)

// Between attempts to start an upstream is this long, doubled with each, and at
// most this long.
const (
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

	wake    chan struct{} // holds a token when a request wants to know whether somebody has logged in
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
}

func newMember(g *Gateway, up *Upstream, principal string) *member {
	m := &member{
		g: g, up: up, principal: principal, log: g.opts.Log.With("upstream", up.Name),
		stale: make(chan struct{}, 1), changed: make(chan struct{}), shown: Idle,
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
	patience, cancel := context.WithTimeout(ctx, m.g.opts.ListTimeout)
	defer cancel()
	err := m.settle(patience)
	if l := m.live.Load(); l != nil {
		return l, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	status, _ := m.look()
	if status.State == NeedsLogin {
		return nil, &loginError{upstream: m.up.Name, err: status.Err}
	}
	if err != nil {
		return nil, &downError{m.up.Name, errors.New(status.reason()), time.Time{}}
	}
	return nil, &downError{m.up.Name, errors.New(status.reason()), status.Retry}
}

// keep keeps the upstream connected until it is taken away.
func (m *member) keep() {
	for failed := 0; m.life.Err() == nil; {
		began := time.Now()
		ready, err := m.serve()
		if m.life.Err() != nil {
			return
		}
		if errors.Is(err, ErrLoginNeeded) {
			failed = 0
			m.awaitLogin(began, err)
			continue
		}
		if ready && time.Since(began) > maxDelay {
			failed = 0
		}
		if ready && failed == 0 { // it was well: it may be again at once
			m.log.Warn("an upstream has ended; it is started again", "reason", err)
			m.enter(Starting, err)
			failed++
			continue
		}
		failed++
		m.rest(failed, err)
	}
}

// rest waits before the next attempt to start an upstream, and has it hidden when
// it has been gone for long.
func (m *member) rest(failed int, err error) {
	delay := maxDelay
	if failed < 7 {
		delay = minDelay << (failed - 1)
	}
	delay -= rand.N(delay/2 + 1)
	m.log.Warn("an upstream is down", "reason", err, "attempts", failed, "retryIn", delay)
	retry := time.Now().Add(delay)
	m.mu.Lock()
	if !m.retired {
		m.set(Down, err)
		m.status.Retry = retry
		if m.goneAt.IsZero() {
			m.goneAt = time.Now()
		}
	}
	hide := m.goneAt.Add(m.g.opts.HideAfter)
	m.mu.Unlock()
	m.show()
	if hide.Before(retry) {
		if wait.For(m.life, time.Until(hide)) != nil {
			return
		}
		m.mu.Lock()
		hidden := m.status.hidden
		m.status.hidden = true
		m.mu.Unlock()
		if !hidden {
			m.show()
		}
	}
	_ = wait.For(m.life, time.Until(retry)) // whoever ends it sees that
}

// serve connects, keeps the lists as they are upstream, and returns when the
// connection has ended. ready tells whether it ever was.
func (m *member) serve() (ready bool, err error) {
	ctx, cancel := context.WithTimeoutCause(m.life, m.g.opts.StartTimeout,
		fmt.Errorf("it did not start within %v", m.g.opts.StartTimeout))
	defer cancel()
	l, err := m.connect(ctx, m.host())
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, m.drop(l)) }()
	stop, told := m.follow(ctx, l)
	defer stop()
	found, err := m.read(ctx, l)
	if err != nil {
		return false, err
	}
	found.told = told
	m.has.Store(found)
	select {
	case <-m.refused: // of a connection before
	default:
	}
	m.live.Store(l)
	m.subs.resume(m, l)
	m.enter(Ready, nil)
	return true, m.attend(l, found)
}

// drop closes a connection whose calls have failed with it.
func (m *member) drop(l *link) error {
	m.live.CompareAndSwap(l, nil)
	if l.local {
		return nil
	}
	return l.conn.Close()
}

// attend reads the lists again when they change, and looks after the connection
// until it has ended.
func (m *member) attend(l *link, has *lists) error {
	ping := make(<-chan time.Time)
	if every := m.g.opts.PingEvery; every > 0 && !l.local {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		ping = ticker.C
	}
	for {
		select {
		case <-l.conn.Done():
			return l.gone()
		case <-m.life.Done():
			return context.Cause(m.life)
		case err := <-m.refused:
			return err
		case <-m.stale:
			m.renew(l, has.told)
			// A flood of changes is read of once in a while.
			_ = wait.For(m.life, minDelay)
		case <-ping:
			if err := m.ping(l); err != nil {
				return err
			}
		}
	}
}

// renew reads the lists again. When that fails the old ones stay.
func (m *member) renew(l *link, told bool) {
	ctx, cancel := context.WithTimeout(m.life, m.g.opts.StartTimeout)
	defer cancel()
	found, err := m.read(ctx, l)
	if err != nil {
		m.log.Warn("the lists of an upstream could not be read again", "reason", err)
		return
	}
	found.told = told
	m.has.Store(found)
	m.show()
}

// ping asks for a sign of life. An upstream with calls under way may be busy.
func (m *member) ping(l *link) error {
	if l.calls.Load() > 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(m.life, m.g.opts.PingEvery)
	defer cancel()
	method := "ping"
	if l.modern {
		method = "server/discover"
	}
	_, err := l.conn.Dispatch(ctx, &mcp.Request{Method: method})
	var answered *mcp.Error
	if err == nil || errors.As(err, &answered) || m.life.Err() != nil || l.calls.Load() > 0 {
		return nil
	}
	return fmt.Errorf("it gives no sign of life: %w", err)
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
