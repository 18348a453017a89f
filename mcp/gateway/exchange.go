package gateway

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
)

// reach returns the connection of a request that is about to be sent: one whose upstream has just given a sign of life. The
// error is a *loginError if a user has to log in first.
func (m *member) reach(ctx context.Context) (*link, error) {
	l, err := m.await(ctx)
	if err != nil {
		return nil, err
	}
	return m.sound(ctx, l)
}

// sound returns a link whose upstream has just given a sign of life: l, or the next one if that is opened in time. The error
// is the reason why the call must not be sent.
func (m *member) sound(ctx context.Context, l *link) (*link, error) {
	if l.live == nil || !m.pings() || l.live.quiet() < quietAfter && !l.live.mute.Load() {
		return l, nil
	}
	patience, cancel := context.WithTimeout(ctx, callPatience)
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

// pings reports whether upstreams are asked for signs of life.
func (m *member) pings() bool { return m.g.opts.PingEvery > 0 }

// exchange sends a request and returns its raw result. A request that was not carried out, or that may be repeated, is sent
// once more if the upstream comes back in time.
func (m *member) exchange(ctx context.Context, l *link, out *mcp.Request, repeatable bool) (got rawResult, err error) {
	got.link = l
	got.raw, err = send(ctx, l, out)
	if l.live == nil {
		return got, err
	}
	if !isBroken(ctx, err) {
		if ctx.Err() == nil && !errors.Is(err, ErrLoginNeeded) {
			l.live.hear()
			l.live.faults.Store(0)
		}
		return got, err
	}
	if !repeatable && !isUnsent(err) {
		if l.live.faults.Add(1) >= maxFaults && l.calls.Load() <= 1 {
			l.live.giveUp(&silentError{fmt.Sprintf("%d calls in a row broke off: %s", maxFaults, brief(err.Error()))}, false)
		}
		if m.pings() { // the status tells of a server that is gone before the caller hears of it
			soon, cancel := context.WithTimeout(ctx, pingSoon)
			defer cancel()
			_ = l.live.probe(soon)
		}
		return got, m.lost(l, err)
	}
	patience, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	next, failed := l, l.live.reason()
	refused := isUnsent(err) && errors.Is(err, rpc.ErrRefused)
	if failed == nil && !l.ended() && !refused && m.pings() {
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
		return got, m.lost(l, err)
	}
	if got.link = next; next != l {
		next.calls.Add(1)
		defer next.calls.Add(-1)
	}
	if got.raw, err = send(ctx, next, out); isBroken(ctx, err) {
		err = m.lost(next, err)
	}
	return got, err
}

// rawResult is a result with the link that it came from.
type rawResult struct {
	raw  []byte
	link *link
}

// lost returns the error of a call whose connection broke, with the reason for which its link was given up. It is never that a
// login is needed: then the call would be sent again.
func (m *member) lost(l *link, err error) error {
	if why := l.live.reason(); why != nil && !isUnsent(err) && !errors.Is(why, ErrLoginNeeded) {
		return &lostError{m.up.Name, why}
	}
	return &lostError{m.up.Name, err}
}

// isBroken reports whether a request has failed without an answer of the upstream, and not for want of a login.
func isBroken(ctx context.Context, err error) bool {
	var answered *mcp.Error
	return err != nil && ctx.Err() == nil && !errors.As(err, &answered) && !errors.Is(err, errNoObject) && !errors.Is(err, ErrLoginNeeded)
}

// isUnsent reports whether an upstream has done nothing of a request that has failed.
func isUnsent(err error) bool {
	return errors.Is(err, rpc.ErrUnsent) && !errors.Is(err, rpc.ErrRequestLost)
}
