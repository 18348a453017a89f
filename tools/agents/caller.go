package agents

import (
	"context"
	"encoding/hex"
	"errors"
	"unicode/utf8"

	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// operatorKey is the context key of asOperator.
type operatorKey struct{}

// asOperator returns a context for calls of the server's operator, who sees the agents of all
// principals.
func asOperator(ctx context.Context) context.Context {
	return context.WithValue(ctx, operatorKey{}, true)
}

// isOperator reports whether asOperator has made the context.
func isOperator(ctx context.Context) bool { return ctx.Value(operatorKey{}) != nil }

// callerKey is the context key of WithCaller.
type callerKey struct{}

// WithCaller returns a context for calls of an agent. The agent sees itself and the agents below
// it; agents that it orders become its children.
func WithCaller(ctx context.Context, agentID string) context.Context {
	return context.WithValue(ctx, callerKey{}, agentID)
}

// callerFrom returns the calling agent; empty for the main agent.
func callerFrom(ctx context.Context) string {
	id, _ := ctx.Value(callerKey{}).(string)
	return id
}

// groupCaller returns the calling agent (empty for the main agent), the depth of an agent that it
// orders, and the group. It returns an error if the caller must not order agents in the group.
func (a *Agents) groupCaller(ctx context.Context, groupID string) (caller string, depth int, g record.Group, err error) {
	if caller, depth, err = a.callerDepth(ctx); err != nil {
		return caller, depth, g, err
	}
	if g, err = a.activeGroup(ctx, groupID); err == nil {
		err = a.checkGroup(ctx, caller, g.ID)
	}
	return caller, depth, g, err
}

// callerDepth returns the calling agent and the depth of an agent that it orders. It returns an
// error at Options.MaxDepth.
func (a *Agents) callerDepth(ctx context.Context) (caller string, depth int, err error) {
	if caller = callerFrom(ctx); caller == "" {
		return "", 0, nil
	}
	a.mu.Lock()
	r, ok := a.runs[caller]
	a.mu.Unlock()
	if !ok {
		return "", 0, limitReached("agent %s has ended and cannot run others", quote(caller))
	}
	if depth = r.agent.Depth + 1; depth >= a.options.MaxDepth {
		return "", 0, problem(codeLimitReached, "Do this yourself.", "agents may be nested %d levels deep, and this is the last level", a.options.MaxDepth)
	}
	return caller, depth, nil
}

// activeGroup returns a group that is not deleted.
func (a *Agents) activeGroup(ctx context.Context, id string) (record.Group, error) {
	g, err := a.group(ctx, id)
	if err == nil && g.Status != record.GroupActive {
		return record.Group{}, unknownGroup(id)
	}
	return g, err
}

// group returns a group of the caller's principal, deleted or not.
func (a *Agents) group(ctx context.Context, id string) (record.Group, error) {
	g, err := a.store.Group(ctx, id)
	switch {
	case errors.Is(err, record.ErrNotFound):
		return record.Group{}, unknownGroup(id)
	case err != nil:
		return record.Group{}, broken(err, "the group was not found")
	}
	owned, err := a.ownsRecord(ctx, g.Principal)
	if err == nil && !owned {
		err = unknownGroup(id)
	}
	if err != nil {
		return record.Group{}, err
	}
	return g, nil
}

// checkGroup returns an error unless the calling agent belongs to the group or has created it.
func (a *Agents) checkGroup(ctx context.Context, caller, groupID string) error {
	if caller == "" || a.groupOwner(groupID) == caller {
		return nil
	}
	if agent, err := a.store.Agent(ctx, caller); err == nil && agent.GroupID == groupID {
		return nil
	}
	return unknownGroup(groupID)
}

// groupOwner returns the agent that created a group; empty for the main agent.
func (a *Agents) groupOwner(groupID string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.groupOwners[groupID]
}

// visibleAgent returns an agent that the caller may see. Other agents are reported as unknown.
func (a *Agents) visibleAgent(ctx context.Context, id string) (record.Agent, error) {
	agent, err := a.store.Agent(ctx, id)
	switch {
	case errors.Is(err, record.ErrNotFound):
		return agent, unknownAgent(id)
	case err != nil:
		return agent, broken(err, "the agent was not found")
	}
	owned, err := a.ownsRecord(ctx, agent.Principal)
	if err == nil && !(owned && a.isVisible(ctx, agent)) {
		err = unknownAgent(id)
	}
	if err != nil {
		return record.Agent{}, err
	}
	return agent, nil
}

// isVisible reports whether the caller may see an agent of its own principal. An agent sees itself
// and the agents below it.
func (a *Agents) isVisible(ctx context.Context, agent record.Agent) bool {
	caller := callerFrom(ctx)
	for range maxLevels {
		if caller == "" || agent.ID == caller {
			return true
		}
		if agent.Parent == "" {
			return false
		}
		above, err := a.store.Agent(ctx, agent.Parent)
		if err != nil {
			return agent.Parent == caller
		}
		agent = above
	}
	return false
}

// maxLevels limits the search for the ancestors of an agent.
const maxLevels = 100

// storeError returns an error with a code unchanged, and wraps other errors of a store.
func (a *Agents) storeError(err error, doing string) error {
	var known interface{ ErrorCode() string }
	if errors.As(err, &known) {
		return err
	}
	return broken(err, "%s failed", doing)
}

// ownsRecord reports whether records of a principal belong to the caller.
func (a *Agents) ownsRecord(ctx context.Context, principal string) (bool, error) {
	if isOperator(ctx) {
		return true, nil
	}
	own, err := a.principal(ctx)
	return err == nil && own == principal, err
}

// principal returns the calling principal in the form of records. An agent has the principal that
// ordered it.
func (a *Agents) principal(ctx context.Context) (string, error) {
	id := callerFrom(ctx)
	if id == "" {
		return encodePrincipal(caller.PrincipalOf(ctx)), nil
	}
	if r := a.find(id); r != nil {
		return r.agent.Principal, nil
	}
	agent, err := a.store.Agent(ctx, id)
	switch {
	case errors.Is(err, record.ErrNotFound):
		return "", unknownAgent(id)
	case err != nil:
		return "", broken(err, "the agent was not found")
	}
	return agent.Principal, nil
}

// encodePrincipal returns the name of a principal as valid UTF-8, which all stores can keep.
// Different names stay different.
func encodePrincipal(principal string) string {
	const escape = "\x00"
	if utf8.ValidString(principal) && (principal == "" || principal[:1] != escape) {
		return principal
	}
	return escape + hex.EncodeToString([]byte(principal))
}
