package record

import (
	"encoding/json"
	"slices"
	"time"
)

// Status is the state of an agent.
type Status string

// The states of an agent. It is queued or blocked, then running, and ends as completed, failed,
// timed out or cancelled. If the agent has reported its result (Agent.Report), before or after its
// end, the state then becomes ResultReported. Agent.Outcome keeps the end, for example Completed.
const (
	Queued         Status = "queued"  // ready to start
	Blocked        Status = "blocked" // waits for the agents that it depends on
	Running        Status = "running" // its program runs
	Completed      Status = "completed"
	Failed         Status = "failed"
	TimedOut       Status = "timedOut"
	Cancelled      Status = "cancelled"
	ResultReported Status = "resultReported" // ended, with a report of the agent
)

// Ended reports whether the state is an end, or ResultReported.
func (s Status) Ended() bool {
	switch s {
	case Completed, Failed, TimedOut, Cancelled, ResultReported:
		return true
	}
	return false
}

// Isolation is the kind of directory in which an agent works.
type Isolation string

// The kinds of isolation.
const (
	Shared   Isolation = "none"     // the working directory itself
	Worktree Isolation = "worktree" // a git worktree of its own
)

// Agent is the record of one run of an agent, from its order on. The writers of records keep the
// limits that the comments name; stores do not check them.
type Agent struct {
	// ID identifies the agent in its store. It never changes.
	ID string `json:"agentId"`
	// GroupID is the group of the agent, Role the ID of its role.
	GroupID string `json:"groupId"`
	Role    string `json:"role"`
	// Executor is the name of the executor, for example "cursor".
	Executor string `json:"executor,omitempty"`
	// Model is the model identifier of the order. ModelName is the name that the executor reports.
	Model     string `json:"model"`
	ModelName string `json:"modelName,omitempty"`
	// Status is the current state. Outcome is the end: empty before the end, and never
	// ResultReported.
	Status  Status `json:"status"`
	Outcome Status `json:"outcome,omitempty"`
	// Stalled reports that the agent has sent no event for an unusual time.
	Stalled bool `json:"stalled,omitempty"`

	// Prompt is the task. It is empty in lists and events, for which Agent.Compact shortens the
	// record.
	Prompt string `json:"prompt,omitempty"`
	// WorkingDirectory is the absolute path of the directory of the order.
	WorkingDirectory string    `json:"workingDirectory,omitempty"`
	Isolation        Isolation `json:"isolation,omitempty"`
	ReadOnly         bool      `json:"readOnly,omitempty"`
	ContextFiles     []string  `json:"contextFiles,omitempty"`
	// DependsOn are agents that must end before this one starts.
	DependsOn []string `json:"dependsOn,omitempty"`
	// Timeout limits the duration of the run.
	Timeout time.Duration `json:"-"`
	// Parent is the agent that ordered this one; empty for orders of the main agent. Depth is the
	// number of its ancestors.
	Parent string `json:"parent,omitempty"`
	Depth  int    `json:"depth,omitempty"`
	// Follows is the agent whose session this one continues.
	Follows string `json:"follows,omitempty"`

	// Principal is the authenticated client that ordered the agent, directly or through agents.
	// Other principals cannot see the agent. Empty is an unauthenticated client. It never changes
	// and is valid UTF-8.
	Principal string `json:"principal,omitempty"`
	// Owner is the server that ordered the agent, if servers on several machines share a Store.
	Owner string `json:"owner,omitempty"`
	// Runner is the machine that runs the agent, or ran it last, if it is another one. Attempt
	// counts the starts there. Lost reports that the agent failed because its runner was lost.
	Runner  string `json:"runner,omitempty"`
	Attempt int    `json:"attempt,omitempty"`
	Lost    bool   `json:"lost,omitempty"`

	// CreatedAt is the time of the order; StartedAt and EndedAt are zero before the start and the
	// end.
	CreatedAt time.Time `json:"createdAt"`
	StartedAt time.Time `json:"startedAt,omitzero"`
	EndedAt   time.Time `json:"endedAt,omitzero"`
	// SeenAt is the last heartbeat of the server that runs the agent. If the server dies, SeenAt is
	// taken as the end of the run.
	SeenAt time.Time `json:"seenAt,omitzero"`

	// SessionID identifies the conversation at the executor; a later run can continue it.
	SessionID            string     `json:"sessionId,omitempty"`
	ToolCallCount        int        `json:"toolCallCount"`
	LastAssistantMessage string     `json:"lastAssistantMessage,omitempty"` // its end, at most 4 KiB
	RecentToolCalls      []ToolCall `json:"recentToolCalls,omitempty"`      // at most 50, oldest first
	Usage                *Usage     `json:"usage,omitempty"`
	// Error is the reason of a failure, for people and models.
	Error string `json:"error,omitempty"`
	// Report is the agent's own report. Result is the final result; both are nil until they exist.
	Report *Report `json:"report,omitempty"`
	Result *Result `json:"result,omitempty"`

	// Version increases with every update of the record.
	Version int64 `json:"version"`
}

// Elapsed returns the duration of the run, up to now if it has not ended; 0 before the start.
func (a *Agent) Elapsed(now time.Time) time.Duration {
	switch {
	case a.StartedAt.IsZero():
		return 0
	case !a.EndedAt.IsZero():
		return a.EndedAt.Sub(a.StartedAt)
	}
	return now.Sub(a.StartedAt)
}

