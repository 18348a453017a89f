package mcp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// TaskSupport describes whether calls of a tool can be tasks.
type TaskSupport string

const (
	// TaskOptional makes a call a task if the client supports tasks.
	TaskOptional TaskSupport = "optional"
	// TaskRequired makes a call a task, and refuses clients without tasks. Their lists omit the
	// tool.
	TaskRequired TaskSupport = "required"
)

// InTask reports whether the call of ctx is a task. A task may run for a long time, because no
// request waits for it.
func InTask(ctx context.Context) bool {
	call := CallFrom(ctx)
	return call != nil && call.task() != nil
}

// WorkTimeout returns how long a tool should wait for its own work: usual, or 100 years in a task.
func WorkTimeout(ctx context.Context, usual time.Duration) time.Duration {
	const ever = 100 * 365 * 24 * time.Hour
	if InTask(ctx) {
		return ever
	}
	return usual
}

// BecomeTask makes the call of ctx a task if its tool has ToolOptions.DeferTask: the client receives
// the task, and the handler continues. It does nothing if the call is a task already, the client
// does not support tasks, or the server has no ServerOptions.Tasks. After an error, for example at
// a limit, the handler may continue without a task.
func BecomeTask(ctx context.Context) error {
	call := CallFrom(ctx)
	if call == nil || call.taskState == nil {
		return nil
	}
	return call.taskState.become(ctx)
}

// missingTasksError returns the error for a request that needs the tasks extension. what names the request
// or tool.
func missingTasksError(what string) *protocol.Error {
	e := protocol.Errorf(protocol.CodeMissingCapability, "The client does not declare the extension %s, which %s needs", protocol.TasksExtension, what)
	return e.WithData(map[string]any{"requiredCapabilities": map[string]any{
		"extensions": map[string]any{protocol.TasksExtension: json.RawMessage(`{}`)},
	}})
}
