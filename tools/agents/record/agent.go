package record

import (
	"encoding/json"
	"slices"
	"time"
)

// Status is the state of an agent.
type Status string

// The states. An agent is queued or blocked, then running, and ends as completed, failed, timed out or
// cancelled. ResultReported follows each of these ends once a result was registered; Agent.Outcome still tells which it was.
const (
	Queued         Status = "queued"
	Blocked        Status = "blocked" // waits for the agents that it depends on
	Running        Status = "running"
	Completed      Status = "completed"
	Failed         Status = "failed"
	TimedOut       Status = "timedOut"
	Cancelled      Status = "cancelled"
	ResultReported Status = "resultReported"
)

// Ended reports whether an agent in this state does nothing any more.
func (s Status) Ended() bool {
	switch s {
	case Completed, Failed, TimedOut, Cancelled, ResultReported:
		return true
	}
	return false
}

// Isolation is where an agent works.
type Isolation string

// The isolations.
const (
	Shared   Isolation = "none"     // in its working directory
	Worktree Isolation = "worktree" // in a git worktree of its own
)

// Agent is one run of an agent, from its order on. Limits in the comments are those of who writes records.
type Agent struct {
	ID      string `json:"agentId"`
	GroupID string `json:"groupId"`
	Role    string `json:"role"`
	// Executor names what runs it, such as "cursor".
	Executor string `json:"executor,omitempty"`
	// Model is the identifier that the role names; ModelName is how the executor calls what it uses.
	Model     string `json:"model"`
	ModelName string `json:"modelName,omitempty"`
	// Status is where it is now, Outcome how it has ended: empty before, and never ResultReported.
	Status  Status `json:"status"`
	Outcome Status `json:"outcome,omitempty"`
	// Stalled says that nothing was heard of it for longer than is usual.
	Stalled bool `json:"stalled,omitempty"`

	Prompt           string    `json:"prompt,omitempty"`
	WorkingDirectory string    `json:"workingDirectory,omitempty"`
	Isolation        Isolation `json:"isolation,omitempty"`
	ReadOnly         bool      `json:"readOnly,omitempty"`
	ContextFiles     []string  `json:"contextFiles,omitempty"`
	DependsOn        []string  `json:"dependsOn,omitempty"`
	// Timeout bounds how long it runs.
	Timeout time.Duration `json:"-"`
	// Parent is the agent that has ordered it, and Depth how many agents are above it; empty and 0 for
	// what the main agent has ordered.
	Parent string `json:"parent,omitempty"`
	Depth  int    `json:"depth,omitempty"`
	// Follows is the agent whose session it goes on with.
	Follows string `json:"follows,omitempty"`

	// Principal is the client that has ordered it, by itself or through agents: the only one that knows of it. Empty is a client
	// that was not authenticated. It never changes, and is valid UTF-8.
	Principal string `json:"principal,omitempty"`
	// Owner is the server that has ordered it, where several on different machines share a Store.
	Owner string `json:"owner,omitempty"`
	// Runner is where it runs, or has run last, if that is elsewhere; Attempt how many times it was begun there. Lost says that it has
	// failed because nothing was heard of it any more.
	Runner  string `json:"runner,omitempty"`
	Attempt int    `json:"attempt,omitempty"`
	Lost    bool   `json:"lost,omitempty"`

	CreatedAt time.Time `json:"createdAt"`
	StartedAt time.Time `json:"startedAt,omitzero"`
	EndedAt   time.Time `json:"endedAt,omitzero"`
	// SeenAt is when the server that runs it was known last to do so: where the server dies, the agent has run until then.
	SeenAt time.Time `json:"seenAt,omitzero"`

	// SessionID is the executor's name of the conversation, with which it can be resumed.
	SessionID            string     `json:"sessionId,omitempty"`
	ToolCallCount        int        `json:"toolCallCount"`
	LastAssistantMessage string     `json:"lastAssistantMessage,omitempty"` // at most 4 KB
	RecentToolCalls      []ToolCall `json:"recentToolCalls,omitempty"`      // at most 50, the oldest first
	Usage                *Usage     `json:"usage,omitempty"`
	// Error is why it failed, for people and models.
	Error string `json:"error,omitempty"`
	// Report is what the agent said itself, Result what is known in the end.
	Report *Report `json:"report,omitempty"`
	Result *Result `json:"result,omitempty"`

	// Version grows with every change of the record.
	Version int64 `json:"version"`
}

// Elapsed is how long the agent has been running, or has run.
func (a *Agent) Elapsed(now time.Time) time.Duration {
	switch {
	case a.StartedAt.IsZero():
		return 0
	case !a.EndedAt.IsZero():
		return a.EndedAt.Sub(a.StartedAt)
	}
	return now.Sub(a.StartedAt)
}

// ToolCall is a tool that an agent has called.
type ToolCall struct {
	// Seq numbers the calls of an agent from 1 in the order of their beginnings.
	Seq    int    `json:"seq"`
	CallID string `json:"callId"`
	// Type is the kind of tool as the executor names it, such as "readToolCall".
	Type string `json:"type"`
	// Name is that of an MCP tool, with its server if that is known: "kuromajutsu/report_result".
	Name string `json:"name,omitempty"`
	// Subtype is "started" or "completed".
	Subtype string `json:"subtype"`
	// Failed says that a completed call did not succeed.
	Failed bool `json:"failed,omitempty"`
	// Args are its arguments, strings in them shortened: at most 1 KB of JSON.
	Args      json.RawMessage `json:"args,omitempty"`
	StartedAt time.Time       `json:"startedAt,omitzero"`
	EndedAt   time.Time       `json:"endedAt,omitzero"`
}

