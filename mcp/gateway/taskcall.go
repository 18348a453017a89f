package gateway

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	// modernTTL is the ttl that a client of 2026-07-28, which cannot name one, asks
	// an upstream of 2025-11-25 for, in milliseconds.
	modernTTL = `{"ttl":86400000}`
	// keptFor is how long the gateway keeps the result of a call that its upstream
	// answered without a task, and maxKept the size of their results, in bytes.
	keptFor = 10 * time.Minute
	maxKept = 64 << 20
)

// asTask decides whether a call becomes a task. With 2025-11-25 the client decides,
// by the member task; with 2026-07-28 it declares the extension, and the gateway
// decides for an upstream of 2025-11-25, as mcp.Server does.
func asTask(req *protocol.Request, route *toolRoute, wanted json.RawMessage) (bool, error) {
	name, support, rev := route.tool.Name, route.tool.TaskSupport(), req.Meta.Revision
	required := support == mcp.TaskRequired
	switch {
	case rev == protocol.Rev20251125 && wanted != nil && support == "":
		return false, protocol.Errorf(protocol.CodeMethodNotFound, "The tool %s cannot be called as a task; leave the member \"task\" out", name)
	case rev == protocol.Rev20251125 && required && wanted == nil:
		return false, protocol.Errorf(protocol.CodeMethodNotFound, "The tool %s must be called as a task, with the member \"task\"", name)
	case rev == protocol.Rev20251125:
		return wanted != nil, nil
	case rev.Modern() && req.Meta.HasExtension(protocol.TasksExtension):
		return support != "", nil
	case rev.Modern() && required:
		return false, needsTasks("the tool " + name)
	case required:
		return false, &mcp.ToolError{Code: "MISSING_CAPABILITY", Message: "the client does not take tasks, which this tool needs", Next: "continue without this tool, or tell the user"}
	}
	return false, nil
}

// wantedTask returns the member task of the params of a call, and the params without
// it. Only 2025-11-25 has the member: others must not make an upstream of that
// revision begin a task.
func wantedTask(params json.RawMessage, rev protocol.Revision) (wanted, rest json.RawMessage, err error) {
	if !bytes.Contains(params, []byte("task")) && bytes.IndexByte(params, '\\') < 0 {
		return nil, params, nil
	}
	members := jsonx.Object(params)
	for members.Next() {
		if members.Name() == "task" {
			wanted = members.Value()
		}
	}
	if wanted == nil {
		return nil, params, nil
	}
	if rev != protocol.Rev20251125 {
		return nil, json.RawMessage(withoutMembers(params, "task")), nil
	}
	var task struct {
		TTL *float64 `json:"ttl"`
	}
	if err := json.Unmarshal(wanted, &task); err != nil || wanted[0] != '{' || task.TTL != nil && *task.TTL < 0 {
		return nil, nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the member \"task\" must be an object whose ttl, if any, is a number of milliseconds")
	}
	return wanted, json.RawMessage(withoutMembers(params, "task")), nil
}

// callAsTask sends a call that is to become a task, if need be after a login. wanted is
// the member task of a client of 2025-11-25.
func (m *member) callAsTask(ctx context.Context, req *protocol.Request, route *toolRoute, params, wanted json.RawMessage) (protocol.Result, error) {
	return m.withLogin(ctx, req, func() (protocol.Result, error) { return m.createTask(ctx, req, route, params, wanted) })
}

