package gateway

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// The statuses of tasks in both revisions.
const (
	taskWorking   = "working"
	taskAsks      = "input_required" // waits for answers of the client
	taskCompleted = "completed"
	taskFailed    = "failed"
	taskCancelled = "cancelled"
)

// taskInfo is the state of a task as an upstream of either revision has told it.
type taskInfo struct {
	id, status, message string
	created, updated    string
	ttl, poll           *int64 // milliseconds; nil for no limit, and for none given
	requests            map[string]protocol.InputRequest
	result              json.RawMessage // of a completed task, in the form of 2026-07-28
	err                 *protocol.Error // of a failed task
}

func (i *taskInfo) ended() bool {
	return i.status == taskCompleted || i.status == taskFailed || i.status == taskCancelled
}

// readTask reads a task in the form of either revision.
func readTask(raw json.RawMessage) (*taskInfo, error) {
	var wire struct {
		ID       string                           `json:"taskId"`
		Status   string                           `json:"status"`
		Message  string                           `json:"statusMessage"`
		Created  string                           `json:"createdAt"`
		Updated  string                           `json:"lastUpdatedAt"`
		TTL      *float64                         `json:"ttl"`
		TTLMs    *float64                         `json:"ttlMs"`
		Poll     *float64                         `json:"pollInterval"`
		PollMs   *float64                         `json:"pollIntervalMs"`
		Requests map[string]protocol.InputRequest `json:"inputRequests"`
		Result   json.RawMessage                  `json:"result"`
		Error    *struct {
			Code    int64           `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, fmt.Errorf("its task cannot be read: %w", err)
	}
	if wire.ID == "" || len(wire.ID) > maxTaskID {
		return nil, errTaskID
	}
	i := &taskInfo{
		id: wire.ID, status: wire.Status, message: wire.Message, created: wire.Created, updated: wire.Updated,
		ttl: millis(wire.TTL, wire.TTLMs), poll: millis(wire.Poll, wire.PollMs), requests: wire.Requests, result: wire.Result,
	}
	if len(i.message) > maxSaid {
		i.message = i.message[:maxSaid] + " …"
	}
	if wire.Error != nil {
		i.err = &protocol.Error{Code: wire.Error.Code, Message: wire.Error.Message, Data: wire.Error.Data}
	}
	if len(i.requests) > maxQuestions {
		return nil, fmt.Errorf("its task asks %d questions at once", len(i.requests))
	}
	switch i.status {
	case taskWorking, taskAsks, taskCompleted, taskFailed, taskCancelled:
		return i, nil
	}
	return nil, fmt.Errorf("its task has the unknown status %q", safeText(i.status))
}

// millis is the first of two numbers of milliseconds that is there, within reason.
func millis(a, b *float64) *int64 {
	if a == nil {
		a = b
	}
	if a == nil {
		return nil
	}
	const most = 100 * 365 * 24 * time.Hour
	n := int64(min(max(*a, 0), float64(most.Milliseconds())))
	return &n
}

// stamp is a time as tasks have it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// appendTo appends the members of a task that all of its forms have.
func (i *taskInfo) appendTo(dst []byte, id, status string, modern bool) []byte {
	ttl, poll := "ttl", "pollInterval"
	if modern {
		ttl, poll = "ttlMs", "pollIntervalMs"
	}
	dst = jsonx.AppendQuoted(append(dst, `"taskId":`...), id)
	dst = jsonx.AppendQuoted(append(dst, `,"status":`...), status)
	if i.message != "" {
		dst = jsonx.AppendQuoted(append(dst, `,"statusMessage":`...), i.message)
	}
	dst = jsonx.AppendQuoted(append(dst, `,"createdAt":`...), i.created)
	dst = jsonx.AppendQuoted(append(dst, `,"lastUpdatedAt":`...), i.updated)
	if i.ttl == nil {
		dst = fmt.Appendf(dst, `,"%s":null`, ttl)
	} else {
		dst = fmt.Appendf(dst, `,"%s":%d`, ttl, *i.ttl)
	}
	if i.poll != nil {
		dst = fmt.Appendf(dst, `,"%s":%d`, poll, *i.poll)
	}
	return dst
}

// session is the task as 2025-11-25 has it, where a result that is an error makes a
// task failed.
func (i *taskInfo) session(id string) json.RawMessage {
	status := i.status
	if status == taskCompleted && isErrorResult(i.result) {
		status = taskFailed
	}
	return append(i.appendTo([]byte(`{`), id, status, false), '}')
}

// detailed is the task as 2026-07-28 has it, after the members of head.
func (i *taskInfo) detailed(head, id string) (json.RawMessage, error) {
	dst := i.appendTo([]byte(head), id, i.status, true)
	switch i.status {
	case taskAsks:
		keys := slices.Sorted(maps.Keys(i.requests))
		var err error
		dst, err = jsonx.AppendMembers(append(dst, `,"inputRequests":`...), keys, func(dst []byte, key string) ([]byte, error) {
			request, err := json.Marshal(i.requests[key])
			if err != nil {
				return dst, fmt.Errorf("encoding a question: %w", err)
			}
			return append(dst, request...), nil
		})
		if err != nil {
			return nil, err
		}
	case taskCompleted:
		dst = append(append(dst, `,"result":`...), i.result...)
	case taskFailed:
		e := i.failure()
		dst = jsonx.AppendQuoted(fmt.Appendf(dst, `,"error":{"code":%d,"message":`, e.Code), e.Message)
		if len(e.Data) > 0 {
			dst = append(append(dst, `,"data":`...), e.Data...)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}'), nil
}

// failure is the error of a failed task.
func (i *taskInfo) failure() *protocol.Error {
	if i.err != nil {
		return i.err
	}
	return protocol.Errorf(protocol.CodeInternal, "The task has failed, and its server does not say why")
}

// isErrorResult reports whether the result of a tool says that the tool has failed.
func isErrorResult(raw json.RawMessage) bool {
	members := jsonx.Object(raw)
	for len(raw) > 0 && members.Next() {
		if members.Name() == "isError" {
			return string(members.Value()) == "true"
		}
	}
	return false
}

// relatedTask is the _meta key that names the task of a message (2025-11-25,
// basic/utilities/tasks, "Related Task Metadata").
const relatedTask = "io.modelcontextprotocol/related-task"

// relatedTo is the id of the task that params or a result belong to, or empty.
func relatedTo(object json.RawMessage) string {
	var p struct {
		Meta struct {
			Related struct {
				ID string `json:"taskId"`
			} `json:"io.modelcontextprotocol/related-task"`
		} `json:"_meta"`
	}
	if len(object) == 0 || json.Unmarshal(object, &p) != nil {
		return ""
	}
	return p.Meta.Related.ID
}

// withRelated returns an object whose _meta names a task. Other members of _meta are
// kept.
func withRelated(object json.RawMessage, id string) json.RawMessage {
	meta := jsonx.AppendQuoted([]byte(`{"_meta":{"`+relatedTask+`":{"taskId":`), id)
	meta = append(meta, '}')
	var rest []byte
	members := jsonx.Object(object)
	for len(object) > 0 && members.Next() {
		if members.Name() != "_meta" {
			rest = append(jsonx.AppendQuoted(append(rest, ','), members.Name()), ':')
			rest = append(rest, members.Value()...)
			continue
		}
		inner := jsonx.Object(members.Value())
		for members.Value()[0] == '{' && inner.Next() {
			if inner.Name() != relatedTask {
				meta = append(jsonx.AppendQuoted(append(meta, ','), inner.Name()), ':')
				meta = append(meta, inner.Value()...)
			}
		}
	}
	return append(append(append(meta, '}'), rest...), '}')
}

// taskParams are the params of a request about a task, with further members, each
// after a comma.
func taskParams(id string, more []byte) json.RawMessage {
	return append(append(jsonx.AppendQuoted([]byte(`{"taskId":`), id), more...), '}')
}

// sessionTask is the result of a call of 2025-11-25 that has become a task. task is the JSON of the task.
type sessionTask struct {
	id   string // id that clients use
	task json.RawMessage
}

// AppendJSON implements protocol.Result.
func (r *sessionTask) AppendJSON(dst []byte, _ protocol.Revision) ([]byte, error) {
	return append(append(append(dst, `{"task":`...), r.task...), '}'), nil
}

// TaskID is the id by which the session follows the task.
func (r *sessionTask) TaskID() string { return r.id }

// sessionStatus is the notification notifications/tasks/status. task is the JSON of the task.
type sessionStatus struct {
	id    string // id that clients use
	task  json.RawMessage
	ended bool // the task has ended; no further notification follows
}

// Method implements protocol.Notification.
func (n *sessionStatus) Method() string { return "notifications/tasks/status" }

// AppendParams implements protocol.Notification.
func (n *sessionStatus) AppendParams(dst []byte, _ protocol.Revision) []byte {
	return append(dst, n.task...)
}

// TaskID is the id by which the session follows the task.
func (n *sessionStatus) TaskID() string { return n.id }

// Ended reports that no further status follows.
func (n *sessionStatus) Ended() bool { return n.ended }
