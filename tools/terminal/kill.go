package terminal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/internal/spool"
)

// KillArgs are the arguments of kill_process.
type KillArgs struct {
	ProcessID string `json:"processId"`
	// Signal is what the process and its group are sent: TERM, INT, HUP, QUIT or KILL,
	// after which all that is left is killed; or USR1 or USR2. Empty is TERM.
	Signal string `json:"signal,omitempty" jsonschema:"enum=TERM,enum=INT,enum=HUP,enum=QUIT,enum=KILL,enum=USR1,enum=USR2,default=TERM"`
	// Force kills at once; else that happens after 5 s.
	Force bool `json:"force,omitempty" jsonschema:"description=Kill at once\\, not after 5 s"`
}

// KillResult is what kill_process answers.
type KillResult struct {
	ProcessID string `json:"processId"`
	// Success says that the process has ended, or that a signal that need not end it
	// was sent.
	Success bool `json:"success"`
	// Running, ExitCode, Signal and ExecutionTime are those of CommandResult.
	Running       bool   `json:"running,omitempty"`
	ExitCode      int    `json:"exitCode"`
	Signal        string `json:"signal,omitempty"`
	ExecutionTime int64  `json:"executionTime"`
	// EndedLeft says that the process had ended before, and that programs which it had
	// started were ended now.
	EndedLeft bool `json:"endedLeft,omitempty"`
	// LeftBehind is that of CommandResult.
	LeftBehind bool `json:"leftBehind,omitempty"`
	// Output is the last that the process has said.
	Output string `json:"output,omitempty"`
}

// lastWords bounds the output in the answer to kill_process, in bytes.
const lastWords = 2 << 10

// Kill is kill_process. It ends a process of this set with all that it has started;
// of one that has ended already, what it has left behind.
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
	last := p.page(spool.Both, max(0, p.out.Size(spool.Both)-lastWords), lastWords, false, true)
	return KillResult{
		ProcessID: p.id, Success: !s.running || !ends, Running: s.running, ExitCode: s.exit.Code, Signal: s.exit.Signal,
		ExecutionTime: s.took.Milliseconds(), Output: last.Output, EndedLeft: had && ends && !left, LeftBehind: left,
	}, nil
}

func isSignal(s process.Signal) bool { return slices.Contains(process.Signals(), s) }

// kill sends a signal, and if that is to end the process, sees to it.
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
		return &security.Error{Code: security.InternalError, Message: fmt.Sprintf("Process %s could not be ended wholly: %v.", p.id, err), Next: "Call again with force=true.", Err: err}
	}
	return nil
}

// TextContent says what has become of the process.
func (r KillResult) TextContent() string {
	o := OutputResult{ProcessID: r.ProcessID, Running: r.Running, ExitCode: r.ExitCode, Signal: r.Signal, ExecutionTime: r.ExecutionTime, Output: r.Output}
	if o.LeftBehind = r.LeftBehind; !r.EndedLeft {
		return o.TextContent()
	}
	return fmt.Sprintf("[process %s %s; programs that it had started still ran, and have been ended]\n%s", o.ProcessID, o.standing(), o.Output)
}