// createTask is callAsTask without a login. The error is a *loginError if a user has to
// log in first.
func (m *member) createTask(ctx context.Context, req *protocol.Request, route *toolRoute, params, wanted json.RawMessage) (protocol.Result, error) {
	session := !req.Meta.Revision.Modern()
	if m.up.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, m.up.Timeout, &lateError{m.up.Name, m.up.Timeout})
		defer cancel()
	}
	// A client that has asked for a task cannot read a result that is an error.
	refused := *req
	if session {
		refused.Method = "tasks/begin"
	}
	l, err := m.aliveLink(ctx)
	if err != nil {
		return m.errorResult(ctx, &refused, err)
	}
	if !session && (l.modern || l.local) {
		result, err := m.pass(ctx, req, params, false) // each call may create a task
		return m.booked(ctx, req, route, l, result, err)
	}
	l.calls.Add(1)
	defer l.calls.Add(-1)
	got, result, err := m.begin(ctx, l, req, params, wanted)
	raw := got.raw
	switch {
	case err != nil && result == nil:
		return m.errorResult(ctx, &refused, err)
	case raw == nil && session:
		return nil, protocol.Errorf(protocol.CodeInternal, "A question of the server %s was not answered; do without it, or ask the user to answer", m.up.Name)
	case raw == nil:
		return result, err
	}
	l = got.link
	created := handleOf(raw, l.modern && !l.local)
	switch {
	case created == nil && session:
		return m.finished(req, route, l, raw, wanted)
	case created == nil:
		return adaptResult(raw, l.conn.Revision(), req)
	}
	info, err := readTask(created)
	if err != nil {
		return m.errorResult(ctx, &refused, err)
	}
	t := m.book(req, route, l, info)
	if session {
		return &sessionTask{t.text, info.session(t.text)}, nil
	}
	return protocol.RawResult(append(info.appendTo([]byte(`{"resultType":"task",`), t.text, info.status, true), '}')), nil
}

// begin sends the call and returns the raw answer, or the result or error for the
// client where the upstream's questions were not answered. A call that may have created
// a task is not repeated.
func (m *member) begin(ctx context.Context, l *link, req *protocol.Request, params, wanted json.RawMessage) (rawResult, protocol.Result, error) {
	switch {
	case l.local:
		own := *req
		own.Params = withMember(params, "task", wanted)
		result, err := l.conn.Dispatch(ctx, &own)
		if err != nil {
			return rawResult{}, nil, err
		}
		raw, err := result.AppendJSON(nil, req.Meta.Revision)
		return rawResult{raw, l}, nil, err
	case l.modern:
		out := m.upstreamRequest(req, params, l, l.wantedLogLevel(ctx, req))
		out.Meta = out.Meta.WithForwardedCapabilities(withTasks(m.clientCapabilities(req, l)))
		return m.runRounds(ctx, l, req, out, false)
	}
	if wanted == nil {
		wanted = json.RawMessage(modernTTL)
	}
	got, err := m.exchange(ctx, l, m.upstreamRequest(req, withMember(params, "task", wanted), l, l.wantedLogLevel(ctx, req)), false)
	return got, nil, err
}

// withMember is an object with one more member.
func withMember(object json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	out := append(jsonx.AppendQuoted([]byte(`{`), name), ':')
	out = append(out, value...)
	members := jsonx.Object(object)
	for members.Next() {
		out = append(jsonx.AppendQuoted(append(out, ','), members.Name()), ':')
		out = append(out, members.Value()...)
	}
	return append(out, '}')
}

// withTasks returns the capabilities that a client declares, with tasks.
func withTasks(declared json.RawMessage) json.RawMessage {
	var caps protocol.ClientCapabilities
	if json.Unmarshal(declared, &caps) != nil {
		caps = protocol.ClientCapabilities{}
	}
	if caps.Extensions == nil {
		caps.Extensions = make(map[string]json.RawMessage)
	}
	caps.Extensions[protocol.TasksExtension] = json.RawMessage(`{}`)
	return encoded(caps)
}

// handleOf is the task in the answer to a call, nil for one that is no task.
func handleOf(raw json.RawMessage, modern bool) json.RawMessage {
	members := jsonx.Object(raw)
	for members.Next() {
		switch value := members.Value(); {
		case modern && members.Name() == "resultType" && string(value) == `"task"`:
			return raw
		case !modern && members.Name() == "task" && value[0] == '{':
			return value
		}
	}
	return nil
}

