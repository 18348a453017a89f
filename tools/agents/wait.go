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
	// pollInterval is the time between two looks at agents of other servers.
	pollInterval = 500 * time.Millisecond
	// progressInterval is the time between two progress notifications.
	progressInterval = 2 * time.Second
	maxWaited        = 100 // agents in one call
)

// WaitArgs are the arguments of wait_agent.
type WaitArgs struct {
	// AgentIDs are the agents to wait for, 1 to 100.
	AgentIDs []string `json:"agentIds" jsonschema:"minItems=1,maxItems=100"`
	// TimeoutMs is the time in milliseconds that the caller wants to wait in all; 0 means no limit.
	// One call waits at most Options.WaitTimeout.
	TimeoutMs int64 `json:"timeout_ms,omitempty" jsonschema:"minimum=0"`
	// Mode is "all", the default, or "any": wait for all agents, or for the first one to end.
	Mode string `json:"mode,omitempty" jsonschema:"enum=all,enum=any,default=all"`
}

// WaitResult is the result of wait_agent.
type WaitResult struct {
	// Completed are the agents that have ended, in any way. Pending are the others.
	Completed []EndedAgent   `json:"completed"`
	Pending   []PendingAgent `json:"pending"`
	// TimedOut reports that WaitArgs.TimeoutMs has passed. Slice reports that only
	// Options.WaitTimeout has passed; the caller calls again.
	TimedOut bool `json:"timedOut"`
	Slice    bool `json:"slice,omitempty"`
}

// EndedAgent is a summary of an agent that has ended.
type EndedAgent struct {
	AgentID string `json:"agentId"`
	// Status is completed, failed, timedOut or cancelled.
	Status     record.Status `json:"status"`
	DurationMs int64         `json:"duration_ms"`
	// Unchanged reports that an earlier call of the same caller returned the summary. The members
	// below are then empty.
	Unchanged bool `json:"unchanged,omitempty"`
	// Result is the verdict of the result: the agent's own report if it completed and reported.
	Result       record.Verdict `json:"result,omitempty"`
	Summary      string         `json:"summary,omitempty"`
	EditedFiles  []string       `json:"editedFiles,omitempty"` // as many as fit the answer budget
	CreatedFiles []string       `json:"createdFiles,omitempty"`
	ErrorMessage string         `json:"errorMessage,omitempty"`
	Branch       string         `json:"branch,omitempty"`
}

// text returns the summary for readers without structured content.
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

// PendingAgent is a summary of an agent that has not ended.
type PendingAgent struct {
	AgentID       string        `json:"agentId"`
	Status        record.Status `json:"status"`
	ElapsedMs     int64         `json:"elapsed_ms"`
	ToolCallCount int           `json:"toolCallCount"`
	Stalled       bool          `json:"stalled,omitempty"`
	// Progress is one line. The first call of a caller returns the present activity; later calls
	// return the changes since the call before: the status, the number of new tool calls with the
	// newest one, newly changed files, and the end of the new text. It is empty without a change.
	Progress string `json:"progress,omitempty"`
	// Unchanged reports that nothing has changed since the last call of the same caller.
	Unchanged bool `json:"unchanged,omitempty"`
}

// Wait implements wait_agent. It returns when the agents have ended, or after the timeout. The
// result contains only changes since the last call of the same caller: a session, a client without
// a session, or an agent. Calls without an MCP request have one caller. While an agent waits for
// agents of its own, its slot is free for others.
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
			return WaitResult{}, invalid("Leave it out.", "%s is your own agentId", id)
		}
		if _, err := a.visibleAgent(ctx, id); err != nil {
			return WaitResult{}, err
		}
		w.ids = append(w.ids, id)
	}
	defer a.lendSlot(callerFrom(ctx))()
	limit, timeout := a.options.WaitTimeout, time.Duration(min(args.TimeoutMs, maxTimeout.Milliseconds()))*time.Millisecond
	cutByCaller := timeout > 0 && timeout <= limit
	if cutByCaller {
		limit = timeout
	}
	done, err := w.wait(ctx, limit)
	if err != nil {
		return WaitResult{}, err
	}
	return w.buildResult(ctx, !done && cutByCaller, !done && !cutByCaller)
}

// waiter is one call that waits for agents.
type waiter struct {
	a   *Agents
	ids []string
	any bool // return when the first agent ends
}

// wait waits until all agents have ended, or one if any is set. done is false after the timeout.
func (w *waiter) wait(ctx context.Context, timeout time.Duration) (done bool, err error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	start := time.Now()
	for {
		ends := w.a.nextEnd()
		pending, foreign, err := w.poll(ctx)
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
			w.reportProgress(ctx, start, pending)
			goto again
		case <-timer.C:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// poll returns the agents that have not ended. foreign reports whether another server runs one of
// them.
func (w *waiter) poll(ctx context.Context) (pending []string, foreign bool, err error) {
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

// reportProgress sends a progress notification about the pending agents.
func (w *waiter) reportProgress(ctx context.Context, start time.Time, pending []string) {
	lines := make([]string, 0, len(pending))
	for _, id := range pending {
		if agent, err := w.a.store.Agent(ctx, id); err == nil {
			lines = append(lines, id+": "+progressText(agent))
		}
	}
	mcp.Progress(ctx, time.Since(start).Seconds(), 0, truncate.Within(strings.Join(lines, "; "), 500))
}

// nextEnd returns a channel that is closed when the next agent of this server ends.
func (a *Agents) nextEnd() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.endSignal
}

// find returns an agent of this server that has not ended, or nil.
func (a *Agents) find(id string) *run {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.runs[id]
}

// awaitEnd waits for the end of an agent of any server and returns its record.
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
			poll = time.After(pollInterval)
		}
		select {
		case <-ended:
		case <-poll:
		case <-ctx.Done():
			return record.Agent{}, context.Cause(ctx)
		}
	}
}

