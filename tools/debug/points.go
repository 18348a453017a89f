package debug

import (
	"context"
	"path/filepath"
	"slices"
	"sync"

	protocol "github.com/google/go-dap"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/dap"
)

// Breakpoint is a place where a program is to stop: a line of a file, or a function.
type Breakpoint struct {
	Path string `json:"path,omitempty"`
	Line int    `json:"line,omitempty" jsonschema:"minimum=1"`
	// Function is the name of a function in the form of the debugger, for example main.run. It excludes Path and Line.
	Function string `json:"function,omitempty" jsonschema:"description=Instead of path and line\\, such as main.run"`
	// Condition is an expression; the program stops if it is true.
	Condition string `json:"condition,omitempty"`
	// HitCondition is the number of hits before a stop, in a form that the debugger supports: "3", ">= 3", "% 3".
	HitCondition string `json:"hitCondition,omitempty" jsonschema:"description=Such as 5 or >= 5"`
	// LogMessage is printed instead of stopping, with expressions in braces.
	LogMessage string `json:"logMessage,omitempty" jsonschema:"description=Printed instead of stopping; {expressions} in braces"`
}

// BreakpointState is a breakpoint with the response of the debugger.
type BreakpointState struct {
	Breakpoint
	// Verified says that the program will stop there.
	Verified bool `json:"verified"`
	// ActualLine is where that is, if it is another line.
	ActualLine int `json:"actualLine,omitempty"`
	// Message is the reason why the breakpoint is not verified, or another message of the debugger.
	Message string `json:"message,omitempty"`
}

const (
	maxPoints     = 200     // of a session
	maxExpression = 8 << 10 // bytes
)

// points are the breakpoints of a session.
type points struct {
	mu  sync.Mutex
	all []*point
}

// point is a breakpoint.
type point struct {
	BreakpointState
	abs       string // of the file; "" for a function
	id        int    // of the adapter's
	temporary bool   // removed at the next stop
}

// check validates a breakpoint.
func (b Breakpoint) check() error {
	switch {
	case b.Function != "" && (b.Path != "" || b.Line != 0):
		return invalid("Give path and line, or function.", "a breakpoint is in a line or at a function, not both")
	case b.Function == "" && (b.Path == "" || b.Line < 1):
		return invalid("Give path and line, or function.", "a breakpoint says not where it is")
	case b.Function != "" && b.LogMessage != "":
		return invalid("Give path and line.", "only a breakpoint in a line can print a message")
	}
	for _, text := range []string{b.Function, b.Condition, b.HitCondition, b.LogMessage} {
		if len(text) > maxExpression {
			return invalid("Give a shorter one.", "an expression has %d bytes, more than %d", len(text), maxExpression)
		}
	}
	return nil
}

// resolve checks breakpoints and finds their files.
func (d *Debugger) resolve(ctx context.Context, given []Breakpoint) ([]*point, error) {
	all := make([]*point, 0, len(given))
	for _, b := range given {
		if err := b.check(); err != nil {
			return nil, err
		}
		p := &point{BreakpointState: BreakpointState{Breakpoint: b}}
		if b.Function == "" {
			info, err := d.root.Stat(ctx, b.Path)
			if err != nil {
				return nil, err
			}
			if info.Kind != security.RegularFile {
				return nil, invalid("Give a source file.", "%s is not a file", quote(b.Path))
			}
			p.Path = info.Path
			p.abs = filepath.Join(d.root.Dirs()[info.Dir], filepath.FromSlash(info.Rel))
		}
		all = append(all, p)
	}
	return all, nil
}

// add adds breakpoints and replaces those at the same positions. The caller must send them.
func (ps *points) add(ctx context.Context, d *Debugger, given []Breakpoint) error {
	resolved, err := d.resolve(ctx, given)
	if err != nil {
		return err
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	all := slices.Clone(ps.all)
	for _, p := range resolved {
		i := slices.IndexFunc(all, func(other *point) bool {
			return other.abs == p.abs && other.Line == p.Line && other.Function == p.Function && !other.temporary
		})
		if i >= 0 {
			all[i] = p
		} else {
			all = append(all, p)
		}
	}
	if len(all) > maxPoints {
		return invalid("Clear some that are not needed.", "there would be %d breakpoints, more than %d", len(all), maxPoints)
	}
	ps.all = all
	return nil
}

// addEntry adds a breakpoint at the function that a program begins with.
func (ps *points) addEntry(function string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.all = append(ps.all, &point{BreakpointState: BreakpointState{Breakpoint: Breakpoint{Function: function}}, temporary: true})
}

// addTemporary adds a breakpoint until the program stops the next time, unless one is there.
func (ps *points) addTemporary(p *point) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p.temporary = true
	ps.all = append(ps.all, p)
}

