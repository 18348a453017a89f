package agents

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
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

// spec is what the executor is given.
func (a *Agents) spec(r *run, w *workplace) executor.Spec {
	env, servers := a.child(r)
	return executor.Spec{
		AgentID: r.id, Model: r.agent.Model, Prompt: a.prompt(r, w), Dir: w.dir, ReadOnly: r.agent.ReadOnly, Trust: true,
		Tools: r.role.Tools, Env: env, Resume: r.agent.SessionID, Servers: servers,
	}
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

// afterEnd is how long the token of an agent is known after its end: a last call may be on its way.
const afterEnd = time.Minute

// token is what an agent shows.
type token struct {
	agentID string
	until   time.Time // zero while it runs
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

// maxTold bounds what an agent is told of the result of another, in bytes.
const maxTold = 2 << 10

// prompt is all that an agent is told: its role, its task, what it should know, and how it reports.
func (a *Agents) prompt(r *run, w *workplace) string {
	var b strings.Builder
	if r.agent.Follows == "" && r.role.SystemPrompt != "" {
		b.WriteString(strings.TrimSpace(r.role.SystemPrompt) + "\n\n")
	}
	b.WriteString(r.agent.Prompt)
	if len(r.agent.ContextFiles) > 0 {
		b.WriteString("\n\nRead these files first:\n")
		for _, name := range r.agent.ContextFiles {
			b.WriteString("- " + name + "\n")
		}
	}
	a.tellResults(&b, r)
	if w.branch != "" {
		fmt.Fprintf(&b, "\n\nYou work in a git worktree of your own, on the branch %s. Commit your work there, and do not merge it.", w.branch)
	}
	fmt.Fprintf(&b, "\n\n[Your agentId is %s. When you are done, or cannot go on, call the tool report_result of the MCP server %s with this agentId, status (success or failure), summary (a few sentences), editedFiles and createdFiles. If there is no such tool, end with such a summary.", r.id, a.options.ServerName)
	if r.agent.Depth+1 < a.options.MaxDepth {
		fmt.Fprintf(&b, " Agents of your own run in the group %s.", r.agent.GroupID)
	}
	b.WriteString("]\n")
	return b.String()
}

// tellResults says what became of what a run depends on.
func (a *Agents) tellResults(b *strings.Builder, r *run) {
	for i, id := range r.agent.DependsOn {
		other, err := a.store.Agent(context.WithoutCancel(a.life), id)
		if err != nil {
			continue
		}
		if i == 0 {
			b.WriteString("\n\nResults of the agents whose work you build on:\n")
		}
		fmt.Fprintf(b, "\n## %s (%s): %s\n", other.ID, other.Role, standing(other))
		if other.Result == nil {
			continue
		}
		if other.Outcome != record.Completed && other.Error != "" {
			b.WriteString("It has not completed: " + truncate.Within(other.Error, maxTold) + "\n")
		}
		if other.Result.Summary != "" {
			b.WriteString(truncate.Within(other.Result.Summary, maxTold) + "\n")
		}
		tellFiles(b, other.Result)
	}
}

// tellFiles names the files that an agent has changed.
func tellFiles(b *strings.Builder, r *record.Result) {
	for _, list := range []struct {
		what  string
		files []string
	}{{"created", r.CreatedFiles}, {"edited", r.EditedFiles}, {"deleted", r.DeletedFiles}} {
		if len(list.files) > 0 {
			b.WriteString(list.what + ": " + truncate.Within(fewFiles(list.files), maxTold) + "\n")
		}
	}
	if r.Worktree != "" {
		fmt.Fprintf(b, "in the git worktree %s, branch %s\n", r.Worktree, r.Branch)
	}
}

// fewFiles names the first of many files.
func fewFiles(files []string) string {
	const most = 20
	if len(files) > most {
		return strings.Join(files[:most], ", ") + fmt.Sprintf(" and %d more", len(files)-most)
	}
	return strings.Join(files, ", ")
}

// standing is how an agent has ended, or where it is.
func standing(agent record.Agent) string {
	if agent.Outcome == "" {
		return string(agent.Status)
	}
	if agent.Result != nil && agent.Result.StatusSource == record.FromReport {
		return string(agent.Outcome) + ", reported " + string(agent.Result.Status)
	}
	return string(agent.Outcome)
}
