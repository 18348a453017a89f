package debug

import (
	"context"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/internal/dap"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// BreakpointsArgs are the arguments of debug_breakpoints.
type BreakpointsArgs struct {
	SessionID string `json:"sessionId,omitempty" jsonschema:"description=Not needed for the only session"`
	// Set are added; one at the same place is replaced.
	Set []Breakpoint `json:"set,omitempty"`
	// Clear are removed, by path and line or by function; one with a path alone stands for all of the file.
	Clear []ClearBreakpoint `json:"clear,omitempty"`
	// ClearAll removes all that were there.
	ClearAll bool `json:"clearAll,omitempty"`
}

// ClearBreakpoint says which breakpoints are to be removed.
type ClearBreakpoint struct {
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty" jsonschema:"minimum=1,description=Default: all of the file"`
	Function string `json:"function,omitempty"`
}

// BreakpointsResult is the result of debug_breakpoints.
type BreakpointsResult struct {
	SessionID string `json:"sessionId"`
	// Breakpoints are all that there are now.
	Breakpoints []BreakpointState `json:"breakpoints"`
	// State is as in State.State.
	State string `json:"state"`
}

// Breakpoints is debug_breakpoints. Without anything to set or clear it lists.
func (d *Debugger) Breakpoints(ctx context.Context, args BreakpointsArgs) (BreakpointsResult, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := d.find(ctx, args.SessionID)
	if err != nil {
		return BreakpointsResult{}, err
	}
	give, err := s.take(ctx)
	if err != nil {
		return BreakpointsResult{}, err
	}
	defer give()
	if len(args.Set) > 0 || len(args.Clear) > 0 || args.ClearAll {
		if err := s.change(ctx, args); err != nil {
			return BreakpointsResult{}, err
		}
	}
	at, _ := s.position()
	return BreakpointsResult{SessionID: s.id, Breakpoints: s.points.states(), State: at.state}, nil
}

// change sets and clears breakpoints.
func (s *session) change(ctx context.Context, args BreakpointsArgs) error {
	client, err := s.activeClient()
	if err != nil {
		return err
	}
	if err := offered(client, args.Set); err != nil {
		return err
	}
	var expressions []string
	for _, b := range args.Set {
		expressions = append(expressions, b.expressions()...)
	}
	if err := s.allowedExpressions(ctx, "debug_breakpoints", expressions); err != nil {
		return err
	}
	cleared, err := s.cleared(ctx, args)
	if err != nil {
		return err
	}
	resolved, err := s.d.resolve(ctx, args.Set) // before anything is changed
	if err != nil {
		return err
	}
	entry, err := s.d.audit.Begin(ctx, audit.Entry{Operation: "debug_breakpoints", Params: map[string]any{"sessionId": s.id, "set": args.Set, "clear": args.Clear, "clearAll": args.ClearAll}})
	if err != nil {
		return err
	}
	files := s.points.drop(func(p *point) bool { return !p.temporary && cleared(p) })
	err = s.points.add(ctx, s.d, args.Set)
	for _, p := range resolved {
		files = append(files, p.abs)
	}
	sent := make(map[string]bool)
	for _, file := range files {
		if sent[file] {
			continue
		}
		sent[file] = true
		if failure := s.points.send(ctx, client, file); failure != nil && err == nil {
			err = failed("setting breakpoints", failure)
		}
	}
	return recordOutcome(entry, err)
}

// offered refuses breakpoints that the debugger does not know.
func offered(client *dap.Session, all []Breakpoint) error {
	offers := client.Offers()
	for _, b := range all {
		what := ""
		switch {
		case b.Function != "" && !offers.SupportsFunctionBreakpoints:
			what = "breakpoints at functions"
		case b.Condition != "" && !offers.SupportsConditionalBreakpoints:
			what = "conditions"
		case b.HitCondition != "" && !offers.SupportsHitConditionalBreakpoints:
			what = "hit conditions"
		case b.LogMessage != "" && !offers.SupportsLogPoints:
			what = "log messages"
		}
		if what != "" {
			return invalid("Leave it out.", "this debugger knows no %s", what)
		}
	}
	return nil
}

// cleared returns a function that reports whether a breakpoint is to be removed.
func (s *session) cleared(ctx context.Context, args BreakpointsArgs) (func(*point) bool, error) {
	paths := make([]string, len(args.Clear))
	for i, c := range args.Clear {
		if c.Path == "" && c.Function == "" {
			return nil, invalid("Give path, path and line, or function.", "the breakpoint to clear has no place")
		}
		paths[i] = c.Path
		if info, err := s.d.root.Stat(ctx, c.Path); c.Path != "" && err == nil {
			paths[i] = info.Path
		}
	}
	return func(p *point) bool {
		if args.ClearAll {
			return true
		}
		for i, c := range args.Clear {
			if c.Function != "" && c.Function == p.Function || paths[i] != "" && paths[i] == p.Path && (c.Line == 0 || c.Line == p.Line) {
				return true
			}
		}
		return false
	}, nil
}

// TextContent returns the text for the model.
func (r BreakpointsResult) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[session %s %s: %s]\n", r.SessionID, r.State, plural.Count(len(r.Breakpoints), "breakpoint"))
	for _, p := range r.Breakpoints {
		b.WriteString(p.text() + "\n")
	}
	return b.String()
}

func (p BreakpointState) text() string {
	text := p.Function
	if text == "" {
		text = fmt.Sprintf("%s:%d", p.Path, p.Line)
	}
	if !p.Verified {
		text += " (not verified)"
	}
	switch {
	case p.ActualLine > 0 && p.Function != "":
		text += fmt.Sprintf(" at line %d", p.ActualLine)
	case p.ActualLine > 0:
		text += fmt.Sprintf(" moved to line %d", p.ActualLine)
	}
	for _, more := range [][2]string{{"if", p.Condition}, {"hits", p.HitCondition}, {"prints", p.LogMessage}, {"--", p.Message}} {
		if more[1] != "" {
			text += " " + more[0] + " " + more[1]
		}
	}
	return text
}
