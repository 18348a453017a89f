package mcp

import (
	"context"
	"slices"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// addTasks adds the tasks of a subscription to its listener. The transport names the tasks of
// a session.
func (s *Server) addTasks(ctx context.Context, req *protocol.Request, l *listener, ids []string) (stop func(), err error) {
	switch {
	case len(ids) == 0 || s.opts.Tasks == nil:
		return func() {}, nil
	case req.Meta.Session() == nil && !req.Meta.HasExtension(protocol.TasksExtension):
		return nil, missingTasksError("a subscription to tasks")
	case len(ids) > maxSubscribed:
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: a subscription may name %d tasks, not %d; open several", maxSubscribed, len(ids))
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	may := s.toolAuthorizer(ctx, s.registry.Load(), req)
	if req.Meta.Session() != nil { // a session follows its own tasks only
		may = nil
	}
	l.filter.TaskIDs, stop, err = s.opts.Tasks.Follow(ctx, req, ids, may, l.recordTask)
	return stop, err
}

// recordTask records a change of a task. It never blocks.
func (l *listener) recordTask(id string) {
	l.record(change{task: id}, change{task: id})
}
