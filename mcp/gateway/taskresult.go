package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// The poll interval of an upstream's task is clamped to these.
const minPoll, maxPoll = 20 * time.Millisecond, time.Minute

// interval is how long to wait before a task is asked for again. Default 1 second.
func (i *taskInfo) interval() time.Duration {
	if i.poll == nil {
		return time.Second
	}
	return min(max(time.Duration(*i.poll)*time.Millisecond, minPoll), maxPoll)
}

// result serves tasks/result: it waits for the end of the task, and puts the task's
// questions to the session meanwhile.
func (t *task) result(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	if info, fixed := t.seen(); fixed {
		return t.final(req, info)
	}
	l, err := t.m.aliveLink(ctx)
	if err != nil {
		return t.m.errorResult(ctx, req, err)
	}
	if l.modern && !l.local {
		return t.resultOfModern(ctx, req)
	}
	raw, err := t.resultOfOlder(ctx, l, req)
	if err == nil {
		return protocol.RawResult(withRelated(raw, t.text)), nil
	}
	// The error may be the error of the call, or report an unknown task.
	if info, errNow := t.get(ctx, req, false); errNow == nil {
		if _, fixed := t.seen(); fixed {
			return t.final(req, info)
		}
	} else if ctx.Err() == nil {
		err = errNow
	}
	return t.m.errorResult(ctx, req, err)
}

// resultOfOlder waits at an upstream of 2025-11-25.
func (t *task) resultOfOlder(ctx context.Context, l *link, req *protocol.Request) (json.RawMessage, error) {
	var run group.Group
	run.OnPanic = t.m.g.run.OnPanic
	defer run.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed, stop := t.watch()
	defer stop()
	var got rawResult
	var err error
	done := make(chan struct{})
	run.Go(func() {
		defer close(done)
		got, err = t.request(ctx, l, req, "tasks/result", taskParams(t.id, nil))
	})
	for {
		if req.Asker != nil {
			for key, q := range t.untold() {
				run.Go(func() { t.put(ctx, req, key, q) })
			}
		}
		select {
		case <-changed:
		case <-done:
			return got.raw, err
		}
	}
}

// put puts a question to a session.
func (t *task) put(ctx context.Context, req *protocol.Request, key string, q *taskQuestion) {
	answers, err := relatedAsker{req.Asker, t.text}.Ask(ctx, map[string]protocol.InputRequest{key: q.request})
	if ctx.Err() != nil {
		t.retell(q)
		return
	}
	select {
	case q.answer <- taskAnswer{answers[key], err}:
	default: // the task has ended
	}
}

// relatedAsker names the task in each question.
type relatedAsker struct {
	of protocol.Asker
	id string
}

// Ask implements protocol.Asker.
func (a relatedAsker) Ask(ctx context.Context, questions map[string]protocol.InputRequest) (map[string]json.RawMessage, error) {
	named := maps.Clone(questions)
	for key, q := range named {
		q.Params = withRelated(q.Params, a.id)
		named[key] = q
	}
	return a.of.Ask(ctx, named)
}

// resultOfModern waits for the end of a task at an upstream of 2026-07-28.
func (t *task) resultOfModern(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	changed, stop := t.watch()
	defer stop()
	told := make(map[string]bool)
	for {
		info, err := t.get(ctx, req, true)
		switch {
		case err != nil:
			return t.m.errorResult(ctx, req, err)
		case info.ended():
			return t.final(req, info)
		}
		fresh := maps.Clone(info.requests)
		maps.DeleteFunc(fresh, func(key string, _ protocol.InputRequest) bool { return told[key] })
		if len(fresh) > 0 && req.Asker != nil {
			for key := range fresh {
				told[key] = true
			}
			if err := t.putAll(ctx, req, fresh, changed); err != nil {
				return t.m.errorResult(ctx, req, err)
			}
			continue
		}
		if err := waitFor(ctx, changed, info.interval()); err != nil {
			return nil, err
		}
	}
}

// waitFor waits for a time, or for a change.
func waitFor(ctx context.Context, changed <-chan struct{}, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// putAll puts the questions of a task of 2026-07-28 to a session, and sends the
// answers. A question that is not answered is cancelled, if it can be.
func (t *task) putAll(ctx context.Context, req *protocol.Request, questions map[string]protocol.InputRequest, changed <-chan struct{}) error {
	var run group.Group
	run.OnPanic = t.m.g.run.OnPanic
	defer run.Wait()
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	run.Go(func() { // the task may be cancelled meanwhile
		for waitFor(asking, changed, maxPoll) == nil {
			if info, _ := t.seen(); info.ended() {
				cancel()
			}
		}
	})
	answers := make(map[string]json.RawMessage)
	for _, key := range slices.Sorted(maps.Keys(questions)) {
		q := questions[key]
		err := errors.New("the client cannot be asked " + safeText(q.Method))
		if isKind(q, req.Meta.Capabilities()) {
			var got map[string]json.RawMessage
			got, err = relatedAsker{req.Asker, t.text}.Ask(asking, map[string]protocol.InputRequest{key: q})
			answers[key] = json.RawMessage(withoutMembers(got[key], "_meta"))
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case asking.Err() != nil:
			return nil
		case err != nil && q.Method != "elicitation/create":
			return err
		case err != nil:
			answers[key] = json.RawMessage(`{"action":"cancel"}`)
		}
	}
	l, err := t.m.aliveLink(ctx)
	if err != nil {
		return err
	}
	responses, err := json.Marshal(answers)
	if err != nil {
		return protocol.Errorf(protocol.CodeInternal, "The client has answered with something that is not JSON")
	}
	_, err = t.request(ctx, l, req, "tasks/update", taskParams(t.id, append([]byte(`,"inputResponses":`), responses...)))
	return err
}

// final returns the result or the error of the call that has become a task in 2025-11-25.
func (t *task) final(req *protocol.Request, info *taskInfo) (protocol.Result, error) {
	switch info.status {
	case taskCancelled:
		return nil, protocol.Errorf(protocol.CodeInternal, "The task was cancelled")
	case taskFailed:
		return nil, info.failure()
	}
	call := *req
	call.Method = "tools/call"
	result, err := adaptResult(info.result, protocol.Latest, &call)
	if err != nil {
		return nil, err
	}
	raw, err := result.AppendJSON(nil, req.Meta.Revision)
	if err != nil {
		return nil, err
	}
	return protocol.RawResult(withRelated(raw, t.text)), nil
}
