package health

import (
	"context"
	"log/slog"
	"slices"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// check performs a round of checks: of all roles, or of the roles without a valid result.
func (c *Checker) check(all bool) {
	todo := c.staleRoles(all)
	if len(todo) == 0 && !all {
		c.finish(false)
		return
	}
	c.listModels(todo, all)
	if c.ctx.Err() != nil { // a cancelled listing says nothing about the roles
		return
	}
	ask := c.validateAll(todo)
	c.emit(record.HealthModelValidation, map[string]any{"roles": c.States(), "models": c.AllModels()})
	c.askAll(ask, all)
	if c.ctx.Err() == nil {
		c.finish(true)
		c.save()
	}
}

// staleRoles returns the roles to check and marks them as pending. It removes the state of deleted
// roles.
func (c *Checker) staleRoles(all bool) []roles.Role {
	now := c.o.Roles()
	var todo []roles.Role
	c.update(func() {
		for id := range c.entries {
			if !slices.ContainsFunc(now, func(r roles.Role) bool { return r.ID == id }) {
				delete(c.entries, id)
			}
		}
		for _, r := range now {
			k := c.keyOf(r)
			e := c.entries[r.ID]
			if e == nil || e.key != k {
				e = &entry{key: k}
				c.entries[r.ID] = e
			}
			if all || e.lastResult == nil {
				e.state = pending(r)
				todo = append(todo, r)
			}
		}
		if len(todo) > 0 || all {
			c.progress = Progress{Phase: Models, StartedAt: c.now(), Total: len(now), Available: c.available()}
		}
	})
	return todo
}

// pending returns the state of an unchecked role.
func pending(r roles.Role) State {
	return State{ID: r.ID, Name: r.Name, Model: r.Model, HealthCheck: HealthCheck{Status: Pending}, ModelValidation: ModelValidation{Status: Pending}}
}

// listModels asks the executors for their models, concurrently. A valid list that contains the
// models is not requested again.
func (c *Checker) listModels(todo []roles.Role, all bool) {
	wanted := make(map[string]bool)
	for _, r := range todo {
		k := c.keyOf(r)
		if e := c.executor(k.Executor); e != nil && (all || !c.isListed(k)) {
			wanted[e.Name()] = true
		}
	}
	asking := group.Group{OnPanic: c.checks.OnPanic}
	for _, e := range c.o.Executors {
		if wanted[e.Name()] || all {
			asking.Go(func() { c.refreshModels(e) })
		}
	}
	asking.Wait()
}

// isListed reports whether a valid list of models contains the model.
func (c *Checker) isListed(k key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.models[k.Executor]
	return m.err == nil && m.contains(k.Model) && c.o.Now().Sub(m.at) < c.o.CacheTime
}

func (c *Checker) refreshModels(e executor.Executor) models {
	m := c.list(e)
	if c.ctx.Err() == nil {
		c.update(func() { c.models[e.Name()] = m })
	}
	return m
}

// question is a check of a model on behalf of roles.
type question struct {
	key
	prompt string
	roles  []roles.Role
}

// validateAll compares the roles with the lists of models and returns one question for each model.
func (c *Checker) validateAll(todo []roles.Role) []*question {
	var ask []*question
	c.update(func() {
		for _, r := range todo {
			k := c.keyOf(r)
			s, model := c.validate(r, c.models[k.Executor])
			c.setState(k, s)
			if model == "" {
				c.o.Logger.Warn("a role cannot be used", slog.String("role", r.ID), slog.String("model", r.Model), slog.String("reason", s.ModelValidation.Message))
				continue
			}
			k.Model = model
			i := slices.IndexFunc(ask, func(q *question) bool { return q.key == k })
			if i < 0 {
				i = len(ask)
				ask = append(ask, &question{key: k, prompt: r.HealthCheckPrompt})
			}
			ask[i].roles = append(ask[i].roles, r)
		}
		c.progress.Phase = Roles
	})
	return ask
}

// setState sets the state of a role unless its check has changed. The caller holds the lock.
func (c *Checker) setState(k key, s State) {
	e := c.entries[s.ID]
	if e == nil || e.key != k {
		return
	}
	if e.state = s; s.Done() {
		e.lastResult = &s
	}
}

// askAll asks the models, at most Options.Parallel at once.
func (c *Checker) askAll(ask []*question, all bool) {
	asking := group.Group{OnPanic: c.checks.OnPanic}
	places := make(chan struct{}, c.o.Parallel)
	for _, q := range ask {
		select {
		case places <- struct{}{}:
		case <-c.ctx.Done():
			asking.Wait()
			return
		}
		c.markStarted(q)
		asking.Go(func() {
			defer func() { <-places }()
			a, known := c.cachedAnswer(q.key)
			if all || !known {
				a = c.checkModel(q.key, q.prompt)
			}
			if c.ctx.Err() == nil {
				c.recordAnswer(q, a)
			}
		})
	}
	asking.Wait()
}

// cachedAnswer returns a valid successful answer of a model.
func (c *Checker) cachedAnswer(k key) (answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := c.answers[k]
	return a, ok && a.Failed == "" && c.o.Now().Sub(a.At) < c.o.CacheTime
}

// markStarted records and emits the start of a check for each of its roles.
func (c *Checker) markStarted(q *question) {
	c.update(func() {
		for _, r := range q.roles {
			if e := c.entries[r.ID]; e != nil && e.key == c.keyOf(r) {
				e.state.HealthCheck = HealthCheck{Status: Running}
			}
		}
	})
	for _, r := range q.roles {
		c.emit(record.HealthRoleStart, map[string]string{"roleId": r.ID, "model": q.Model})
	}
}

// recordAnswer records and emits the result of a check for each of its roles.
func (c *Checker) recordAnswer(q *question, a answer) {
	var states []State
	c.update(func() {
		c.answers[q.key] = a
		for _, r := range q.roles {
			e := c.entries[r.ID]
			if e == nil || e.key != c.keyOf(r) {
				continue
			}
			s := e.state
			s.HealthCheck = a.healthCheck()
			s.Available = s.HealthCheck.Status == Passed
			if a.Unknown {
				s.ModelValidation.Status, s.ModelValidation.Message = Invalid, a.Failed
			}
			c.setState(e.key, s)
			states = append(states, s)
		}
	})
	for _, s := range states {
		if !s.Available {
			c.o.Logger.Warn("a role cannot be used", slog.String("role", s.ID), slog.String("model", s.Model), slog.String("reason", a.Failed))
		}
		c.emit(record.HealthRoleComplete, s)
	}
}

// finish ends a round. tell is false if there was nothing to check.
func (c *Checker) finish(tell bool) {
	c.update(func() {
		c.progress.Total, c.progress.Available = len(c.entries), c.available()
		if c.progress.Phase = Done; tell || c.progress.FinishedAt.IsZero() {
			c.progress.FinishedAt = c.now()
		}
	})
	if tell {
		p := c.Progress()
		c.o.Logger.Info("the roles were checked", slog.Int("roles", p.Total), slog.Int("available", p.Available))
		c.emit(record.HealthComplete, map[string]int{"total": p.Total, "available": p.Available})
	}
}

func (c *Checker) available() (n int) {
	for _, e := range c.entries {
		if e.state.Available {
			n++
		}
	}
	return n
}

// emit appends an event to the log. An error is logged and does not end the checks.
func (c *Checker) emit(t record.EventType, data any) {
	if c.o.Log == nil {
		return
	}
	if _, err := record.Publish(context.WithoutCancel(c.ctx), c.o.Log, record.Event{Type: t, At: c.now()}, data); err != nil {
		c.o.Logger.Warn("an event of a health check was lost", slog.String("event", string(t)), slog.Any("error", err))
	}
}
