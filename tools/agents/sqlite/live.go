package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// errClosed is the use of a database that was closed.
var errClosed = errors.New("the database is closed")

// live holds the agents of this process that have not ended, as they are now. What it points to is never changed, but
// replaced.
type live struct {
	kick chan struct{} // tells that something waits to be written

	mu     sync.Mutex
	agents map[string]*record.Agent
	dirty  map[string]*record.Agent // of these, what is not written yet
	news   int                      // agents that were created
	closed bool

	flushing sync.Mutex // is held by who writes
}

func (l *live) get(id string) *record.Agent {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.agents[id]
}

func (l *live) add(a *record.Agent) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errClosed
	}
	if l.agents == nil {
		l.agents, l.dirty = map[string]*record.Agent{}, map[string]*record.Agent{}
	}
	l.agents[a.ID] = a
	return nil
}

func (l *live) remove(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.agents, id)
	delete(l.dirty, id)
}

// replace puts an agent in the place of what it was made from; if that is not there any more, errAgain.
func (l *live) replace(old, by *record.Agent) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return errClosed
	case l.agents[by.ID] != old:
		return errAgain
	}
	l.agents[by.ID], l.dirty[by.ID] = by, by
	if !by.Status.Ended() {
		l.wake()
	}
	return nil
}

func (l *live) wake() {
	select {
	case l.kick <- struct{}{}:
	default:
	}
}

// created counts an agent, and reports whether it is time to look for old ones.
func (l *live) created() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.news++
	return l.news%forgetEach == 0
}

// close reports whether it was open.
func (l *live) close() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := !l.closed
	l.closed = true
	return was
}

// waiting is what is to be written.
func (l *live) waiting() []*record.Agent {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]*record.Agent, 0, len(l.dirty))
	for _, a := range l.dirty {
		all = append(all, a)
	}
	return all
}

// wrote forgets what was written, unless it has changed since.
func (l *live) wrote(all []*record.Agent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range all {
		if l.dirty[a.ID] != a {
			continue
		}
		delete(l.dirty, a.ID)
		if a.Status.Ended() {
			delete(l.agents, a.ID)
		}
	}
}

// keepWriting writes what waits, a while after it began to.
func (d *DB) keepWriting(ctx context.Context) {
	failed := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.live.kick:
		}
		if wait.Sleep(ctx, d.options.Delay) != nil {
			return
		}
		err := d.flush(ctx)
		if ctx.Err() != nil {
			return
		}
		if (err != nil) != failed {
			failed = err != nil
			if failed {
				d.options.Log.Error("agents cannot be written to the database; it is tried until it works", "error", err)
			} else {
				d.options.Log.Info("agents are written to the database again")
			}
		}
		if failed {
			if wait.Sleep(ctx, time.Second) != nil {
				return
			}
			d.live.wake()
		}
	}
}

// flush writes what waits.
func (d *DB) flush(ctx context.Context) error {
	d.live.flushing.Lock()
	defer d.live.flushing.Unlock()
	all := d.live.waiting()
	if len(all) == 0 {
		return nil
	}
	err := d.change(ctx, func(tx *sql.Tx) error {
		for _, a := range all {
			if err := d.putLive(ctx, tx, a); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		d.live.wrote(all)
	}
	return err
}

// putLive writes an agent of this process. Who else has changed it did not know that it lives: what is later is right, and
// an end always.
func (d *DB) putLive(ctx context.Context, tx *sql.Tx, a *record.Agent) error {
	when, version := "version < ?", a.Version
	if a.Status.Ended() {
		when, version = "? IS NOT NULL", a.Version
	}
	err := put(ctx, tx, a, when, version, errAgain)
	if errors.Is(err, errAgain) { // or it was removed
		return nil
	}
	return err
}
