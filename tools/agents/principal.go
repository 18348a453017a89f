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

// owns reports whether records of a principal belong to the caller.
func (a *Agents) owns(ctx context.Context, principal string) (bool, error) {
	if isOperator(ctx) {
		return true, nil
	}
	own, err := a.principal(ctx)
	return err == nil && own == principal, err
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
