package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"sync"
	"time"
)

// tasking is a call that is or may become a task. Its handler runs in a goroutine
// of the runner's, so that it goes on when the request has been answered.
type tasking struct {
	call   *Invocation
	runner TaskRunner
	ctx    context.Context // of the handler
	start  TaskStart
	unhook func() bool // cuts ctx loose from the request's

	became chan struct{} // closed when it is a task

	mu     sync.RWMutex // held for reading while something is told to the client
	notify func(context.Context, Notification) error
	task   Task // nil until it is one
	over   bool // the handler has returned
}

// task is what the call has become, or nil.
func (call *Invocation) task() Task {
	if call.tasking == nil {
		return nil
	}
	call.tasking.mu.RLock()
	defer call.tasking.mu.RUnlock()
	return call.tasking.task
}

// asker is whom the call puts its questions to; nil means replay.
func (call *Invocation) asker() Asker {
	if task := call.task(); task != nil {
		return task
	}
	return call.Request.Asker
}

// takesTasks reports whether the sender of a request can take a task: since 2026-07-28
// it declares the extension, in a session of 2025-11-25 it reads the tool's
// execution.taskSupport, and older revisions have no tasks.
func takesTasks(m *RequestMeta) bool {
	if m.Revision.Modern() {
		return m.HasExtension(TasksExtension)
	}
	return m.Revision == Rev20251125
}

// isTask decides whether a call is or may become a task: since 2026-07-28 by what
// its client declares, in a session of 2025-11-25 by what it asks for.
func isTask(req *Request, tool *ServerTool, wanted json.RawMessage) (bool, error) {
	required, rev := tool.opts.Task == TaskRequired, req.Meta.Revision
	switch {
	case rev.Modern() && req.Meta.HasExtension(TasksExtension):
		return tool.opts.Task != "", nil
	case rev.Modern() && required:
		return false, needsTasks("the tool " + tool.tool.Name)
	case rev.Modern():
		return false, nil
	case rev == Rev20251125 && wanted != nil && tool.opts.Task == "":
		return false, Errorf(CodeMethodNotFound, "The tool %s cannot be called as a task; leave the member \"task\" out", tool.tool.Name)
	case rev == Rev20251125 && required && wanted == nil:
		return false, Errorf(CodeMethodNotFound, "The tool %s must be called as a task, with the member \"task\"", tool.tool.Name)
	case required && wanted == nil:
		return false, &ToolError{Code: "MISSING_CAPABILITY", Message: "the client does not take tasks, which this tool needs", Next: "do what the tool would do without it, or tell the user"}
	}
	return rev == Rev20251125 && wanted != nil, nil
}

// wantedTTL reads how long a session's client wants its task to be kept.
func wantedTTL(wanted json.RawMessage) (time.Duration, error) {
	var task struct {
		TTL float64 `json:"ttl"`
	}
	if wanted == nil {
		return 0, nil
	}
	if err := unmarshal(wanted, &task); err != nil || task.TTL < 0 {
		return 0, Errorf(CodeInvalidParams, "Invalid params: the member \"task\" must be an object whose ttl, if any, is a number of milliseconds")
	}
	const most = 365 * 24 * time.Hour
	return time.Duration(min(task.TTL, float64(most.Milliseconds()))) * time.Millisecond, nil
}

// callTask serves a call that is or may become a task.
func (s *Server) callTask(ctx context.Context, call *Invocation, tool *ServerTool, p callParams) (Result, error) {
	args, err := tool.input.Prepare(p.arguments)
	if err != nil {
		return s.introduced(invalidArguments(err)), nil
	}
	ttl, err := wantedTTL(p.task)
	if err != nil {
		return nil, err
	}
	t := s.newTasking(ctx, call, ttl)
	if late := tool.opts.TaskLate && p.task == nil; !late {
		if err := t.become(t.ctx); err != nil {
			t.start.Cancel(err)
			return s.refuse(err)
		}
	}
	returned := make(chan toolOutcome, 1)
	if !t.runner.Go(func() { t.run(tool, args, returned) }) {
		stopping := Errorf(CodeInternal, "The server is being stopped")
		t.end(toolOutcome{err: stopping}, returned)
	}
	select {
	case <-t.became:
		return introducing{t.task.Handle(), s.self()}, nil // task is not changed any more
	case o := <-returned:
		return s.answerCall(call, p, o.result, o.err)
	}
}

// toolOutcome is what a tool's handler has come to.
type toolOutcome struct {
	result *ToolResult
	err    error
}

// newTasking prepares a call for becoming a task. Its context ends with that of
// the request until then.
func (s *Server) newTasking(ctx context.Context, call *Invocation, ttl time.Duration) *tasking {
	t := &tasking{call: call, runner: s.opts.Tasks, became: make(chan struct{}), notify: call.Request.Notify}
	work, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	t.unhook = context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	req := *call.Request
	if req.Notify != nil {
		req.Notify = t.tell
	}
	call.Request, call.tasking = &req, t
	t.start = TaskStart{Tool: call.Tool, Request: call.Request, TTL: ttl, Cancel: cancel}
	t.ctx = withCall(work, call)
	return t
}

