package debug

import (
	"context"
	"fmt"
	"strings"

	protocol "github.com/google/go-dap"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/internal/dap"
)

// VariablesArgs are the arguments of debug_variables.
type VariablesArgs struct {
	SessionID string `json:"sessionId,omitempty" jsonschema:"description=Not needed for the only session"`
	// ThreadID is the thread. 0 is the thread that stopped the program.
	ThreadID int `json:"threadId,omitempty"`
	// Frame is the index of a frame: 0 is the innermost.
	Frame int `json:"frame,omitempty" jsonschema:"minimum=0,description=Index in the stack; 0 is the innermost"`
	// Ref is the reference of a variable whose parts are read.
	Ref string `json:"ref,omitempty" jsonschema:"description=Reads the parts of this variable instead"`
	// Scope names a scope, for example Globals. "" is all scopes that are cheap to read.
	Scope string `json:"scope,omitempty"`
	// Depth is how far parts are read, and parts of parts. 0 is 1.
	Depth int `json:"depth,omitempty" jsonschema:"minimum=1,maximum=5"`
	// Offset and Limit page through the variables of a scope, or the parts of Ref.
	Offset int `json:"offset,omitempty" jsonschema:"minimum=0"`
	Limit  int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=500,description=Default 50"`
	// MaxValue is how much of a value is shown, in bytes. 0 is 200.
	MaxValue int `json:"maxValue,omitempty" jsonschema:"minimum=1,maximum=16384,description=Bytes of a value; default 200"`
}

// VariablesResult is the result of debug_variables.
type VariablesResult struct {
	SessionID string `json:"sessionId"`
	// Stack is the requested frame with its neighbours, Frames the number of frames if known. Both are empty with Ref.
	Stack  []Frame `json:"stack,omitempty"`
	Frames int     `json:"frames,omitempty"`
	// Threads are the threads of the program, at most 50, the requested one first.
	Threads []Thread `json:"threads,omitempty"`
	// Scopes are the variables.
	Scopes []Scope `json:"scopes"`
	// Truncated says that something was left out for lack of room.
	Truncated bool `json:"truncated,omitempty"`
}

// Thread is a thread of the program, or the equivalent of its language.
type Thread struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// Scope is a group of variables.
type Scope struct {
	Name      string     `json:"name"`
	Variables []Variable `json:"variables"`
	// NextOffset is where the next page begins, if there is one.
	NextOffset int `json:"nextOffset,omitempty"`
	// Ref names a scope that was not read to debug_variables.
	Ref string `json:"ref,omitempty"`
}

const (
	maxScopes   = 8
	usualLimit  = 50
	maxLimit    = 500
	maxDepth    = 5
	maxRead     = 2000 // variables in an answer
	maxAsks     = 200  // requests for one
	maxFrame    = 10_000
	maxThreads  = 50
	framesAbove = 10
)

