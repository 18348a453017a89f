package legacy

import (
	"bytes"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// maxTasks is how many tasks of a session are followed at once. Of more its client
// hears when it asks.
const maxTasks = 256

// sessionTasks holds the running tasks of a session with their last reported
// states (2025-11-25, basic/utilities/tasks, "Task Status Notification").
type sessionTasks struct {
	peer protocol.Peer
	told map[string][]byte
}

// Served receives the result of a request of the session. If the result is a
// task, the session reports the states of the task.
func (s *Session) Served(req *protocol.Request, result protocol.Result) {
	if s == nil || req.Method != "tools/call" || req.Meta.Revision != protocol.Rev20251125 {
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
func (s *subscriptions) follow(id string, told []byte, peer protocol.Peer) bool {
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

// news reports whether a notification must be sent. A task notification with an
// unchanged state is not sent. An ended task is removed.
func (s *subscriptions) news(n protocol.Notification, params []byte) bool {
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
