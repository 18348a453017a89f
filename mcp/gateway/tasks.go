package gateway

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
)

// taskSeal makes the ids of tasks that clients get: each says which upstream has
// the task, and is good for the principal alone whose call it is, since to an
// upstream that all share they are one client. The same task has the same id.
type taskSeal struct{ key []byte }

// newTaskSeal makes a seal with a key of 32 bytes, or a random one.
func newTaskSeal(key []byte) (taskSeal, error) {
	if key == nil {
		key = make([]byte, 32)
		if _, err := rand.Read(key); err != nil {
			return taskSeal{}, fmt.Errorf("making a key: %w", err)
		}
	}
	if len(key) != 32 {
		return taskSeal{}, fmt.Errorf("the key of tasks has %d bytes; it must have 32", len(key))
	}
	return taskSeal{key}, nil
}

const (
	taskPrefix = "gwt." // begins the ids
	taskMark   = 16     // bytes that nobody can guess
)

// mark is what makes an id good for a principal.
func (s taskSeal) mark(principal, plain string) []byte {
	h := hmac.New(sha256.New, s.key)
	h.Write(strconv.AppendInt(nil, int64(len(principal)), 10))
	h.Write([]byte("\x00" + principal + plain))
	return h.Sum(nil)[:taskMark]
}

func (s taskSeal) seal(principal, upstream, id string) string {
	plain := upstream + "\x00" + id
	return taskPrefix + base64.RawURLEncoding.EncodeToString(append(s.mark(principal, plain), plain...))
}

func (s taskSeal) open(principal, text string) (upstream, id string, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimPrefix(text, taskPrefix))
	if err != nil || !strings.HasPrefix(text, taskPrefix) || len(text) > maxURI || len(raw) < taskMark {
		return "", "", false
	}
	plain := string(raw[taskMark:])
	if !hmac.Equal(raw[:taskMark], s.mark(principal, plain)) {
		return "", "", false
	}
	return strings.Cut(plain, "\x00")
}

// tasked is a result in which the id of a task is the gateway's.
func (m *member) tasked(req *mcp.Request, result mcp.Result, err error) (mcp.Result, error) {
	if err != nil || !req.Meta.Revision.Modern() || !req.Meta.HasExtension(mcp.TasksExtension) {
		return result, err
	}
	raw, ok := result.(mcp.RawResult)
	if !ok {
		if raw, err = result.AppendJSON(nil, mcp.Latest); err != nil {
			return nil, err
		}
	}
	params, ok := m.retold(req.Peer.Principal, json.RawMessage(raw), req.Method == "tools/call")
	if !ok {
		return result, nil
	}
	return mcp.RawResult(params), nil
}

// retold replaces the id of a task in an object. ok is false for one that has none
// or, with handle, that is no handle of a task.
func (m *member) retold(principal string, object json.RawMessage, handle bool) (json.RawMessage, bool) {
	out, found, task := []byte(`{`), false, !handle
	members := jsonx.Object(object)
	for members.Next() {
		name, value := members.Name(), members.Value()
		switch name {
		case "resultType":
			task = task || string(value) == `"task"`
		case "taskId":
			if id, err := jsonx.Unquote(value); err == nil {
				value, found = jsonx.AppendQuoted(nil, m.g.tasks.seal(principal, m.up.Name, id)), true
			}
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(jsonx.AppendQuoted(out, name), ':'), value...)
	}
	return append(out, '}'), found && task && members.Err() == nil
}

// unknownTask is the error for a task that is not the sender's, or of nobody.
func unknownTask() error {
	return mcp.Errorf(mcp.CodeInvalidParams, "Unknown task; it may have been forgotten, or belong to somebody else")
}

// task serves tasks/get, tasks/update and tasks/cancel.
func (v *view) task(ctx context.Context, req *mcp.Request) (mcp.Result, error) {
	if !req.Meta.Revision.Modern() || !v.table.Load().tasks {
		return nil, mcp.Errorf(mcp.CodeMethodNotFound, "Method not found: %s", req.Method)
	}
	if !req.Meta.HasExtension(mcp.TasksExtension) {
		e := mcp.Errorf(mcp.CodeMissingCapability, "The client does not declare the extension %s, which %s needs", mcp.TasksExtension, req.Method)
		e.Data = json.RawMessage(`{"requiredCapabilities":{"extensions":{"` + mcp.TasksExtension + `":{}}}}`)
		return nil, e
	}
	s, err := readSubject(req.Method, "taskId", req.Params)
	if err != nil {
		return nil, err
	}
	m, id := v.taskOwner(req, s.text)
	if m == nil {
		return nil, unknownTask()
	}
	result, err := m.forward(ctx, req, s.renamed(req.Params, id))
	return m.tasked(req, result, err)
}

// taskOwner finds the member that has a task, and the task's own id.
func (v *view) taskOwner(req *mcp.Request, text string) (*member, string) {
	upstream, id, ok := v.g.tasks.open(req.Peer.Principal, text)
	for _, m := range v.members {
		if ok && m.up.Name == upstream {
			return m, id
		}
	}
	return nil, ""
}

// followTasks tells of tasks until ctx ends. granted are those that are the
// sender's.
func (v *view) followTasks(ctx context.Context, req *mcp.Request, ids []string) (granted []string, end func()) {
	end = func() {}
	if len(ids) == 0 || len(ids) > maxSubscribed || req.Notify == nil || !req.Meta.HasExtension(mcp.TasksExtension) {
		return nil, end
	}
	byMember := make(map[*member][]string)
	for _, text := range ids {
		if m, id := v.taskOwner(req, text); m != nil {
			byMember[m] = append(byMember[m], id)
			granted = append(granted, text)
		}
	}
	var ended []chan struct{}
	for m, ids := range byMember {
		done := make(chan struct{})
		ended = append(ended, done)
		v.g.run.Go(func() {
			defer close(done)
			m.followTasks(ctx, req, ids)
		})
	}
	return granted, func() {
		for _, done := range ended {
			<-done
		}
	}
}

// followTasks tells of an upstream's tasks until ctx or the connection ends.
func (m *member) followTasks(ctx context.Context, req *mcp.Request, ids []string) {
	l, err := m.await(ctx)
	if err != nil || !l.modern {
		return
	}
	params, err := json.Marshal(map[string]any{"notifications": mcp.SubscriptionFilter{TaskIDs: ids}})
	if err != nil {
		return // unreachable: strings always encode
	}
	out := *req
	if out.ID, out.Params = `"tasks"`, params; !l.local {
		out = *m.outgoing(req, params, l, "")
	}
	out.Notify = func(ctx context.Context, n mcp.Notification) error {
		if n.Method() != "notifications/tasks" {
			return nil
		}
		object, ok := m.retold(req.Peer.Principal, json.RawMessage(without(n.AppendParams(nil, mcp.Latest), "_meta")), false)
		if !ok {
			return nil
		}
		head := append(append([]byte(`{"_meta":{"io.modelcontextprotocol/subscriptionId":`), req.ID...), `},`...)
		return req.Notify(ctx, &mcp.RawNotification{Name: n.Method(), Params: append(head, object[1:]...)})
	}
	_, _ = l.conn.Dispatch(ctx, &out) // a client that hears nothing asks with tasks/get
}
