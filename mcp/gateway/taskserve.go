package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// questionWait is how long tasks/get waits for the question of a task that says that
// it has one.
const questionWait = time.Second

// request sends a request about the task on behalf of the sender of req. One that only
// reads is sent once more, with the next connection, if the answer is lost.
func (t *task) request(ctx context.Context, l *link, req *protocol.Request, method string, params json.RawMessage) (rawResult, error) {
	l.calls.Add(1)
	defer l.calls.Add(-1)
	own := *req
	own.Method, own.Params = method, params
	if l.local {
		if own.Asker != nil {
			own.Asker = relatedAsker{own.Asker, t.text}
		}
		result, err := l.conn.Dispatch(ctx, &own)
		if err != nil {
			return rawResult{link: l}, err
		}
		raw, err := result.AppendJSON(nil, req.Meta.Revision)
		return rawResult{raw, l}, err
	}
	own.Notify = nil
	out := t.m.upstreamRequest(&own, params, l, "")
	if len(out.Meta.Raw) > 0 {
		out.Meta.Raw = json.RawMessage(withoutMembers(out.Meta.Raw, relatedTask)) // of the client's id
	}
	if l.modern {
		out.Meta = out.Meta.WithForwardedCapabilities(withTasks(t.m.clientCapabilities(&own, l)))
	}
	return t.m.exchange(ctx, l, out, method == "tasks/get" || method == "tasks/result")
}

// get asks the upstream for the task. With whole the result of one that has ended
// comes with it, and the questions of one that waits.
func (t *task) get(ctx context.Context, req *protocol.Request, whole bool) (*taskInfo, error) {
	if info, fixed := t.seen(); fixed {
		return info, nil
	}
	l, err := t.m.aliveLink(ctx)
	if err != nil {
		return nil, err
	}
	got, err := t.request(ctx, l, req, "tasks/get", taskParams(t.id, nil))
	if l = got.link; err != nil {
		return t.missing(l, err)
	}
	info, err := readTask(got.raw)
	if err != nil {
		return nil, err
	}
	if info.id != t.id {
		return nil, errTaskID
	}
	if whole && !l.modern {
		if err := t.complete(ctx, l, req, info); err != nil {
			return nil, err
		}
	}
	return t.note(info), nil
}

// complete adds to a task of 2025-11-25 the members that tasks/get has in 2026-07-28.
func (t *task) complete(ctx context.Context, l *link, req *protocol.Request, info *taskInfo) error {
	if info.status == taskCompleted || info.status == taskFailed {
		got, err := t.request(ctx, l, req, "tasks/result", taskParams(t.id, nil))
		var refused *protocol.Error
		switch {
		case errors.As(err, &refused):
			info.status, info.err = taskFailed, refused
		case err != nil:
			return err
		default:
			result, err := toModernResult(got.raw, "tools/call").AppendJSON(nil, protocol.Latest)
			if err != nil {
				return err
			}
			info.status, info.message, info.result = taskCompleted, "", withRelated(result, t.text)
		}
		return nil
	}
	if info.status == taskAsks {
		t.awaitQuestion(ctx, l)
	}
	if open := t.open(); len(open) > 0 && !info.ended() {
		info.status, info.requests = taskAsks, open
	} else if info.status == taskAsks {
		info.status = taskWorking
	}
	return nil
}

