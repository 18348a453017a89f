package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/agents/record"
)

const (
	// pollEvery is how often agents of other servers are looked at.
	pollEvery = 500 * time.Millisecond
	// tellEvery is how often a client hears of progress.
	tellEvery = 2 * time.Second
	maxWaited = 100 // agents in a call
)

// WaitArgs are the arguments of wait_agent.
type WaitArgs struct {
	AgentIDs []string `json:"agentIds" jsonschema:"minItems=1,maxItems=100"`
	// TimeoutMs is how long the caller wants to wait in all, 0 for ever. One call waits at most as long as the set has patience.
	TimeoutMs int64 `json:"timeout_ms,omitempty" jsonschema:"minimum=0"`
	// Mode is all, the default, or any.
	Mode string `json:"mode,omitempty" jsonschema:"enum=all,enum=any,default=all"`
}

// WaitResult is what wait_agent answers.
type WaitResult struct {
	Completed []EndedAgent   `json:"completed"`
	Pending   []PendingAgent `json:"pending"`
	// TimedOut says that the caller's time is over, Slice that it is not but no call waits longer: call again.
	TimedOut bool `json:"timedOut"`
	Slice    bool `json:"slice,omitempty"`
}

// EndedAgent is an agent that has ended, in brief.
type EndedAgent struct {
	AgentID string `json:"agentId"`
	// Status is how it has ended: completed, failed, timedOut or cancelled.
	Status     record.Status `json:"status"`
	DurationMs int64         `json:"duration_ms"`
	// Result is how its result judges it, by its own report if there is one.
	Result       record.Verdict `json:"result,omitempty"`
	Summary      string         `json:"summary,omitempty"`
	EditedFiles  []string       `json:"editedFiles,omitempty"` // the first of them
	CreatedFiles []string       `json:"createdFiles,omitempty"`
	ErrorMessage string         `json:"errorMessage,omitempty"`
	Branch       string         `json:"branch,omitempty"`
}

// text says how an agent has ended, for who reads text alone.
func (e *EndedAgent) text() string {
	var lines []string
	for _, part := range []struct{ what, text string }{
		{"result", string(e.Result)}, {"summary", e.Summary}, {"error", e.ErrorMessage},
		{"edited", strings.Join(e.EditedFiles, ", ")}, {"created", strings.Join(e.CreatedFiles, ", ")}, {"branch", e.Branch},
	} {
		if part.text != "" {
			lines = append(lines, part.what+": "+part.text)
		}
	}
	return strings.Join(lines, "\n")
}

// PendingAgent is an agent that has not ended.
type PendingAgent struct {
	AgentID       string        `json:"agentId"`
	Status        record.Status `json:"status"`
	ElapsedMs     int64         `json:"elapsed_ms"`
	ToolCallCount int           `json:"toolCallCount"`
	Stalled       bool          `json:"stalled,omitempty"`
	// Progress says in a line what it does, and what is new.
	Progress string `json:"progress"`
}

// Wait is wait_agent.
func (a *Agents) Wait(ctx context.Context, args WaitArgs) (WaitResult, error) {
	if len(args.AgentIDs) == 0 || len(args.AgentIDs) > maxWaited {
		return WaitResult{}, invalid("Name the agents to wait for.", "agentIds has %d agents, and must have 1 to %d", len(args.AgentIDs), maxWaited)
	}
	if args.Mode != "" && args.Mode != "all" && args.Mode != "any" {
		return WaitResult{}, invalid("Give all or any.", "there is no mode %s", quote(args.Mode))
	}
	if args.TimeoutMs < 0 {
		return WaitResult{}, invalid("Give milliseconds, or leave it out.", "timeout_ms is less than 0")
	}
	w := waiter{a: a, any: args.Mode == "any"}
	for _, id := range args.AgentIDs {
		if slices.Contains(w.ids, id) {
			continue
		}
		if id == callerFrom(ctx) {
			return WaitResult{}, invalid("Leave it out.", "you are %s yourself", id)
		}
		if _, err := a.visible(ctx, id); err != nil {
			return WaitResult{}, err
		}
		w.ids = append(w.ids, id)
	}
	defer a.lend(callerFrom(ctx))()
	patience, timeout := a.options.Patience, time.Duration(min(args.TimeoutMs, maxTimeout.Milliseconds()))*time.Millisecond
	cutByCaller := timeout > 0 && timeout <= patience
	if cutByCaller {
		patience = timeout
	}
	done, err := w.wait(ctx, patience)
	if err != nil {
		return WaitResult{}, err
	}
	return w.answer(ctx, !done && cutByCaller, !done && !cutByCaller)
}

