package debug

import (
	"context"
	"fmt"
	"strings"
	"time"

	protocol "github.com/google/go-dap"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/internal/dap"
)

// EvaluateArgs are the arguments of debug_evaluate.
type EvaluateArgs struct {
	SessionID string `json:"sessionId,omitempty" jsonschema:"description=Not needed for the only session"`
	// Expression is in the language of the program, with the extensions of the debugger: Delve calls a function with "call
	// f(x)".
	Expression string `json:"expression" jsonschema:"minLength=1,maxLength=8192"`
	// Frame is the index of the frame that it is evaluated in: 0 is the innermost.
	Frame int `json:"frame,omitempty" jsonschema:"minimum=0,description=Index in the stack; 0 is the innermost"`
	// ThreadID is the thread of the frame. 0 is the one that has stopped the program.
	ThreadID int `json:"threadId,omitempty"`
	// TimeoutMs is how long it may take, in milliseconds. 0 is 10,000.
	TimeoutMs int `json:"timeoutMs,omitempty" jsonschema:"minimum=1,maximum=40000,description=Default 10000"`
	// MaxValue is how much of the value is shown, in bytes. 0 is 4,000.
	MaxValue int `json:"maxValue,omitempty" jsonschema:"minimum=1,maximum=16384"`
}

// EvaluateResult is the result of debug_evaluate.
type EvaluateResult struct {
	SessionID string `json:"sessionId"`
	Value     string `json:"value"`
	Type      string `json:"type,omitempty"`
	// Ref names a value that has parts to debug_variables, until the program goes on.
	Ref string `json:"ref,omitempty"`
	// Notes report side effects and limits.
	Notes []string `json:"notes,omitempty"`
}

const (
	usualEvaluation = 10 * time.Second
	maxEvaluation   = 40 * time.Second
	usualResult     = 4000
	// interruption is how long a debugger has to give up an evaluation.
	interruption = 2 * time.Second
)

// Evaluate implements debug_evaluate. After a timeout it interrupts the evaluation. If the debugger does not stop it, the
// session accepts only debug_stop.
func (d *Debugger) Evaluate(ctx context.Context, args EvaluateArgs) (EvaluateResult, error) {
	switch {
	case strings.TrimSpace(args.Expression) == "" || len(args.Expression) > maxExpression:
		return EvaluateResult{}, invalid("Give an expression of up to 8192 bytes.", "the expression has %d bytes", len(args.Expression))
	case args.Frame < 0 || args.Frame > maxFrame:
		return EvaluateResult{}, problem(codeBadRange, "Give the index of a frame of the stack.", "there is no frame %d", args.Frame)
	case args.TimeoutMs < 0 || time.Duration(args.TimeoutMs)*time.Millisecond > maxEvaluation, args.MaxValue < 0 || args.MaxValue > maxValue:
		return EvaluateResult{}, invalid("Give a timeoutMs of 1 to 40000, a maxValue of 1 to 16384.", "timeoutMs or maxValue is out of bounds")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := d.find(ctx, args.SessionID)
	if err != nil {
		return EvaluateResult{}, err
	}
	give, err := s.take(ctx)
	if err != nil {
		return EvaluateResult{}, err
	}
	defer give()
	client, at, err := s.stoppedClient()
	if err != nil {
		return EvaluateResult{}, err
	}
	if err := s.allowedExpressions(ctx, "debug_evaluate", []string{args.Expression}); err != nil {
		return EvaluateResult{}, err
	}
	entry, err := d.audit.Begin(ctx, audit.Entry{Operation: "debug_evaluate", Params: map[string]any{"sessionId": s.id, "expression": args.Expression, "frame": args.Frame}})
	if err != nil {
		return EvaluateResult{}, err
	}
	r, err := s.evaluate(ctx, client, at, args)
	return r, recordOutcome(entry, err)
}

func (s *session) evaluate(ctx context.Context, client *dap.Session, at position, args EvaluateArgs) (EvaluateResult, error) {
	frames, _, err := s.frames(ctx, client, or(args.ThreadID, at.thread), args.Frame, 1)
	if err != nil {
		return EvaluateResult{}, err
	}
	if len(frames) == 0 {
		return EvaluateResult{}, problem(codeBadRange, "Give the index of a frame of the stack.", "there is no frame %d", args.Frame)
	}
	timeout := usualEvaluation
	if args.TimeoutMs > 0 {
		timeout = time.Duration(args.TimeoutMs) * time.Millisecond
	}
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var answer protocol.EvaluateResponseBody
	p, err := client.Send(within, "evaluate", protocol.EvaluateArguments{Expression: args.Expression, FrameId: frames[0].Id, Context: "repl"})
	if err == nil {
		err = p.Result(within, &answer)
	}
	switch {
	case err == nil:
	case p != nil && within.Err() != nil && client.Err() == nil:
		return EvaluateResult{}, s.interrupt(ctx, client, p, at, timeout)
	default:
		return EvaluateResult{}, failed("evaluating "+quote(args.Expression), err)
	}
	r := EvaluateResult{
		SessionID: s.id, Value: truncate.Cut(answer.Result, or(args.MaxValue, usualResult)), Type: truncate.Cut(answer.Type, maxName),
		Ref: reference(at.epoch, answer.VariablesReference),
	}
	if now, _ := s.position(); now.epoch != at.epoch || now.state != at.state {
		r.Ref = ""
		r.Notes = append(r.Notes, "the program has gone on meanwhile and is "+now.state+": see debug_status")
	}
	return r, nil
}

// interrupt stops a slow evaluation and returns the outcome. Until the debugger responds, the session sends it no other
// request.
func (s *session) interrupt(ctx context.Context, client *dap.Session, p *dap.Pending, at position, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), interruption)
	defer cancel()
	p.Cancel()
	if !client.Offers().SupportsCancelRequest {
		if pause, err := client.Send(ctx, "pause", map[string]int{"threadId": at.thread}); err == nil {
			defer pause.GiveUp()
		}
	}
	next, state := "Give it more time with timeoutMs, or a simpler expression.", "it was given up"
	if _ = p.Result(ctx, nil); ctx.Err() != nil {
		s.mu.Lock()
		s.stuck = p
		s.mu.Unlock()
		next, state = "Call debug_status with waitMs to see whether it gets over it, or end the session with debug_stop.", "the debugger is still busy with it, or hangs"
	}
	return problem(string(security.Timeout), next, "the expression was not evaluated within %v: %s", timeout, state)
}

// TextContent returns the text for the model.
func (r EvaluateResult) TextContent() string {
	text := r.Value
	if r.Type != "" {
		text = "(" + r.Type + ") " + text
	}
	if r.Ref != "" {
		text += fmt.Sprintf("  [ref %s]", r.Ref)
	}
	for _, note := range r.Notes {
		text += "\n[note: " + note + "]"
	}
	return text + "\n"
}