// book enters a task that a call has become.
func (m *member) book(req *protocol.Request, route *toolRoute, l *link, info *taskInfo) *task {
	text := m.g.tasks.seal(req.Peer.Principal, m.up.Name, route.name, info.id)
	t := newTask(m, req, route.name, info.id, text)
	now := time.Now()
	if info.created == "" {
		info.created = stamp(now)
	}
	if info.updated == "" {
		info.updated = info.created
	}
	t.link, t.last, t.token = l, info, req.Meta.ProgressToken
	if info.ttl != nil {
		t.expires = now.Add(min(time.Duration(*info.ttl)*time.Millisecond, bookedFor) + time.Minute)
	}
	m.g.book.enter(t)
	return t
}

// booked replaces the id of a task in a result of 2026-07-28.
func (m *member) booked(ctx context.Context, req *protocol.Request, route *toolRoute, l *link, result protocol.Result, err error) (protocol.Result, error) {
	if err != nil {
		return result, err
	}
	raw, ok := result.(protocol.RawResult)
	if !ok {
		if raw, err = result.AppendJSON(nil, protocol.Latest); err != nil {
			return nil, err
		}
	}
	if handleOf(json.RawMessage(raw), true) == nil {
		return result, nil
	}
	info, err := readTask(json.RawMessage(raw))
	if err != nil {
		return m.errorResult(ctx, req, err)
	}
	return protocol.RawResult(withTaskID(json.RawMessage(raw), m.book(req, route, l, info).text)), nil
}

// withTaskID is an object with another taskId.
func withTaskID(object json.RawMessage, id string) json.RawMessage {
	out := []byte(`{`)
	members := jsonx.Object(object)
	for members.Next() {
		name, value := members.Name(), members.Value()
		if name == "taskId" {
			value = jsonx.AppendQuoted(nil, id)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(jsonx.AppendQuoted(out, name), ':'), value...)
	}
	return append(out, '}')
}

// finished is the task of a client of 2025-11-25 whose upstream has answered with the
// result itself: it has ended, and the gateway keeps it for a while.
func (m *member) finished(req *protocol.Request, route *toolRoute, l *link, raw, wanted json.RawMessage) (protocol.Result, error) {
	if len(raw) > maxKept {
		return nil, protocol.Errorf(protocol.CodeInternal, "The result has %d bytes, too many to keep; call the tool without the member \"task\"", len(raw))
	}
	keep := keptFor
	var task struct {
		TTL *float64 `json:"ttl"`
	}
	if json.Unmarshal(wanted, &task) == nil && task.TTL != nil {
		keep = min(keep, time.Duration(*task.TTL)*time.Millisecond)
	}
	ttl := keep.Milliseconds()
	now := stamp(time.Now())
	info := &taskInfo{id: "gw" + rand.Text(), status: taskCompleted, created: now, updated: now, ttl: &ttl, result: raw}
	t := m.book(req, route, l, info)
	t.fix(info)
	m.g.book.keep(t, len(raw))
	return &sessionTask{t.text, info.session(t.text)}, nil
}

// lose ends a task that its upstream has forgotten because it was restarted.
func (t *task) lose() *taskInfo {
	t.mu.Lock()
	if t.fixed { // another request was faster
		defer t.mu.Unlock()
		return t.last
	}
	info := taskInfo{id: t.id, created: stamp(time.Now())}
	if t.last != nil {
		info = *t.last
	}
	why := "while the task was at work: it is lost, and its work may be done or not. Check its effects before you call the tool again"
	if info.ended() {
		why = "after the task had ended as " + info.status + ": its result is lost"
	}
	info.status, info.requests, info.result, info.updated = taskFailed, nil, nil, stamp(time.Now())
	info.message = fmt.Sprintf("The server %s was restarted %s", t.m.up.Name, why)
	info.err = protocol.Errorf(protocol.CodeInternal, "%s", info.message)
	t.end(&info)
	t.mu.Unlock()
	t.wake()
	return &info
}

// missing turns an upstream's refusal of a request about a task into the state of a
// lost task, or into the error for the client.
func (t *task) missing(l *link, err error) (*taskInfo, error) {
	var refused *protocol.Error
	switch {
	case !errors.As(err, &refused):
		return nil, err
	case t.link != nil && t.link != l:
		return t.lose(), nil
	case refused.Code == protocol.CodeInvalidParams:
		t.m.g.book.forget(t)
		return nil, unknownTask()
	}
	return nil, err
}
