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
	"github.com/dougu-go/dougu/mcp/protocol"
)

// listPageSize is the number of tasks in a page of tasks/list.
const listPageSize = 100

// relatedTask is the _meta key with the id of the task that a message belongs to (2025-11-25,
// basic/utilities/tasks, "Related Task Metadata").
const relatedTask = "io.modelcontextprotocol/related-task"

// sessionStatus returns the status in the form of revision 2025-11-25: a result with an error is
// Failed.
func sessionStatus(s *state) Status {
	if s.IsError {
		return Failed
	}
	return s.Status
}

// list handles tasks/list.
func (r *Runner) list(ctx context.Context, req *protocol.Request, may func(tool string) error) (protocol.Result, error) {
	var p struct {
		Cursor string `json:"cursor"`
	}
	if err := readParams(req, &p); err != nil {
		return nil, err
	}
	after, err := parseCursor(p.Cursor)
	if err != nil {
		return nil, err
	}
	r.failOrphans(ctx)
	records, err := r.store.List(ctx, req.Peer.Principal, after, listPageSize)
	if err != nil {
		return nil, storeError(err)
	}
	page := listed{}
	for i := range records {
		record := &records[i]
		if !record.Expires.After(time.Now()) {
			continue
		}
		if seen, err := r.view(record, may); err == nil {
			page.tasks = append(page.tasks, seen)
		}
	}
	if len(records) == listPageSize {
		last := records[listPageSize-1]
		page.next = base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", last.Created.UnixMilli(), last.ID))
	}
	return page, nil
}

// parseCursor decodes a cursor.
func parseCursor(cursor string) (Position, error) {
	if cursor == "" {
		return Position{}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	created, id, ok := strings.Cut(string(raw), " ")
	millis, invalid := strconv.ParseInt(created, 10, 64)
	if err != nil || !ok || invalid != nil {
		return Position{}, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the cursor is not one of this server's; list again from the start")
	}
	return Position{time.UnixMilli(millis).UTC(), id}, nil
}

// result handles tasks/result: it waits for the end of the task, and asks the session the task's
// questions meanwhile.
func (r *Runner) result(ctx context.Context, req *protocol.Request, seen view) (protocol.Result, error) {
	changed := make(chan struct{}, 1)
	leave, err := r.hub.follow(seen.id, func(Record) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return nil, storeError(err)
	}
	defer leave()
	defer r.keepMaintained()()
	for {
		if seen, err = r.find(ctx, req.Peer.Principal, seen.id, nil); err != nil {
			return nil, err
		}
		if seen.state.Status.Ended() {
			return finalResult(seen)
		}
		asked, busy, err := r.askSession(ctx, req, seen)
		switch {
		case err != nil:
			return nil, err
		case asked:
			continue
		}
		select {
		case <-changed:
		case <-busy: // nil if there is no question
		case <-time.After(leaseTime): // the runner of the task may have died
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// finalResult returns the response that the call would have had without a task.
func finalResult(seen view) (protocol.Result, error) {
	switch s := seen.state; {
	case s.Status == Cancelled:
		return nil, protocol.Errorf(protocol.CodeInternal, "The task was cancelled")
	case s.Error != nil:
		return nil, s.Error.err()
	default:
		result := new(mcp.ToolResult)
		if err := json.Unmarshal(s.Result, result); err != nil {
			return nil, storeError(err)
		}
		meta := mcp.Meta{relatedTask: map[string]any{"taskId": seen.id}}
		for key, value := range result.Meta {
			if key != "io.modelcontextprotocol/serverInfo" { // metadata of the latest revision
				meta[key] = value
			}
		}
		result.Meta = meta
		return result, nil
	}
}

// questionClaim identifies a question that a request is asking a session.
type questionClaim struct{ task, key string }

// askSession asks the session the open questions of a task and adds the answers to the task. It reports
// whether there were any. Questions that another request is asking are omitted; busy is closed when
// that request has finished one.
func (r *Runner) askSession(ctx context.Context, req *protocol.Request, seen view) (asked bool, busy <-chan struct{}, err error) {
	if req.Asker == nil {
		return false, nil, nil
	}
	questions := make(map[string]protocol.InputRequest)
	for _, key := range slices.Sorted(maps.Keys(seen.state.Requests)) {
		if busy = r.claim(questionClaim{seen.id, key}); busy == nil {
			defer r.releaseClaim(questionClaim{seen.id, key})
			questions[key] = withRelatedTask(seen.state.Requests[key], seen.id)
		}
	}
	if len(questions) == 0 {
		return false, busy, nil
	}
	asked, err = r.askAll(ctx, req, seen, questions)
	return asked, nil, err
}

// askAll asks the session questions while the task still needs the answers.
func (r *Runner) askAll(ctx context.Context, req *protocol.Request, seen view, questions map[string]protocol.InputRequest) (bool, error) {
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	leave, err := r.hub.follow(seen.id, func(record Record) {
		if s, err := readState(&record); err == nil && !stillOpen(s, questions) {
			cancel() // the task was cancelled, or the questions were answered elsewhere
		}
	})
	if err != nil {
		return false, storeError(err)
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
	return true, r.addAnswers(ctx, seen.id, questions, answers, failed)
}

// stillOpen reports whether one of the questions is unanswered.
func stillOpen(s *state, questions map[string]protocol.InputRequest) bool {
	for key := range questions {
		if _, open := s.Requests[key]; open {
			return true
		}
	}
	return false
}

// addAnswers adds the answers of a client to a task, or its refusal.
func (r *Runner) addAnswers(ctx context.Context, id string, questions map[string]protocol.InputRequest, answers map[string]json.RawMessage, failed error) error {
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
		s.updateStatus()
		return nil
	})
	if err != nil && !errors.Is(err, ErrNotFound) {
		return storeError(err)
	}
	return nil
}

// withRelatedTask returns the question with the id of its task in _meta.
func withRelatedTask(q protocol.InputRequest, id string) protocol.InputRequest {
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

// claim reserves a question for the caller and returns nil. If it is reserved already, claim
// returns a channel that is closed at the end of that reservation.
func (r *Runner) claim(c questionClaim) (taken <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if taken := r.claims[c]; taken != nil {
		return taken
	}
	r.claims[c] = make(chan struct{})
	return nil
}

// releaseClaim ends a reservation.
func (r *Runner) releaseClaim(c questionClaim) {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.claims[c])
	delete(r.claims, c)
}
