package terminal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/punctuation"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/internal/spool"
)

// KillArgs are the arguments of kill_process.
type KillArgs struct {
	ProcessID string `json:"processId"` // of execute_command or execute_build
	// Signal is sent to the process and its group. After TERM, INT, HUP, QUIT and KILL the rest of the process tree is killed.
	// USR1 and USR2 do not end it. The default is TERM.
	Signal string `json:"signal,omitempty" jsonschema:"enum=TERM,enum=INT,enum=HUP,enum=QUIT,enum=KILL,enum=USR1,enum=USR2,default=TERM"`
	// Force kills at once. Otherwise the kill follows after 5 seconds.
	Force bool `json:"force,omitempty" jsonschema:"description=Kill at once\\, not after 5 s"`
}

// KillResult is the result of kill_process.
type KillResult struct {
	ProcessID string `json:"processId"`
	// Success means that the process has ended, or that USR1 or USR2 was sent.
	Success bool `json:"success"`
	// Running, ExitCode, Signal and ExecutionTime are as in CommandResult.
	Running       bool   `json:"running,omitempty"`
	ExitCode      int    `json:"exitCode"`
	Signal        string `json:"signal,omitempty"`
	ExecutionTime int64  `json:"executionTime"`
	// EndedLeft means that the process had already ended, and that its background children were ended now.
	EndedLeft bool `json:"endedLeft,omitempty"`
	// LeftBehind is as in CommandResult.
	LeftBehind bool `json:"leftBehind,omitempty"`
	// Output is the end of the output.
	Output string `json:"output,omitempty"`
}

// maxKillOutput is the most bytes of output in the answer of kill_process.
const maxKillOutput = 2 << 10

// Kill implements kill_process. It ends a process of this set with its process tree. If the process has ended already, Kill
// ends its background children.
func (t *Terminal) Kill(ctx context.Context, args KillArgs) (KillResult, error) {
	p, err := t.find(ctx, args.ProcessID)
	if err != nil {
		return KillResult{}, err
	}
	signal := process.Signal(strings.TrimPrefix(strings.ToUpper(args.Signal), "SIG"))
	switch {
	case signal == "":
		signal = process.Terminate
	case !isSignal(signal):
		return KillResult{}, invalid("Give TERM, INT, HUP, QUIT, KILL, USR1 or USR2.", "there is no signal %s", quote(args.Signal))
	}
	ends := signal != process.User1 && signal != process.User2
	if args.Force {
		signal, ends = process.Kill, true
	}
	entry, err := t.audit.Begin(ctx, audit.Entry{Operation: "kill_process", Params: map[string]any{"processId": p.id, "signal": string(signal)}})
	if err != nil {
		return KillResult{}, err
	}
	had := p.leftBehind()
	err = t.kill(p, signal, ends)
	if err := errors.Join(err, entry.End(err)); err != nil {
		return KillResult{}, err
	}
	s, left := p.state(), p.leftBehind()
	last := p.page(spool.Both, max(0, p.out.Size(spool.Both)-maxKillOutput), maxKillOutput, false, true)
	return KillResult{
		ProcessID: p.id, Success: !s.running || !ends, Running: s.running, ExitCode: s.exit.Code, Signal: s.exit.Signal,
		ExecutionTime: s.took.Milliseconds(), Output: last.Output, EndedLeft: had && ends && !left, LeftBehind: left,
	}, nil
}

// isSignal reports whether the system supports a signal.
func isSignal(s process.Signal) bool { return slices.Contains(process.Signals(), s) }

// kill sends a signal. If ends is set, it also awaits the end and kills the rest.
func (t *Terminal) kill(p *proc, signal process.Signal, ends bool) error {
	var err error
	if ends {
		if err = p.Stop(signal, killGrace); err == nil {
			<-p.over
		}
	} else {
		err = p.Signal(signal)
	}
	switch {
	case errors.Is(err, process.ErrSignal):
		return invalid("Use TERM or KILL.", "this system has no signal %s", signal)
	case err != nil:
		return &security.Error{Code: security.InternalError, Message: fmt.Sprintf("Process %s could not be ended wholly: %s.", p.id, punctuation.Clause(err.Error())), Next: "Call again with force=true.", Err: err}
	}
	return nil
}

// TextContent returns the text for the model.
func (r KillResult) TextContent() string {
	o := OutputResult{ProcessID: r.ProcessID, Running: r.Running, ExitCode: r.ExitCode, Signal: r.Signal, ExecutionTime: r.ExecutionTime, Output: r.Output}
	if o.LeftBehind = r.LeftBehind; !r.EndedLeft {
		return o.TextContent()
	}
	return fmt.Sprintf("[process %s %s; programs that it had started still ran, and have been ended]\n%s", o.ProcessID, o.stateText(), o.Output)
}
