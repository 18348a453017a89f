package debug

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/internal/dap"
)

// State is the state of a program: the result of debug_start, debug_step and debug_stop.
type State struct {
	// State is starting (during build or launch), running, stopped or ended.
	SessionID string `json:"sessionId"`
	// State is starting (it is being built or begun), running, stopped or ended.
	// Reason is the reason of the stop (breakpoint, step, pause, entry, exception, …) or of the end of the session.
	State string `json:"state"`
	// Reason says why the program has stopped (breakpoint, step, pause, entry, exception, …), or why the session has ended.
	// Detail is more information on Reason, for example the message of an exception.
	Reason string `json:"reason,omitempty"`
	// Detail is more about that, such as the message of an exception.
	Detail string `json:"detail,omitempty"`
	// Function, Path and Line are the position of a stopped program. Path is in the form of other calls, or absolute outside
	// the project.
	ThreadID int `json:"threadId,omitempty"`
	// Function, Path and Line are where a program is that has stopped: Path as other calls take it, or absolute outside of the
	// project.
	Function string `json:"function,omitempty"`
	Path     string `json:"path,omitempty"`
	// Source are the lines around the position, or around the innermost caller in the project, with numbers and a mark.
	Line int `json:"line,omitempty"`
	// Source are the lines around it, or where the innermost caller in the project is, with their numbers and a mark.
	// Stack are the innermost frames, at most 5.
	Source string `json:"source,omitempty"`
	// Stack are the innermost frames.
	// Changed are the variables of the innermost frame that changed since the last stop in the same function, or all at the
	// first stop.
	Stack []Frame `json:"stack,omitempty"`
	// Changed are the variables of the innermost frame that are other than when the program last stopped in its function; all of
	// them when it has not before.
	// ExitCode is the exit code of an ended program, if known.
	Changed []Variable `json:"changed,omitempty"`
	// ExitCode is that of a program that has ended, if it is known.
	// Output is the output since the last answer, or its end.
	ExitCode *int `json:"exitCode,omitempty"`
	// Output is what the program has printed since the last answer, or the end of it.
	// OutputOffset is the offset of Output, NextOffset that of further output, in bytes; see debug_status.
	Output string `json:"output,omitempty"`
	// OutputOffset is where Output begins, NextOffset where it goes on, in bytes: see debug_status.
	OutputOffset int64 `json:"outputOffset,omitempty"`
	// Notes report missing information and the next step.
	NextOffset int64 `json:"nextOffset"`
	// Notes say what is missing, and what to do.
	Notes []string `json:"notes,omitempty"`
}

// Frame is a function call on the stack.

// Frame is a function that is being executed.
type Frame struct {
	Index    int    `json:"index"` // 0 is the innermost
	Function string `json:"function"`
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty"`
}

const (
	maxPrinted  = 4 << 10 // bytes of output in a State
	shownFrames = 5       // of the stack in a State
	maxDetail   = 2000    // bytes
	maxName     = 300     // bytes of a name of a function, a variable or a type
)

// currentState returns the present state of the program.
func (s *session) currentState(ctx context.Context) (State, error) {
	s.touch() // the call may have waited for long
	s.settle(ctx)
	at, _ := s.position()
	s.mu.Lock()
	client, exit := s.client, s.exit
	s.mu.Unlock()
	r := State{
		SessionID: s.id, State: at.state, Reason: truncate.Cut(at.reason, maxName), Detail: truncate.Cut(at.detail, maxDetail), ExitCode: exit,
	}
	switch at.state {
	case stateStopped:
		r.ThreadID = at.thread
		if s.busy() {
			r.Notes = append(r.Notes, "the debugger is still busy with the evaluation of an expression: wait, or end the session with debug_stop")
		} else if err := s.describe(ctx, client, at, &r); err != nil {
			if now, _ := s.position(); now.epoch == at.epoch && now.state == at.state {
				r.Notes = append(r.Notes, "its position is not available: "+plain(err))
			} else { // it moved on meanwhile
				r.State = now.state
			}
		}
	case stateEnded:
		if at.err != nil {
			r.Detail = truncate.Cut(plain(at.err), maxDetail)
		}
	case stateStarting:
		r.Notes = append(r.Notes, "the program is still being built or started: call debug_status with waitMs")
	case stateRunning:
		r.Notes = append(r.Notes, "the program is running: call debug_status with waitMs, or call debug_step with action=pause")
	}
	s.mu.Lock()
	from := s.heard
	s.mu.Unlock()
	var cut bool
	r.Output, r.OutputOffset, cut = s.output(from, maxPrinted)
	r.NextOffset = s.hear(r.OutputOffset, r.Output)
	if cut {
		r.Notes = append(r.Notes, fmt.Sprintf("more was printed: debug_status with offset=%d has it", from))
	}
	return r, nil
}

