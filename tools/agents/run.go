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

// Bounds of an order.
const (
	maxPrompt       = 256 << 10 // bytes
	maxContextFiles = 50
	maxDependencies = 50
	maxTimeout      = 24 * time.Hour
)

// RunArgs are the arguments of run_agent.
type RunArgs struct {
	GroupID string `json:"groupId" jsonschema:"description=Of create_group"`
	Role    string `json:"role" jsonschema:"description=ID of list_roles"`
	Prompt  string `json:"prompt" jsonschema:"minLength=1"`
	// WorkingDirectory is a directory of the project. Default: its first.
	WorkingDirectory string `json:"workingDirectory,omitempty"`
	// TimeoutMs bounds how long the agent runs. 0 is what its role, else the settings say.
	TimeoutMs int64 `json:"timeout_ms,omitempty" jsonschema:"minimum=1,maximum=86400000"`
	// DependsOn are agents that must have completed before it is started; it is told their results.
	DependsOn []string `json:"dependsOn,omitempty" jsonschema:"maxItems=50,description=Agents to wait for; it gets their results"`
	// Isolation is where it works. Empty is what its role says.
	Isolation string `json:"isolation,omitempty" jsonschema:"enum=none,enum=worktree,description=worktree: own git branch"`
	// ReadOnly forbids changes of files. Its role, or a read-only project, may do that, too.
	ReadOnly bool `json:"readOnly,omitempty"`
	// ContextFiles are files of the project that it is told to read first.
	ContextFiles []string `json:"contextFiles,omitempty" jsonschema:"maxItems=50,description=Files to read first"`
}

// RunResult is what run_agent and send_followup answer.
type RunResult struct {
	AgentID string        `json:"agentId"`
	GroupID string        `json:"groupId"`
	Role    string        `json:"role"`
	Model   string        `json:"model"`
	Status  record.Status `json:"status"`
	// Follows is the agent whose session it goes on with.
	Follows string `json:"follows,omitempty"`
	// Note says what is unusual, such as another model than that of the role.
	Note string `json:"note,omitempty"`
	// End is how the agent has ended, in a task, which waits for that.
	End *EndedAgent `json:"end,omitempty"`
}

// TextContent is the ID of the agent, and what it waits for.
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

// Run is run_agent. It answers as soon as the agent is in the queue, and in a task when
// it has ended.
func (a *Agents) Run(ctx context.Context, args RunArgs) (RunResult, error) {
	r, err := a.order(ctx, args)
	if err != nil {
		return RunResult{}, err
	}
	started, err := a.launch(ctx, "run_agent", r)
	if err != nil {
		return RunResult{}, err
	}
	return a.toTheEnd(ctx, started)
}

// order checks what is ordered.
func (a *Agents) order(ctx context.Context, args RunArgs) (*run, error) {
	caller, depth, g, err := a.orderIn(ctx, args.GroupID)
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
	if err := a.cast(ctx, r, args.Role); err != nil {
		return nil, err
	}
	if err := a.place(ctx, r, args); err != nil {
		return nil, err
	}
	return r, a.depend(ctx, r, args.DependsOn)
}

func checkPrompt(prompt string) error {
	if strings.TrimSpace(prompt) == "" || len(prompt) > maxPrompt || !utf8.ValidString(prompt) {
		return invalid("Say what the agent is to do; name files rather than quote them.", "the prompt has %d bytes, and must be text of 1 to %d", len(prompt), maxPrompt)
	}
	return nil
}

