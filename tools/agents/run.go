package agents

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/health"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// Limits of an order.
const (
	maxPrompt       = 256 << 10 // bytes
	maxContextFiles = 50
	maxDependencies = 50
	maxTimeout      = 24 * time.Hour
)

// RunArgs are the arguments of run_agent.
type RunArgs struct {
	// GroupID is an active group that create_group returned.
	GroupID string `json:"groupId" jsonschema:"description=From create_group"`
	// Role is the ID of a role in list_roles.
	Role string `json:"role" jsonschema:"description=ID from list_roles"`
	// Prompt is the task, at most 256 KiB.
	Prompt string `json:"prompt" jsonschema:"minLength=1"`
	// WorkingDirectory is a directory of the project. Default: the first directory of the Root.
	WorkingDirectory string `json:"workingDirectory,omitempty"`
	// TimeoutMs limits the duration of the run, in milliseconds. 0 uses the timeout of the role, or
	// else Options.Timeout. At most 24 hours.
	TimeoutMs int64 `json:"timeout_ms,omitempty" jsonschema:"minimum=1,maximum=86400000"`
	// DependsOn are agents that must end before this one starts. Its prompt then contains their
	// results. At most 50.
	DependsOn []string `json:"dependsOn,omitempty" jsonschema:"maxItems=50,description=Agents to wait for; it gets their results"`
	// Isolation is "none" for the working directory itself, or "worktree" for a new git worktree.
	// Empty uses the isolation of the role.
	Isolation string `json:"isolation,omitempty" jsonschema:"enum=none,enum=worktree,description=worktree: own git branch"`
	// ReadOnly forbids changes of files. A role with ReadOnly and a read-only Root have the same
	// effect.
	ReadOnly bool `json:"readOnly,omitempty"`
	// ContextFiles are files of the project that the prompt names as files to read first. At most
	// 50.
	ContextFiles []string `json:"contextFiles,omitempty" jsonschema:"maxItems=50,description=Files to read first"`
}

// RunResult is the result of run_agent and send_followup.
type RunResult struct {
	AgentID string        `json:"agentId"`
	GroupID string        `json:"groupId"`
	Role    string        `json:"role"`
	Model   string        `json:"model"`
	Status  record.Status `json:"status"`
	// Follows is the agent whose session the new agent continues.
	Follows string `json:"follows,omitempty"`
	// Note describes an unusual condition, for example a model other than that of the role.
	Note string `json:"note,omitempty"`
	// End is set only if the call runs as a task, which ends with the agent.
	End *EndedAgent `json:"end,omitempty"`
}

// TextContent returns the ID, the model and the status of the agent.
func (r RunResult) TextContent() string {
	text := fmt.Sprintf("agent %s (%s) is %s", r.AgentID, r.Model, r.Status)
	if r.Note != "" {
		text += "; " + r.Note
	}
	if r.End != nil {
		text += "\n" + r.End.text()
	}
	return text
}

// Run implements run_agent. It returns as soon as the agent is queued. As a task, it returns when
// the agent has ended.
func (a *Agents) Run(ctx context.Context, args RunArgs) (RunResult, error) {
	r, err := a.checkOrder(ctx, args)
	if err != nil {
		return RunResult{}, err
	}
	started, err := a.launch(ctx, "run_agent", r)
	if err != nil {
		return RunResult{}, err
	}
	return a.awaitTask(ctx, started)
}

// checkOrder validates the arguments and returns a run that is not yet recorded.
func (a *Agents) checkOrder(ctx context.Context, args RunArgs) (*run, error) {
	caller, depth, g, err := a.groupCaller(ctx, args.GroupID)
	if err == nil {
		err = checkPrompt(args.Prompt)
	}
	if err != nil {
		return nil, err
	}
	r := &run{agent: record.Agent{
		GroupID: g.ID, Principal: g.Principal, Prompt: args.Prompt, Parent: caller, Depth: depth, Timeout: time.Duration(args.TimeoutMs) * time.Millisecond,
		Isolation: record.Isolation(args.Isolation), ReadOnly: args.ReadOnly,
	}}
	if err := a.setRole(ctx, r, args.Role); err != nil {
		return nil, err
	}
	if err := a.setPaths(ctx, r, args); err != nil {
		return nil, err
	}
	return r, a.setDependencies(ctx, r, args.DependsOn)
}

// checkPrompt returns an error if the prompt is empty, too long or not UTF-8.
func checkPrompt(prompt string) error {
	if strings.TrimSpace(prompt) == "" || len(prompt) > maxPrompt || !utf8.ValidString(prompt) {
		return invalid("Describe the task; name files rather than quote them.", "the prompt has %d bytes, and must be text of 1 to %d", len(prompt), maxPrompt)
	}
	return nil
}

