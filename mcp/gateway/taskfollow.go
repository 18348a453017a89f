package gateway

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// followTasks tells the sender of a subscription of its tasks until ctx ends. granted
// are the ids that are the sender's.
func (v *view) followTasks(ctx context.Context, req *protocol.Request, ids []string) (granted []string, end func()) {
	end = func() {}
	if len(ids) == 0 || len(ids) > maxSubscribed || req.Notify == nil || !takesTasks(req) {
		return nil, end
	}
	byMember := make(map[*member]map[string]*task)
	for _, text := range ids {
		t, err := v.openTask(ctx, req, text)
		if err != nil {
			continue // as if it did not exist
		}
		if byMember[t.m] == nil {
			byMember[t.m] = make(map[string]*task)
		}
		byMember[t.m][t.id] = t
		granted = append(granted, text)
	}
	var ended []chan struct{}
	for m, tasks := range byMember {
		done := make(chan struct{})
		ended = append(ended, done)
		v.g.run.Go(func() {
			defer close(done)
			m.followTasks(ctx, req, tasks)
		})
	}
	return granted, func() {
		for _, done := range ended {
			<-done
		}
	}
}

// followTasks tells of an upstream's tasks, by their ids there, until ctx or the
// connection ends.
func (m *member) followTasks(ctx context.Context, req *protocol.Request, tasks map[string]*task) {
	l, err := m.aliveLink(ctx)
	if err != nil {
		return
	}
	if !l.modern {
		var run group.Group
		run.OnPanic = m.g.run.OnPanic
		defer run.Wait()
		for _, t := range tasks {
			run.Go(func() { t.follow(ctx, req) })
		}
		return
	}
	var ids []string
	for id := range tasks {
		ids = append(ids, id)
	}
	params, err := json.Marshal(map[string]any{"notifications": protocol.SubscriptionFilter{TaskIDs: ids}})
	if err != nil {
		return // unreachable: strings always encode
	}
	out, rev := *req, req.Meta.Revision
	if out.ID, out.Params = `"tasks"`, params; !l.local {
		out, rev = *m.upstreamRequest(req, params, l, ""), protocol.Latest
		out.Meta = out.Meta.WithForwardedCapabilities(withTasks(m.clientCapabilities(req, l)))
	}
	out.Notify = func(ctx context.Context, n protocol.Notification) error {
		if n.Method() != "notifications/tasks" && n.Method() != "notifications/tasks/status" {
			return nil
		}
		params := json.RawMessage(withoutMembers(n.AppendParams(nil, rev), "_meta"))
		info, err := readTask(params)
		if err != nil || tasks[info.id] == nil {
			return nil
		}
		t := tasks[info.id]
		info = t.note(info)
		t.wake()
		return t.sendStatus(ctx, req, info)
	}
	_, _ = l.conn.Dispatch(ctx, &out) // a client that hears nothing asks with tasks/get
}

// sendStatus notifies the sender of a subscription of a state of the task.
func (t *task) sendStatus(ctx context.Context, req *protocol.Request, info *taskInfo) error {
	if !req.Meta.Revision.Modern() {
		return req.Notify(ctx, &sessionStatus{t.text, info.session(t.text), info.ended()})
	}
	raw, err := info.detailed(`{"_meta":{"io.modelcontextprotocol/subscriptionId":`+string(req.ID)+`},`, t.text)
	if err != nil {
		return err
	}
	return req.Notify(ctx, &protocol.RawNotification{Name: "notifications/tasks", Params: raw})
}

// follow tells of a task of an upstream of 2025-11-25, which need not tell of it: for
// a client of 2026-07-28, which may rely on being told, the gateway asks, too.
func (t *task) follow(ctx context.Context, req *protocol.Request) {
	changed, stop := t.watch()
	defer stop()
	modern := req.Meta.Revision.Modern()
	last := ""
	for first := true; ; first = false {
		info, _ := t.seen()
		if modern || first || info == nil {
			var err error
			var refused *protocol.Error
			if info, err = t.get(ctx, req, modern); errors.As(err, &refused) || ctx.Err() != nil {
				return
			}
			if err != nil {
				info, _ = t.seen()
			}
		}
		delay := maxPoll
		if info != nil {
			if modern {
				delay = info.interval()
			}
			if now := string(info.session(t.text)) + string(info.result); now != last {
				last = now
				if t.sendStatus(ctx, req, info) != nil || info.ended() {
					return
				}
			}
		}
		if waitFor(ctx, changed, delay) != nil {
			return
		}
	}
}

// handleNotification takes notifications of an upstream of 2025-11-25 about a task: its status, or its
// progress, for which the token of the call is good until the task ends.
func (m *member) handleNotification(n *protocol.RawNotification) {
	switch n.Name {
	case "notifications/tasks/status":
		info, err := readTask(n.Params)
		if err != nil {
			return
		}
		if t := m.g.book.at(m, info.id); t != nil {
			t.note(info)
			t.wake()
		}
	case "notifications/progress":
		var p struct {
			Message string `json:"message"`
		}
		if t := m.g.book.at(m, relatedTo(n.Params)); t != nil && json.Unmarshal(n.Params, &p) == nil {
			t.advance(n.Params, p.Message)
		}
	}
}

// advance passes progress on to the session of a task. A client of 2026-07-28 has the
// message as the status message of the task.
func (t *task) advance(params json.RawMessage, message string) {
	t.mu.Lock()
	t.progress = safeText(message)
	over := t.fixed || t.last != nil && t.last.ended()
	t.mu.Unlock()
	if over {
		return
	}
	if t.session == nil {
		t.wake()
		return
	}
	if listening, ok := t.m.g.listeners.Load(t.session); ok && len(t.token) > 0 {
		own := withMember(json.RawMessage(withoutMembers(withRelated(params, t.text), "progressToken")), "progressToken", t.token)
		listening.(*listener).tell(&protocol.RawNotification{Name: "notifications/progress", Params: own})
	}
}
