package debug

import (
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

const (
	// maxWait is the longest that a call waits for the program: clients give up after a minute.
	maxWait = 45 * time.Second
	// toolTimeout is more than any call takes.
	toolTimeout = patience + 10*time.Second
	// patience is the longest that a call takes in all.
	patience = 50 * time.Second
)

// define makes the tools as models see them.
func (d *Debugger) define() ([]mcp.ServerTool, error) {
	defined := []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{
			Name: "debug_start", Annotations: mcp.Unconfined(),
			Description: "Debugs a program or its tests: runs it up to the first breakpoint, its end, or for waitMs.",
		}, d.Start),
		mcp.NewTool(mcp.Tool{
			Name: "debug_status", Annotations: mcp.ReadOnly(),
			Description: "Shows where the program is and its output; can wait until it stops.",
		}, d.Status),
		mcp.NewTool(mcp.Tool{
			Name: "debug_breakpoints", Annotations: mcp.Unconfined(),
			Description: "Sets and clears breakpoints, and lists them with the lines where they really are.",
		}, d.Breakpoints),
		mcp.NewTool(mcp.Tool{
			Name: "debug_step", Annotations: mcp.Unconfined(),
			Description: "Continues the program (over, into, out, continue, until a line) or pauses it; returns where it stops.",
		}, d.Step),
		mcp.NewTool(mcp.Tool{
			Name: "debug_variables", Annotations: mcp.ReadOnly(),
			Description: "Shows the stack and the variables of a frame, or the parts of one variable (ref).",
		}, d.Variables),
		mcp.NewTool(mcp.Tool{
			Name: "debug_evaluate", Annotations: mcp.Unconfined(),
			Description: "Evaluates an expression in a frame. It may have side effects in the program and beyond.",
		}, d.Evaluate),
		mcp.NewTool(mcp.Tool{
			Name: "debug_stop", Annotations: mcp.Destructive(),
			Description: "Ends a session: the debugger, the program and its child processes.",
		}, d.Stop).With(mcp.ToolOptions{Permissions: []string{mcp.PermissionRun}}),
	}
	return tools.Define(mcp.ToolOptions{Timeout: toolTimeout, MaxResult: d.limits.MaxResult()}, defined...)
}

// waiting checks a time to wait, which is in milliseconds; nil is the usual.
func waiting(ms *int, usual time.Duration) (time.Duration, error) {
	if ms == nil {
		return usual, nil
	}
	wait := time.Duration(*ms) * time.Millisecond
	if wait < 0 || wait > maxWait {
		return 0, invalid("Give a waitMs of 0 to 45000, and call debug_status for more.", "waitMs %d is out of bounds", *ms)
	}
	return wait, nil
}
