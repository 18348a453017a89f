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

// errClosed is returned after Close.
var errClosed = errors.New("the database is closed")

// liveAgents holds the current state of this process's unfinished agents. Stored values are
// replaced and never modified.
type liveAgents struct {
	wakeup chan struct{} // signals a pending write; capacity 1

	mu           sync.Mutex
	agents       map[string]*record.Agent
	dirty        map[string]*record.Agent // agents with a pending write
	createdCount int                      // agents created so far
	closed       bool

	flushMu sync.Mutex // serialises flushes
}

func (l *liveAgents) get(id string) *record.Agent {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.agents[id]
}

func (l *liveAgents) add(a *record.Agent) error {
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

func (l *liveAgents) remove(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.agents, id)
	delete(l.dirty, id)
}

// replace exchanges old for by. It returns errChanged if old is not the current value.
func (l *liveAgents) replace(old, by *record.Agent) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return errClosed
	case l.agents[by.ID] != old:
		return errChanged
	}
	l.agents[by.ID], l.dirty[by.ID] = by, by
	if !by.Status.Ended() {
		l.wake()
	}
	return nil
}

// wake starts a delayed flush.
func (l *liveAgents) wake() {
	select {
	case l.wakeup <- struct{}{}:
	default:
	}
}

// countCreated counts a new agent and reports whether old ones should be removed now.
func (l *liveAgents) countCreated() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.createdCount++
	return l.createdCount%removalInterval == 0
}

// close marks l as closed and reports whether it was open.
func (l *liveAgents) close() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := !l.closed
	l.closed = true
	return was
}

// pending returns the agents with a pending write.
func (l *liveAgents) pending() []*record.Agent {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]*record.Agent, 0, len(l.dirty))
	for _, a := range l.dirty {
		all = append(all, a)
	}
	return all
}

// markWritten removes the written agents from dirty unless they have changed since, and forgets
// ended ones.
func (l *liveAgents) markWritten(all []*record.Agent) {
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

// writeLoop flushes pending updates after WriteDelay, and repeats failed flushes each second.
func (d *DB) writeLoop(ctx context.Context) {
	failed := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.live.wakeup:
		}
		if wait.Sleep(ctx, d.options.WriteDelay) != nil {
			return
		}
		err := d.flush(ctx)
		if ctx.Err() != nil {
			return
		}
		if (err != nil) != failed {
			failed = err != nil
			if failed {
				d.options.Log.Error("agents are not written to the database; the write is repeated until it succeeds", "error", err)
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

// flush writes the pending updates in one transaction.
func (d *DB) flush(ctx context.Context) error {
	d.live.flushMu.Lock()
	defer d.live.flushMu.Unlock()
	all := d.live.pending()
	if len(all) == 0 {
		return nil
	}
	err := d.transact(ctx, func(tx *sql.Tx) error {
		for _, a := range all {
			if err := d.updateLiveRow(ctx, tx, a); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		d.live.markWritten(all)
	}
	return err
}

// updateLiveRow writes an agent of this process. Over a change by another process, the higher
// version wins, and an end always wins.
func (d *DB) updateLiveRow(ctx context.Context, tx *sql.Tx, a *record.Agent) error {
	when, version := "version < ?", a.Version
	if a.Status.Ended() {
		when, version = "? IS NOT NULL", a.Version
	}
	err := updateRow(ctx, tx, a, when, version, errChanged)
	if errors.Is(err, errChanged) { // a newer version, or no row
		return nil
	}
	return err
}
