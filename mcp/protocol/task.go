package protocol

import (
	"context"
	"time"
)

// TaskRunner runs the calls of a server that are tasks, and handles requests about them. Package
// mcp/tasks implements it.
type TaskRunner interface {
	// Go runs f in a goroutine. Closing the runner waits for the goroutine. Go returns false if the
	// runner is closed.
	Go(f func()) bool
	// Begin creates a task for a call. After it returns, tasks/get finds the task.
	Begin(ctx context.Context, start TaskStart) (Task, error)
	// Serve handles a request whose method begins with "tasks/". authorize returns an error if
	// the sender may not use a tool any more; Serve calls it with the tool of the task.
	Serve(ctx context.Context, req *Request, authorize func(tool string) error) (Result, error)
	// Follow calls changed with each id, at once and after each change of its task, until stop is
	// called. changed must not block. followed lists the tasks of the request's principal whose
	// tools authorize permits; nil permits all.
	Follow(ctx context.Context, req *Request, ids []string, authorize func(tool string) error, changed func(id string)) (followed []string, stop func(), err error)
	// Notification returns the notification of the current state of a task, for the sender of listen. It
	// returns nil if the task does not exist any more.
	Notification(ctx context.Context, listen *Request, id string) Notification
}

// TaskStart is a call that becomes a task.
type TaskStart struct {
	Tool    string   // Tool is the name of the tool.
	Request *Request // Request is the call; its sender owns the task.
	// TTL is the time to live that the client requests; 0 if it requests none (2025-11-25,
	// basic/utilities/tasks).
	TTL time.Duration
	// Cancel cancels the context of the handler. It may be called more than once.
	Cancel context.CancelCauseFunc
}

// Task is a call that continues after the response to its request.
type Task interface {
	// Asker sends questions to the clients that follow the task.
	Asker
	// Handle returns the response to the request, which identifies the task.
	Handle() Result
	// Report sets the status message of the task.
	Report(message string)
	// End ends the task with a result, or with a *Error as failure. isError means that the result
	// reports a failure of the tool.
	End(result Result, isError bool, failure error)
}
