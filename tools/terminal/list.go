package terminal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/tools/internal/spool"
)

// ListArgs are the arguments of list_processes. There are none.
type ListArgs struct{}

// ListResult is the result of list_processes.
type ListResult struct {
	// Processes are the running and recent processes of the caller, ordered by start.
	Processes []ProcessInfo `json:"processes"`
	// Truncated means that older processes are omitted. Total counts all.
	Truncated bool `json:"truncated,omitempty"`
	Total     int  `json:"total"`
}

// ProcessInfo describes a process of a list.
type ProcessInfo struct {
	ProcessID string `json:"processId"`
	Command   string `json:"command"` // truncated to 2 KiB
	CWD       string `json:"cwd"`
	PID       int    `json:"pid"`
	StartedAt string `json:"startedAt"` // RFC 3339
	// Running, ExitCode, Signal, TimedOut, LeftBehind and ExecutionTime are as in CommandResult.
	Running       bool   `json:"running"`
	ExitCode      int    `json:"exitCode"`
	Signal        string `json:"signal,omitempty"`
	TimedOut      bool   `json:"timedOut,omitempty"`
	LeftBehind    bool   `json:"leftBehind,omitempty"`
	ExecutionTime int64  `json:"executionTime"`
	// OutputBytes is the size of the output so far.
	OutputBytes int64 `json:"outputBytes"`
}

// List implements list_processes.
func (t *Terminal) List(ctx context.Context, _ ListArgs) (ListResult, error) {
	owner := caller.PrincipalOf(ctx)
	all := slices.DeleteFunc(t.known(), func(p *proc) bool { return p.owner != owner })
	r := ListResult{Processes: make([]ProcessInfo, 0, len(all)), Total: len(all)}
	room := t.limits.Answer
	for i := len(all) - 1; i >= 0; i-- { // the newest processes have priority
		info := all[i].info()
		if room -= len(info.Command) + len(info.CWD) + infoMembers; room < 0 && len(r.Processes) > 0 {
			r.Truncated = true
			break
		}
		r.Processes = append(r.Processes, info)
	}
	for i, j := 0, len(r.Processes)-1; i < j; i, j = i+1, j-1 {
		r.Processes[i], r.Processes[j] = r.Processes[j], r.Processes[i]
	}
	return r, nil
}

// infoMembers is an estimate of the JSON bytes of a process beside its strings.
const infoMembers = 180

func (p *proc) info() ProcessInfo {
	s := p.state()
	line := p.line
	if len(line) > shownParams {
		line = strings.ToValidUTF8(line[:shownParams], "") + "…"
	}
	return ProcessInfo{
		ProcessID: p.id, Command: line, CWD: p.path, PID: p.PID(), StartedAt: p.started.UTC().Format(time.RFC3339),
		Running: s.running, ExitCode: s.exit.Code, Signal: s.exit.Signal, TimedOut: s.timedOut, LeftBehind: p.leftBehind(),
		ExecutionTime: s.took.Milliseconds(), OutputBytes: p.out.Size(spool.Both),
	}
}

// TextContent returns the text for the model: one line for each process.
func (r ListResult) TextContent() string {
	if r.Total == 0 {
		return "[no processes]\n"
	}
	var b strings.Builder
	if r.Truncated {
		fmt.Fprintf(&b, "[the newest %d of %d]\n", len(r.Processes), r.Total)
	}
	for _, p := range r.Processes {
		o := OutputResult{Running: p.Running, ExitCode: p.ExitCode, Signal: p.Signal, TimedOut: p.TimedOut, ExecutionTime: p.ExecutionTime}
		left := ""
		if p.LeftBehind {
			left = leftNote(p.ProcessID)
		}
		fmt.Fprintf(&b, "%s %s%s, %d bytes of output, in %s: %s\n", p.ProcessID, o.stateText(), left, p.OutputBytes, p.CWD, strings.ReplaceAll(p.Command, "\n", "⏎"))
	}
	return b.String()
}
