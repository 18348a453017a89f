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

// ListArgs are the arguments of list_processes: none.
type ListArgs struct{}

// ListResult is what list_processes answers.
type ListResult struct {
	// Processes are the processes that the caller has started with this set, by their start. They run, or have
	// ended and are still known.
	Processes []ProcessInfo `json:"processes"`
	// Truncated says that older ones were left out, and Total how many there are.
	Truncated bool `json:"truncated,omitempty"`
	Total     int  `json:"total"`
}

// ProcessInfo is a process in a list.
type ProcessInfo struct {
	ProcessID string `json:"processId"`
	Command   string `json:"command"` // cut to 2 KiB
	CWD       string `json:"cwd"`
	PID       int    `json:"pid"`
	StartedAt string `json:"startedAt"` // RFC 3339
	// Running, ExitCode, Signal, TimedOut, LeftBehind and ExecutionTime are those of
	// CommandResult.
	Running       bool   `json:"running"`
	ExitCode      int    `json:"exitCode"`
	Signal        string `json:"signal,omitempty"`
	TimedOut      bool   `json:"timedOut,omitempty"`
	LeftBehind    bool   `json:"leftBehind,omitempty"`
	ExecutionTime int64  `json:"executionTime"`
	// OutputBytes is how much it has said.
	OutputBytes int64 `json:"outputBytes"`
}

// List is list_processes.
func (t *Terminal) List(ctx context.Context, _ ListArgs) (ListResult, error) {
	owner := caller.PrincipalOf(ctx)
	all := slices.DeleteFunc(t.known(), func(p *proc) bool { return p.owner != owner })
	r := ListResult{Processes: make([]ProcessInfo, 0, len(all)), Total: len(all)}
	room := t.limits.Answer
	for i := len(all) - 1; i >= 0; i-- { // the newest have room first
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

// infoMembers is about what the JSON of a process takes beside its strings.
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

// TextContent has a line for each process.
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
		fmt.Fprintf(&b, "%s %s%s, %d bytes of output, in %s: %s\n", p.ProcessID, o.standing(), left, p.OutputBytes, p.CWD, strings.ReplaceAll(p.Command, "\n", "⏎"))
	}
	return b.String()
}