// setRole sets the role, the executor, the model and the defaults of a run. It returns an error if
// the role cannot be used.
func (a *Agents) setRole(ctx context.Context, r *run, id string) error {
	role, ok := a.options.Roles.Role(id)
	if !ok {
		return unknownRole(id, roleIDs(a.options.Roles.Roles()))
	}
	model, note, err := a.resolveModel(ctx, role)
	if err != nil {
		return err
	}
	e, ok := a.executor(role.Executor)
	if !ok {
		return problem(codeRoleUnavailable, "Use another role, or have the user change the role's executor.", "role %s uses the executor %s, which is not configured; the executors are %s", role.ID, quote(role.Executor), strings.Join(a.executorNames(), ", "))
	}
	if err := executor.Find(e); err != nil {
		return problem(codeRoleUnavailable, "Use another role (list_roles), or do it yourself.", "role %s cannot be used: %v", role.ID, err)
	}
	r.role, r.executor, r.note = role, e, note
	r.agent.Role, r.agent.Executor, r.agent.Model = role.ID, e.Name(), model
	r.agent.ReadOnly = r.agent.ReadOnly || role.ReadOnly || a.root.ReadOnly()
	if r.agent.Isolation == "" {
		r.agent.Isolation = role.Isolation
	}
	if r.agent.Isolation == "" {
		r.agent.Isolation = record.Shared
	}
	if r.agent.Timeout == 0 {
		r.agent.Timeout = role.Timeout
	}
	if r.agent.Timeout == 0 {
		r.agent.Timeout = a.options.Timeout
	}
	if r.agent.Timeout < 0 || r.agent.Timeout > maxTimeout {
		return invalid("Give milliseconds.", "timeout_ms is %d, and must be 1 to %d", r.agent.Timeout.Milliseconds(), maxTimeout.Milliseconds())
	}
	return nil
}

// roleIDs returns the identifiers of roles.
func roleIDs(all []roles.Role) []string {
	ids := make([]string, len(all))
	for i, role := range all {
		ids[i] = role.ID
	}
	return ids
}

// executor returns the executor with a name; the first one for an empty name.
func (a *Agents) executor(name string) (executor.Executor, bool) {
	if name == "" {
		return a.options.Executors[0], true
	}
	for _, e := range a.options.Executors {
		if e.Name() == name {
			return e, true
		}
	}
	return nil, false
}

// executorNames returns the names of the executors.
func (a *Agents) executorNames() []string {
	names := make([]string, len(a.options.Executors))
	for i, e := range a.options.Executors {
		names[i] = e.Name()
	}
	return names
}

// resolveModel waits for the health check of a role, at most Options.WaitTimeout, and returns the
// model to use. note is set if it is not the model of the role.
func (a *Agents) resolveModel(ctx context.Context, role roles.Role) (model, note string, err error) {
	if a.options.Health == nil {
		return role.Model, "", nil
	}
	checking, cancel := context.WithTimeout(ctx, a.options.WaitTimeout)
	defer cancel()
	state, err := a.options.Health.Wait(checking, role.ID)
	switch {
	case errors.Is(err, health.ErrUnknownRole):
		return "", "", unknownRole(role.ID, nil)
	case ctx.Err() != nil:
		return "", "", ctx.Err()
	case err != nil:
		return "", "", problem(codeRoleNotReady, "Call again later; list_roles shows the state of the check.", "the check of role %s has not finished", role.ID)
	case !state.Available:
		return "", "", roleUnavailable(state)
	}
	if model = state.RunModel(); model != role.Model {
		note = fmt.Sprintf("the model %s of the role is not available; %s is used", role.Model, model)
	}
	return model, note, nil
}

// roleUnavailable returns the error of a role that failed its health check.
func roleUnavailable(s health.State) error {
	reason, next := s.ModelValidation.Message, "Use another role (list_roles), or do it yourself."
	if reason == "" || s.HealthCheck.Status == health.Failed {
		reason = s.HealthCheck.Reason
	}
	if s.ModelValidation.Suggestion != "" {
		next = fmt.Sprintf("Have the user set the model of the role to %s. Or use another role (list_roles).", s.ModelValidation.Suggestion)
	}
	return problem(codeRoleUnavailable, next, "role %s cannot be used: %s", s.ID, reason)
}

