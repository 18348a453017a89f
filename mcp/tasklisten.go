package mcp

import (
	"context"
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
	may := s.mayUse(ctx, s.reg.Load(), req)
	if req.Meta.Session() != nil { // a session follows the tasks that it has begun
		may = nil
	}
	l.filter.TaskIDs, stop, err = s.opts.Tasks.Follow(ctx, req, ids, may, l.taskChanged)
	return stop, err
}

// taskChanged notes that a task has changed; it never blocks.
func (l *listener) taskChanged(id string) {
	l.note(change{task: id}, change{task: id})
}