// buildResult reads the records of the agents and sorts them into ended and pending ones.
func (w *waiter) buildResult(ctx context.Context, timedOut, slice bool) (WaitResult, error) {
	r := WaitResult{Completed: []EndedAgent{}, Pending: []PendingAgent{}, TimedOut: timedOut, Slice: slice}
	from, received := w.a.readerOf(ctx), make(map[string]mark, len(w.ids))
	room := min(maxSummary, w.a.limits.Answer/4/len(w.ids)) // bytes for each long member
	for _, id := range w.ids {
		agent, err := w.a.store.Agent(ctx, id)
		if err != nil {
			return r, broken(err, "agent %s was not found", id)
		}
		old, known := w.a.lastMark(from, id)
		current := w.a.currentMark(ctx, agent)
		received[id] = current
		switch {
		case !agent.Status.Ended():
			r.Pending = append(r.Pending, pendingAgent(ctx, agent, old, current, known))
		case known && old.status == current.status:
			r.Completed = append(r.Completed, EndedAgent{AgentID: agent.ID, Status: agent.Outcome, DurationMs: agent.Elapsed(agent.EndedAt).Milliseconds(), Unchanged: true})
		default:
			r.Completed = append(r.Completed, endedAgent(agent, room))
		}
	}
	w.a.setMarks(from, received)
	if len(r.Pending) == 0 || w.any && len(r.Completed) > 0 {
		r.TimedOut, r.Slice = false, false // the last agent has just ended
	}
	return r, nil
}

// endedAgent returns a summary whose long members have at most room bytes each.
func endedAgent(agent record.Agent, room int) EndedAgent {
	e := EndedAgent{AgentID: agent.ID, Status: agent.Outcome, DurationMs: agent.Elapsed(agent.EndedAt).Milliseconds(), ErrorMessage: truncate.Within(agent.Error, room)}
	if r := agent.Result; r != nil {
		e.Result, e.Summary, e.Branch = r.Status, truncate.Within(r.Summary, room), r.Branch
		e.EditedFiles, e.CreatedFiles = fitList(r.EditedFiles, room/2), fitList(r.CreatedFiles, room/2)
		if r.ErrorMessage != "" {
			e.ErrorMessage = truncate.Within(r.ErrorMessage, room)
		}
	}
	return e
}

// pendingAgent returns the progress of an agent: its present activity, or its changes since the state
// old if known is set.
func pendingAgent(ctx context.Context, agent record.Agent, old, current mark, known bool) PendingAgent {
	p := PendingAgent{
		AgentID: agent.ID, Status: agent.Status, ElapsedMs: agent.Elapsed(now()).Milliseconds(), ToolCallCount: agent.ToolCallCount, Stalled: agent.Stalled,
	}
	if known {
		p.Progress = newsText(ctx, agent, old, current)
	} else {
		p.Progress = progressText(agent)
	}
	p.Unchanged = p.Progress == ""
	return p
}

// progressText returns one line on the present activity of an agent.
func progressText(agent record.Agent) string {
	switch agent.Status {
	case record.Blocked:
		return "waits for " + joinIDs(agent.DependsOn)
	case record.Queued:
		return "waits in the queue"
	}
	parts := []string{agent.Elapsed(now()).Round(time.Second).String(), fmt.Sprintf("%d tool calls", agent.ToolCallCount)}
	if agent.Stalled {
		parts = append(parts, "no output for a while")
	}
	parts = append(parts, lastCall(agent)...)
	if agent.LastAssistantMessage != "" {
		parts = append(parts, "says: "+oneLine(truncateStart(agent.LastAssistantMessage, maxSaid), maxSaid))
	}
	return strings.Join(parts, ", ")
}

// TextContent returns a paragraph for each agent that has newly ended, a line for each pending one with
// news, and one line for all agents without news.
func (r WaitResult) TextContent() string {
	var b strings.Builder
	var ended, unchanged []string
	for _, e := range r.Completed {
		if e.Unchanged {
			ended = append(ended, e.AgentID+" ("+string(e.Status)+")")
			continue
		}
		fmt.Fprintf(&b, "%s %s after %v", e.AgentID, e.Status, time.Duration(e.DurationMs)*time.Millisecond)
		if e.Result != "" {
			fmt.Fprintf(&b, " (%s)", e.Result)
		}
		b.WriteString("\n")
		for _, line := range []struct{ what, text string }{
			{"error", e.ErrorMessage}, {"", e.Summary}, {"created", joinFiles(e.CreatedFiles)}, {"edited", joinFiles(e.EditedFiles)}, {"branch", e.Branch},
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
		if p.Unchanged {
			unchanged = append(unchanged, p.AgentID+" ("+string(p.Status)+")")
			continue
		}
		fmt.Fprintf(&b, "%s is %s: %s\n", p.AgentID, p.Status, p.Progress)
	}
	if len(ended) > 0 {
		fmt.Fprintf(&b, "ended before: %s [name only the other agents; results: get_agent_status]\n", joinIDs(ended))
	}
	if len(unchanged) > 0 {
		fmt.Fprintf(&b, "nothing new: %s ", joinIDs(unchanged))
	}
	switch {
	case r.TimedOut:
		b.WriteString("[timed out: the agents keep running; call wait_agent again]\n")
	case r.Slice:
		b.WriteString("[not finished: call wait_agent again with the pending agents]\n")
	case len(unchanged) > 0:
		b.WriteString("[call wait_agent again with these agents]\n")
	}
	return b.String()
}
