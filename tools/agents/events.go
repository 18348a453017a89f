package agents

import (
	"context"
	"hash/maphash"
	"log/slog"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// updateAgent changes the record of an agent and emits an event. Updates of one agent are
// serialised, so its events have the order of its states.
func (a *Agents) updateAgent(ctx context.Context, id string, what record.EventType, change func(*record.Agent) error) (record.Agent, record.Event, error) {
	order := &a.updateLocks[maphash.String(a.lockSeed, id)%updateLockCount]
	order.Lock()
	defer order.Unlock()
	agent, err := a.store.UpdateAgent(context.WithoutCancel(ctx), id, change)
	if err != nil {
		return agent, record.Event{}, err
	}
	return agent, a.emitAgent(ctx, what, agent), nil
}

// emitAgent emits an event with a short form of the agent.
func (a *Agents) emitAgent(ctx context.Context, what record.EventType, agent record.Agent) record.Event {
	return a.emit(ctx, record.Event{Type: what, AgentID: agent.ID, GroupID: agent.GroupID}, agent.Compact())
}

// emit appends an event to the log. An error is logged; the operation continues.
func (a *Agents) emit(ctx context.Context, e record.Event, data any) record.Event {
	told, err := record.Publish(context.WithoutCancel(ctx), a.events, e, data)
	if err != nil {
		a.log.Warn("an event was lost", slog.String("type", string(e.Type)), slog.Any("error", err))
	}
	return told
}