// ToolCall is a tool call of an agent.
type ToolCall struct {
	// Seq numbers the calls of an agent from 1 in the order of their starts.
	Seq int `json:"seq"`
	// CallID is the executor's identifier of the call.
	CallID string `json:"callId"`
	// Type is the executor's kind of tool, for example "readToolCall".
	Type string `json:"type"`
	// Name is the name of an MCP tool, with its server if known: "kuromajutsu/report_result".
	Name string `json:"name,omitempty"`
	// Subtype is "started" or "completed".
	Subtype string `json:"subtype"`
	// Failed reports that a completed call has failed.
	Failed bool `json:"failed,omitempty"`
	// Args are the arguments with shortened strings, at most 1 KiB of JSON.
	Args      json.RawMessage `json:"args,omitempty"`
	StartedAt time.Time       `json:"startedAt,omitzero"`
	EndedAt   time.Time       `json:"endedAt,omitzero"`
}

// Usage is the token usage of a run, as far as the executor reports it.
type Usage struct {
	InputTokens      int64 `json:"inputTokens"`
	OutputTokens     int64 `json:"outputTokens"`
	CacheReadTokens  int64 `json:"cacheReadTokens"`
	CacheWriteTokens int64 `json:"cacheWriteTokens"`
	// CostUSD is the price in US dollars; 0 if unknown. Estimated reports that it was computed from
	// a table of prices.
	CostUSD   float64 `json:"costUSD,omitempty"`
	Estimated bool    `json:"estimated,omitempty"`
}

// Verdict is the judgement of a result.
type Verdict string

// The verdicts. TimeoutEnded and CancelEnded correspond to the states TimedOut and Cancelled.
const (
	Success      Verdict = "success"
	Failure      Verdict = "failure"
	TimeoutEnded Verdict = "timeout"
	CancelEnded  Verdict = "cancelled"
)

// Report is the agent's own report, from report_result.
type Report struct {
	Status       Verdict   `json:"status"`
	Summary      string    `json:"summary"`
	EditedFiles  []string  `json:"editedFiles,omitempty"`
	CreatedFiles []string  `json:"createdFiles,omitempty"`
	ErrorMessage string    `json:"errorMessage,omitempty"`
	At           time.Time `json:"at"`
	// Via is "call" for a tool call that arrived, or "stream" for a call that was read from the
	// events of the agent.
	Via string `json:"via"`
}

// Source is the origin of a fact in a Result.
type Source string

// The sources.
const (
	FromStream Source = "stream" // events of the program
	FromReport Source = "report" // report of the agent
	FromGit    Source = "git"    // comparison by git
	FromFiles  Source = "files"  // comparison of files, without git
)

// Change is a file that an agent has changed.
type Change struct {
	// Path is relative to the working directory if the file is in it, with slashes; otherwise
	// absolute.
	Path string `json:"path"`
	// Kind is "created", "edited" or "deleted".
	Kind string `json:"kind"`
	// Sources are the origins of the change.
	Sources []Source `json:"sources"`
	// Uncertain reports that only a comparison shows the change, while other agents worked in the
	// same tree.
	Uncertain bool `json:"uncertain,omitempty"`
}

// Result is the final result of a run.
type Result struct {
	AgentID string `json:"agentId"`
	GroupID string `json:"groupId"`
	// Status is the verdict, StatusSource its origin: FromReport if the agent completed and
	// reported, otherwise FromStream.
	Status        Verdict `json:"status"`
	StatusSource  Source  `json:"statusSource"`
	Summary       string  `json:"summary"` // at most 2 KiB
	SummarySource Source  `json:"summarySource"`
	// EditedFiles, CreatedFiles and DeletedFiles are the paths of the certain changes.
	EditedFiles  []string `json:"editedFiles"`
	CreatedFiles []string `json:"createdFiles"`
	DeletedFiles []string `json:"deletedFiles,omitempty"`
	// Changes are all changes, uncertain ones included.
	Changes       []Change `json:"changes,omitempty"`
	DurationMs    int64    `json:"duration_ms"`
	Model         string   `json:"model"`
	Role          string   `json:"role"`
	ToolCallCount int      `json:"toolCallCount"`
	ErrorMessage  string   `json:"errorMessage,omitempty"`
	RawOutput     string   `json:"rawOutput,omitempty"` // the end of the program's final text, at most 8 KiB
	// Worktree and Branch are set for agents with Worktree isolation.
	Worktree string `json:"worktree,omitempty"`
	Branch   string `json:"branch,omitempty"`
	// Timestamp is the time of the end.
	Timestamp time.Time `json:"timestamp"`
}

// GroupStatus is the state of a group.
type GroupStatus string

// The states of groups.
const (
	GroupActive  GroupStatus = "active"
	GroupDeleted GroupStatus = "deleted"
)

// Group is a set of agents with a common purpose.
type Group struct {
	ID          string      `json:"id"`
	Description string      `json:"description"`
	Status      GroupStatus `json:"status"`
	CreatedAt   time.Time   `json:"createdAt"`
	DeletedAt   time.Time   `json:"deletedAt,omitzero"`
	// AgentIDs are the agents of the group in the order of their creation.
	AgentIDs []string `json:"agentIds"`
	// Principal is the client that created the group; see Agent.Principal.
	Principal string `json:"principal,omitempty"`
}

// Clone returns a deep copy.
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

// cloneCalls copies calls, with all arguments in one allocation.
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

// Clone returns a deep copy.
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

// Clone returns a deep copy.
func (g Group) Clone() Group {
	g.AgentIDs = slices.Clone(g.AgentIDs)
	return g
}
