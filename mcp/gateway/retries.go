package gateway

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	// steadyAfter is the time in the ready state after which an upstream is restarted at once.
	steadyAfter = 10 * time.Second
	// firstDelay is the delay after the first failed attempt. It doubles with each failure up to
	// restDelay, and up to idleDelay after the upstream was unavailable for goneFor.
	firstDelay = 250 * time.Millisecond
	restDelay  = 5 * time.Second
	idleDelay  = time.Minute
	goneFor    = 10 * time.Minute
	// wantedDelay limits the time between the starts of two attempts while calls wait, and soonDelay
	// the delay after a recent loss.
	wantedDelay = 2 * time.Second
	soonDelay   = 400 * time.Millisecond
	// recentLossTime is the time after the end of a connection during which calls wait for the next
	// attempt.
	recentLossTime = reconnectTimeout
	// maxFlaps limits the failure count of an upstream that was ready for less than steadyAfter, so
	// that its delay stays short.
	maxFlaps = 2
	// restartTime is the minimum start limit of an upstream that was ready before; five times the
	// duration of its last start is added.
	restartTime = 3 * time.Second
)

// retries is the state of the restart attempts. member.mu guards the fields except wanted.
type retries struct {
	wanted   chan struct{} // holds a token when a call needs the upstream
	failed   int           // in a row
	trying   bool          // an attempt is under way, or about to be
	earliest time.Time     // of the next attempt, if a call wants it
}

// startLimit bounds an attempt to start the upstream.
func (m *member) startLimit() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.retries.trying = true
	if m.startup == 0 {
		return m.g.opts.StartTimeout
	}
	limit := restartTime + 5*m.startup
	if m.startup > time.Second { // a program whose machine may be busy now
		limit <<= min(m.retries.failed, 4)
	}
	return min(limit, m.g.opts.StartTimeout)
}

// began records a successful attempt.
func (m *member) began(l *link, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.startup = max(took, time.Nanosecond)
	m.retries.trying, m.retries.failed = false, 0
	if l.live != nil {
		l.live.recordAnswer()
	}
}

// want requests the next restart attempt as soon as it is due.
func (m *member) want() {
	m.mu.Lock()
	m.retries.trying = m.retries.trying || m.status.State == Down && !time.Now().Before(m.retries.earliest)
	m.mu.Unlock()
	select {
	case m.retries.wanted <- struct{}{}:
	default:
	}
}

// retryAt returns the time of the next attempt if a call wants it, zero if none is needed.
func (m *member) retryAt() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.status.State != Down || m.live.Load() != nil {
		return time.Time{}
	}
	return m.retries.earliest
}

// next waits for a connection other than one that has failed, or until that is well again, as long as there is hope that this
// happens soon. The error is a *loginError if a user has to log in first.
func (m *member) next(ctx context.Context, failed *link) (*link, error) {
	for {
		m.mu.Lock()
		changed, state := m.changed, m.shown
		m.mu.Unlock()
		if l := m.live.Load(); l != nil && (l != failed || !l.ended() && l.live.reason() == nil) {
			return l, nil
		}
		m.want()
		m.mu.Lock()
		waits := m.shown == state && (state == Starting || state == Ready || m.retries.trying || time.Since(m.goneAt) < recentLossTime)
		again := m.shown != state
		m.mu.Unlock()
		switch {
		case again:
			continue
		case state == Removed || state == NeedsLogin || !waits:
			if failed != nil && state != NeedsLogin {
				return nil, failed.closeReason()
			}
			status, _ := m.snapshot()
			return nil, m.down(&silentError{status.reason()})
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// rest waits before the next attempt to start an upstream, less long if a call needs it, and has it hidden when it has been
// gone for long.
// began is the time of the last attempt.
func (m *member) rest(failed int, began time.Time, err error) {
	now := time.Now()
	m.mu.Lock()
	if m.goneAt.IsZero() {
		m.goneAt = now
	}
	longest := restDelay
	if now.Sub(m.goneAt) > goneFor {
		longest = idleDelay
	}
	delay := min(firstDelay<<min(failed-1, 10), longest)
	delay -= rand.N(delay/2 + 1)
	retry := now.Add(delay)
	if !m.retired {
		m.set(Down, err)
		m.status.Retry = retry
	}
	wanted := wantedDelay - rand.N(wantedDelay/2)
	if now.Sub(m.goneAt) < recentLossTime {
		wanted = soonDelay
	}
	m.retries.failed, m.retries.trying, m.retries.earliest = failed, false, began.Add(min(delay, wanted))
	earliest, hide := m.retries.earliest, m.goneAt.Add(m.g.opts.HideAfter)
	m.mu.Unlock()
	m.log.Warn("an upstream is down", "reason", logText(err), "attempts", failed, "retryIn", delay)
	m.publish()
	timer, hiding := time.NewTimer(delay), time.NewTimer(time.Until(hide))
	defer timer.Stop()
	defer hiding.Stop()
	for {
		select {
		case <-m.life.Done():
			return
		case <-timer.C:
			return
		case <-hiding.C:
			m.hide()
		case <-m.retries.wanted:
			timer.Reset(time.Until(earliest))
		}
	}
}

// hide leaves the upstream out of lists.
func (m *member) hide() {
	m.mu.Lock()
	hidden := m.status.hidden
	m.status.hidden = true
	m.mu.Unlock()
	if !hidden {
		m.publish()
	}
}