// waiter is a call that waits for agents.
type waiter struct {
	a   *Agents
	ids []string
	any bool
}

// wait waits until all agents, or any, have ended; done is false if that took too long.
func (w *waiter) wait(ctx context.Context, patience time.Duration) (done bool, err error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	start := time.Now()
	for {
		ends := w.a.endings()
		pending, foreign, err := w.look(ctx)
		if err != nil {
			return false, err
		}
		if len(pending) == 0 || w.any && len(pending) < len(w.ids) {
			return true, nil
		}
		var others <-chan time.Time
		if foreign {
			others = poll.C
		}
	again:
		select {
		case <-ends:
		case <-others:
		case <-tick.C:
			w.tell(ctx, start, pending)
			goto again
		case <-timer.C:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// look says which agents have not ended, and whether another server has some of them.
func (w *waiter) look(ctx context.Context) (pending []string, foreign bool, err error) {
	for _, id := range w.ids {
		if w.a.find(id) != nil {
			pending = append(pending, id)
			continue
		}
		agent, err := w.a.store.Agent(ctx, id)
		switch {
		case err != nil:
			return nil, false, broken(err, "agent %s was not found", id)
		case !agent.Status.Ended():
			pending, foreign = append(pending, id), true
		}
	}
	return pending, foreign, nil
}

// tell tells the client how far the agents are.
func (w *waiter) tell(ctx context.Context, start time.Time, pending []string) {
	lines := make([]string, 0, len(pending))
	for _, id := range pending {
		if agent, err := w.a.store.Agent(ctx, id); err == nil {
			lines = append(lines, id+": "+doing(agent, 0))
		}
	}
	mcp.Progress(ctx, time.Since(start).Seconds(), 0, truncate.Within(strings.Join(lines, "; "), 500))
}

// endings is closed when an agent of this server ends the next time.
func (a *Agents) endings() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ends
}

// find is an agent of this server that has not ended.
func (a *Agents) find(id string) *run {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.runs[id]
}

// awaitEnd waits for the end of an agent, of whichever server.
func (a *Agents) awaitEnd(ctx context.Context, id string) (record.Agent, error) {
	for {
		var ended <-chan struct{}
		var poll <-chan time.Time
		if r := a.find(id); r != nil {
			ended = r.ended
		} else {
			agent, err := a.store.Agent(ctx, id)
			if err != nil || agent.Status.Ended() {
				return agent, err
			}
			poll = time.After(pollEvery)
		}
		select {
		case <-ended:
		case <-poll:
		case <-ctx.Done():
			return record.Agent{}, context.Cause(ctx)
		}
	}
}

// answer says what has become of the agents.
func (w *waiter) answer(ctx context.Context, timedOut, slice bool) (WaitResult, error) {
	r := WaitResult{Completed: []EndedAgent{}, Pending: []PendingAgent{}, TimedOut: timedOut, Slice: slice}
	room := min(maxSummary, w.a.limits.Answer/4/len(w.ids)) // for each of the longer members
	for _, id := range w.ids {
		agent, err := w.a.store.Agent(ctx, id)
		if err != nil {
			return r, broken(err, "agent %s was not found", id)
		}
		if agent.Status.Ended() {
			r.Completed = append(r.Completed, endedAgent(agent, room))
		} else {
			r.Pending = append(r.Pending, w.a.pendingAgent(agent))
		}
	}
	if len(r.Pending) == 0 || w.any && len(r.Completed) > 0 {
		r.TimedOut, r.Slice = false, false // the last has just ended
	}
	return r, nil
}

func endedAgent(agent record.Agent, room int) EndedAgent {
	e := EndedAgent{AgentID: agent.ID, Status: agent.Outcome, DurationMs: agent.Elapsed(agent.EndedAt).Milliseconds(), ErrorMessage: truncate.Within(agent.Error, room)}
	if r := agent.Result; r != nil {
		e.Result, e.Summary, e.Branch = r.Status, truncate.Within(r.Summary, room), r.Branch
		e.EditedFiles, e.CreatedFiles = fitting(r.EditedFiles, room/2), fitting(r.CreatedFiles, room/2)
		if r.ErrorMessage != "" {
			e.ErrorMessage = truncate.Within(r.ErrorMessage, room)
		}
	}
	return e
}

// pendingAgent says how far an agent is, and what is new since that was last asked.
func (a *Agents) pendingAgent(agent record.Agent) PendingAgent {
	told := 0
	a.mu.Lock()
	if r, ok := a.runs[agent.ID]; ok {
		told, r.told = r.told, agent.ToolCallCount
	}
	a.mu.Unlock()
	return PendingAgent{
		AgentID: agent.ID, Status: agent.Status, ElapsedMs: agent.Elapsed(now()).Milliseconds(), ToolCallCount: agent.ToolCallCount,
		Stalled: agent.Stalled, Progress: doing(agent, agent.ToolCallCount-told),
	}
}

// doing says in a line what an agent does.
func doing(agent record.Agent, news int) string {
	switch agent.Status {
	case record.Blocked:
		return "waits for " + listed(agent.DependsOn)
	case record.Queued:
		return "waits for its turn"
	}
	parts := []string{agent.Elapsed(now()).Round(time.Second).String(), fmt.Sprintf("%d tool calls", agent.ToolCallCount)}
	if news > 0 && news < agent.ToolCallCount {
		parts[1] += fmt.Sprintf(" (%d new)", news)
	}
	if agent.Stalled {
		parts = append(parts, "nothing heard for a while")
	}
	if n := len(agent.RecentToolCalls); n > 0 {
		parts = append(parts, agent.RecentToolCalls[n-1].Type+" "+truncate.Within(string(agent.RecentToolCalls[n-1].Args), 120))
	}
	if agent.LastAssistantMessage != "" {
		parts = append(parts, "says: "+oneLine(lastOf(agent.LastAssistantMessage, 160), 160))
	}
	return strings.Join(parts, ", ")
}

// TextContent has a paragraph for each agent that has ended, and a line for each that has not.
func (r WaitResult) TextContent() string {
	var b strings.Builder
	for _, e := range r.Completed {
		fmt.Fprintf(&b, "%s %s after %v", e.AgentID, e.Status, time.Duration(e.DurationMs)*time.Millisecond)
		if e.Result != "" {
			fmt.Fprintf(&b, " (%s)", e.Result)
		}
		b.WriteString("\n")
		for _, line := range []struct{ what, text string }{
			{"error", e.ErrorMessage}, {"", e.Summary}, {"created", fewFiles(e.CreatedFiles)}, {"edited", fewFiles(e.EditedFiles)}, {"branch", e.Branch},
		} {
			switch {
			case line.text == "":
			case line.what == "":
				b.WriteString(line.text + "\n")
			default:
				b.WriteString(line.what + ": " + line.text + "\n")
			}
		}
	}
	for _, p := range r.Pending {
		fmt.Fprintf(&b, "%s is %s: %s\n", p.AgentID, p.Status, p.Progress)
	}
	switch {
	case r.TimedOut:
		b.WriteString("[timed out: the agents go on]\n")
	case r.Slice:
		b.WriteString("[not over yet: call wait_agent again with those that are pending]\n")
	}
	return b.String()
}