// Usage is what a run has cost, as far as the executor says.
type Usage struct {
	InputTokens      int64 `json:"inputTokens"`
	OutputTokens     int64 `json:"outputTokens"`
	CacheReadTokens  int64 `json:"cacheReadTokens"`
	CacheWriteTokens int64 `json:"cacheWriteTokens"`
	// CostUSD is the price in US dollars; 0 if it is not known. Estimated says that it was computed from a table of prices.
	CostUSD   float64 `json:"costUSD,omitempty"`
	Estimated bool    `json:"estimated,omitempty"`
}

// Verdict is how a result judges a run.
type Verdict string

// The verdicts.
const (
	Success      Verdict = "success"
	Failure      Verdict = "failure"
	TimeoutEnded Verdict = "timeout"
	CancelEnded  Verdict = "cancelled"
)

// Report is what an agent has said of its own work with report_result.
type Report struct {
	Status       Verdict   `json:"status"`
	Summary      string    `json:"summary"`
	EditedFiles  []string  `json:"editedFiles,omitempty"`
	CreatedFiles []string  `json:"createdFiles,omitempty"`
	ErrorMessage string    `json:"errorMessage,omitempty"`
	At           time.Time `json:"at"`
	// Via is how it came: "call" for a call of the tool that reached us, "stream" for one that was seen in what the agent wrote.
	Via string `json:"via"`
}

// Source is where a fact of a Result comes from.
type Source string

// The sources.
const (
	FromStream Source = "stream"
	FromReport Source = "report"
	FromGit    Source = "git"
	FromFiles  Source = "files" // of a directory without git, as they were before and after
)

// Change is a file that an agent has changed.
type Change struct {
	// Path is relative to the working directory if it lies in it, with slashes.
	Path string `json:"path"`
	// Kind is "created", "edited" or "deleted".
	Kind    string   `json:"kind"`
	Sources []Source `json:"sources"`
	// Uncertain says that only git has seen it while other agents worked in the same tree.
	Uncertain bool `json:"uncertain,omitempty"`
}

// Result is what is known of a run in the end.
type Result struct {
	AgentID       string    `json:"agentId"`
	GroupID       string    `json:"groupId"`
	Status        Verdict   `json:"status"`
	StatusSource  Source    `json:"statusSource"`
	Summary       string    `json:"summary"` // at most 2 KB
	SummarySource Source    `json:"summarySource"`
	EditedFiles   []string  `json:"editedFiles"`
	CreatedFiles  []string  `json:"createdFiles"`
	DeletedFiles  []string  `json:"deletedFiles,omitempty"`
	Changes       []Change  `json:"changes,omitempty"`
	DurationMs    int64     `json:"duration_ms"`
	Model         string    `json:"model"`
	Role          string    `json:"role"`
	ToolCallCount int       `json:"toolCallCount"`
	ErrorMessage  string    `json:"errorMessage,omitempty"`
	RawOutput     string    `json:"rawOutput,omitempty"` // the executor's last text, at most 8 KB
	Worktree      string    `json:"worktree,omitempty"`
	Branch        string    `json:"branch,omitempty"`
	Timestamp     time.Time `json:"timestamp"`
}

// GroupStatus is the state of a group.
type GroupStatus string

// The states of groups.
const (
	GroupActive  GroupStatus = "active"
	GroupDeleted GroupStatus = "deleted"
)

// Group holds agents that belong together.
type Group struct {
	ID          string      `json:"id"`
	Description string      `json:"description"`
	Status      GroupStatus `json:"status"`
	CreatedAt   time.Time   `json:"createdAt"`
	DeletedAt   time.Time   `json:"deletedAt,omitzero"`
	AgentIDs    []string    `json:"agentIds"`
	// Principal is the client that has made it; see Agent.Principal.
	Principal string `json:"principal,omitempty"`
}

// Clone is a copy that shares nothing which can be changed: what a Store takes in and hands out.
func (a Agent) Clone() Agent {
	a.ContextFiles = slices.Clone(a.ContextFiles)
	a.DependsOn = slices.Clone(a.DependsOn)
	a.RecentToolCalls = cloneCalls(a.RecentToolCalls)
	if a.Usage != nil {
		usage := *a.Usage
		a.Usage = &usage
	}
	if a.Report != nil {
		report := *a.Report
		report.EditedFiles = slices.Clone(report.EditedFiles)
		report.CreatedFiles = slices.Clone(report.CreatedFiles)
		a.Report = &report
	}
	if a.Result != nil {
		result := a.Result.Clone()
		a.Result = &result
	}
	return a
}

// cloneCalls copies the arguments of all calls into one piece of memory.
func cloneCalls(calls []ToolCall) []ToolCall {
	calls = slices.Clone(calls)
	size := 0
	for i := range calls {
		size += len(calls[i].Args)
	}
	all := make(json.RawMessage, 0, size)
	for i := range calls {
		if args := calls[i].Args; args != nil {
			from := len(all)
			all = append(all, args...)
			calls[i].Args = all[from:len(all):len(all)]
		}
	}
	return calls
}

// Clone is a copy that shares nothing which can be changed.
func (r Result) Clone() Result {
	r.EditedFiles = slices.Clone(r.EditedFiles)
	r.CreatedFiles = slices.Clone(r.CreatedFiles)
	r.DeletedFiles = slices.Clone(r.DeletedFiles)
	r.Changes = slices.Clone(r.Changes)
	for i := range r.Changes {
		r.Changes[i].Sources = slices.Clone(r.Changes[i].Sources)
	}
	return r
}

// Clone is a copy that shares nothing which can be changed.
func (g Group) Clone() Group {
	g.AgentIDs = slices.Clone(g.AgentIDs)
	return g
}
