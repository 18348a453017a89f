package debug

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	protocol "github.com/google/go-dap"

	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/internal/dap"
)

// The actions of debug_step.
const (
	ActionOver     = "over"
	ActionInto     = "into"
	ActionOut      = "out"
	ActionContinue = "continue"
	ActionUntil    = "until"
	ActionPause    = "pause"
)

// StepArgs are the arguments of debug_step.
type StepArgs struct {
	SessionID string `json:"sessionId,omitempty" jsonschema:"description=Not needed for the only session"`
	// Action is one of ActionOver and its like.
	Action string `json:"action" jsonschema:"enum=over,enum=into,enum=out,enum=continue,enum=until,enum=pause"`
	// Line is where ActionUntil stops, in the file Path or else in that where the program stands. A breakpoint that comes before stops
	// it as well.
	Line int    `json:"line,omitempty" jsonschema:"minimum=1,description=For until"`
	Path string `json:"path,omitempty" jsonschema:"description=For until: another file than the current one"`
	// ThreadID is the thread that steps. 0 is the one that has stopped the program.
	ThreadID int `json:"threadId,omitempty"`
	// WaitMs is how long to wait until the program stops again, in milliseconds. nil is 30,000. Then it runs on.
	WaitMs *int `json:"waitMs,omitempty" jsonschema:"minimum=0,maximum=45000"`
}

const usualWait = 30 * time.Second

// commands are the requests of the actions that let a program go on.
func commands() map[string]string {
	return map[string]string{ActionOver: "next", ActionInto: "stepIn", ActionOut: "stepOut", ActionContinue: "continue", ActionUntil: "continue"}
}

// Step is debug_step.
func (d *Debugger) Step(ctx context.Context, args StepArgs) (State, error) {
	wait, err := waiting(args.WaitMs, usualWait)
	if err != nil {
		return State{}, err
	}
	if args.Action != ActionPause && commands()[args.Action] == "" {
		return State{}, invalid("Give over, into, out, continue, until or pause.", "there is no action %s", quote(args.Action))
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := d.find(ctx, args.SessionID)
	if err != nil {
		return State{}, err
	}
	if err := s.act(ctx, args); err != nil {
		return State{}, err
	}
	if _, err := s.await(ctx, wait); err != nil { // others may pause it meanwhile
		return State{}, err
	}
	if at, _ := s.position(); at.err != nil {
		return State{}, s.withStartOutput(at.err)
	}
	give, err := s.take(ctx)
	if err != nil {
		return State{}, err
	}
	defer give()
	s.tidy(ctx)
	return s.currentState(ctx)
}

// act lets the program go on, or pauses it. The audit log knows of it before.
func (s *session) act(ctx context.Context, args StepArgs) error {
	give, err := s.take(ctx)
	if err != nil {
		return err
	}
	defer give()
	entry, err := s.d.audit.Begin(ctx, audit.Entry{Operation: "debug_step", Params: map[string]any{"sessionId": s.id, "action": args.Action, "line": args.Line, "path": args.Path}})
	if err != nil {
		return err
	}
	before, _ := s.position()
	if args.Action == ActionPause {
		err = s.pause(ctx)
	} else {
		err = s.step(ctx, args)
	}
	if err != nil {
		err = s.unlessEnded(ctx, before, err)
	}
	return recordOutcome(entry, err)
}

// unlessEnded is an error, unless it came of the end of the program.
func (s *session) unlessEnded(ctx context.Context, before position, err error) error {
	s.settle(ctx)
	if now, _ := s.position(); before.state != stateEnded && now.state == stateEnded && now.reason == errTerminated.Error() {
		return nil
	}
	return err
}

// step lets the program go on.
func (s *session) step(ctx context.Context, args StepArgs) error {
	client, at, err := s.stoppedClient()
	if err != nil {
		return err
	}
	thread := or(args.ThreadID, at.thread)
	if args.Action == ActionUntil {
		if err := s.until(ctx, client, at, args); err != nil {
			return err
		}
	} else {
		s.tidy(ctx)
	}
	before, moved := at, false
	s.move(func(p *position) bool { // first: the program may stop before the answer is there
		if p.epoch == at.epoch && p.state == stateStopped {
			p.state, moved = stateRunning, true
		}
		return moved
	})
	if err := client.Call(ctx, commands()[args.Action], map[string]int{"threadId": thread}, nil); err != nil {
		s.move(func(p *position) bool {
			if !moved || p.epoch != before.epoch || p.state != stateRunning {
				return false
			}
			*p = before
			return true
		})
		return failed("stepping", err)
	}
	return nil
}

// until sets a breakpoint that is there until the program stops.
func (s *session) until(ctx context.Context, client *dap.Session, at position, args StepArgs) error {
	if args.Path == "" {
		frames, _, err := s.frames(ctx, client, at.thread, 0, 1)
		if err != nil {
			return err
		}
		if len(frames) == 0 || frames[0].Source == nil || !filepath.IsAbs(frames[0].Source.Path) {
			return invalid("Give the path, too.", "the current position of the program is in no file")
		}
		args.Path = frames[0].Source.Path
	}
	resolved, err := s.d.resolve(ctx, []Breakpoint{{Path: args.Path, Line: args.Line}})
	if err != nil {
		return err
	}
	s.tidy(ctx)
	p := resolved[0]
	s.points.addTemporary(p)
	if err := s.points.send(ctx, client, p.abs); err != nil {
		s.points.dropTemporary()
		return failed("setting a breakpoint", err)
	}
	if verified, message := s.points.verified(p); !verified {
		s.tidy(ctx)
		return invalid("Give a line with code that is executed.", "the program cannot stop at line %d of %s: %s", args.Line, quote(p.Path), message)
	}
	return nil
}

// verified says whether a breakpoint is set, and if not why.
func (ps *points) verified(p *point) (bool, string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return p.Verified, p.Message
}

// tidy removes the breakpoints that were only there for the last step, once the program has stopped.
func (s *session) tidy(ctx context.Context) {
	client, _, err := s.stoppedClient()
	if err != nil {
		return
	}
	for _, file := range s.points.dropTemporary() {
		if err := s.points.send(ctx, client, file); err != nil {
			s.d.log.WarnContext(ctx, "a breakpoint was not removed", "session", s.id, "error", err)
		}
	}
}

// pause stops the program.
func (s *session) pause(ctx context.Context) error {
	client, err := s.activeClient()
	if err != nil {
		return err
	}
	if at, _ := s.position(); at.state != stateRunning {
		return nil
	}
	var answer protocol.ThreadsResponseBody
	if err := client.Call(ctx, "threads", nil, &answer); err != nil {
		return failed("pausing", err)
	}
	thread := 1
	if len(answer.Threads) > 0 {
		thread = slices.MinFunc(answer.Threads, func(a, b protocol.Thread) int { return a.Id - b.Id }).Id
	}
	if err := client.Call(ctx, "pause", map[string]int{"threadId": thread}, nil); err != nil {
		if at, _ := s.position(); at.state != stateRunning {
			return nil // it has stopped by itself
		}
		return failed("pausing", fmt.Errorf("thread %d: %w", thread, err))
	}
	return nil
}
