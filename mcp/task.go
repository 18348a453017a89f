package mcp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// TasksExtension is the id of the extension by which a call is answered with a
// task, whose result is asked for later.
const TasksExtension = "io.modelcontextprotocol/tasks"

// TaskSupport says whether the calls of a tool can be tasks.
type TaskSupport string

const (
	// TaskOptional makes a call a task where the client can take one.
	TaskOptional TaskSupport = "optional"
	// TaskRequired makes a call a task, and refuses it where the client cannot
	// take one. Lists for other clients lack the tool.
	TaskRequired TaskSupport = "required"
)

// TaskRunner runs the calls of a server that are tasks, and answers what clients
// ask of them. Package mcp/tasks has one.
type TaskRunner interface {
	// Go runs f in a goroutine that the runner waits for when it is closed. It is
	// false when the runner is closed.
	Go(f func()) bool
	// Begin makes a task of a call. When it returns, tasks/get finds it.
	Begin(ctx context.Context, start TaskStart) (Task, error)
	// Serve answers a request whose method begins with "tasks/". may says why its
	// sender may not use a tool any more, nil if it may: Serve asks it about the
	// tool of the task that is named.
	Serve(ctx context.Context, req *Request, may func(tool string) error) (Result, error)
	// Follow calls changed with each of ids, at once and whenever its task has
	// changed, until stop is called; changed does not block. It returns the ids of
	// tasks of the request's principal whose tools may permits; a nil may permits all.
	Follow(ctx context.Context, req *Request, ids []string, may func(tool string) error, changed func(id string)) (followed []string, stop func(), err error)
	// Changed is what there is to tell of a task to the one who has sent a
	// subscriptions/listen, nil if it does not exist any more.
	Changed(ctx context.Context, listen *Request, id string) Notification
}

// TaskStart is a call that becomes a task.
type TaskStart struct {
	Tool    string
	Request *Request // whoever sent it is whom the task belongs to
	// TTL is how long the client wants the task to be kept, 0 if it does not say
	// (2025-11-25, basic/utilities/tasks).
	TTL time.Duration
	// Cancel ends the context of the work. It may be called more than once.
	Cancel context.CancelCauseFunc
}

// Task is a call that goes on after its request was answered.
type Task interface {
	// Asker puts questions to whoever looks after the task.
	Asker
	// Handle is what the request is answered with.
	Handle() Result
	// Report tells in words how far the work has come.
	Report(message string)
	// End ends the task: with a result, or with a *Error.
	End(result *ToolResult, failure error)
}

// InTask reports whether the call of ctx has become a task: it may take as long
// as its work takes, since nobody waits for the answer to its request.
func InTask(ctx context.Context) bool {
	call := CallFrom(ctx)
	return call != nil && call.task() != nil
}

// Patience is how long a tool is to wait for its own work: usual, or in a task for as
// long as it takes.
func Patience(ctx context.Context, usual time.Duration) time.Duration {
	const ever = 100 * 365 * 24 * time.Hour
	if InTask(ctx) {
		return ever
	}
	return usual
}

// BecomeTask makes the call of ctx a task if its tool has ToolOptions.TaskLate:
// the request is answered, and the handler goes on. It does nothing where the call
// is a task already, where the client takes none, or where the server has no
// ServerOptions.Tasks. After an error, such as a limit that is reached, the handler
// may go on without a task.
func BecomeTask(ctx context.Context) error {
	call := CallFrom(ctx)
	if call == nil || call.tasking == nil {
		return nil
	}
	return call.tasking.become(ctx)
}

// HasExtension reports whether the client declares an extension for this request
// (2026-07-28, basic/versioning, "Extension Negotiation").
func (m *RequestMeta) HasExtension(id string) bool {
	if m.session != nil {
		_, declared := m.session.Capabilities.Extensions[id]
		return declared
	}
	return memberOf(memberOf(m.capabilities, "extensions"), id) != nil
}

// memberOf is the value of a member of a JSON object, nil if it has none.
func memberOf(object []byte, name string) []byte {
	if len(object) == 0 || object[0] != '{' {
		return nil
	}
	members := jsonx.Object(object)
	for members.Next() {
		if members.Escaped() && members.Name() == name || string(members.Key()) == name {
			return members.Value()
		}
	}
	return nil
}

// needsTasks is the error for a request that only clients with the extension may
// send.
func needsTasks(what string) *Error {
	e := Errorf(CodeMissingCapability, "The client does not declare the extension %s, which %s needs", TasksExtension, what)
	return e.withData(map[string]any{"requiredCapabilities": map[string]any{
		"extensions": map[string]any{TasksExtension: json.RawMessage(`{}`)},
	}})
}
