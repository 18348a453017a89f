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

// The environment variables of agent programs and of their Child servers.
const (
	// EnvParentURL is the URL of the server that runs the agent, EnvToken the bearer token for it.
	EnvParentURL = "KUROMAJUTSU_PARENT_URL"
	EnvToken     = "KUROMAJUTSU_TOKEN"
	// EnvAgentID is the ID of the agent. EnvDepth is its level: 1 for agents of the main agent.
	EnvAgentID = "KUROMAJUTSU_AGENT_ID"
	EnvDepth   = "KUROMAJUTSU_DEPTH"
)

// spec returns the order for the executor.
func (a *Agents) spec(r *run, w *workplace) executor.Spec {
	env, servers := a.childEnvironment(r)
	return executor.Spec{
		AgentID: r.id, Model: r.agent.Model, Prompt: a.buildPrompt(r, w), Dir: w.dir, ReadOnly: r.agent.ReadOnly, Trust: true,
		Tools: r.role.Tools, Env: env, Resume: r.agent.SessionID, Servers: servers,
	}
}

// childEnvironment returns the environment variables of an agent, and its Child server if
// Options.Child is set.
func (a *Agents) childEnvironment(r *run) (env []string, servers []executor.Server) {
	url := ""
	if a.options.Child.ParentURL != nil {
		url = a.options.Child.ParentURL()
	}
	env = append(mcp.TraceFrom(r.ctx).Environ(), EnvAgentID+"="+r.id, EnvDepth+"="+strconv.Itoa(r.agent.Depth+1))
	if url != "" {
		env = append(env, EnvParentURL+"="+url, EnvToken+"="+a.issueToken(r.id))
	}
	if a.options.Child.Command != "" && url != "" {
		servers = []executor.Server{{Name: a.options.ServerName, Command: a.options.Child.Command, Args: a.options.Child.Args, Env: env}}
	}
	return env, servers
}

// tokenGrace is the time that a token stays valid after the end of its agent, for calls that are
// still on their way.
const tokenGrace = time.Minute

// token is the owner and the expiry of a bearer token.
type token struct {
	agentID string
	until   time.Time // zero while the agent is active
}

// issueToken returns a new bearer token of an agent, and removes expired ones.
func (a *Agents) issueToken(agentID string) string {
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

// revokeToken lets the tokens of an agent expire after tokenGrace.
func (a *Agents) revokeToken(agentID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for secret, t := range a.tokens {
		if t.agentID == agentID && t.until.IsZero() {
			t.until = time.Now().Add(tokenGrace)
			a.tokens[secret] = t
		}
	}
}

// AgentByToken returns the agent whose environment has the token as EnvToken. A token is valid
// until one minute after the agent's end.
func (a *Agents) AgentByToken(secret string) (agentID string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t, ok := a.tokens[secret]
	if !ok || !t.until.IsZero() && time.Now().After(t.until) {
		return "", false
	}
	return t.agentID, true
}

// maxPromptResult is the largest part of another agent's result in a prompt, in bytes.
const maxPromptResult = 2 << 10

// buildPrompt returns the complete prompt: the role, the task, the context files, the results of
// dependencies and the instructions for the report.
func (a *Agents) buildPrompt(r *run, w *workplace) string {
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
	a.writeResults(&b, r)
	if w.branch != "" {
		fmt.Fprintf(&b, "\n\nYou work in a git worktree of your own, on the branch %s. Commit your work there, and do not merge it.", w.branch)
	}
	fmt.Fprintf(&b, "\n\n[Your agentId is %s. When you are done, or cannot continue, call the tool report_result of the MCP server %s with this agentId, status (success or failure), summary (a few sentences), editedFiles and createdFiles. If there is no such tool, end with such a summary.", r.id, a.options.ServerName)
	if r.agent.Depth+1 < a.options.MaxDepth {
		fmt.Fprintf(&b, " Agents of your own run in the group %s.", r.agent.GroupID)
	}
	b.WriteString("]\n")
	return b.String()
}

// writeResults writes the results of the agents that a run depends on.
func (a *Agents) writeResults(b *strings.Builder, r *run) {
	for i, id := range r.agent.DependsOn {
		other, err := a.store.Agent(context.WithoutCancel(a.baseCtx), id)
		if err != nil {
			continue
		}
		if i == 0 {
			b.WriteString("\n\nResults of the agents whose work you build on:\n")
		}
		fmt.Fprintf(b, "\n## %s (%s): %s\n", other.ID, other.Role, outcomeText(other))
		if other.Result == nil {
			continue
		}
		if other.Outcome != record.Completed && other.Error != "" {
			b.WriteString("It has not completed: " + truncate.Within(other.Error, maxPromptResult) + "\n")
		}
		if other.Result.Summary != "" {
			b.WriteString(truncate.Within(other.Result.Summary, maxPromptResult) + "\n")
		}
		writeFiles(b, other.Result)
	}
}

// writeFiles writes the changed files of a result.
func writeFiles(b *strings.Builder, r *record.Result) {
	for _, list := range []struct {
		what  string
		files []string
	}{{"created", r.CreatedFiles}, {"edited", r.EditedFiles}, {"deleted", r.DeletedFiles}} {
		if len(list.files) > 0 {
			b.WriteString(list.what + ": " + truncate.Within(joinFiles(list.files), maxPromptResult) + "\n")
		}
	}
	if r.Worktree != "" {
		fmt.Fprintf(b, "in the git worktree %s, branch %s\n", r.Worktree, r.Branch)
	}
}

// joinFiles lists at most 20 files.
func joinFiles(files []string) string {
	const most = 20
	if len(files) > most {
		return strings.Join(files[:most], ", ") + fmt.Sprintf(" and %d more", len(files)-most)
	}
	return strings.Join(files, ", ")
}

// outcomeText returns how an agent has ended, or its status if it has not.
func outcomeText(agent record.Agent) string {
	if agent.Outcome == "" {
		return string(agent.Status)
	}
	if agent.Result != nil && agent.Result.StatusSource == record.FromReport {
		return string(agent.Outcome) + ", reported " + string(agent.Result.Status)
	}
	return string(agent.Outcome)
}
