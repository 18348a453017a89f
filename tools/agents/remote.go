package agents

import (
	"context"
	"log/slog"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Peers knows the servers that share a Store.
type Peers interface {
	// Name is this server's, which no other has, nor the same one when it was started again.
	Name() string
	// Living answers the names of the servers that live. An error says that this is not known.
	Living(ctx context.Context) (map[string]bool, error)
}

// living reports which servers live on other machines. As long as that is not known, all of them do.
func (a *Agents) living(ctx context.Context) func(owner string) bool {
	peers := a.options.Peers
	if peers == nil {
		return func(string) bool { return false }
	}
	living, err := peers.Living(ctx)
	if err != nil {
		a.log.Info("it is not known which servers live; agents of dead ones are put down later", slog.Any("error", err))
	}
	return func(owner string) bool { return owner != "" && owner != peers.Name() && (err != nil || living[owner]) }
}

// place hears that an agent has begun elsewhere.
func (t *track) place(e executor.Event) {
	t.mu.Lock()
	begun := t.begun
	t.begun, t.started = true, now()
	t.runner, t.attempt = truncate.Within(e.Runner, maxName), e.Attempt
	t.mu.Unlock()
	t.clock.start()
	t.update(record.AgentStatusUpdate, func(agent *record.Agent) error {
		t.copyTo(agent)
		if begun {
			return nil
		}
		agent.StartedAt = t.started
		if agent.Status == record.Running {
			return nil
		}
		return advance(agent, record.Running)
	})
}

// await hears that an agent waits to be run again. What the lost run has told is no more what is known of it.
func (t *track) await(e executor.Event) {
	t.clock.stop()
	t.a.log.Warn("an agent was lost and waits to be run again", slog.String("agent", t.r.id), slog.String("why", e.Text), slog.Int("attempt", e.Attempt))
	t.keep(record.Stderr, []byte(e.Text+"\n"))
	t.mu.Lock()
	t.begun, t.stalled, t.dirty = false, false, false
	t.saying, t.said, t.head, t.tail, t.last = nil, 0, "", nil, ""
	t.attempt = e.Attempt
	clear(t.open)
	t.mu.Unlock()
	t.update(record.AgentStatusUpdate, func(agent *record.Agent) error {
		t.copyTo(agent)
		agent.StartedAt = time.Time{}
		if agent.Status == record.Queued {
			return nil
		}
		return advance(agent, record.Queued)
	})
}
