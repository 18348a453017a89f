package agents

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// forgetEvery is the interval at which a server removes records that are older or more than the options permit.
const forgetEvery = time.Hour

// forgetting removes old records every forgetEvery until the server is closed. Every server does that.
func (v *Server) forgetting() {
	for {
		if err := v.s.forget(v.ctx); err != nil && v.ctx.Err() == nil {
			v.s.opts.Log.Warn("old agents could not be removed; that is tried again", slog.Duration("after", forgetEvery), slog.Any("error", err))
		}
		if wait.Sleep(v.ctx, forgetEvery) != nil {
			return
		}
	}
}

// forget removes ended agents beyond Options.MaxAgents and Options.Age, their names from
// their groups, and groups without agents. Records that change meanwhile stay.
func (s *Store) forget(ctx context.Context) error {
	const doing = "looking for old agents"
	before := time.Now().Add(-s.opts.Age)
	due, err := s.due(ctx, doing, before)
	if err != nil || !due {
		return err
	}
	// An agent exists before its group names it: a named agent that was not found was removed.
	groups, err := find(ctx, s, doing, s.groupStream, s.key("agent-groups", "*"), func(m jetstream.Msg) (record.Group, error) { return groupOf(m.Headers(), m.Data()) })
	if err != nil {
		return err
	}
	agents, err := find(ctx, s, doing, s.agentStream, s.agentSubject("*", "*"), func(m jetstream.Msg) (ending, error) {
		a, err := agentOf(m.Headers(), m.Data())
		return ending{a.ID, a.GroupID, a.CreatedAt, a.Status.Ended()}, err
	})
	if err != nil {
		return err
	}
	stay, err := s.forgetAgents(ctx, agents, before)
	if err != nil {
		return err
	}
	return s.forgetGroups(ctx, groups, stay, before)
}

// ending has the parts of an agent that decide about its removal.
type ending struct {
	id, group string
	created   time.Time
	ended     bool
}

// due reports whether there can be something to remove.
func (s *Store) due(ctx context.Context, doing string, before time.Time) (due bool, err error) {
	for _, stream := range []func() jetstream.Stream{s.agentStream, s.groupStream} {
		err := s.try(ctx, doing, func(ctx context.Context) error {
			info, err := stream().Info(ctx)
			if err == nil {
				due = due || info.State.Msgs > uint64(s.opts.MaxAgents) || info.State.Msgs > 0 && info.State.FirstTime.Before(before)
			}
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return due, nil
}

// forgetAgents removes agents, the oldest ended ones first, and returns the agents of each
// group that stay.
func (s *Store) forgetAgents(ctx context.Context, agents []found[ending], before time.Time) (stay map[string]map[string]bool, err error) {
	stay = make(map[string]map[string]bool)
	left := int64(len(agents))
	for _, a := range agents {
		if a.record.ended && (left > s.opts.MaxAgents || a.record.created.Before(before)) {
			if err := s.remove(ctx, "removing the agent "+a.record.id, s.agentStream, a.subject, a.sequence); err != nil {
				return nil, err
			}
			left--
			continue
		}
		if stay[a.record.group] == nil {
			stay[a.record.group] = make(map[string]bool)
		}
		stay[a.record.group][a.record.id] = true
	}
	return stay, nil
}

// forgetGroups removes groups without agents, and the names of removed agents from other
// groups.
func (s *Store) forgetGroups(ctx context.Context, groups []found[record.Group], stay map[string]map[string]bool, before time.Time) error {
	left := int64(len(groups))
	for _, g := range groups {
		id, stays := g.record.ID, stay[g.record.ID]
		if len(stays) == 0 && (g.record.CreatedAt.Before(before) || g.record.Status != record.GroupActive && left > s.opts.MaxAgents) {
			if err := s.remove(ctx, "removing the group "+id, s.groupStream, g.subject, g.sequence); err != nil {
				return err
			}
			left--
			continue
		}
		gone := make(map[string]bool)
		for _, id := range g.record.AgentIDs {
			if !stays[id] {
				gone[id] = true
			}
		}
		if len(gone) == 0 {
			continue
		}
		_, err := s.changeGroup(ctx, id, func(g *record.Group) error {
			g.AgentIDs = slices.DeleteFunc(g.AgentIDs, func(id string) bool { return gone[id] })
			return nil
		})
		if err != nil && !errors.Is(err, record.ErrNotFound) { // as it is when another server was faster
			return err
		}
	}
	return nil
}
