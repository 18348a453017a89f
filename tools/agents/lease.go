package agents

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// lease tells servers that share a Store whose agents are whose, on one machine: each has a directory with a file a running
// agent, and a lock that is gone when the server is, however it has ended. A nil lease is that of a server that shares nothing.
type lease struct {
	dir  string
	lock *os.File
}

const lockName = "lock"

func newLease(ctx context.Context, parent string) (*lease, error) {
	open, err := gate(ctx, parent)
	if err != nil {
		return nil, err
	}
	defer open()
	dir := filepath.Join(parent, rand.Text())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making a directory for the agents of this server: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("making a lock for the agents of this server: %w", err)
	}
	if ok, err := rootfs.TryLock(lock); !ok || err != nil {
		return nil, errors.Join(fmt.Errorf("the lock %s for the agents of this server is not to be had: %w", lock.Name(), err), lock.Close())
	}
	return &lease{dir: dir, lock: lock}, nil
}

// gate keeps others from looking at servers that are just being made, until open is called.
func gate(ctx context.Context, parent string) (open func(), err error) {
	const (
		patience = 10 * time.Second
		again    = 10 * time.Millisecond
	)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("making a directory for the agents of this server: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(parent, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("making a lock for the agents of servers: %w", err)
	}
	for {
		ok, err := rootfs.TryLock(lock)
		if ok && err == nil {
			return func() { lock.Close() }, nil
		}
		if err == nil {
			err = wait.Sleep(ctx, again)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("waiting for the lock %s: %w", lock.Name(), err), lock.Close())
		}
	}
}

// take notes that an agent is this server's, before anybody can know of the agent.
func (l *lease) take(agentID string) error {
	if l == nil {
		return nil
	}
	return os.WriteFile(l.file(agentID), nil, 0o600)
}

// give ends that.
func (l *lease) give(agentID string) {
	if l != nil {
		_ = os.Remove(l.file(agentID))
	}
}

func (l *lease) file(agentID string) string { return filepath.Join(l.dir, agentID+".agent") }

func (l *lease) close() error {
	if l == nil {
		return nil
	}
	return errors.Join(l.lock.Close(), os.RemoveAll(l.dir))
}

// others are the agents of the other servers that live. What dead ones have left is removed.
func (l *lease) others(ctx context.Context) (map[string]bool, error) {
	alive := make(map[string]bool)
	if l == nil {
		return alive, nil
	}
	open, err := gate(ctx, filepath.Dir(l.dir))
	if err != nil {
		return nil, err
	}
	defer open()
	servers, err := os.ReadDir(filepath.Dir(l.dir))
	if err != nil {
		return nil, fmt.Errorf("looking for other servers: %w", err)
	}
	for _, server := range servers {
		dir := filepath.Join(filepath.Dir(l.dir), server.Name())
		if dir == l.dir || !server.IsDir() {
			continue
		}
		if dead(dir) {
			_ = os.RemoveAll(dir)
			continue
		}
		files, err := os.ReadDir(dir)
		if err != nil {
			continue // it has just ended
		}
		for _, file := range files {
			if id, ok := strings.CutSuffix(file.Name(), ".agent"); ok {
				alive[id] = true
			}
		}
	}
	return alive, nil
}

// dead reports whether nobody has the lock of a server.
func dead(dir string) bool {
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer lock.Close()
	free, err := rootfs.TryLock(lock)
	return free && err == nil
}

// remains is what an agent has left that nobody runs any more.
func (a *Agents) remains(agent *record.Agent) found {
	if agent.Isolation != record.Worktree {
		return found{}
	}
	path, branch := a.worktreeOf(agent.ID)
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return found{}
	}
	return found{worktree: path, branch: branch}
}

// errDied is why agents have failed whose server is not there any more.
const errDied = "the server ended while it was running"

// recoverEvery is how often a server looks whether another one has died.
const recoverEvery = 30 * time.Second

// recovering looks whether other servers have died, until this one ends.
func (a *Agents) recovering() {
	for wait.Sleep(a.life, recoverEvery) == nil {
		if err := a.recover(a.life); err != nil && a.life.Err() == nil {
			a.log.Warn("agents of servers that have died may still look as if they were running", slog.Any("error", err))
		}
	}
}

// lastHeard is when something was last heard of an agent, as far as its record tells.
func lastHeard(agent *record.Agent) time.Time {
	last := agent.CreatedAt
	for _, at := range []time.Time{agent.StartedAt, agent.SeenAt} {
		if at.After(last) {
			last = at
		}
	}
	for _, call := range agent.RecentToolCalls {
		for _, at := range []time.Time{call.StartedAt, call.EndedAt} {
			if at.After(last) {
				last = at
			}
		}
	}
	return last
}

// recover puts agents down as failed that nobody runs any more.
func (a *Agents) recover(ctx context.Context) error {
	page, err := a.store.Agents(ctx, record.Query{Statuses: []record.Status{record.Queued, record.Blocked, record.Running}})
	if err != nil {
		return fmt.Errorf("looking for agents that nobody runs: %w", err)
	}
	alive, err := a.lease.others(ctx) // after that: agents are somebody's before they are recorded
	if err != nil {
		return err
	}
	lives := a.living(ctx)
	for _, left := range page.Agents {
		if left.Status.Ended() || alive[left.ID] || lives(left.Owner) || a.find(left.ID) != nil {
			continue
		}
		agent, err := a.store.UpdateAgent(ctx, left.ID, func(agent *record.Agent) error {
			e := ending{outcome: record.Failed, why: errDied}
			if err := settle(agent, e); err != nil {
				return err
			}
			agent.EndedAt = lastHeard(agent)
			agent.Result = resultOf(agent, e, a.remains(agent))
			return nil
		})
		switch {
		case errors.Is(err, errState), errors.Is(err, record.ErrNotFound):
		case err != nil:
			return fmt.Errorf("putting down %s as failed: %w", left.ID, err)
		default:
			a.log.Warn("an agent was running when its server ended", slog.String("agent", agent.ID))
			a.emitAgent(ctx, record.AgentCompleted, agent)
		}
	}
	return nil
}
