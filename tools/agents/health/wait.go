package health

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// role is a role of now.
func (c *Checker) role(id string) (roles.Role, error) {
	all := c.o.Roles()
	i := slices.IndexFunc(all, func(r roles.Role) bool { return r.ID == id })
	if i >= 0 {
		return all[i], nil
	}
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = r.ID
	}
	return roles.Role{}, fmt.Errorf("%w: %q; known are %s", ErrUnknownRole, id, strings.Join(names, ", "))
}

// Wait waits until a role was checked, and answers its state; a check that is only being repeated is not waited for. A
// role of which nothing is known, or that could not be used a while ago, is checked at once. When ctx ends before, it
// answers the state of now with the cause of that. ErrUnknownRole if there is no such role.
func (c *Checker) Wait(ctx context.Context, roleID string) (State, error) {
	r, err := c.role(roleID)
	if err != nil {
		return State{}, err
	}
	c.mu.Lock()
	e := c.entries[roleID]
	stale := e == nil || e.key != c.keyOf(r) || e.known == nil
	if !stale && !e.known.Available && c.o.Now().Sub(e.known.checkedAt()) >= c.o.Retry {
		e.known, stale = nil, true
	}
	c.mu.Unlock()
	if stale {
		c.Refresh()
	}
	var s State
	err = c.until(ctx, func() bool {
		var done bool
		s, done = c.stateOf(r)
		return done
	})
	return c.present(r, s), err
}

// present is a state of a role as it is if the program is gone that has answered the check.
func (c *Checker) present(r roles.Role, s State) State {
	e := c.executor(r.Executor)
	if !s.Available || e == nil {
		return s
	}
	if err := executor.Find(e); err != nil {
		s.Available = false
		s.HealthCheck = HealthCheck{Status: Failed, Reason: reason(err), CheckedAt: c.now()}
	}
	return s
}

// stateOf is what is known of a role, and whether that is its last word. It is called under the lock.
func (c *Checker) stateOf(r roles.Role) (State, bool) {
	s, done := pending(r), false
	if e := c.entries[r.ID]; e != nil && e.key == c.keyOf(r) {
		if s = e.state; e.known != nil {
			s, done = *e.known, true
		}
		s.Name, s.Model = r.Name, r.Model
	}
	return s, done
}

// State answers the state of a role as it is now.
func (c *Checker) State(roleID string) (State, bool) {
	for _, s := range c.States() {
		if s.ID == roleID {
			return s, true
		}
	}
	return State{}, false
}

// States answers the states of all roles, in their order, as they are now. A role that is being checked again is so.
func (c *Checker) States() []State {
	all := c.o.Roles()
	states := c.lastStates(all)
	for i, r := range all {
		states[i] = c.present(r, states[i])
	}
	return states
}

// lastStates are the states of roles as they were checked last.
func (c *Checker) lastStates(all []roles.Role) []State {
	c.mu.Lock()
	defer c.mu.Unlock()
	states := make([]State, len(all))
	for i, r := range all {
		if states[i], _ = c.stateOf(r); c.entries[r.ID] != nil && c.entries[r.ID].key == c.keyOf(r) {
			states[i] = c.entries[r.ID].state
			states[i].Name, states[i].Model = r.Name, r.Model
		}
		states[i].ModelValidation.AvailableModels = slices.Clone(states[i].ModelValidation.AvailableModels)
	}
	return states
}

// Progress says how far the checks are.
func (c *Checker) Progress() Progress {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.progress
}

// Revalidate asks whether a role could use a model, with a fresh list of models, and answers the state that it would
// have. For a role's own model that is its state from then on, and it is checked further in the background. An empty
// model is the role's own. ErrUnknownRole if there is no such role.
func (c *Checker) Revalidate(ctx context.Context, roleID, model string) (State, error) {
	r, err := c.role(roleID)
	if err != nil {
		return State{}, err
	}
	own := model == "" || model == r.Model
	if !own {
		r.Model = model
	}
	result := make(chan State, 1)
	if err := c.begin(func() { result <- c.revalidate(r, own) }); err != nil {
		return State{}, err
	}
	select {
	case s := <-result:
		if own && !s.Done() {
			c.Refresh()
		}
		return s, nil
	case <-ctx.Done():
		return State{}, context.Cause(ctx)
	case <-c.ctx.Done():
		return State{}, ErrClosed
	}
}

func (c *Checker) revalidate(r roles.Role, own bool) State {
	k := c.keyOf(r)
	var m models
	if e := c.executor(k.Executor); e != nil {
		m = c.relist(e)
	}
	s, ask := c.validate(r, m)
	if a, ok := c.answered(key{k.Executor, ask}); ok && ask != "" {
		s.HealthCheck, s.Available = a.healthCheck(), true
	}
	if own {
		c.update(func() {
			if e := c.entries[r.ID]; e != nil && e.key == k {
				e.known = nil
			}
			c.set(k, s)
		})
	}
	return s
}

// Models answers the models of an executor, as they were listed last; empty names the first executor.
func (c *Checker) Models(name string) []executor.Model {
	e := c.executor(name)
	if e == nil {
		return nil
	}
	return c.AllModels()[e.Name()]
}

// AllModels answers the models of all executors that have listed theirs, by the executors' names.
func (c *Checker) AllModels() map[string][]executor.Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make(map[string][]executor.Model, len(c.models))
	for name, m := range c.models {
		if m.err == nil {
			all[name] = slices.Clone(m.list)
		}
	}
	return all
}
