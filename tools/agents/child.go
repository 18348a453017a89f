package agents

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// The variables in the environment of agents, and of the server that each has.
const (
	// EnvParentURL is where the tools of the server are that runs the agent, EnvToken the bearer token for it.
	EnvParentURL = "KUROMAJUTSU_PARENT_URL"
	EnvToken     = "KUROMAJUTSU_TOKEN"
	// EnvAgentID is the agent, EnvDepth its level: 1 for those of the main agent.
	EnvAgentID = "KUROMAJUTSU_AGENT_ID"
	EnvDepth   = "KUROMAJUTSU_DEPTH"
)

// afterEnd is how long the token of an agent is known after its end: a last call may be on its way.
const afterEnd = time.Minute

// token is what an agent shows.
type token struct {
	agentID string
	until   time.Time // zero while it runs
}

// child is the environment of an agent, and the servers that it is to have.
func (a *Agents) child(r *run) (env []string, servers []executor.Server) {
	url := ""
	if a.options.Child.ParentURL != nil {
		url = a.options.Child.ParentURL()
	}
	env = append(mcp.TraceFrom(r.ctx).Environ(), EnvAgentID+"="+r.id, EnvDepth+"="+strconv.Itoa(r.agent.Depth+1))
	if url != "" {
		env = append(env, EnvParentURL+"="+url, EnvToken+"="+a.issue(r.id))
	}
	if a.options.Child.Command != "" && url != "" {
		servers = []executor.Server{{Name: a.options.ServerName, Command: a.options.Child.Command, Args: a.options.Child.Args, Env: env}}
	}
	return env, servers
}

// issue makes the token of an agent.
func (a *Agents) issue(agentID string) string {
	secret := rand.Text()
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for old, t := range a.tokens {
		if !t.until.IsZero() && now.After(t.until) {
			delete(a.tokens, old)
		}
	}
	a.tokens[secret] = token{agentID: agentID}
	return secret
}

// revoke lets the token of an agent end soon.
func (a *Agents) revoke(agentID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for secret, t := range a.tokens {
		if t.agentID == agentID && t.until.IsZero() {
			t.until = time.Now().Add(afterEnd)
			a.tokens[secret] = t
		}
	}
}

// Agent is the agent that has a token: what its environment has as EnvToken, until a minute after its end.
func (a *Agents) Agent(secret string) (agentID string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t, ok := a.tokens[secret]
	if !ok || !t.until.IsZero() && time.Now().After(t.until) {
		return "", false
	}
	return t.agentID, true
}

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
