package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// taskCall is a call that is a task or may become one. Its handler runs in a goroutine of the
// runner, so that it continues after the response to the request.
type taskCall struct {
	call   *Invocation
	runner protocol.TaskRunner
	ctx    context.Context    // context of the handler
	start  protocol.TaskStart // arguments of TaskRunner.Begin
	detach func() bool        // detaches ctx from the context of the request

	becameTask chan struct{} // closed when the call becomes a task

	mu              sync.RWMutex                                       // read-locked while a notification is sent
	notify          func(context.Context, protocol.Notification) error // nil once the call is a task
	task            protocol.Task                                      // nil until the call is a task
	handlerReturned bool                                               // the handler has returned
}

// task returns the task that the call has become, or nil.
func (call *Invocation) task() protocol.Task {
	if call.taskState == nil {
		return nil
	}
	call.taskState.mu.RLock()
	defer call.taskState.mu.RUnlock()
	return call.taskState.task
}

// asker returns the Asker for the questions of the call; nil means replay.
func (call *Invocation) asker() protocol.Asker {
	if task := call.task(); task != nil {
		return task
	}
	return call.Request.Asker
}

// supportsTasks reports whether the sender of a request supports tasks. A modern client declares the
// extension. A client of 2025-11-25 reads execution.taskSupport of the tool. Older revisions have
// no tasks.
func supportsTasks(m *protocol.RequestMeta) bool {
	if m.Revision.Modern() {
		return m.HasExtension(protocol.TasksExtension)
	}
	return m.Revision == protocol.Rev20251125
}

// isTask reports whether a call is a task or may become one. A modern client declares the
// extension; a client of 2025-11-25 requests a task by the member wanted. The error refuses the
// call.
func isTask(req *protocol.Request, tool *ServerTool, wanted json.RawMessage) (bool, error) {
	required, rev := tool.opts.Task == TaskRequired, req.Meta.Revision
	switch {
	case rev.Modern() && req.Meta.HasExtension(protocol.TasksExtension):
		return tool.opts.Task != "", nil
	case rev.Modern() && required:
		return false, missingTasksError("the tool " + tool.tool.Name)
	case rev.Modern():
		return false, nil
	case rev == protocol.Rev20251125 && wanted != nil && tool.opts.Task == "":
		return false, protocol.Errorf(protocol.CodeMethodNotFound, "The tool %s cannot be called as a task; leave the member \"task\" out", tool.tool.Name)
	case rev == protocol.Rev20251125 && required && wanted == nil:
		return false, protocol.Errorf(protocol.CodeMethodNotFound, "The tool %s must be called as a task, with the member \"task\"", tool.tool.Name)
	case required && wanted == nil:
		return false, &ToolError{Code: "MISSING_CAPABILITY", Message: "the client does not take tasks, which this tool needs", Next: "continue without this tool, or tell the user"}
	}
	return rev == protocol.Rev20251125 && wanted != nil, nil
}

// requestedTTL returns the time to live that a client of a session requests; 0 if it requests none. It
// is at most a year.
func requestedTTL(wanted json.RawMessage) (time.Duration, error) {
	var task struct {
		TTL float64 `json:"ttl"`
	}
	if wanted == nil {
		return 0, nil
	}
	if err := unmarshal(wanted, &task); err != nil || task.TTL < 0 {
		return 0, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the member \"task\" must be an object whose ttl, if any, is a number of milliseconds")
	}
	const most = 365 * 24 * time.Hour
	return time.Duration(min(task.TTL, float64(most.Milliseconds()))) * time.Millisecond, nil
}

// callTask handles a call that is a task or may become one.
func (s *Server) callTask(ctx context.Context, call *Invocation, tool *ServerTool, p callParams) (protocol.Result, error) {
	args, err := tool.input.Prepare(p.arguments)
	if err != nil {
		return s.finishResult(call, invalidArguments(err)), nil
	}
	ttl, err := requestedTTL(p.task)
	if err != nil {
		return nil, err
	}
	t := s.newTaskCall(ctx, call, ttl)
	if late := tool.opts.DeferTask && p.task == nil; !late {
		if err := t.become(t.ctx); err != nil {
			t.start.Cancel(err)
			return s.refusalResponse(err)
		}
	}
	returned := make(chan toolOutcome, 1)
	if !t.runner.Go(func() { t.run(tool, args, returned) }) {
		stopping := protocol.Errorf(protocol.CodeInternal, "The server is being stopped")
		t.end(toolOutcome{err: stopping}, returned)
	}
	select {
	case <-t.becameTask:
		return resultWithServer{t.task.Handle(), s.serverInfo()}, nil // task does not change any more
	case o := <-returned:
		return s.callResponse(call, p, o.result, o.err)
	}
}

// toolOutcome is the return value of a handler.
type toolOutcome struct {
	result *ToolResult
	err    error
}

// newTaskCall prepares a call for becoming a task. Until then the context of the request cancels its
// handler.
func (s *Server) newTaskCall(ctx context.Context, call *Invocation, ttl time.Duration) *taskCall {
	t := &taskCall{call: call, runner: s.opts.Tasks, becameTask: make(chan struct{}), notify: call.Request.Notify}
	work, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	t.detach = context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	req := *call.Request
	if req.Notify != nil {
		req.Notify = t.notifyUntilTask
	}
	call.Request, call.taskState = &req, t
	t.start = protocol.TaskStart{Tool: call.Tool, Request: call.Request, TTL: ttl, Cancel: cancel}
	t.ctx = withCall(work, call)
	return t
}

