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

// TaskRunner runs the calls of a server that are tasks, and handles requests about them. Package
// mcp/tasks implements it.
type TaskRunner interface {
	// Go runs f in a goroutine. Closing the runner waits for the goroutine. Go returns false if the
	// runner is closed.
	Go(f func()) bool
	// Begin creates a task for a call. After it returns, tasks/get finds the task.
	Begin(ctx context.Context, start TaskStart) (Task, error)
	// Serve handles a request whose method begins with "tasks/". may returns an error if the sender
	// may not use a tool any more; Serve calls it with the tool of the task.
	Serve(ctx context.Context, req *protocol.Request, may func(tool string) error) (protocol.Result, error)
	// Follow calls changed with each id, at once and after each change of its task, until stop is
	// called. changed must not block. followed lists the tasks of the request's principal whose
	// tools may permits; a nil may permits all.
	Follow(ctx context.Context, req *protocol.Request, ids []string, may func(tool string) error, changed func(id string)) (followed []string, stop func(), err error)
	// Notification returns the notification of the current state of a task, for the sender of listen. It
	// returns nil if the task does not exist any more.
	Notification(ctx context.Context, listen *protocol.Request, id string) protocol.Notification
}

// TaskStart is a call that becomes a task.
type TaskStart struct {
	Tool    string            // Tool is the name of the tool.
	Request *protocol.Request // Request is the call; its sender owns the task.
	// TTL is the time to live that the client requests; 0 if it requests none (2025-11-25,
	// basic/utilities/tasks).
	TTL time.Duration
	// Cancel cancels the context of the handler. It may be called more than once.
	Cancel context.CancelCauseFunc
}

// Task is a call that continues after the response to its request.
type Task interface {
	// Asker sends questions to the clients that follow the task.
	protocol.Asker
	// Handle returns the response to the request, which identifies the task.
	Handle() protocol.Result
	// Report sets the status message of the task.
	Report(message string)
	// End ends the task with a result, or with a *Error as failure.
	End(result *ToolResult, failure error)
}

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
