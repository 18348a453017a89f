package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	// quietAfter is the silence of an upstream after which a call waits for the answer to a ping. A call that would fail is
	// then not sent.
	quietAfter = 50 * time.Millisecond
	// pingTimeout bounds the wait for the answer to a ping.
	pingTimeout = 2 * time.Second
	// pingSoon bounds the wait of a call that has failed already for the end of a ping.
	pingSoon = 200 * time.Millisecond
	// reconnectTimeout bounds the wait of a call for a new connection to the upstream.
	reconnectTimeout = 2500 * time.Millisecond
	// pingBusy is the silence after which an upstream with calls under way is pinged.
	pingBusy = time.Second
	// pingAgain is the pause after a ping that could not be sent.
	pingAgain = 100 * time.Millisecond
	// hungAfter is the time without an answer to pings after which the gateway connects anew to an upstream that is idle, or
	// known to answer pings during calls.
	hungAfter = 2 * pingTimeout
	// maxFaults is the number of broken calls in a row after which the gateway connects anew, even if pings are answered.
	maxFaults = 5
)

// liveness is the state of the health checks of a link. One goroutine (member.watch) sends the pings, and others read the
// state. The upstream answers, is mute (calls are refused), or is given up for good.
type liveness struct {
	base  time.Time    // when the link was made
	heard atomic.Int64 // time of the last answer, in nanoseconds since base
	// concurrent is set once the upstream has answered a ping while a call was under way. Without it, silence during a call
	// may be normal.
	concurrent atomic.Bool
	faults     atomic.Int32 // calls in a row whose connection broke
	mute       atomic.Bool  // calls are refused: the last ping was not answered, and the upstream was not excused

	wake chan struct{} // holds a token when a ping is wanted
	life context.Context
	end  context.CancelFunc // of life, when the link is given up

	mu      sync.Mutex
	round   chan struct{} // closed at the end of the current ping, else of the next one; then replaced
	why     error         // error of the last ping, or the reason for giving up
	since   time.Time     // start of the current series of pings without an answer; zero if the last one was answered
	late    bool          // the last ping was not answered in time
	hung    bool          // given up, and calls under way must fail with the link
	verdict bool          // given up
}

func newLiveness(ctx context.Context) *liveness {
	v := &liveness{base: time.Now(), wake: make(chan struct{}, 1), round: make(chan struct{})}
	v.life, v.end = context.WithCancel(ctx)
	return v
}

// recordAnswer notes a sign of life.
func (v *liveness) recordAnswer() { v.heard.Store(int64(time.Since(v.base))) }

// silence returns the age of the last sign of life.
func (v *liveness) silence() time.Duration { return time.Since(v.base) - time.Duration(v.heard.Load()) }

// lastHeard returns the time of the last sign of life.
func (v *liveness) lastHeard() time.Time { return v.base.Add(time.Duration(v.heard.Load())) }

// suspect asks for a ping.
func (v *liveness) suspect() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// probe asks for a ping, and waits for the end of the current or the next one. It returns the reason why calls are refused, or
// nil, and errPingLate if ctx ends before a reason is known.
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

// giveUp marks the link as given up, and ends its context. The first call counts. hung means that calls under way get no answer.
func (v *liveness) giveUp(why error, hung bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.verdict {
		v.verdict, v.why, v.hung = true, why, hung
		v.end()
	}
}

// conclude records the result of a ping, and reports whether mute has changed. For an excused upstream the error is recorded,
// and calls are not refused. A link that is given up stays so.
func (v *liveness) conclude(why error, late, excused bool, began time.Time) (changed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.verdict {
		return false
	}
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

// finish wakes the callers of probe.
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
	return v.late && v.mute.Load() && !v.verdict
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

// silentError reports that an upstream does not answer. It has no Unwrap method: the cause of a failed ping must not be taken
// for the cause of a failed call.
type silentError struct{ text string }

func (e *silentError) Error() string { return e.text }

// watch pings the upstream of a link after PingEvery of silence, after pingBusy of silence during calls, and when a caller of
// suspect asks for it. It returns when ctx ends or the link is given up.
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
			quiet := l.live.silence()
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

// round sends one ping, and updates the state. muted reports that the next ping is due at once, and over that the link is given
// up or ctx has ended.
func (m *member) round(ctx context.Context, l *link) (muted, over bool) {
	began, busy := time.Now(), l.calls.Load() > 0
	err := m.ping(ctx, l)
	switch {
	case ctx.Err() != nil:
		return false, true
	case err == nil:
		l.live.recordAnswer()
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
	// Many servers answer no ping while they run a call. Further calls to them are not refused: they wait for the running
	// call, as without a gateway.
	excused := late && busy && l.calls.Load() > 0 && !l.live.concurrent.Load()
	if l.live.conclude(why, late, excused, began) {
		m.voice(l, l.live.reason())
	}
	l.live.finish()
	switch {
	case why == nil:
		return false, false
	case !late && again: // two pings in a row have failed at once: the connection is broken
		l.live.giveUp(why, false)
		return false, true
	case late && time.Since(l.live.muteSince()) >= m.hungAfter(l):
		l.live.giveUp(why, true)
		return false, true
	case !late:
		return true, wait.Sleep(ctx, pingAgain) != nil
	}
	return true, false
}

// hungAfter returns the time that pings may fail before the link is given up: HangAfter while a running call may explain the
// silence.
func (m *member) hungAfter(l *link) time.Duration {
	if l.calls.Load() > 0 && !l.live.concurrent.Load() {
		return m.g.opts.HangAfter
	}
	return min(hungAfter, m.g.opts.HangAfter)
}

// explain returns the error of a ping as the status and calls show it.
func (m *member) explain(l *link, err error, late bool) error {
	if err == nil {
		return nil
	}
	switch {
	case !late && l.ended(): // that the ping was not sent says nothing of calls
		return &silentError{safeText(l.closeReason().Error())}
	case !late:
		return &silentError{safeText(err.Error())}
	}
	text := fmt.Sprintf("it has not responded for %v, not even to a ping", l.live.silence().Round(time.Second))
	if n := l.calls.Load(); n > 0 {
		text += fmt.Sprintf("; %d calls are under way there and may keep it busy", n)
	}
	return &silentError{text}
}

// voice logs that an upstream does not answer, or answers again, and sets the state of the member.
func (m *member) voice(l *link, why error) {
	if m.live.Load() != l {
		return
	}
	if why == nil {
		m.log.Info("an upstream responds again")
		m.enter(Ready, nil)
		return
	}
	m.log.Warn("an upstream does not answer", "reason", logText(why))
	m.enter(Down, why)
}

// errPingLate is the error of a ping without an answer in time.
var errPingLate = errors.New("it gives no sign of life")

// ping sends a ping, or server/discover in revision 2026-07-28, which has no ping. A JSON-RPC error counts as an answer.
func (m *member) ping(ctx context.Context, l *link) error {
	ctx, cancel := context.WithTimeoutCause(ctx, min(pingTimeout, m.g.opts.PingEvery), errPingLate)
	defer cancel()
	method := "ping"
	if l.modern {
		method = "server/discover"
	}
	_, err := l.conn.Dispatch(ctx, &protocol.Request{Method: method})
	var answered *protocol.Error
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
