package gateway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/wait"
)

// maintain keeps the upstream connected until it is removed.
func (m *member) maintain() {
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
		if ready && time.Since(began) > steadyAfter {
			failed = 0
		}
		if ready {
			failed = min(failed, maxFlaps)
		}
		if failed++; ready && failed == 1 { // it was well: it may be again at once
			m.log.Warn("an upstream has ended; it is started again", "reason", logText(err))
			m.enter(Starting, err)
			continue
		}
		m.rest(failed, began, err)
	}
}

// serve connects, updates the lists, and returns at the end of the connection. ready reports
// whether the upstream was ready.
func (m *member) serve() (ready bool, err error) {
	limit, began := m.startLimit(), time.Now()
	ctx, cancel := context.WithTimeoutCause(m.life, limit, fmt.Errorf("it did not start within %v", limit.Round(time.Second)))
	defer cancel()
	l, err := m.connect(ctx, m.host())
	if err != nil {
		return false, err
	}
	if !l.local {
		l.live = newLiveness(m.life)
	}
	defer func() { err = errors.Join(err, m.closeLink(l)) }()
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
	m.began(l, time.Since(began))
	m.live.Store(l)
	m.subs.resume(m, l)
	m.enter(Ready, nil)
	if l.live != nil && m.pingsEnabled() {
		watching, unwatch := context.WithCancel(m.life)
		var watch group.Group
		watch.OnPanic = m.run.OnPanic
		watch.Go(func() { m.watch(watching, l) })
		defer func() {
			unwatch()
			watch.Wait()
		}()
	}
	return true, m.monitor(l, found)
}

// closeLink closes a connection whose calls have failed. It does not wait for a hanging upstream.
// Running calls may finish if the upstream only refuses new ones.
func (m *member) closeLink(l *link) error {
	m.live.CompareAndSwap(l, nil)
	if l.local {
		return nil
	}
	if l.live != nil {
		defer l.live.end()
		m.mu.Lock()
		m.answer = l.live.lastHeard()
		m.mu.Unlock()
	}
	if l.live == nil || l.live.reason() == nil || m.life.Err() != nil {
		return l.conn.Close()
	}
	m.run.Go(func() {
		for end := time.Now().Add(m.g.opts.HangAfter); !l.live.isHung() && l.calls.Load() > 0 && time.Now().Before(end); {
			if wait.Sleep(m.life, 20*time.Millisecond) != nil {
				break
			}
		}
		_ = l.conn.Close() // the reason of the end is known
	})
	return nil
}

// monitor reads changed lists again and checks the connection until its end.
func (m *member) monitor(l *link, has *lists) error {
	life := m.life
	if l.live != nil {
		life = l.live.life
	}
	for {
		select {
		case <-l.conn.Done():
			return l.closeReason()
		case <-life.Done():
			if m.life.Err() != nil {
				return context.Cause(m.life)
			}
			return l.live.reason()
		case err := <-m.refused:
			return err
		case <-m.stale:
			m.reloadLists(life, l, has.told)
			// Frequent changes are combined into one read.
			_ = wait.Sleep(life, minDelay)
		}
	}
}

// reloadLists reads the lists again. After an error the old lists stay.
func (m *member) reloadLists(ctx context.Context, l *link, told bool) {
	ctx, cancel := context.WithTimeout(ctx, m.g.opts.StartTimeout)
	defer cancel()
	found, err := m.read(ctx, l)
	if err != nil {
		m.log.Warn("the lists of an upstream could not be read again", "reason", logText(err))
		return
	}
	found.told = told
	m.has.Store(found)
	m.publish()
}