// tell sends a notification of the request as long as it is not answered. Tasks
// have no notifications of that kind.
func (t *tasking) tell(ctx context.Context, n Notification) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.notify == nil {
		return nil
	}
	return t.notify(ctx, n)
}

// become makes the call a task. The request is answered when nothing of it is
// being told any more.
func (t *tasking) become(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.task != nil, t.over:
		return nil
	case t.call.asked():
		return ErrInputRequired // the request will be answered with the question
	}
	task, err := t.runner.Begin(ctx, t.start)
	if err != nil {
		return err
	}
	if !t.unhook() { // its client has left, and does not know the task
		why := context.Cause(ctx)
		t.start.Cancel(why)
		task.End(nil, Errorf(CodeInternal, "The request was cancelled"))
		return errors.Join(context.Canceled, why)
	}
	t.call.clock.disarm()
	t.task, t.notify = task, nil
	close(t.became)
	return nil
}

// run runs the handler to its end.
func (t *tasking) run(tool *ServerTool, args json.RawMessage, returned chan<- toolOutcome) {
	o := toolOutcome{err: Errorf(CodeInternal, "Internal error while running %s", tool.tool.Name)}
	defer func() {
		if v := recover(); v != nil {
			t.call.server.opts.Log.ErrorContext(t.ctx, "panic in a task", "tool", tool.tool.Name, "panic", v, "stack", string(debug.Stack()))
		}
		t.end(o, returned)
	}()
	o.result, o.err = t.call.server.runChecked(t.ctx, t.call, tool, args)
}

// end tells what the handler has returned: the task, or the request that is still
// waiting.
func (t *tasking) end(o toolOutcome, returned chan<- toolOutcome) {
	t.mu.Lock()
	t.over = true
	task := t.task
	t.mu.Unlock()
	defer t.start.Cancel(nil)
	switch {
	case task == nil:
		returned <- o
	case o.err != nil:
		task.End(nil, o.err)
	default:
		task.End(t.call.server.introduced(o.result), nil)
	}
}

// reportTask makes progress of a task its message. It is false when the call is
// none.
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

// introduced returns a copy of a result that says who answers: a handler may
// return the same one twice.
func (s *Server) introduced(result *ToolResult) *ToolResult {
	answer := *result
	answer.server = s.self()
	return &answer
}

// introducing is a result of a TaskRunner with who answers.
type introducing struct {
	Result
	server json.RawMessage
}

// TaskID is the id of the task that a call has become, and else empty.
func (r introducing) TaskID() string {
	if created, ok := r.Result.(interface{ TaskID() string }); ok {
		return created.TaskID()
	}
	return ""
}

// AppendJSON implements Result.
func (r introducing) AppendJSON(dst []byte, rev Revision) ([]byte, error) {
	dst, err := r.Result.AppendJSON(dst, rev)
	if err != nil || !rev.Modern() {
		return dst, err
	}
	dst, err = appendResultMeta(dst[:len(dst)-1], nil, r.server, rev)
	return append(dst, '}'), err
}

// toldApart reports whether a peer's tasks can be listed to it, because nobody else
// can be taken for it.
func toldApart(peer Peer) bool {
	return peer.Principal != "" || peer.Transport == "stdio" || peer.Transport == "memory"
}

// serveTask serves what clients ask of their tasks.
func (s *Server) serveTask(ctx context.Context, reg *registry, req *Request) (Result, error) {
	switch req.Method {
	case "tasks/get", "tasks/cancel":
	case "tasks/update":
		if !req.Meta.Revision.Modern() {
			return nil, methodNotFound(req.Method)
		}
	case "tasks/result", "tasks/list":
		if req.Meta.Revision != Rev20251125 || req.Method == "tasks/list" && !toldApart(req.Peer) {
			return nil, methodNotFound(req.Method)
		}
	default:
		return nil, methodNotFound(req.Method)
	}
	switch rev := req.Meta.Revision; {
	case rev.Modern() && !req.Meta.HasExtension(TasksExtension):
		return nil, needsTasks(req.Method)
	case !rev.Modern() && rev != Rev20251125:
		return nil, methodNotFound(req.Method)
	}
	result, err := s.opts.Tasks.Serve(ctx, req, s.mayUse(ctx, reg, req))
	if err != nil {
		return nil, err
	}
	return introducing{result, s.self()}, nil
}

// mayUse returns a function that reports why the sender of a request may not use a tool. A tool that is gone is not refused.
func (s *Server) mayUse(ctx context.Context, reg *registry, req *Request) func(name string) error {
	return func(name string) error {
		tool, ok := reg.tools.byKey[name]
		if !ok || s.opts.Authorize == nil {
			return nil
		}
		return s.opts.Authorize(ctx, req, *tool)
	}
}

func methodNotFound(method string) *Error {
	return Errorf(CodeMethodNotFound, "Method not found: %s", method)
}
