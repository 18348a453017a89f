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

// ownership records, on one machine, which server process owns each running agent of a shared
// Store. Each server has a directory with one file for each running agent, and a lock that the
// operating system releases when the process ends. A nil ownership is valid and records nothing.
type ownership struct {
	dir  string
	lock *os.File
}

// lockName is the lock file of the registry and of each server directory.
const lockName = "lock"

// openOwnership creates the directory of this server below parent and locks it.
func openOwnership(ctx context.Context, parent string) (*ownership, error) {
	unlock, err := lockRegistry(ctx, parent)
	if err != nil {
		return nil, err
	}
	defer unlock()
	dir := filepath.Join(parent, rand.Text())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the directory of this server's agents: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the lock of this server: %w", err)
	}
	ok, err := rootfs.TryLock(lock)
	if err == nil && !ok {
		err = errors.New("another process holds it")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s for this server: %w", lock.Name(), err), lock.Close())
	}
	return &ownership{dir: dir, lock: lock}, nil
}

// lockRegistry takes the lock that guards the directory of server registrations, and waits up to 10
// seconds for it. The caller releases it with the returned function.
func lockRegistry(ctx context.Context, parent string) (unlock func(), err error) {
	const (
		timeout = 10 * time.Second
		delay   = 10 * time.Millisecond
	)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("creating the directory of server registrations: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(parent, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the lock of server registrations: %w", err)
	}
	for {
		ok, err := rootfs.TryLock(lock)
		if ok && err == nil {
			return func() { lock.Close() }, nil
		}
		if err == nil {
			err = wait.Sleep(ctx, delay)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("waiting for the lock %s: %w", lock.Name(), err), lock.Close())
		}
	}
}

// claim records that this server owns the agent. Call it before the agent becomes visible to other
// servers.
func (l *ownership) claim(agentID string) error {
	if l == nil {
		return nil
	}
	return os.WriteFile(l.file(agentID), nil, 0o600)
}

// release removes the record of claim.
func (l *ownership) release(agentID string) {
	if l != nil {
		_ = os.Remove(l.file(agentID))
	}
}

// file returns the path of the record of an agent.
func (l *ownership) file(agentID string) string { return filepath.Join(l.dir, agentID+".agent") }

// close releases the lock and removes the directory of this server.
func (l *ownership) close() error {
	if l == nil {
		return nil
	}
	return errors.Join(l.lock.Close(), os.RemoveAll(l.dir))
}

// otherAgents returns the agents that other live servers own. It removes the directories of dead
// servers.
func (l *ownership) otherAgents(ctx context.Context) (map[string]bool, error) {
	alive := make(map[string]bool)
	if l == nil {
		return alive, nil
	}
	unlock, err := lockRegistry(ctx, filepath.Dir(l.dir))
	if err != nil {
		return nil, err
	}
	defer unlock()
	servers, err := os.ReadDir(filepath.Dir(l.dir))
	if err != nil {
		return nil, fmt.Errorf("listing server registrations: %w", err)
	}
	for _, server := range servers {
		dir := filepath.Join(filepath.Dir(l.dir), server.Name())
		if dir == l.dir || !server.IsDir() {
			continue
		}
		if isServerDead(dir) {
			_ = os.RemoveAll(dir)
			continue
		}
		files, err := os.ReadDir(dir)
		if err != nil {
			continue // the server has just ended
		}
		for _, file := range files {
			if id, ok := strings.CutSuffix(file.Name(), ".agent"); ok {
				alive[id] = true
			}
		}
	}
	return alive, nil
}

// isServerDead reports whether no process holds the lock of a server directory.
func isServerDead(dir string) bool {
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer lock.Close()
	free, err := rootfs.TryLock(lock)
	return free && err == nil
}

// findWorktree returns the worktree of an agent without a result, if its directory exists.
func (a *Agents) findWorktree(agent *record.Agent) findings {
	if agent.Isolation != record.Worktree {
		return findings{}
	}
	path, branch := a.worktreePath(agent.ID)
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return findings{}
	}
	return findings{worktree: path, branch: branch}
}

// diedReason is the error of agents whose server has died.
const diedReason = "the server ended while it was running"

// recoverInterval is the time between two searches for dead servers.
const recoverInterval = 30 * time.Second

// runRecovery calls recoverAgents at intervals until Close.
func (a *Agents) runRecovery() {
	for wait.Sleep(a.baseCtx, recoverInterval) == nil {
		if err := a.recoverAgents(a.baseCtx); err != nil && a.baseCtx.Err() == nil {
			a.log.Warn("agents of dead servers were not recovered", slog.Any("error", err))
		}
	}
}

// lastActivity returns the newest time in the record of an agent.
func lastActivity(agent *record.Agent) time.Time {
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

// recoverAgents marks the agents of dead servers as failed.
func (a *Agents) recoverAgents(ctx context.Context) error {
	page, err := a.store.Agents(ctx, record.Query{Statuses: []record.Status{record.Queued, record.Blocked, record.Running}})
	if err != nil {
		return fmt.Errorf("listing agents that have not ended: %w", err)
	}
	alive, err := a.ownership.otherAgents(ctx) // must follow the query: servers claim an agent before they record it
	if err != nil {
		return err
	}
	lives := a.liveServers(ctx)
	for _, left := range page.Agents {
		if left.Status.Ended() || alive[left.ID] || lives(left.Owner) || a.find(left.ID) != nil {
			continue
		}
		agent, err := a.store.UpdateAgent(ctx, left.ID, func(agent *record.Agent) error {
			e := ending{outcome: record.Failed, reason: diedReason}
			if err := setEnd(agent, e); err != nil {
				return err
			}
			agent.EndedAt = lastActivity(agent)
			agent.Result = resultOf(agent, e, a.findWorktree(agent))
			return nil
		})
		switch {
		case errors.Is(err, errState), errors.Is(err, record.ErrNotFound):
		case err != nil:
			return fmt.Errorf("marking agent %s as failed: %w", left.ID, err)
		default:
			a.log.Warn("an agent of a dead server was marked as failed", slog.String("agent", agent.ID))
			a.notify(a.emitAgent(ctx, record.AgentCompleted, agent), agent)
		}
	}
	return nil
}
