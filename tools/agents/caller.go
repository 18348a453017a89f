package agents

import (
	"context"
	"encoding/hex"
	"errors"
	"unicode/utf8"

	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/tools/agents/record"
)

type operatorKey struct{}

// asOperator returns the context of calls of the operator of the server, which see the agents of all principals.
func asOperator(ctx context.Context) context.Context {
	return context.WithValue(ctx, operatorKey{}, true)
}

func isOperator(ctx context.Context) bool { return ctx.Value(operatorKey{}) != nil }

type callerKey struct{}

// WithCaller makes calls those of an agent: it sees itself and the agents that it has ordered, and what it
// orders is beneath it.
func WithCaller(ctx context.Context, agentID string) context.Context {
	return context.WithValue(ctx, callerKey{}, agentID)
}

// callerFrom is the agent that calls; "" for the main agent.
func callerFrom(ctx context.Context) string {
	id, _ := ctx.Value(callerKey{}).(string)
	return id
}

// orderIn returns the agent that orders another one in a group ("" for the main agent), the depth of the new agent, and the group. The
// error says that the caller may not order there.
func (a *Agents) orderIn(ctx context.Context, groupID string) (caller string, depth int, g record.Group, err error) {
	if caller, depth, err = a.level(ctx); err != nil {
		return caller, depth, g, err
	}
	if g, err = a.activeGroup(ctx, groupID); err == nil {
		err = a.mayUse(ctx, caller, g.ID)
	}
	return caller, depth, g, err
}

// level is who orders, and at which depth the agent will be.
func (a *Agents) level(ctx context.Context) (caller string, depth int, err error) {
	if caller = callerFrom(ctx); caller == "" {
		return "", 0, nil
	}
	a.mu.Lock()
	r, ok := a.runs[caller]
	a.mu.Unlock()
	if !ok {
		return "", 0, limitReached("agent %s has ended and runs no others", quote(caller))
	}
	if depth = r.agent.Depth + 1; depth >= a.options.MaxDepth {
		return "", 0, problem(codeLimitReached, "Do this yourself.", "agents may be %d levels deep, and this is the last", a.options.MaxDepth)
	}
	return caller, depth, nil
}

func (a *Agents) activeGroup(ctx context.Context, id string) (record.Group, error) {
	g, err := a.group(ctx, id)
	if err == nil && g.Status != record.GroupActive {
		return record.Group{}, unknownGroup(id)
	}
	return g, err
}

// group finds a group of the caller's principal, also one that was deleted.
func (a *Agents) group(ctx context.Context, id string) (record.Group, error) {
	g, err := a.store.Group(ctx, id)
	switch {
	case errors.Is(err, record.ErrNotFound):
		return record.Group{}, unknownGroup(id)
	case err != nil:
		return record.Group{}, broken(err, "the group was not found")
	}
	owned, err := a.owns(ctx, g.Principal)
	if err == nil && !owned {
		err = unknownGroup(id)
	}
	if err != nil {
		return record.Group{}, err
	}
	return g, nil
}

// mayUse says whether an agent may order others in a group: its own, and those that it has made.
func (a *Agents) mayUse(ctx context.Context, caller, groupID string) error {
	if caller == "" || a.ownerOf(groupID) == caller {
		return nil
	}
	if agent, err := a.store.Agent(ctx, caller); err == nil && agent.GroupID == groupID {
		return nil
	}
	return unknownGroup(groupID)
}

func (a *Agents) ownerOf(groupID string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.owners[groupID]
}

// visible finds an agent that the caller may know of.
func (a *Agents) visible(ctx context.Context, id string) (record.Agent, error) {
	agent, err := a.store.Agent(ctx, id)
	switch {
	case errors.Is(err, record.ErrNotFound):
		return agent, unknownAgent(id)
	case err != nil:
		return agent, broken(err, "the agent was not found")
	}
	owned, err := a.owns(ctx, agent.Principal)
	if err == nil && !(owned && a.mayKnow(ctx, agent)) {
		err = unknownAgent(id)
	}
	if err != nil {
		return record.Agent{}, err
	}
	return agent, nil
}

// mayKnow says whether the caller may know of an agent of its principal: an agent knows itself, and the agents beneath it.
func (a *Agents) mayKnow(ctx context.Context, agent record.Agent) bool {
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

// maxLevels bounds the search for who has ordered an agent.
const maxLevels = 100

// storeError is an error of the store that a caller may have to do with.
func (a *Agents) storeError(err error, doing string) error {
	var known interface{ ErrorCode() string }
	if errors.As(err, &known) {
		return err
	}
	return broken(err, "%s failed", doing)
}

// owns reports whether records of a principal belong to the caller.
func (a *Agents) owns(ctx context.Context, principal string) (bool, error) {
	if isOperator(ctx) {
		return true, nil
	}
	own, err := a.principal(ctx)
	return err == nil && own == principal, err
}

// principal returns the principal that calls, as records have it. An agent calls for the principal that has ordered it.
func (a *Agents) principal(ctx context.Context) (string, error) {
	id := callerFrom(ctx)
	if id == "" {
		return recorded(caller.PrincipalOf(ctx)), nil
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

// recorded is a principal as valid UTF-8, which stores keep as it is. Different principals stay different.
func recorded(principal string) string {
	const escape = "\x00"
	if utf8.ValidString(principal) && (principal == "" || principal[:1] != escape) {
		return principal
	}
	return escape + hex.EncodeToString([]byte(principal))
}
