package terminal

import (
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// callMargin is the time beyond the longest wait after which every call ends. It exceeds the time to end a process.
const callMargin = 15 * time.Second

// define returns the definitions of all tools of the set.
func (t *Terminal) define() ([]mcp.ServerTool, error) {
	defined := []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{
			Name: "execute_command", Annotations: mcp.Unconfined(),
			Description: "Runs a command in the project; a long one continues with a processId." + t.rights(),
		}, t.Execute),
		mcp.NewTool(mcp.Tool{
			Name: "read_process_output", Annotations: mcp.ReadOnly(),
			Description: "Reads the output of a process; can wait for more or its end.",
		}, t.ReadOutput),
		mcp.NewTool(mcp.Tool{
			Name: "send_process_input", Annotations: mcp.Unconfined(),
			Description: "Types into a process started with background or pty; returns its reply.",
		}, t.SendInput),
		mcp.NewTool(mcp.Tool{
			Name: "list_processes", Annotations: mcp.ReadOnly(),
			Description: "Lists the processes started here.",
		}, t.List),
		mcp.NewTool(mcp.Tool{
			Name: "kill_process", Annotations: mcp.Destructive(),
			Description: "Ends a process and its child processes.",
		}, t.Kill).With(mcp.ToolOptions{Permissions: []string{mcp.PermissionRun}}),
		mcp.NewTool(mcp.Tool{
			Name: "execute_build", Annotations: mcp.Unconfined(),
			Description: "Builds or tests the project with its build system; returns errors by file and line.",
		}, t.Build).With(mcp.ToolOptions{Task: mcp.TaskOptional}),
	}
	return tools.Define(mcp.ToolOptions{Timeout: max(t.options.MaxWait, maxWait) + callMargin, MaxResult: t.limits.MaxResult()}, defined...)
}

// rights returns a sentence on the permissions of commands in a sandbox, for models.
func (t *Terminal) rights() string {
	switch {
	case t.options.Sandbox == nil:
		return ""
	case t.options.Sandbox.Active():
		return " It runs in a sandbox: only the project and /tmp can be changed, and other files of the user are absent."
	}
	return " There is no sandbox."
}
