package health

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// role returns a current role.
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

// Wait waits until a role has a result and returns its state. It does not wait for the repetition
// of a check. A role without a result, or with a failure older than Options.RetryInterval, is
// checked at once. If ctx ends first, Wait returns the current state and the cause. It returns
// ErrUnknownRole for an unknown role.
func (c *Checker) Wait(ctx context.Context, roleID string) (State, error) {
	r, err := c.role(roleID)
	if err != nil {
		return State{}, err
	}
	c.mu.Lock()
	e := c.entries[roleID]
	stale := e == nil || e.key != c.keyOf(r) || e.lastResult == nil
	if !stale && !e.lastResult.Available && c.o.Now().Sub(e.lastResult.checkedAt()) >= c.o.RetryInterval {
		e.lastResult, stale = nil, true
	}
	c.mu.Unlock()
	if stale {
		c.Refresh()
	}
	var s State
	err = c.waitFor(ctx, func() bool {
		var done bool
		s, done = c.stateOf(r)
		return done
	})
	return c.withProgram(r, s), err
}

// withProgram returns the state, as failed if the program of the executor has disappeared since the
// check.
func (c *Checker) withProgram(r roles.Role, s State) State {
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

// stateOf returns the state of a role and whether it is a result. The caller holds the lock.
func (c *Checker) stateOf(r roles.Role) (State, bool) {
	s, done := pending(r), false
	if e := c.entries[r.ID]; e != nil && e.key == c.keyOf(r) {
		if s = e.state; e.lastResult != nil {
			s, done = *e.lastResult, true
		}
		s.Name, s.Model = r.Name, r.Model
	}
	return s, done
}

// State returns the current state of a role.
func (c *Checker) State(roleID string) (State, bool) {
	for _, s := range c.States() {
		if s.ID == roleID {
			return s, true
		}
	}
	return State{}, false
}

// States returns the current states of all roles in their order. A role whose check is repeated has
// the state of the repetition.
func (c *Checker) States() []State {
	all := c.o.Roles()
	states := c.lastStates(all)
	for i, r := range all {
		states[i] = c.withProgram(r, states[i])
	}
	return states
}

// lastStates returns the states without regard to disappeared programs.
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

// Progress returns the state of the current round.
func (c *Checker) Progress() Progress {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.progress
}

// Revalidate checks whether a role could use a model, with a new list of models, and returns the
// resulting state. For the role's own model, or an empty one, it also sets the state of the role
// and continues the check in the background. It returns ErrUnknownRole for an unknown role.
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
	if err := c.startRound(func() { result <- c.revalidate(r, own) }); err != nil {
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
		m = c.refreshModels(e)
	}
	s, ask := c.validate(r, m)
	if a, ok := c.cachedAnswer(key{k.Executor, ask}); ok && ask != "" {
		s.HealthCheck, s.Available = a.healthCheck(), true
	}
	if own {
		c.update(func() {
			if e := c.entries[r.ID]; e != nil && e.key == k {
				e.lastResult = nil
			}
			c.setState(k, s)
		})
	}
	return s
}

// Models returns the last list of models of an executor; an empty name is the first executor.
func (c *Checker) Models(name string) []executor.Model {
	e := c.executor(name)
	if e == nil {
		return nil
	}
	return c.AllModels()[e.Name()]
}

// AllModels returns the last lists of models by executor name.
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
