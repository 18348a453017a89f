package tasks

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
)

// listPage is how many tasks a page of tasks/list has.
const listPage = 100

// relatedTask is the _meta key that says which task a message belongs to
// (2025-11-25, basic/utilities/tasks, "Related Task Metadata").
const relatedTask = "io.modelcontextprotocol/related-task"

// sessionStatus is a status as revision 2025-11-25 has it.
func sessionStatus(s *state) Status {
	if s.IsError {
		return Failed
	}
	return s.Status
}

// list serves tasks/list.
func (r *Runner) list(ctx context.Context, req *mcp.Request, may func(tool string) error) (mcp.Result, error) {
	var p struct {
		Cursor string `json:"cursor"`
	}
	if err := readParams(req, &p); err != nil {
		return nil, err
	}
	after, err := placeOf(p.Cursor)
	if err != nil {
		return nil, err
	}
	r.reap(ctx)
	records, err := r.store.List(ctx, req.Peer.Principal, after, listPage)
	if err != nil {
		return nil, broken(err)
	}
	page := listed{}
	for i := range records {
		record := &records[i]
		if !record.Expires.After(time.Now()) {
			continue
		}
		if seen, err := r.see(record, may); err == nil {
			page.tasks = append(page.tasks, seen)
		}
	}
	if len(records) == listPage {
		last := records[listPage-1]
		page.next = base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", last.Created.UnixMilli(), last.ID))
	}
	return page, nil
}

// placeOf reads a cursor.
func placeOf(cursor string) (Place, error) {
	if cursor == "" {
		return Place{}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	created, id, ok := strings.Cut(string(raw), " ")
	millis, invalid := strconv.ParseInt(created, 10, 64)
	if err != nil || !ok || invalid != nil {
		return Place{}, mcp.Errorf(mcp.CodeInvalidParams, "Invalid params: the cursor is not one of this server's; list again from the start")
	}
	return Place{time.UnixMilli(millis).UTC(), id}, nil
}

// result serves tasks/result: it waits for the end of the task, and meanwhile puts
// the task's questions to the session.
func (r *Runner) result(ctx context.Context, req *mcp.Request, seen view) (mcp.Result, error) {
	changed := make(chan struct{}, 1)
	leave, err := r.hub.follow(seen.id, func(Record) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return nil, broken(err)
	}
	defer leave()
	defer r.attend()()
	for {
		if seen, err = r.find(ctx, req.Peer.Principal, seen.id, nil); err != nil {
			return nil, err
		}
		if seen.state.Status.Ended() {
			return finalResult(seen)
		}
		asked, busy, err := r.put(ctx, req, seen)
		switch {
		case err != nil:
			return nil, err
		case asked:
			continue
		}
		select {
		case <-changed:
		case <-busy: // nil when there is nothing to ask
		case <-time.After(lease): // whoever does the work may be gone
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// finalResult is what the call of a task would have been answered with.
func finalResult(seen view) (mcp.Result, error) {
	switch s := seen.state; {
	case s.Status == Cancelled:
		return nil, mcp.Errorf(mcp.CodeInternal, "The task was cancelled")
	case s.Error != nil:
		return nil, s.Error.err()
	default:
		result := new(mcp.ToolResult)
		if err := json.Unmarshal(s.Result, result); err != nil {
			return nil, broken(err)
		}
		meta := mcp.Meta{relatedTask: map[string]any{"taskId": seen.id}}
		for key, value := range result.Meta {
			if key != "io.modelcontextprotocol/serverInfo" { // of the latest revision
				meta[key] = value
			}
		}
		result.Meta = meta
		return result, nil
	}
}

// claim is a question of a task that somebody is putting to a session.
type claim struct{ task, key string }

// put puts the open questions of a task to a session, and gives the task the
// answers. It reports whether there were any. Questions that somebody is putting
// already are left to them: busy is closed when they have done with one.
func (r *Runner) put(ctx context.Context, req *mcp.Request, seen view) (asked bool, busy <-chan struct{}, err error) {
	if req.Asker == nil {
		return false, nil, nil
	}
	questions := make(map[string]mcp.InputRequest)
	for _, key := range slices.Sorted(maps.Keys(seen.state.Requests)) {
		if busy = r.claim(claim{seen.id, key}); busy == nil {
			defer r.unclaim(claim{seen.id, key})
			questions[key] = related(seen.state.Requests[key], seen.id)
		}
	}
	if len(questions) == 0 {
		return false, busy, nil
	}
	asked, err = r.putAll(ctx, req, seen, questions)
	return asked, nil, err
}

// putAll puts questions to a session for as long as the task wants the answers.
func (r *Runner) putAll(ctx context.Context, req *mcp.Request, seen view, questions map[string]mcp.InputRequest) (bool, error) {
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	leave, err := r.hub.follow(seen.id, func(record Record) {
		if s, err := stateOf(&record); err == nil && !stillOpen(s, questions) {
			cancel() // it was cancelled, or somebody else has answered
		}
	})
	if err != nil {
		return false, broken(err)
	}
	defer leave()
	if now, err := r.find(ctx, req.Peer.Principal, seen.id, nil); err != nil || !stillOpen(now.state, questions) {
		return true, err
	}
	answers, failed := req.Asker.Ask(asking, questions)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if asking.Err() != nil {
		return true, nil
	}
	return true, r.deliver(ctx, seen.id, questions, answers, failed)
}

// stillOpen reports whether a task waits for the answer to one of the questions.
func stillOpen(s *state, questions map[string]mcp.InputRequest) bool {
	for key := range questions {
		if _, open := s.Requests[key]; open {
			return true
		}
	}
	return false
}

// deliver gives a task what its client has answered, or that it has refused to.
func (r *Runner) deliver(ctx context.Context, id string, questions map[string]mcp.InputRequest, answers map[string]json.RawMessage, failed error) error {
	_, err := r.change(ctx, id, nil, func(_ *Record, s *state) error {
		if s.Status.Ended() {
			return errUnchanged
		}
		for key := range questions {
			if _, open := s.Requests[key]; !open {
				continue
			}
			if failed != nil {
				if s.Refusals == nil {
					s.Refusals = make(map[string]string)
				}
				s.Refusals[key] = failed.Error()
			} else {
				if s.Answers == nil {
					s.Answers = make(map[string]json.RawMessage)
				}
				s.Answers[key] = answers[key]
			}
			delete(s.Requests, key)
		}
		s.settle()
		return nil
	})
	if err != nil && !errors.Is(err, ErrNotFound) {
		return broken(err)
	}
	return nil
}

// related is a question with the task that it belongs to.
func related(q mcp.InputRequest, id string) mcp.InputRequest {
	meta := jsonx.AppendQuoted([]byte(`{"_meta":{"`+relatedTask+`":{"taskId":`), id)
	meta = append(meta, `}}`...)
	members := jsonx.Object(q.Params)
	for len(q.Params) > 0 && members.Next() {
		if members.Name() != "_meta" {
			meta = append(jsonx.AppendQuoted(append(meta, ','), members.Name()), ':')
			meta = append(meta, members.Value()...)
		}
	}
	q.Params = append(meta, '}')
	return q
}

// claim takes a question for the one who calls; if somebody has it, it returns what
// is closed when they have not any more.
func (r *Runner) claim(c claim) (taken <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if taken := r.claims[c]; taken != nil {
		return taken
	}
	r.claims[c] = make(chan struct{})
	return nil
}

func (r *Runner) unclaim(c claim) {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.claims[c])
	delete(r.claims, c)
}
