package terminal

import (
	"errors"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

const (
	// toolTimeout is more than any wait and what it takes to end a process.
	toolTimeout = maxWait + 15*time.Second
	// spareResult is how much larger than its text a result may be: it holds the text
	// twice, and JSON may escape it.
	spareResult = 8
)

// define makes the tools as models see them.
func (t *Terminal) define() ([]mcp.ServerTool, error) {
	defined := []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{
			Name: "execute_command", Annotations: commanding(),
			Description: "Runs a command in the project; what takes long goes on with a processId." + t.rights(),
		}, t.Execute),
		mcp.NewTool(mcp.Tool{
			Name: "read_process_output", Annotations: mcp.ReadOnly(),
			Description: "Reads what a process says; can wait for more or its end.",
		}, t.ReadOutput),
		mcp.NewTool(mcp.Tool{
			Name: "send_process_input", Annotations: commanding(),
			Description: "Types into a process started with background or pty; answers with its reply.",
		}, t.SendInput),
		mcp.NewTool(mcp.Tool{
			Name: "list_processes", Annotations: mcp.ReadOnly(),
			Description: "Lists the processes started here.",
		}, t.List),
		mcp.NewTool(mcp.Tool{
			Name: "kill_process", Annotations: mcp.Destructive(),
			Description: "Ends a process with all that it has started.",
		}, t.Kill).With(mcp.ToolOptions{Permissions: []string{mcp.PermissionRun}}),
		mcp.NewTool(mcp.Tool{
			Name: "execute_build", Annotations: commanding(),
			Description: "Builds or tests the project with its build system; answers with errors by file and line.",
		}, t.Build).With(mcp.ToolOptions{Task: mcp.TaskOptional}),
	}
	var faults []error
	for i := range defined {
		defined[i] = defined[i].With(mcp.ToolOptions{Timeout: toolTimeout, MaxResult: spareResult * t.limits.MaxAnswer})
		faults = append(faults, defined[i].Err())
	}
	return defined, errors.Join(faults...)
}

// rights describes for models the reach of commands, if a sandbox was asked for.
func (t *Terminal) rights() string {
	switch {
	case t.options.Sandbox == nil:
		return ""
	case t.options.Sandbox.Active():
		return " It runs in a sandbox: only the project and /tmp can be changed, and other files of the user are absent."
	}
	return " There is no sandbox."
}

// commanding annotates a tool that may do anything, beyond the project as well.
func commanding() *mcp.ToolAnnotations {
	a := mcp.Destructive()
	a.OpenWorld = new(true)
	return a
}