// dropTemporary removes breakpoints until the next stop and returns their files, for sending.
func (ps *points) dropTemporary() []string {
	return ps.drop(func(p *point) bool { return p.temporary })
}

// drop removes breakpoints and returns their files, for sending; "" stands for functions.
func (ps *points) drop(which func(*point) bool) []string {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	var files []string
	ps.all = slices.DeleteFunc(slices.Clone(ps.all), func(p *point) bool {
		if !which(p) {
			return false
		}
		files = append(files, p.abs)
		return true
	})
	slices.Sort(files)
	return slices.Compact(files)
}

// files returns the files with breakpoints; "" stands for functions.
func (ps *points) files() []string {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	var files []string
	for _, p := range ps.all {
		files = append(files, p.abs)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// in are the breakpoints of a file; "" stands for functions.
func (ps *points) in(file string) []*point {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	var found []*point
	for _, p := range ps.all {
		if p.abs == file {
			found = append(found, p)
		}
	}
	return found
}

// sendAll sends all breakpoints to the adapter.
func (ps *points) sendAll(ctx context.Context, client *dap.Session) error {
	for _, file := range ps.files() {
		if err := ps.send(ctx, client, file); err != nil {
			return err
		}
	}
	return nil
}

// send sends the breakpoints of a file, or of functions, to the adapter. They replace the former ones.
func (ps *points) send(ctx context.Context, client *dap.Session, file string) error {
	all := ps.in(file)
	var answer protocol.SetBreakpointsResponseBody
	var err error
	if file == "" {
		list := make([]protocol.FunctionBreakpoint, 0, len(all))
		for _, p := range all {
			list = append(list, protocol.FunctionBreakpoint{Name: p.Function, Condition: p.Condition, HitCondition: p.HitCondition})
		}
		err = client.Call(ctx, "setFunctionBreakpoints", map[string]any{"breakpoints": list}, &answer)
	} else {
		list := make([]protocol.SourceBreakpoint, 0, len(all))
		for _, p := range all {
			list = append(list, protocol.SourceBreakpoint{Line: p.Line, Condition: p.Condition, HitCondition: p.HitCondition, LogMessage: p.LogMessage})
		}
		// An empty list is not left out, as the type of the arguments would have it: not all adapters take none for it.
		err = client.Call(ctx, "setBreakpoints", map[string]any{"source": protocol.Source{Name: filepath.Base(file), Path: file}, "breakpoints": list}, &answer)
	}
	if err != nil {
		return err
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for i, p := range all {
		if i < len(answer.Breakpoints) {
			p.update(answer.Breakpoints[i])
			p.id = answer.Breakpoints[i].Id
		} else {
			p.Verified, p.Message = false, "the debugger did not say whether it is set"
		}
	}
	return nil
}

// update records the response of the adapter for a breakpoint.
func (p *point) update(b protocol.Breakpoint) {
	p.Verified, p.Message, p.ActualLine = b.Verified, truncate.Cut(b.Message, maxShown), 0
	if b.Line > 0 && b.Line != p.Line {
		p.ActualLine = b.Line
	}
}

// changed records a breakpoint event.
func (ps *points) changed(b protocol.Breakpoint) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for _, p := range ps.all {
		if b.Id != 0 && p.id == b.Id {
			p.update(b)
		}
	}
}

// states lists the breakpoints of the caller.
func (ps *points) states() []BreakpointState {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	states := make([]BreakpointState, 0, len(ps.all))
	for _, p := range ps.all {
		if !p.temporary {
			states = append(states, p.BreakpointState)
		}
	}
	return states
}

// given are the breakpoints as they were asked for.
func (ps *points) given() []Breakpoint {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	all := make([]Breakpoint, len(ps.all))
	for i, p := range ps.all {
		all[i] = p.Breakpoint
	}
	return all
}

// expressions are all that breakpoints evaluate.
func (ps *points) expressions() []string {
	var all []string
	for _, b := range ps.given() {
		all = append(all, b.expressions()...)
	}
	return all
}

func (b Breakpoint) expressions() []string {
	var all []string
	for _, text := range []string{b.Condition, b.HitCondition} {
		if text != "" {
			all = append(all, text)
		}
	}
	return append(all, inBraces(b.LogMessage)...)
}

// inBraces are the expressions of a message.
func inBraces(message string) []string {
	var all []string
	depth, from := 0, 0
	for i, c := range message {
		switch {
		case c == '{':
			if depth++; depth == 1 {
				from = i + 1
			}
		case c == '}' && depth > 0:
			if depth--; depth == 0 && i > from {
				all = append(all, message[from:i])
			}
		}
	}
	if depth > 0 && from < len(message) {
		all = append(all, message[from:])
	}
	return all
}
