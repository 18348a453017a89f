package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// ordered holds records by identifier, in the order in which they were made. What it points to is never changed, but
// replaced.
type ordered[T any] struct {
	by  map[string]*T
	ids []string
}

func (o *ordered[T]) put(id string, v *T) {
	if o.by == nil {
		o.by = map[string]*T{}
	}
	if o.by[id] == nil {
		o.ids = append(o.ids, id)
	}
	o.by[id] = v
}

// removeFirst removes the first record that fits, if there is one.
func (o *ordered[T]) removeFirst(fits func(*T) bool) (removed *T) {
	i := slices.IndexFunc(o.ids, func(id string) bool { return fits(o.by[id]) })
	if i < 0 {
		return nil
	}
	removed = o.by[o.ids[i]]
	delete(o.by, o.ids[i])
	o.ids = slices.Delete(o.ids, i, i+1)
	return removed
}

// CreateGroup implements Store.
func (m *Memory) CreateGroup(ctx context.Context, g Group) error {
	if err := m.hold(ctx); err != nil {
		return fmt.Errorf("creating the group %s: %w", g.ID, err)
	}
	defer m.mu.Unlock()
	if m.groups.by[g.ID] != nil {
		return fmt.Errorf("creating the group %s: %w", g.ID, ErrExists)
	}
	g.AgentIDs = []string{}
	m.groups.put(g.ID, &g)
	if len(m.groups.ids) > m.options.Agents {
		m.groups.removeFirst(func(g *Group) bool { return g.Status != GroupActive && len(g.AgentIDs) == 0 })
	}
	return nil
}

// UpdateGroup implements Store. change may use the store.
func (m *Memory) UpdateGroup(ctx context.Context, id string, change func(*Group) error) (Group, error) {
	return update(ctx, m, &m.groups, id, func(old Group) (Group, error) {
		g := old.Clone()
		if err := change(&g); err != nil {
			return Group{}, err
		}
		if g.ID != id || g.Principal != old.Principal {
			return Group{}, errors.New("the identifier and the principal of a group cannot be changed")
		}
		g.AgentIDs = slices.Clone(old.AgentIDs)
		return g, nil
	}, Group.Clone, "group")
}

// UpdateAgent implements Store. change may use the store.
func (m *Memory) UpdateAgent(ctx context.Context, id string, change func(*Agent) error) (Agent, error) {
	return update(ctx, m, &m.agents, id, func(old Agent) (Agent, error) {
		a := old.Clone()
		if err := change(&a); err != nil {
			return Agent{}, err
		}
		if a.ID != id || a.GroupID != old.GroupID || a.Principal != old.Principal {
			return Agent{}, errors.New("the identifiers and the principal of an agent cannot be changed")
		}
		a.Version = old.Version + 1
		return a, nil
	}, Agent.Clone, "agent")
}

// update changes a record without holding the others up: if it was replaced meanwhile, it is changed again.
func update[T any](ctx context.Context, m *Memory, all *ordered[T], id string, change func(T) (T, error), clone func(T) T, what string) (T, error) {
	var none T
	for {
		if err := m.hold(ctx); err != nil {
			return none, fmt.Errorf("changing the %s %s: %w", what, id, err)
		}
		old := all.by[id]
		m.mu.Unlock()
		if old == nil {
			return none, fmt.Errorf("changing the %s %s: %w", what, id, ErrNotFound)
		}
		changed, err := change(*old)
		if err != nil {
			return none, fmt.Errorf("changing the %s %s: %w", what, id, err)
		}
		kept := clone(changed)
		if err := m.hold(ctx); err != nil {
			return none, fmt.Errorf("changing the %s %s: %w", what, id, err)
		}
		same := all.by[id] == old
		if same {
			all.by[id] = &kept
		}
		m.mu.Unlock()
		if same {
			return changed, nil
		}
	}
}

// Group implements Store.
func (m *Memory) Group(ctx context.Context, id string) (Group, error) {
	if err := m.hold(ctx); err != nil {
		return Group{}, fmt.Errorf("reading the group %s: %w", id, err)
	}
	g := m.groups.by[id]
	m.mu.Unlock()
	if g == nil {
		return Group{}, fmt.Errorf("reading the group %s: %w", id, ErrNotFound)
	}
	return g.Clone(), nil
}

