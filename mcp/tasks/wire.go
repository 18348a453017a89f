package tasks

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// view is the state of a task for clients.
type view struct {
	id      string
	created time.Time
	state   *state
}

// isoFormat is the time format of messages: ISO 8601 in UTC.
const isoFormat = "2006-01-02T15:04:05.000Z"

// appendTask appends the members that all messages about a task share.
func (v view) appendTask(dst []byte, rev protocol.Revision) []byte {
	s := v.state
	ttl, poll, status := "ttlMs", "pollIntervalMs", s.Status
	if !rev.Modern() {
		ttl, poll = "ttl", "pollInterval"
		if s.IsError {
			status = Failed // see 2025-11-25, basic/utilities/tasks, "Task Status"
		}
	}
	dst = jsonx.AppendQuoted(append(dst, `"taskId":`...), v.id)
	dst = append(append(append(dst, `,"status":"`...), status...), '"')
	if s.Message != "" {
		dst = jsonx.AppendQuoted(append(dst, `,"statusMessage":`...), s.Message)
	}
	dst = v.created.UTC().AppendFormat(append(dst, `,"createdAt":"`...), isoFormat)
	dst = s.Updated.UTC().AppendFormat(append(dst, `","lastUpdatedAt":"`...), isoFormat)
	return fmt.Appendf(dst, `","%s":%d,"%s":%d`, ttl, s.TTL, poll, s.Poll)
}

// appendDetails appends the members that depend on the status.
func (v view) appendDetails(dst []byte) ([]byte, error) {
	s := v.state
	switch s.Status {
	case InputRequired:
		keys := slices.Sorted(maps.Keys(s.Requests))
		return jsonx.AppendMembers(append(dst, `,"inputRequests":`...), keys, func(dst []byte, key string) ([]byte, error) {
			request, err := json.Marshal(s.Requests[key])
			if err != nil {
				return dst, fmt.Errorf("encoding the question %q: %w", key, err)
			}
			return append(dst, request...), nil
		})
	case Completed:
		dst = append(append(dst, `,"result":`...), s.Result...)
	case Failed:
		failed, err := json.Marshal(s.Error)
		if err != nil {
			return dst, fmt.Errorf("encoding the error: %w", err)
		}
		dst = append(append(dst, `,"error":`...), failed...)
	}
	return dst, nil
}

// created is the response to a call that has become a task.
type created struct{ view }

// AppendJSON implements protocol.Result.
func (r created) AppendJSON(dst []byte, rev protocol.Revision) ([]byte, error) {
	if rev.Modern() {
		return append(r.appendTask(append(dst, `{"resultType":"task",`...), rev), '}'), nil
	}
	return append(r.appendTask(append(dst, `{"task":{`...), rev), '}', '}'), nil
}

// TaskID returns the id of the task. Transports use it to follow the tasks of a session.
func (r created) TaskID() string { return r.id }

// detailed is the result of tasks/get, and of tasks/cancel in sessions.
type detailed struct{ view }

// AppendJSON implements protocol.Result.
func (r detailed) AppendJSON(dst []byte, rev protocol.Revision) ([]byte, error) {
	if !rev.Modern() {
		return append(r.appendTask(append(dst, '{'), rev), '}'), nil
	}
	dst, err := r.appendDetails(r.appendTask(append(dst, `{"resultType":"complete",`...), rev))
	return append(dst, '}'), err
}

// listed is the result of tasks/list.
type listed struct {
	tasks []view
	next  string // cursor; empty on the last page
}

// AppendJSON implements protocol.Result.
func (r listed) AppendJSON(dst []byte, rev protocol.Revision) ([]byte, error) {
	dst = append(dst, `{"tasks":[`...)
	for i, task := range r.tasks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(task.appendTask(append(dst, '{'), rev), '}')
	}
	dst = append(dst, ']')
	if r.next != "" {
		dst = jsonx.AppendQuoted(append(dst, `,"nextCursor":`...), r.next)
	}
	return append(dst, '}'), nil
}

// notification reports the state of a task to a subscription.
type notification struct {
	view
	subscription protocol.ID
}

// Method implements protocol.Notification.
func (n *notification) Method() string { return "notifications/tasks" }

// AppendParams implements protocol.Notification.
func (n *notification) AppendParams(dst []byte, rev protocol.Revision) []byte {
	start := len(dst)
	dst = append(append(append(dst, `{"_meta":{"io.modelcontextprotocol/subscriptionId":`...), n.subscription...), `},`...)
	dst, err := n.appendDetails(n.appendTask(dst, rev))
	if err != nil {
		return append(dst[:start], `{}`...) // unreachable: stored data is valid JSON
	}
	return append(dst, '}')
}

// sessionNotification reports the state of a task to a session (2025-11-25, basic/utilities/tasks,
// "Task Status Notification").
type sessionNotification struct{ view }

// Method implements protocol.Notification.
func (n *sessionNotification) Method() string { return "notifications/tasks/status" }

// AppendParams implements protocol.Notification.
func (n *sessionNotification) AppendParams(dst []byte, rev protocol.Revision) []byte {
	return append(n.appendTask(append(dst, '{'), rev), '}')
}

// TaskID returns the id of the task. Transports use it to follow the tasks of a session.
func (n *sessionNotification) TaskID() string { return n.id }

// Ended reports whether the status is final, so that transports can stop following the task.
func (n *sessionNotification) Ended() bool { return n.state.Status.Ended() }