// cast gives a run its role, once that is known to be usable.
func (a *Agents) cast(ctx context.Context, r *run, id string) error {
	role, ok := a.options.Roles.Role(id)
	if !ok {
		return unknownRole(id, roleIDs(a.options.Roles.Roles()))
	}
	model, note, err := a.usable(ctx, role)
	if err != nil {
		return err
	}
	e, ok := a.executor(role.Executor)
	if !ok {
		return problem(codeRoleUnavailable, "Use another role, or have the user change the role's executor.", "role %s is run by %s, which is not there", role.ID, quote(role.Executor))
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

func roleIDs(all []roles.Role) []string {
	ids := make([]string, len(all))
	for i, role := range all {
		ids[i] = role.ID
	}
	return ids
}

// executor finds what runs a role.
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

// usable answers the model with which a role is run.
func (a *Agents) usable(ctx context.Context, role roles.Role) (model, note string, err error) {
	if a.options.Health == nil {
		return role.Model, "", nil
	}
	patient, cancel := context.WithTimeout(ctx, a.options.Patience)
	defer cancel()
	state, err := a.options.Health.Wait(patient, role.ID)
	switch {
	case errors.Is(err, health.ErrUnknownRole):
		return "", "", unknownRole(role.ID, nil)
	case ctx.Err() != nil:
		return "", "", ctx.Err()
	case err != nil:
		return "", "", problem(codeRoleNotReady, "Call again in a while; list_roles shows how far it is.", "it is not known yet whether role %s can be used", role.ID)
	case !state.Available:
		return "", "", unavailable(state)
	}
	if model = state.RunModel(); model != role.Model {
		note = fmt.Sprintf("the model %s of the role is not there, %s is used", role.Model, model)
	}
	return model, note, nil
}

// unavailable says why a role cannot be used, and what to do.
func unavailable(s health.State) error {
	reason, next := s.ModelValidation.Message, "Use another role (list_roles), or do it yourself."
	if reason == "" || s.HealthCheck.Status == health.Failed {
		reason = s.HealthCheck.Reason
	}
	if s.ModelValidation.Suggestion != "" {
		next = fmt.Sprintf("Have the user set the model of the role to %s. Or use another role (list_roles).", s.ModelValidation.Suggestion)
	}
	return problem(codeRoleUnavailable, next, "role %s cannot be used: %s", s.ID, reason)
}

// place decides where a run works.
func (a *Agents) place(ctx context.Context, r *run, args RunArgs) error {
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
		return invalid("Name the most important ones.", "there are %d context files, and may be %d", len(args.ContextFiles), maxContextFiles)
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

// depend finds what a run depends on. That exists already, and so never depends on the run.
func (a *Agents) depend(ctx context.Context, r *run, ids []string) error {
	if len(ids) > maxDependencies {
		return invalid("Depend on fewer.", "there are %d dependencies, and may be %d", len(ids), maxDependencies)
	}
	r.agent.Status = record.Queued
	for _, id := range ids {
		other, err := a.visible(ctx, id)
		if err != nil {
			return problem(codeBadDependency, "list_agents shows the agents that there are; order first what others depend on.", "dependsOn names %s, which is not there", quote(id))
		}
		if slices.Contains(r.agent.DependsOn, id) {
			continue
		}
		if id == r.agent.Parent {
			return problem(codeBadDependency, "Leave it out.", "an agent cannot depend on you, who waits for it")
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

// launch puts a run in the queue.
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

// toTheEnd makes the call of an agent that was started a task, where the client takes
// tasks, and waits for the agent's end. When the task is cancelled, so is the agent.
func (a *Agents) toTheEnd(ctx context.Context, started RunResult) (RunResult, error) {
	if err := mcp.BecomeTask(ctx); err != nil || !mcp.InTask(ctx) {
		return started, nil // it can be waited for with wait_agent
	}
	w := waiter{a: a, ids: []string{started.AgentID}}
	if _, err := w.wait(ctx, mcp.WorkTimeout(ctx, 0)); err != nil {
		a.stop(started.AgentID, "its task was cancelled")
		ending, enough := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
		defer enough()
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

// listed names agents in a message.
func listed(ids []string) string {
	const most = 10
	if len(ids) > most {
		return strings.Join(ids[:most], ", ") + " and " + strconv.Itoa(len(ids)-most) + " more"
	}
	return strings.Join(ids, ", ")
}