// Variables is debug_variables. It reads alone, as far as the debugger does.
func (d *Debugger) Variables(ctx context.Context, args VariablesArgs) (VariablesResult, error) {
	if err := args.check(); err != nil {
		return VariablesResult{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := d.find(ctx, args.SessionID)
	if err != nil {
		return VariablesResult{}, err
	}
	give, err := s.take(ctx)
	if err != nil {
		return VariablesResult{}, err
	}
	defer give()
	client, at, err := s.stoppedClient()
	if err != nil {
		return VariablesResult{}, err
	}
	r := VariablesResult{SessionID: s.id, Scopes: []Scope{}}
	read := &reader{client: client, epoch: at.epoch, value: or(args.MaxValue, usualValue), left: maxRead, asks: maxAsks}
	if args.Ref != "" {
		err = s.parts(ctx, read, args, &r)
	} else {
		err = s.frame(ctx, read, at, args, &r)
	}
	if err != nil {
		return VariablesResult{}, err
	}
	r.bound(d.limits.Answer, args.Offset)
	return r, nil
}

func (a *VariablesArgs) check() error {
	switch {
	case a.Frame < 0 || a.Frame > maxFrame:
		return problem(codeBadRange, "Give the index of a frame of the stack.", "there is no frame %d", a.Frame)
	case a.Depth < 0 || a.Depth > maxDepth, a.Limit < 0 || a.Limit > maxLimit, a.Offset < 0, a.MaxValue < 0 || a.MaxValue > maxValue:
		return invalid("Give a depth of 1 to 5, a limit of 1 to 500, a maxValue of 1 to 16384.", "depth, limit, offset or maxValue is out of bounds")
	}
	return nil
}

func or(n, usual int) int {
	if n == 0 {
		return usual
	}
	return n
}

// parts reads the parts of a variable.
func (s *session) parts(ctx context.Context, read *reader, args VariablesArgs, r *VariablesResult) error {
	ref, err := dereference(args.Ref, read.epoch)
	if err != nil {
		return err
	}
	scope, err := s.group(ctx, read, args.Ref, ref, args)
	if err != nil {
		return err
	}
	r.Scopes = append(r.Scopes, scope)
	return nil
}

// group reads variables that belong together.
func (s *session) group(ctx context.Context, read *reader, name string, ref int, args VariablesArgs) (Scope, error) {
	limit := or(args.Limit, usualLimit)
	all, more, err := read.read(ctx, ref, args.Offset, limit, or(args.Depth, 1), 0)
	if err != nil {
		return Scope{}, err
	}
	scope := Scope{Name: name, Variables: all}
	if scope.Variables == nil {
		scope.Variables = []Variable{}
	}
	if more {
		scope.NextOffset = args.Offset + len(all)
	}
	return scope, nil
}

// frame reads the variables of a frame.
func (s *session) frame(ctx context.Context, read *reader, at position, args VariablesArgs, r *VariablesResult) error {
	thread := or(args.ThreadID, at.thread)
	first := max(0, args.Frame-framesAbove)
	frames, total, err := s.frames(ctx, read.client, thread, first, maxLooked)
	if err != nil {
		return err
	}
	if args.Frame-first >= len(frames) {
		return problem(codeBadRange, "Give the index of a frame of the stack.", "there is no frame %d: the stack has %d", args.Frame, first+len(frames))
	}
	r.Stack, r.Frames = s.toFrames(ctx, frames, first), total
	r.Threads = s.threads(ctx, read.client, thread)
	scopes, err := s.scopes(ctx, read.client, frames[args.Frame-first].Id)
	if err != nil {
		return err
	}
	for _, scope := range scopes {
		name := truncate.Cut(scope.Name, maxName)
		if args.Scope != "" && !strings.EqualFold(args.Scope, name) {
			continue
		}
		if args.Scope == "" && (scope.Expensive || strings.HasPrefix(name, "Global")) {
			r.Scopes = append(r.Scopes, Scope{Name: name, Variables: []Variable{}, Ref: reference(at.epoch, scope.VariablesReference)})
			continue
		}
		group, err := s.group(ctx, read, name, scope.VariablesReference, args)
		if err != nil {
			return err
		}
		r.Scopes = append(r.Scopes, group)
	}
	if args.Scope != "" && len(r.Scopes) == 0 {
		return invalid("Leave scope out for all of them.", "the frame has no scope %s", quote(args.Scope))
	}
	return nil
}

// threads returns the threads of the program, or none if they cannot be read.
func (s *session) threads(ctx context.Context, client *dap.Session, first int) []Thread {
	var answer protocol.ThreadsResponseBody
	if client.Call(ctx, "threads", nil, &answer) != nil {
		return nil
	}
	var all []Thread
	for _, t := range answer.Threads {
		shown := Thread{t.Id, truncate.Cut(t.Name, maxName)}
		if t.Id == first {
			all = append([]Thread{shown}, all...)
		} else if len(all) < maxThreads {
			all = append(all, shown)
		}
	}
	return all[:min(len(all), maxThreads)]
}

// bound removes variables that do not fit the answer.
func (r *VariablesResult) bound(room, offset int) {
	for _, f := range r.Stack {
		room -= len(f.Function) + len(f.Path) + 40
	}
	for _, t := range r.Threads {
		room -= len(t.Name) + 20
	}
	for i := range r.Scopes {
		scope := &r.Scopes[i]
		kept, cut := bounded(scope.Variables, &room)
		if cut {
			r.Truncated = true
		}
		if len(kept) < len(scope.Variables) {
			scope.NextOffset = offset + len(kept)
		}
		scope.Variables = kept
	}
}

// bounded are the first variables that have room.
func bounded(all []Variable, room *int) (kept []Variable, cut bool) {
	kept = all[:0:0]
	for _, v := range all {
		if *room -= len(v.Name) + len(v.Value) + len(v.Type) + len(v.Note) + 60; *room < 0 && len(kept) > 0 {
			return kept, true
		}
		if len(v.Variables) > 0 {
			share := *room / 2 // so that one does not take the room of all
			left := share
			parts, less := bounded(v.Variables, &left)
			*room -= share - left
			if v.Variables = parts; less {
				v.Note, cut = "parts were left out: call again with its ref", true
			}
		}
		kept = append(kept, v)
	}
	return kept, cut
}

// TextContent returns the text for the model.
func (r VariablesResult) TextContent() string {
	var b strings.Builder
	if len(r.Stack) > 0 {
		b.WriteString("[stack")
		if r.Frames > len(r.Stack) {
			fmt.Fprintf(&b, ", %d frames in all", r.Frames)
		}
		b.WriteString("]\n")
		for _, f := range r.Stack {
			b.WriteString(f.text() + "\n")
		}
	}
	if len(r.Threads) > 1 {
		b.WriteString("[threads]\n")
		for _, t := range r.Threads {
			fmt.Fprintf(&b, "%d %s\n", t.ID, t.Name)
		}
	}
	for _, scope := range r.Scopes {
		b.WriteString("[" + scope.Name)
		if scope.Ref != "" {
			b.WriteString(": call again with ref " + scope.Ref)
		}
		b.WriteString("]\n")
		writeVariables(&b, scope.Variables, 0)
		if scope.NextOffset > 0 {
			fmt.Fprintf(&b, "[more from offset %d on]\n", scope.NextOffset)
		}
	}
	if r.Truncated {
		b.WriteString("[something was left out for lack of room]\n")
	}
	return b.String()
}