// describe fills in where a program is that has stopped.
func (s *session) describe(ctx context.Context, client *dap.Session, at position, r *State) error {
	frames, _, err := s.frames(ctx, client, at.thread, 0, maxLooked)
	if err != nil || len(frames) == 0 {
		return err
	}
	shown := s.toFrames(ctx, frames, 0)
	r.Function, r.Path, r.Line = shown[0].Function, shown[0].Path, shown[0].Line
	r.Stack = shown[:min(len(shown), shownFrames)]
	for i, f := range frames {
		text, ok := s.source(ctx, f)
		if !ok {
			continue
		}
		if r.Source = text; i > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("the source is that of frame %d, the innermost in the project", i))
		}
		break
	}
	if at.reason == "exception" {
		s.exception(ctx, client, at.thread, r)
	}
	s.changes(ctx, client, frames[0], at, r)
	return nil
}

// exception adds the details of the exception that stopped the program.
func (s *session) exception(ctx context.Context, client *dap.Session, thread int, r *State) {
	if !client.Offers().SupportsExceptionInfoRequest {
		return
	}
	var info struct {
		ExceptionID string `json:"exceptionId"`
		Description string `json:"description"`
	}
	if client.Call(ctx, "exceptionInfo", map[string]int{"threadId": thread}, &info) != nil {
		return
	}
	if text := strings.TrimSpace(info.ExceptionID + ": " + info.Description); text != ":" && !strings.Contains(r.Detail, text) {
		r.Detail = truncate.Cut(strings.TrimSpace(r.Detail+"\n"+text), maxDetail)
	}
}

// plain is the message of an error.
func plain(err error) string {
	if coded, ok := errors.AsType[interface {
		error
		NextStep() string
	}](err); ok {
		return coded.Error()
	}
	return err.Error()
}

// TextContent returns the text for the model.
func (r State) TextContent() string {
	var b strings.Builder
	b.WriteString("[" + r.headline() + "]\n")
	if r.Detail != "" {
		b.WriteString(r.Detail + "\n")
	}
	b.WriteString(r.Source)
	if len(r.Stack) > 1 {
		b.WriteString("[stack]\n")
		for _, f := range r.Stack {
			b.WriteString(f.text() + "\n")
		}
	}
	if len(r.Changed) > 0 {
		b.WriteString("[changed variables]\n")
		writeVariables(&b, r.Changed, 0)
	}
	if r.Output != "" {
		b.WriteString("[output]\n" + r.Output)
		if !strings.HasSuffix(r.Output, "\n") {
			b.WriteByte('\n')
		}
	}
	for _, note := range r.Notes {
		b.WriteString("[note: " + note + "]\n")
	}
	return b.String()
}

func (r State) headline() string {
	text := "session " + r.SessionID + " " + r.State
	switch {
	case r.State == stateStopped:
		text += ": " + r.Reason
		if r.Path != "" {
			text += " in " + r.Function + " at " + r.Path + ":" + strconv.Itoa(r.Line)
		}
	case r.Reason != "":
		text += ": " + r.Reason
	}
	if r.ExitCode != nil {
		text += ", exit code " + strconv.Itoa(*r.ExitCode)
	}
	return text
}

func (f Frame) text() string {
	text := fmt.Sprintf("#%d %s", f.Index, f.Function)
	if f.Path != "" {
		text += " " + f.Path + ":" + strconv.Itoa(f.Line)
	}
	return text
}