// setPaths sets the working directory and the context files of a run, and checks its isolation.
func (a *Agents) setPaths(ctx context.Context, r *run, args RunArgs) error {
	name := args.WorkingDirectory
	if name == "" {
		name = "."
	}
	info, err := a.root.Stat(ctx, name)
	if err != nil {
		return err
	}
	if info.Kind != security.Directory {
		return problem(string(security.NotDirectory), "Give a directory of the project, or none.", "%s is not a directory", quote(name))
	}
	r.agent.WorkingDirectory = filepath.Join(a.root.Dirs()[info.Dir], filepath.FromSlash(info.Rel))
	if len(args.ContextFiles) > maxContextFiles {
		return invalid("Name the most important ones.", "there are %d context files; at most %d are allowed", len(args.ContextFiles), maxContextFiles)
	}
	for _, file := range args.ContextFiles {
		at, err := a.root.Stat(ctx, file)
		if err != nil {
			return err
		}
		r.agent.ContextFiles = append(r.agent.ContextFiles, filepath.Join(a.root.Dirs()[at.Dir], filepath.FromSlash(at.Rel)))
	}
	switch r.agent.Isolation {
	case record.Shared:
		return nil
	case record.Worktree:
		return a.checkRepository(ctx, r.agent.WorkingDirectory)
	}
	return invalid("Give none or worktree.", "there is no isolation %s", quote(string(r.agent.Isolation)))
}

// setDependencies sets the agents that a run depends on. They exist before the run, so cycles are
// impossible.
func (a *Agents) setDependencies(ctx context.Context, r *run, ids []string) error {
	if len(ids) > maxDependencies {
		return invalid("Depend on fewer.", "there are %d dependencies; at most %d are allowed", len(ids), maxDependencies)
	}
	r.agent.Status = record.Queued
	for _, id := range ids {
		other, err := a.visibleAgent(ctx, id)
		if err != nil {
			return problem(codeBadDependency, "Call list_agents to see the agents. Start an agent before the agents that depend on it.", "dependsOn names %s, which does not exist", quote(id))
		}
		if slices.Contains(r.agent.DependsOn, id) {
			continue
		}
		if id == r.agent.Parent {
			return problem(codeBadDependency, "Leave it out.", "an agent cannot depend on the agent that started it")
		}
		if other.Status.Ended() && other.Outcome != record.Completed && a.options.FailedDependency == FailDependents {
			return problem(codeBadDependency, "Leave it out, or run it again and depend on that.", "dependsOn names %s, which has ended as %s", id, other.Outcome)
		}
		r.agent.DependsOn = append(r.agent.DependsOn, id)
		if !other.Status.Ended() {
			r.agent.Status = record.Blocked
		}
	}
	return nil
}

// launch writes the audit entry and admits the run.
func (a *Agents) launch(ctx context.Context, operation string, r *run) (RunResult, error) {
	entry, err := a.audit.Begin(ctx, audit.Entry{Operation: operation, Params: map[string]any{
		"groupId": r.agent.GroupID, "role": r.agent.Role, "prompt": r.agent.Prompt, "workingDirectory": r.agent.WorkingDirectory,
	}})
	if err != nil {
		return RunResult{}, err
	}
	err = a.admit(ctx, r)
	if err := errors.Join(err, entry.End(err)); err != nil {
		return RunResult{}, err
	}
	return RunResult{
		AgentID: r.id, GroupID: r.agent.GroupID, Role: r.agent.Role, Model: r.agent.Model, Status: r.agent.Status,
		Follows: r.agent.Follows, Note: r.note,
	}, nil
}

// awaitTask turns the call into a task if the client supports tasks, and waits for the end of the
// agent. Cancelling the task cancels the agent. Without a task it returns at once.
func (a *Agents) awaitTask(ctx context.Context, started RunResult) (RunResult, error) {
	if err := mcp.BecomeTask(ctx); err != nil || !mcp.InTask(ctx) {
		return started, nil // the caller uses wait_agent
	}
	w := waiter{a: a, ids: []string{started.AgentID}}
	if _, err := w.wait(ctx, mcp.WorkTimeout(ctx, 0)); err != nil {
		a.stop(started.AgentID, "its task was cancelled")
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
		defer cancel()
		_, late := a.awaitEnd(ending, started.AgentID)
		return RunResult{}, errors.Join(context.Cause(ctx), late)
	}
	agent, err := a.store.Agent(ctx, started.AgentID)
	if err != nil {
		return RunResult{}, broken(err, "agent %s was not found", started.AgentID)
	}
	ended := endedAgent(agent, maxSummary)
	started.Status, started.End = agent.Status, &ended
	return started, nil
}

// joinIDs lists at most 10 identifiers in a message.
func joinIDs(ids []string) string {
	const most = 10
	if len(ids) > most {
		return strings.Join(ids[:most], ", ") + " and " + strconv.Itoa(len(ids)-most) + " more"
	}
	return strings.Join(ids, ", ")
}
