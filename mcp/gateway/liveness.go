package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
)

const (
	// quietAfter is the age of the last sign of life from which on a call is preceded by a ping: a call that cannot be
	// answered is then not sent at all.
	quietAfter = 50 * time.Millisecond
	// pingPatience bounds the wait for the answer to a ping.
	pingPatience = 2 * time.Second
	// pingSoon bounds the wait for that answer of a call that has failed already.
	pingSoon = 200 * time.Millisecond
	// callPatience bounds the wait of a call for an upstream that is away.
	callPatience = 2500 * time.Millisecond
	// pingBusy is the silence after which an upstream with calls under way is pinged.
	pingBusy = time.Second
	// pingAgain is the pause before a ping that could not be sent is sent again.
	pingAgain = 100 * time.Millisecond
	// hungAfter is the silence after which an upstream that should answer pings is connected anew.
	hungAfter = 2 * pingPatience
	// maxFaults is the number of calls in a row whose connection broke after which an upstream is connected anew, in
	// spite of its answers to pings.
	maxFaults = 5
)

// liveness is the knowledge of whether the upstream at the other end of a link lives. One goroutine pings it.
type liveness struct {
	base  time.Time
	heard atomic.Int64 // age of the link at the last sign of life, in nanoseconds
	// concurrent tells that the upstream has answered a ping while a call was under way. Only then does silence during a
	// call mean a hang; other servers may answer nothing before their call has ended.
	concurrent atomic.Bool
	faults     atomic.Int32 // calls in a row whose connection broke
	mute       atomic.Bool  // the last ping was not answered: calls are refused

	wake chan struct{} // holds a token when a ping is wanted
	life context.Context
	end  context.CancelFunc // of life, when the link is given up

	mu      sync.Mutex
	round   chan struct{} // closed at the end of the ping under way, or of the next one
	why     error         // reason of mute, or of verdict
	since   time.Time     // of the first of the pings in a row that were not answered; zero if there is none
	late    bool          // mute because a ping was not answered in time
	hung    bool          // given up, and what is under way has to end with it
	verdict bool          // given up
}

func newLiveness(ctx context.Context) *liveness {
	v := &liveness{base: time.Now(), wake: make(chan struct{}, 1), round: make(chan struct{})}
	v.life, v.end = context.WithCancel(ctx)
	return v
}

// hear notes a sign of life.
func (v *liveness) hear() { v.heard.Store(int64(time.Since(v.base))) }

// quiet returns the age of the last sign of life.
func (v *liveness) quiet() time.Duration { return time.Since(v.base) - time.Duration(v.heard.Load()) }

// lastHeard returns the time of the last sign of life.
func (v *liveness) lastHeard() time.Time { return v.base.Add(time.Duration(v.heard.Load())) }

// suspect asks for a ping.
func (v *liveness) suspect() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// probe waits for the end of a ping and returns the reason why calls are refused, nil if they are not.
func (v *liveness) probe(ctx context.Context) error {
	v.mu.Lock()
	round := v.round
	v.mu.Unlock()
	v.suspect()
	select {
	case <-round:
	case <-v.life.Done():
	case <-ctx.Done():
		if why := v.reason(); why != nil {
			return why
		}
		return errPingLate
	}
	return v.reason()
}

// reason returns why calls are refused, nil if they are not.
func (v *liveness) reason() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.mute.Load() || v.verdict {
		return v.why
	}
	return nil
}

// giveUp ends the link. hung says that calls under way will have no answer either.
func (v *liveness) giveUp(why error, hung bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.verdict {
		v.verdict, v.why, v.hung = true, why, hung
		v.end()
	}
}

// conclude notes the result of a ping, and reports whether mute has changed.
// A server that is excused is not mute, though why says that it has not answered.
func (v *liveness) conclude(why error, late, excused bool, began time.Time) (changed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	mute := why != nil && !excused
	changed = v.mute.Load() != mute
	v.mute.Store(mute)
	switch {
	case why == nil:
		v.since = time.Time{}
	case v.since.IsZero():
		v.since = began
	}
	v.why, v.late = why, late
	return changed
}

// finish wakes those that wait for the end of a ping.
func (v *liveness) finish() {
	v.mu.Lock()
	defer v.mu.Unlock()
	close(v.round)
	v.round = make(chan struct{})
}

// isLate reports whether calls are refused because pings are not answered in time.
func (v *liveness) isLate() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.late && !v.verdict
}

// isHung reports whether the link was given up because nothing is answered.
func (v *liveness) isHung() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.hung
}