// Groups implements Store.
func (m *Memory) Groups(ctx context.Context, deleted bool) ([]Group, error) {
	if err := m.hold(ctx); err != nil {
		return nil, fmt.Errorf("reading the groups: %w", err)
	}
	defer m.mu.Unlock()
	var groups []Group
	for _, id := range m.groups.ids {
		if g := m.groups.by[id]; deleted || g.Status == GroupActive {
			groups = append(groups, g.Clone())
		}
	}
	return groups, nil
}

// CreateAgent implements Store.
func (m *Memory) CreateAgent(ctx context.Context, a Agent) error {
	if err := m.hold(ctx); err != nil {
		return fmt.Errorf("creating the agent %s: %w", a.ID, err)
	}
	defer m.mu.Unlock()
	g := m.groups.by[a.GroupID]
	switch {
	case m.agents.by[a.ID] != nil:
		return fmt.Errorf("creating the agent %s: %w", a.ID, ErrExists)
	case g == nil || g.Status != GroupActive:
		return fmt.Errorf("creating the agent %s in the group %s: %w", a.ID, a.GroupID, ErrNotFound)
	}
	a = a.Clone()
	m.agents.put(a.ID, &a)
	grown := g.Clone()
	grown.AgentIDs = append(grown.AgentIDs, a.ID)
	m.groups.by[g.ID] = &grown
	if len(m.agents.ids) > m.options.Agents {
		m.forget()
	}
	return nil
}

// forget forgets the oldest agent that has ended, and its group if that is deleted and has no other.
func (m *Memory) forget() {
	a := m.agents.removeFirst(func(a *Agent) bool { return a.Status.Ended() })
	if a == nil {
		return
	}
	if g := m.groups.by[a.GroupID]; g != nil {
		smaller := g.Clone()
		smaller.AgentIDs = slices.DeleteFunc(smaller.AgentIDs, func(id string) bool { return id == a.ID })
		m.groups.by[g.ID] = &smaller
		if len(smaller.AgentIDs) == 0 && smaller.Status != GroupActive {
			m.groups.removeFirst(func(g *Group) bool { return g.ID == smaller.ID })
		}
	}
}

// Agent implements Store.
func (m *Memory) Agent(ctx context.Context, id string) (Agent, error) {
	if err := m.hold(ctx); err != nil {
		return Agent{}, fmt.Errorf("reading the agent %s: %w", id, err)
	}
	a := m.agents.by[id]
	m.mu.Unlock()
	if a == nil {
		return Agent{}, fmt.Errorf("reading the agent %s: %w", id, ErrNotFound)
	}
	return a.Clone(), nil
}

// Agents implements Store.
func (m *Memory) Agents(ctx context.Context, q Query) (Page, error) {
	all, err := m.candidates(ctx, q.GroupID)
	if err != nil {
		return Page{}, fmt.Errorf("reading the agents: %w", err)
	}
	all = slices.DeleteFunc(all, func(a *Agent) bool { return !q.Match(a) })
	if q.Newest {
		slices.Reverse(all)
	}
	page := Page{Total: len(all)}
	all = all[min(max(q.Offset, 0), len(all)):]
	if q.Limit > 0 {
		all = all[:min(q.Limit, len(all))]
	}
	for _, a := range all {
		page.Agents = append(page.Agents, a.Clone())
	}
	return page, nil
}

// candidates are the agents of a group, or all if none is named.
func (m *Memory) candidates(ctx context.Context, group string) ([]*Agent, error) {
	if err := m.hold(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	ids := m.agents.ids
	if group != "" {
		ids = nil
		if g := m.groups.by[group]; g != nil {
			ids = g.AgentIDs
		}
	}
	all := make([]*Agent, 0, len(ids))
	for _, id := range ids {
		if a := m.agents.by[id]; a != nil {
			all = append(all, a)
		}
	}
	return all, nil
}