// notifyUntilTask sends a notification of the request until the call becomes a task. Later ones are dropped,
// because tasks have no notifications of this kind.
func (t *taskCall) notifyUntilTask(ctx context.Context, n protocol.Notification) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.notify == nil {
		return nil
	}
	return t.notify(ctx, n)
}

// become makes the call a task. It waits for running notifications before the response is sent.
func (t *taskCall) become(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.task != nil, t.handlerReturned:
		return nil
	case t.call.hasPendingQuestions():
		return ErrInputRequired // the response contains the question
	}
	task, err := t.runner.Begin(ctx, t.start)
	if err != nil {
		return err
	}
	if !t.detach() { // the client has cancelled the request and does not know the task
		why := context.Cause(ctx)
		t.start.Cancel(why)
		task.End(nil, false, protocol.Errorf(protocol.CodeInternal, "The request was cancelled"))
		return errors.Join(context.Canceled, why)
	}
	t.call.clock.disarm()
	t.task, t.notify = task, nil
	close(t.becameTask)
	return nil
}

// run runs the handler and ends the task or the request with its return value.
func (t *taskCall) run(tool *ServerTool, args json.RawMessage, returned chan<- toolOutcome) {
	o := toolOutcome{err: protocol.Errorf(protocol.CodeInternal, "Internal error while running %s", tool.tool.Name)}
	defer func() {
		if v := recover(); v != nil {
			t.call.server.opts.Log.ErrorContext(t.ctx, "panic in a task", "tool", tool.tool.Name, "panic", v, "stack", string(debug.Stack()))
		}
		t.end(o, returned)
	}()
	o.result, o.err = t.call.server.runChecked(t.ctx, t.call, tool, args)
}

// end passes the return value of the handler to the task, or to the request that still waits.
func (t *taskCall) end(o toolOutcome, returned chan<- toolOutcome) {
	t.mu.Lock()
	t.handlerReturned = true
	task := t.task
	t.mu.Unlock()
	defer t.start.Cancel(nil)
	switch {
	case task == nil:
		returned <- o
	case o.err != nil:
		task.End(nil, false, o.err)
	default:
		task.End(t.call.server.finishResult(t.call, o.result), o.result.IsError, nil)
	}
}

// reportTask sets the status message of the task. It returns false if the call is not a task.
func (call *Invocation) reportTask(message string) bool {
	task := call.task()
	if task == nil {
		return false
	}
	if message != "" {
		task.Report(message)
	}
	return true
}

// finishResult returns a copy of result in the form for the client of the call, with the identity of
// the server. It copies, because a handler may return the same result twice.
func (s *Server) finishResult(call *Invocation, result *ToolResult) *ToolResult {
	answer := *result
	answer.server, answer.omitStructured = s.serverInfo(), call.omitStructured
	return &answer
}

// resultWithServer adds the identity of the server to a result of a TaskRunner.
type resultWithServer struct {
	protocol.Result
	server json.RawMessage
}

// TaskID returns the id of the task that a call has become, or "".
func (r resultWithServer) TaskID() string {
	if created, ok := r.Result.(interface{ TaskID() string }); ok {
		return created.TaskID()
	}
	return ""
}

// AppendJSON implements protocol.Result.
func (r resultWithServer) AppendJSON(dst []byte, rev protocol.Revision) ([]byte, error) {
	dst, err := r.Result.AppendJSON(dst, rev)
	if err != nil || !rev.Modern() {
		return dst, err
	}
	dst, err = appendResultMeta(dst[:len(dst)-1], nil, r.server, rev)
	return append(dst, '}'), err
}

// isDistinguishable reports whether the server can distinguish the peer from others. Only then it lists the
// peer's tasks.
func isDistinguishable(peer protocol.Peer) bool {
	return peer.Principal != "" || peer.Transport == "stdio" || peer.Transport == "memory"
}

// serveTask handles the requests about tasks.
func (s *Server) serveTask(ctx context.Context, reg *registry, req *protocol.Request) (protocol.Result, error) {
	switch req.Method {
	case "tasks/get", "tasks/cancel":
	case "tasks/update":
		if !req.Meta.Revision.Modern() {
			return nil, methodNotFound(req.Method)
		}
	case "tasks/result", "tasks/list":
		if req.Meta.Revision != protocol.Rev20251125 || req.Method == "tasks/list" && !isDistinguishable(req.Peer) {
			return nil, methodNotFound(req.Method)
		}
	default:
		return nil, methodNotFound(req.Method)
	}
	switch rev := req.Meta.Revision; {
	case rev.Modern() && !req.Meta.HasExtension(protocol.TasksExtension):
		return nil, missingTasksError(req.Method)
	case !rev.Modern() && rev != protocol.Rev20251125:
		return nil, methodNotFound(req.Method)
	}
	result, err := s.opts.Tasks.Serve(ctx, req, s.toolAuthorizer(ctx, reg, req))
	if err != nil {
		return nil, err
	}
	return resultWithServer{result, s.serverInfo()}, nil
}

// toolAuthorizer returns a function that returns an error if the sender of req may not use a tool. It
// permits tools that no longer exist.
func (s *Server) toolAuthorizer(ctx context.Context, reg *registry, req *protocol.Request) func(name string) error {
	return func(name string) error {
		if s.opts.Authorize == nil {
			return nil
		}
		tool, _, err := s.findTool(ctx, reg, req, name)
		if err != nil || tool == nil {
			return err
		}
		return s.opts.Authorize(ctx, req, *tool)
	}
}

// methodNotFound returns the protocol error for an unknown method.
func methodNotFound(method string) *protocol.Error {
	return protocol.Errorf(protocol.CodeMethodNotFound, "Method not found: %s", method)
}
