package legacy

import (
	"bytes"

	"github.com/dougu-go/dougu/mcp"
)

// maxTasks is how many tasks of a session are followed at once. Of more its client
// hears when it asks.
const maxTasks = 256

// sessionTasks are the tasks that calls of a session have become and that have not
// ended, as they were told last (2025-11-25, basic/utilities/tasks, "Task Status
// Notification").
type sessionTasks struct {
	peer mcp.Peer
	told map[string][]byte
}

// Served notes what a request of the session was answered with: the task that a
// call has become is followed.
func (s *Session) Served(req *mcp.Request, result mcp.Result) {
	if s == nil || req.Method != "tools/call" || req.Meta.Revision != mcp.Rev20251125 {
		return
	}
	created, ok := result.(interface{ TaskID() string })
	if !ok || created.TaskID() == "" {
		return
	}
	wire, err := result.AppendJSON(nil, req.Meta.Revision)
	told := bytes.TrimSuffix(bytes.TrimPrefix(wire, []byte(`{"task":`)), []byte(`}`))
	if err != nil || !s.resources.follow(created.TaskID(), told, req.Peer) {
		return
	}
	if w := s.resources.watcher(); w != nil {
		w.exchange()
	}
}

// follow adds a task of which that is known. It is false when there are too many.
func (s *subscriptions) follow(id string, told []byte, peer mcp.Peer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tasks.told) >= maxTasks {
		return false
	}
	if s.tasks.told == nil {
		s.tasks.told = make(map[string][]byte)
	}
	s.tasks.told[id], s.tasks.peer = told, peer
	s.generation++
	s.wake()
	return true
}

// news reports whether a notification is to be told: that of a task is not when it
// says what was said before. A task that has ended is not followed any more.
func (s *subscriptions) news(n mcp.Notification, params []byte) bool {
	of, ok := n.(interface {
		TaskID() string
		Ended() bool
	})
	if !ok {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	last, followed := s.tasks.told[of.TaskID()]
	switch {
	case !followed || bytes.Equal(last, params):
		return false
	case of.Ended():
		delete(s.tasks.told, of.TaskID())
	default:
		s.tasks.told[of.TaskID()] = params
	}
	return true
}
