package gateway

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// aliveLink returns a connection whose upstream has responded recently. The error is a *loginError
// if a login is required.
func (m *member) aliveLink(ctx context.Context) (*link, error) {
	l, err := m.await(ctx)
	if err != nil {
		return nil, err
	}
	return m.ensureAlive(ctx, l)
}

// ensureAlive returns l, or the next connection, after a recent response of its upstream. The error
// is the reason for not sending the call.
func (m *member) ensureAlive(ctx context.Context, l *link) (*link, error) {
	if l.live == nil || !m.pingsEnabled() || l.live.silence() < quietAfter && !l.live.mute.Load() {
		return l, nil
	}
	patience, cancel := context.WithTimeout(ctx, reconnectTimeout)
	defer cancel()
	why := l.live.reason()
	if why == nil {
		why = l.live.probe(patience)
	}
	if why == nil {
		return l, nil
	}
	if !l.live.isLate() { // it may come back in time
		if next, err := m.next(patience, l); err == nil {
			return next, nil
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, m.down(why)
}

// pingsEnabled reports whether the gateway sends pings.
func (m *member) pingsEnabled() bool { return m.g.opts.PingEvery > 0 }

// exchange sends a request and returns its raw result. If the upstream did not run the request, or
// it is repeatable, exchange sends it once more on the next connection.
func (m *member) exchange(ctx context.Context, l *link, out *protocol.Request, repeatable bool) (got rawResult, err error) {
	got.link = l
	got.raw, err = send(ctx, l, out)
	if l.live == nil {
		return got, err
	}
	if !isBroken(ctx, err) {
		if ctx.Err() == nil && !errors.Is(err, ErrLoginNeeded) {
			l.live.recordAnswer()
			l.live.faults.Store(0)
		}
		return got, err
	}
	if !repeatable && !isUnsent(err) {
		if l.live.faults.Add(1) >= maxFaults && l.calls.Load() <= 1 {
			l.live.giveUp(&silentError{fmt.Sprintf("%d calls in a row broke off: %s", maxFaults, safeText(err.Error()))}, false)
		}
		if m.pingsEnabled() { // the status tells of a server that is gone before the caller hears of it
			soon, cancel := context.WithTimeout(ctx, pingSoon)
			defer cancel()
			_ = l.live.probe(soon)
		}
		return got, m.connectionLostError(l, err)
	}
	patience, cancel := context.WithTimeout(ctx, reconnectTimeout)
	defer cancel()
	next, failed := l, l.live.reason()
	refused := isUnsent(err) && errors.Is(err, rpc.ErrRefused)
	if failed == nil && !l.ended() && !refused && m.pingsEnabled() {
		failed = l.live.probe(patience)
	}
	if failed != nil || l.ended() {
		if l.ended() {
			m.live.CompareAndSwap(l, nil)
		}
		next, failed = m.next(patience, l)
	}
	if missing := (*loginError)(nil); errors.As(failed, &missing) {
		return got, missing
	}
	if failed != nil || refused && next == l {
		return got, m.connectionLostError(l, err)
	}
	if got.link = next; next != l {
		next.calls.Add(1)
		defer next.calls.Add(-1)
	}
	if got.raw, err = send(ctx, next, out); isBroken(ctx, err) {
		err = m.connectionLostError(next, err)
	}
	return got, err
}

// rawResult is a result with the link that it came from.
type rawResult struct {
	raw  []byte
	link *link
}

// connectionLostError returns the error of a call with a broken connection, with the reason. It is
// never a *loginError, because that would repeat the call.
func (m *member) connectionLostError(l *link, err error) error {
	if why := l.live.reason(); why != nil && !isUnsent(err) && !errors.Is(why, ErrLoginNeeded) {
		return &lostError{m.up.Name, why}
	}
	return &lostError{m.up.Name, err}
}

// isBroken reports whether a request failed without a response of the upstream and without a
// missing login.
func isBroken(ctx context.Context, err error) bool {
	var answered *protocol.Error
	return err != nil && ctx.Err() == nil && !errors.As(err, &answered) && !errors.Is(err, errNoObject) && !errors.Is(err, ErrLoginNeeded)
}

// isUnsent reports whether the upstream has not received a failed request.
func isUnsent(err error) bool {
	return errors.Is(err, rpc.ErrUnsent) && !errors.Is(err, rpc.ErrRequestLost)
}
