package mcp

import (
	"context"
	"encoding/json"
	"slices"
)

// listenToTasks adds the tasks of a subscription to its listener. For a session it is
// the transport who names them.
func (s *Server) listenToTasks(ctx context.Context, req *Request, l *listener, ids []string) (stop func(), err error) {
	switch {
	case len(ids) == 0 || s.opts.Tasks == nil:
		return func() {}, nil
	case req.Meta.Session() == nil && !req.Meta.HasExtension(TasksExtension):
		return nil, needsTasks("a subscription to tasks")
	case len(ids) > maxSubscribed:
		return nil, Errorf(CodeInvalidParams, "Invalid params: a subscription may name %d tasks, not %d; open several", maxSubscribed, len(ids))
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	ids = slices.DeleteFunc(ids, func(id string) bool { return !s.mayUseTask(ctx, req, id) })
	l.filter.TaskIDs, stop, err = s.opts.Tasks.Follow(ctx, req, ids, l.taskChanged)
	return stop, err
}

// mayUseTask reports whether the sender of a request could ask for a task, as it may use the task's tool.
func (s *Server) mayUseTask(ctx context.Context, req *Request, id string) bool {
	if s.opts.Authorize == nil || req.Meta.Session() != nil { // a session follows the tasks that it has begun
		return true
	}
	params, err := json.Marshal(map[string]string{"taskId": id})
	if err != nil {
		return false
	}
	get := *req
	get.Method, get.Params = "tasks/get", params
	_, err = s.serveTask(ctx, s.reg.Load(), &get)
	return err == nil
}

// taskChanged notes that a task has changed; it never blocks.
func (l *listener) taskChanged(id string) {
	l.note(change{task: id}, change{task: id})
}
