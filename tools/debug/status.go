package debug

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/spool"
)

// StatusArgs are the arguments of debug_status.
type StatusArgs struct {
	SessionID string `json:"sessionId,omitempty" jsonschema:"description=Not needed for the only session"`
	// WaitMs is how long to wait until a program that is running stops, in milliseconds.
	WaitMs *int `json:"waitMs,omitempty" jsonschema:"minimum=0,maximum=45000,description=Wait this long until it stops or ends"`
	// Offset is the first byte of output to read. A negative offset counts from the end. nil continues after the last answer.
	Offset *int64 `json:"offset,omitempty" jsonschema:"description=Of the output\\, in bytes; -N is the tail; default: after the last answer"`
	// Length is the most bytes of output in the answer. 0 is 4,096.
	Length int `json:"length,omitempty" jsonschema:"minimum=1"`
}

// StatusResult is the result of debug_status.
type StatusResult struct {
	// Sessions are the sessions of the caller, by their start.
	Sessions []SessionInfo `json:"sessions"`
	// State is the state of the program of the requested session, or nil without one.
	State *State `json:"standing,omitempty"`
	// OutputSize is how much that has printed so far, in bytes.
	OutputSize int64 `json:"outputSize,omitempty"`
}

// SessionInfo is a session in a list.
type SessionInfo struct {
	SessionID string `json:"sessionId"`
	Program   string `json:"program,omitempty"`
	Mode      string `json:"mode"`
	Adapter   string `json:"adapter"`
	State     string `json:"state"`
	StartedAt string `json:"startedAt"` // RFC 3339
}

// Status is debug_status. With several sessions, and no SessionID, it lists them.
func (d *Debugger) Status(ctx context.Context, args StatusArgs) (StatusResult, error) {
	wait, err := waiting(args.WaitMs, 0)
	if err != nil {
		return StatusResult{}, err
	}
	if args.Length < 0 || args.Length > d.limits.MaxAnswer {
		return StatusResult{}, invalid(fmt.Sprintf("Give 1 to %d bytes.", d.limits.MaxAnswer), "%d bytes of output are out of bounds", args.Length)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r := StatusResult{Sessions: d.infos(ctx)}
	s, err := d.find(ctx, args.SessionID)
	if err != nil {
		if args.SessionID == "" {
			return r, nil
		}
		return StatusResult{}, err
	}
	if _, err := s.await(ctx, wait); err != nil {
		return StatusResult{}, err
	}
	s.awaitAnswer(ctx, wait)
	current, err := s.report(ctx, args)
	if err != nil {
		return StatusResult{}, err
	}
	r.Sessions, r.State, r.OutputSize = d.infos(ctx), &current, s.out.Size(spool.Both)
	return r, nil
}

// awaitAnswer waits until the debugger is not busy any more.
func (s *session) awaitAnswer(ctx context.Context, wait time.Duration) {
	s.mu.Lock()
	stuck := s.stuck
	s.mu.Unlock()
	if stuck == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	_ = stuck.Result(ctx, nil)
	if ctx.Err() == nil {
		s.mu.Lock()
		s.stuck = nil
		s.mu.Unlock()
	}
}

// report says where the program stands, with the output that is asked for.
func (s *session) report(ctx context.Context, args StatusArgs) (State, error) {
	size := s.out.Size(spool.Both)
	if args.Offset != nil && *args.Offset > size {
		return State{}, problem(codeBadRange, "Leave offset out to continue after the last answer, or give a negative one for the tail.", "offset %d is behind the end: the output has %d bytes so far", *args.Offset, size)
	}
	s.mu.Lock()
	from := s.heard
	s.mu.Unlock()
	if args.Offset != nil {
		if from = *args.Offset; from < 0 {
			from = max(0, size+from)
		}
	}
	give, err := s.take(ctx)
	if err != nil {
		return State{}, err
	}
	r, err := s.currentState(ctx)
	give()
	if err != nil || args.Offset == nil && args.Length == 0 {
		return r, err
	}
	raw, at := s.read(from, or(args.Length, maxPrinted))
	r.Output, r.OutputOffset = string(raw), at
	r.NextOffset = s.hear(at, r.Output)
	if at > from {
		r.Notes = append(r.Notes, fmt.Sprintf("%d bytes of output before that were not kept", at-from))
	}
	if rest := s.out.Size(spool.Both) - r.NextOffset; rest > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d more bytes of output from offset %d on", rest, r.NextOffset))
	}
	return r, nil
}

// infos describes the sessions of the caller.
func (d *Debugger) infos(ctx context.Context) []SessionInfo {
	all := d.known(ctx)
	described := make([]SessionInfo, len(all))
	for i, s := range all {
		at, _ := s.position()
		described[i] = SessionInfo{
			SessionID: s.id, Program: s.target.path, Mode: s.target.mode, Adapter: s.target.adapter.Name, State: at.state,
			StartedAt: s.started.UTC().Format(time.RFC3339),
		}
	}
	return described
}

// TextContent returns the text for the model.
func (r StatusResult) TextContent() string {
	var b strings.Builder
	if r.State == nil || len(r.Sessions) > 1 {
		fmt.Fprintf(&b, "[%s]\n", plural.Count(len(r.Sessions), "session"))
		for _, s := range r.Sessions {
			fmt.Fprintf(&b, "%s %s: %s %s with %s, since %s\n", s.SessionID, s.State, s.Mode, s.Program, s.Adapter, s.StartedAt)
		}
	}
	if r.State != nil {
		b.WriteString(r.State.TextContent())
	}
	return b.String()
}

// StopArgs are the arguments of debug_stop.
type StopArgs struct {
	SessionID string `json:"sessionId,omitempty" jsonschema:"description=Not needed for the only session"`
}

// Stop implements debug_stop. It returns after the process trees of debugger and program have ended. A program that was
// attached to continues. Stopping an ended session is no error.
func (d *Debugger) Stop(ctx context.Context, args StopArgs) (State, error) {
	s, err := d.find(ctx, args.SessionID)
	if err != nil {
		return State{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	entry, err := d.audit.Begin(ctx, audit.Entry{Operation: "debug_stop", Params: map[string]any{"sessionId": s.id}})
	if err != nil {
		return State{}, err
	}
	s.cancel(errStopped)
	select {
	case <-s.over:
	case <-ctx.Done():
		err = problem(string(security.Timeout), "Call again; the remaining processes are ended in any case.", "the session %s has not ended yet", s.id)
		return State{}, recordOutcome(entry, err)
	}
	r, err := s.currentState(ctx)
	return r, recordOutcome(entry, err)
}
