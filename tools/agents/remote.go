package agents

import (
	"context"
	"log/slog"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Peers reports which servers share a Store.
type Peers interface {
	// Name returns the name of this server. It is unique, also among earlier runs of the same
	// server.
	Name() string
	// Living returns the names of the live servers. An error means that this is unknown; all
	// servers are then treated as alive.
	Living(ctx context.Context) (map[string]bool, error)
}

// liveServers returns a function that reports whether the owner is a live server on another
// machine. It always returns true for other servers if Peers fails.
func (a *Agents) liveServers(ctx context.Context) func(owner string) bool {
	peers := a.options.Peers
	if peers == nil {
		return func(string) bool { return false }
	}
	living, err := peers.Living(ctx)
	if err != nil {
		a.log.Info("the list of live servers is not available; agents of dead servers are marked as failed later", slog.Any("error", err))
	}
	return func(owner string) bool { return owner != "" && owner != peers.Name() && (err != nil || living[owner]) }
}

// handlePlaced records that an agent has started on another machine.
func (t *track) handlePlaced(e executor.Event) {
	t.mu.Lock()
	begun := t.isRunning
	t.isRunning, t.started = true, now()
	t.runner, t.attempt = truncate.Within(e.Runner, maxName), e.Attempt
	t.mu.Unlock()
	t.clock.start()
	t.updateRecord(record.AgentStatusUpdate, func(agent *record.Agent) error {
		t.fillRecord(agent)
		if begun {
			return nil
		}
		agent.StartedAt = t.started
		if agent.Status == record.Running {
			return nil
		}
		return setStatus(agent, record.Running)
	})
}

// handleWaiting records that a lost agent waits to be started again. It discards the messages and
// open calls of the lost attempt.
func (t *track) handleWaiting(e executor.Event) {
	t.clock.stop()
	t.a.log.Warn("an agent was lost and waits for another attempt", slog.String("agent", t.r.id), slog.String("why", e.Text), slog.Int("attempt", e.Attempt))
	t.appendOutput(record.Stderr, []byte(e.Text+"\n"))
	t.mu.Lock()
	t.isRunning, t.stalled, t.dirty = false, false, false
	t.message, t.messageBytes, t.lastMessage, t.tail, t.finalText = nil, 0, "", nil, ""
	t.attempt = e.Attempt
	clear(t.open)
	t.mu.Unlock()
	t.updateRecord(record.AgentStatusUpdate, func(agent *record.Agent) error {
		t.fillRecord(agent)
		agent.StartedAt = time.Time{}
		if agent.Status == record.Queued {
			return nil
		}
		return setStatus(agent, record.Queued)
	})
}
