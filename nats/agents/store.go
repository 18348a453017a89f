package agents

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/nats/internal/kept"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// agentSubject returns the subject of the record of an agent. Its ID or its group may be "*":
// NATS finds an agent by its ID alone, and the agents of a group by the group alone.
func (s *Store) agentSubject(id, group string) string { return s.key("agents", id+"."+group) }

func (s *Store) groupSubject(id string) string { return s.key("agent-groups", kept.Key(id)) }

func (s *Store) agentStream() jetstream.Stream { return s.kept().agents }
func (s *Store) groupStream() jetstream.Stream { return s.kept().groups }

// overtaken waits up to 5 ms, at random, since two writers that collide at once would do so
// again.
func overtaken(ctx context.Context) {
	_ = wait.Sleep(ctx, time.Duration(rand.Int64N(int64(5*time.Millisecond)))) // the caller notices the end of ctx
}

// CreateGroup implements record.Store.
func (s *Store) CreateGroup(ctx context.Context, g record.Group) error {
	doing := "creating the group " + g.ID
	g.AgentIDs = []string{}
	m, err := message(s.groupSubject(g.ID), &g)
	if err == nil {
		_, err = s.put(ctx, doing, s.groupStream(), m, 0)
	}
	if errors.Is(err, errOvertaken) {
		return fmt.Errorf("%s: %w", doing, record.ErrExists)
	}
	return err
}

// changeGroup changes a group, and repeats the change after a concurrent one.
func (s *Store) changeGroup(ctx context.Context, id string, change func(*record.Group) error) (record.Group, error) {
	doing := "changing the group " + id
	for {
		g, m, err := s.group(ctx, id)
		if err != nil {
			return g, err
		}
		principal := g.Principal
		if err = change(&g); err == nil && (g.ID != id || g.Principal != principal) {
			err = errors.New("the identifier and the principal of a group cannot be changed")
		}
		if err != nil {
			return record.Group{}, fmt.Errorf("%s: %w", doing, err)
		}
		switch err = s.replace(ctx, doing, s.groupStream(), m, &g); {
		case err == nil:
			return g, nil
		case !errors.Is(err, errOvertaken):
			return record.Group{}, err
		}
		overtaken(ctx)
	}
}

// replace replaces a record.
func (s *Store) replace(ctx context.Context, doing string, stream jetstream.Stream, old *jetstream.RawStreamMsg, v any) error {
	m, err := message(old.Subject, v)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	m.Header.Set(headerMade, strconv.FormatUint(made(old.Header, old.Sequence), 10))
	_, err = s.put(ctx, doing, stream, m, old.Sequence)
	if errors.Is(err, nats.ErrMaxPayload) {
		return fmt.Errorf("%s: it has %d bytes, and NATS takes %d (max_payload): %w", doing, len(m.Data), s.nc.MaxPayload(), err)
	}
	return err
}

// UpdateGroup implements record.Store.
func (s *Store) UpdateGroup(ctx context.Context, id string, change func(*record.Group) error) (record.Group, error) {
	return s.changeGroup(ctx, id, func(g *record.Group) error {
		agents := slices.Clone(g.AgentIDs)
		err := change(g)
		g.AgentIDs = agents
		return err
	})
}

// Group implements record.Store.
func (s *Store) Group(ctx context.Context, id string) (record.Group, error) {
	g, _, err := s.group(ctx, id)
	return g, err
}

func (s *Store) group(ctx context.Context, id string) (record.Group, *jetstream.RawStreamMsg, error) {
	doing := "reading the group " + id
	m, err := s.latest(ctx, doing, s.groupStream, s.groupSubject(id))
	if err != nil {
		return record.Group{}, nil, err
	}
	if m == nil {
		return record.Group{}, nil, fmt.Errorf("%s: %w", doing, record.ErrNotFound)
	}
	g, err := groupOf(m.Header, m.Data)
	return g, m, err
}

// CreateAgent implements record.Store. The agent is stored before its group names it. A
// concurrent deletion of the group therefore is overtaken and repeated, or the creation finds
// that the group was deleted.
func (s *Store) CreateAgent(ctx context.Context, a record.Agent) error {
	doing := fmt.Sprintf("creating the agent %s in the group %s", a.ID, a.GroupID)
	if g, err := s.Group(ctx, a.GroupID); err != nil || g.Status != record.GroupActive {
		if err == nil {
			err = record.ErrNotFound
		}
		return fmt.Errorf("%s: %w", doing, err)
	}
	id := kept.Key(a.ID)
	m, err := s.latest(ctx, doing, s.agentStream, s.agentSubject(id, "*"))
	switch {
	case err != nil:
		return err
	case m != nil:
		return fmt.Errorf("%s: %w", doing, record.ErrExists)
	}
	subject := s.agentSubject(id, kept.Key(a.GroupID))
	created, err := message(subject, &agentRecord{Agent: a, Timeout: a.Timeout})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if _, err := s.put(ctx, doing, s.agentStream(), created, 0); err != nil {
		if errors.Is(err, errOvertaken) {
			err = fmt.Errorf("%s: %w", doing, record.ErrExists)
		}
		return err
	}
	s.joining.Lock()
	defer s.joining.Unlock()
	_, err = s.changeGroup(ctx, a.GroupID, func(g *record.Group) error {
		if g.Status != record.GroupActive {
			return record.ErrNotFound
		}
		g.AgentIDs = append(g.AgentIDs, a.ID)
		return nil
	})
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", doing, err), s.remove(context.WithoutCancel(ctx), doing, s.agentStream, subject, 0))
	}
	return nil
}

// UpdateAgent implements record.Store.
func (s *Store) UpdateAgent(ctx context.Context, id string, change func(*record.Agent) error) (record.Agent, error) {
	doing := "changing the agent " + id
	for {
		a, m, err := s.agent(ctx, id)
		if err != nil {
			return a, err
		}
		group, principal, version := a.GroupID, a.Principal, a.Version
		if err = change(&a); err == nil && (a.ID != id || a.GroupID != group || a.Principal != principal) {
			err = errors.New("the identifiers and the principal of an agent cannot be changed")
		}
		if err != nil {
			return record.Agent{}, fmt.Errorf("%s: %w", doing, err)
		}
		a.Version = version + 1
		switch err = s.replace(ctx, doing, s.agentStream(), m, &agentRecord{Agent: a, Timeout: a.Timeout}); {
		case err == nil:
			return a, nil
		case !errors.Is(err, errOvertaken):
			return record.Agent{}, err
		}
		overtaken(ctx)
	}
}

// Agent implements record.Store.
func (s *Store) Agent(ctx context.Context, id string) (record.Agent, error) {
	a, _, err := s.agent(ctx, id)
	return a, err
}

func (s *Store) agent(ctx context.Context, id string) (record.Agent, *jetstream.RawStreamMsg, error) {
	doing := "reading the agent " + id
	m, err := s.latest(ctx, doing, s.agentStream, s.agentSubject(kept.Key(id), "*"))
	if err != nil {
		return record.Agent{}, nil, err
	}
	if m == nil {
		return record.Agent{}, nil, fmt.Errorf("%s: %w", doing, record.ErrNotFound)
	}
	a, err := agentOf(m.Header, m.Data)
	return a, m, err
}