// awaitQuestion waits for a question, but not for long. An upstream of 2025-11-25
// asks it while a request waits in tasks/result, which the gateway does from now on.
func (t *task) awaitQuestion(ctx context.Context, l *link) {
	changed, stop := t.watch()
	defer stop()
	t.attend(l)
	limit := time.NewTimer(questionWait)
	defer limit.Stop()
	for len(t.open()) == 0 {
		select {
		case <-changed:
			t.mu.Lock()
			over := !t.attending
			t.mu.Unlock()
			if over {
				return
			}
		case <-limit.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// attend waits in tasks/result until the task has ended, so that its questions come.
func (t *task) attend(l *link) {
	b := &t.m.g.book
	if !t.m.up.Asks || b.at(t.m, t.id) != t {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.attending || b.attended >= t.m.g.opts.Questions.Held {
		return
	}
	t.attending = true
	b.attended++
	t.m.run.Go(func() {
		ctx, cancel := context.WithDeadline(t.m.life, t.expires)
		defer cancel()
		l.calls.Add(1)
		defer l.calls.Add(-1)
		_, err := send(ctx, l, &protocol.Request{Method: "tasks/result", Params: taskParams(t.id, nil)})
		if err != nil && ctx.Err() == nil {
			t.m.log.Debug("waiting for the questions of a task has failed", "error", safeText(err.Error()))
		}
		b.mu.Lock()
		b.attended--
		b.mu.Unlock()
		t.mu.Lock()
		t.attending = false
		t.mu.Unlock()
		t.wake()
	})
}

// serveModern serves tasks/get, tasks/update and tasks/cancel of 2026-07-28.
func (t *task) serveModern(ctx context.Context, req *protocol.Request, s subject) (protocol.Result, error) {
	if info, fixed := t.seen(); fixed {
		return t.answer(ctx, req, info, nil)
	}
	l, err := t.m.aliveLink(ctx)
	if err != nil {
		return t.m.errorResult(ctx, req, err)
	}
	if l.modern || l.local {
		got, err := t.request(ctx, l, req, req.Method, s.replace(req.Params, t.id))
		if err != nil {
			info, err := t.missing(got.link, err)
			return t.answer(ctx, req, info, err)
		}
		if info, err := readTask(got.raw); err == nil && info.id == t.id {
			t.note(info)
		}
		return protocol.RawResult(withTaskID(got.raw, t.text)), nil
	}
	switch req.Method {
	case "tasks/update":
		var p struct {
			Responses map[string]json.RawMessage `json:"inputResponses"`
		}
		if err := json.Unmarshal(req.Params, &p); err != nil || p.Responses == nil {
			return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: tasks/update needs the member \"inputResponses\", an object")
		}
		if err := t.reply(p.Responses); err != nil {
			return nil, err
		}
	case "tasks/cancel":
		if _, err := t.request(ctx, l, req, req.Method, taskParams(t.id, nil)); err != nil {
			info, errNow := t.get(ctx, req, false) // one that has ended cannot be cancelled
			if errNow != nil || !info.ended() {
				return t.answer(ctx, req, nil, errors.Join(err, errNow))
			}
		}
		t.wake()
	default:
		info, err := t.get(ctx, req, true)
		return t.answer(ctx, req, info, err)
	}
	return protocol.RawResult(`{"resultType":"complete"}`), nil
}

// answer answers a request of 2026-07-28 with a state of the task.
func (t *task) answer(ctx context.Context, req *protocol.Request, info *taskInfo, err error) (protocol.Result, error) {
	if err != nil {
		return t.m.errorResult(ctx, req, err)
	}
	if req.Method != "tasks/get" {
		return protocol.RawResult(`{"resultType":"complete"}`), nil
	}
	raw, err := info.detailed(`{"resultType":"complete",`, t.text)
	return protocol.RawResult(raw), err
}

// serveSession serves tasks/get, tasks/result and tasks/cancel of 2025-11-25.
func (t *task) serveSession(ctx context.Context, req *protocol.Request, _ subject) (protocol.Result, error) {
	if req.Method == "tasks/result" {
		return t.result(ctx, req)
	}
	info, err := t.get(ctx, req, false)
	if err != nil {
		return t.m.errorResult(ctx, req, err)
	}
	if req.Method == "tasks/cancel" {
		if info, err = t.cancel(ctx, req, info); err != nil {
			return t.m.errorResult(ctx, req, err)
		}
	}
	return protocol.RawResult(info.session(t.text)), nil
}

// cancel cancels the task of a session, which has ended then whatever its work does.
func (t *task) cancel(ctx context.Context, req *protocol.Request, info *taskInfo) (*taskInfo, error) {
	if info.ended() {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the task cannot be cancelled: it has ended as %s", info.status)
	}
	l, err := t.m.aliveLink(ctx)
	if err != nil {
		return nil, err
	}
	got, err := t.request(ctx, l, req, "tasks/cancel", taskParams(t.id, nil))
	if err != nil {
		return nil, err
	}
	l = got.link
	if l.modern && !l.local {
		t.mu.Lock()
		t.cancelled = true
		t.mu.Unlock()
	} else if info, err = readTask(got.raw); err != nil {
		return nil, err
	}
	info = t.note(info)
	t.wake()
	return info, nil
}