// muteSince returns the time from which on pings have not been answered.
func (v *liveness) muteSince() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.since
}

// silentError is the reason of an upstream that is not reached, without the chain of its cause: that of a ping says nothing
// of a call.
type silentError struct{ text string }

func (e *silentError) Error() string { return e.text }

// watch pings the upstream of a link when it is quiet for long, when a call is under way and nothing comes, and when
// somebody suspects it. It returns when ctx ends or the link is given up.
func (m *member) watch(ctx context.Context, l *link) {
	every := m.g.opts.PingEvery
	ticker := time.NewTicker(min(every, pingBusy))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.live.wake:
		case <-ticker.C:
			quiet := l.live.quiet()
			if quiet < every && (l.calls.Load() == 0 || quiet < pingBusy) {
				continue
			}
		}
		for muted := true; muted; {
			var over bool
			if muted, over = m.round(ctx, l); over {
				return
			}
		}
	}
}

// round pings once, and draws the conclusions. muted reports that the upstream is to be pinged again, over that the link is
// given up or ctx has ended.
func (m *member) round(ctx context.Context, l *link) (muted, over bool) {
	began, busy := time.Now(), l.calls.Load() > 0
	err := m.ping(ctx, l)
	switch {
	case ctx.Err() != nil:
		return false, true
	case err == nil:
		l.live.hear()
		if busy && l.calls.Load() > 0 {
			l.live.concurrent.Store(true)
		}
	case errors.Is(err, ErrLoginNeeded):
		l.live.giveUp(err, false)
		l.live.finish()
		return false, true
	case l.live.lastHeard().After(began):
		err = nil // a call was answered meanwhile
	}
	late := errors.Is(err, errPingLate)
	why := m.explain(l, err, late)
	again := why != nil && !l.live.muteSince().IsZero()
	// Many servers answer nothing while they carry out a call: others wait there for its end, as they would without a
	// gateway.
	excused := late && busy && l.calls.Load() > 0 && !l.live.concurrent.Load()
	if l.live.conclude(why, late, excused, began) {
		m.voice(l, l.live.reason())
	}
	l.live.finish()
	switch {
	case why == nil:
		return false, false
	case !late && again: // twice in a row: nobody is there
		l.live.giveUp(why, false)
		return false, true
	case late && time.Since(l.live.muteSince()) >= m.hungAfter(l):
		l.live.giveUp(why, true)
		return false, true
	case !late:
		return true, wait.For(ctx, pingAgain) != nil
	}
	return true, false
}

// hungAfter is how long the upstream may leave pings unanswered.
func (m *member) hungAfter(l *link) time.Duration {
	if l.calls.Load() > 0 && !l.live.concurrent.Load() {
		return m.g.opts.HangAfter
	}
	return min(hungAfter, m.g.opts.HangAfter)
}

// explain returns the reason of a ping without an answer as status and calls show it.
func (m *member) explain(l *link, err error, late bool) error {
	if err == nil {
		return nil
	}
	if !late {
		return &silentError{brief(err.Error())}
	}
	text := fmt.Sprintf("it answers nothing, not even a ping, for %v", l.live.quiet().Round(time.Second))
	if n := l.calls.Load(); n > 0 {
		text += fmt.Sprintf("; %d calls are under way there and may keep it busy", n)
	}
	return &silentError{text}
}

// voice shows that an upstream has fallen silent, or answers again.
func (m *member) voice(l *link, why error) {
	if m.live.Load() != l {
		return
	}
	if why == nil {
		m.log.Info("an upstream answers again")
		m.enter(Ready, nil)
		return
	}
	m.log.Warn("an upstream does not answer", "reason", why)
	m.enter(Down, why)
}

// errPingLate is the error of a ping that nothing has answered in time.
var errPingLate = errors.New("it gives no sign of life")

// ping asks for a sign of life. An error of the protocol is one.
func (m *member) ping(ctx context.Context, l *link) error {
	ctx, cancel := context.WithTimeoutCause(ctx, min(pingPatience, m.g.opts.PingEvery), errPingLate)
	defer cancel()
	method := "ping"
	if l.modern {
		method = "server/discover"
	}
	_, err := l.conn.Dispatch(ctx, &mcp.Request{Method: method})
	var answered *mcp.Error
	switch {
	case err == nil || errors.As(err, &answered):
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return err
}

// ended reports whether the connection has ended.
func (l *link) ended() bool {
	select {
	case <-l.conn.Done():
		return true
	default:
		return false
	}
}
