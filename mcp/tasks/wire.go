package tasks

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
)

// view is a task as clients see it.
type view struct {
	id      string
	created time.Time
	state   *state
}

// iso is how times are written: ISO 8601 in UTC.
const iso = "2006-01-02T15:04:05.000Z"

// appendTask appends the members that every form of a task has.
func (v view) appendTask(dst []byte, rev mcp.Revision) []byte {
	s := v.state
	ttl, poll, status := "ttlMs", "pollIntervalMs", s.Status
	if !rev.Modern() {
		ttl, poll = "ttl", "pollInterval"
		if s.IsError {
			status = Failed // 2025-11-25, basic/utilities/tasks, "Task Status"
		}
	}
	dst = jsonx.AppendQuoted(append(dst, `"taskId":`...), v.id)
	dst = append(append(append(dst, `,"status":"`...), status...), '"')
	if s.Message != "" {
		dst = jsonx.AppendQuoted(append(dst, `,"statusMessage":`...), s.Message)
	}
	dst = v.created.UTC().AppendFormat(append(dst, `,"createdAt":"`...), iso)
	dst = s.Updated.UTC().AppendFormat(append(dst, `","lastUpdatedAt":"`...), iso)
	return fmt.Appendf(dst, `","%s":%d,"%s":%d`, ttl, s.TTL, poll, s.Poll)
}

// appendDetails appends the members that a status has beside those.
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

// created answers the call that has become a task.
type created struct{ view }

// AppendJSON implements mcp.Result.
func (r created) AppendJSON(dst []byte, rev mcp.Revision) ([]byte, error) {
	if rev.Modern() {
		return append(r.appendTask(append(dst, `{"resultType":"task",`...), rev), '}'), nil
	}
	return append(r.appendTask(append(dst, `{"task":{`...), rev), '}', '}'), nil
}

// TaskID is for who follows the tasks of a session.
func (r created) TaskID() string { return r.id }

// detailed answers tasks/get, and tasks/cancel in sessions.
type detailed struct{ view }

// AppendJSON implements mcp.Result.
func (r detailed) AppendJSON(dst []byte, rev mcp.Revision) ([]byte, error) {
	if !rev.Modern() {
		return append(r.appendTask(append(dst, '{'), rev), '}'), nil
	}
	dst, err := r.appendDetails(r.appendTask(append(dst, `{"resultType":"complete",`...), rev))
	return append(dst, '}'), err
}

// listed answers tasks/list.
type listed struct {
	tasks []view
	next  string // cursor; empty on the last page
}

// AppendJSON implements mcp.Result.
func (r listed) AppendJSON(dst []byte, rev mcp.Revision) ([]byte, error) {
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

// notification tells a subscription of a task's state.
type notification struct {
	view
	subscription mcp.ID
}

// Method implements mcp.Notification.
func (n *notification) Method() string { return "notifications/tasks" }

// AppendParams implements mcp.Notification.
func (n *notification) AppendParams(dst []byte, rev mcp.Revision) []byte {
	start := len(dst)
	dst = append(append(append(dst, `{"_meta":{"io.modelcontextprotocol/subscriptionId":`...), n.subscription...), `},`...)
	dst, err := n.appendDetails(n.appendTask(dst, rev))
	if err != nil {
		return append(dst[:start], `{}`...) // unreachable: what is kept was JSON
	}
	return append(dst, '}')
}

// sessionNotification tells a session of a task's state (2025-11-25,
// basic/utilities/tasks, "Task Status Notification").
type sessionNotification struct{ view }

// Method implements mcp.Notification.
func (n *sessionNotification) Method() string { return "notifications/tasks/status" }

// AppendParams implements mcp.Notification.
func (n *sessionNotification) AppendParams(dst []byte, rev mcp.Revision) []byte {
	return append(n.appendTask(append(dst, '{'), rev), '}')
}

// TaskID is for who follows the tasks of a session.
func (n *sessionNotification) TaskID() string { return n.id }

// Ended is for the same: there is nothing more to be told then.
func (n *sessionNotification) Ended() bool { return n.state.Status.Ended() }
