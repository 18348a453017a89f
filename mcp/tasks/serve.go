package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// maxID limits the length of task ids in requests, in bytes.
const maxID = 128

// taskParams holds the params of a request about a task.
type taskParams struct {
	TaskID    *string                    `json:"taskId"`
	Responses map[string]json.RawMessage `json:"inputResponses"`
}

// Serve implements protocol.TaskRunner. It handles tasks/get, tasks/update and tasks/cancel, and for
// sessions tasks/result and tasks/list.
func (r *Runner) Serve(ctx context.Context, req *protocol.Request, may func(tool string) error) (protocol.Result, error) {
	if req.Method == "tasks/list" {
		return r.list(ctx, req, may)
	}
	var p taskParams
	if err := readParams(req, &p); err != nil {
		return nil, err
	}
	if p.TaskID == nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: %s needs the member \"taskId\", a string", req.Method)
	}
	seen, err := r.find(ctx, req.Peer.Principal, *p.TaskID, may)
	if err != nil {
		return nil, err
	}
	switch req.Method {
	case "tasks/get":
		return detailed{seen}, nil
	case "tasks/update":
		return r.update(ctx, *p.TaskID, p.Responses)
	case "tasks/cancel":
		return r.cancel(ctx, *p.TaskID, !req.Meta.Revision.Modern())
	case "tasks/result":
		return r.result(ctx, req, seen)
	}
	return nil, protocol.Errorf(protocol.CodeMethodNotFound, "Method not found: %s", req.Method)
}

// readParams decodes the params of a request. Unknown members are ignored.
func readParams(req *protocol.Request, v any) error {
	if len(req.Params) == 0 {
		return nil
	}
	err := json.Unmarshal(req.Params, v)
	var typed *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &typed) && typed.Field != "":
		return protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the member %q of %s must not be a %s", typed.Field, req.Method, typed.Value)
	}
	return protocol.Errorf(protocol.CodeInvalidParams, "Invalid params of %s: %v", req.Method, err)
}

// unknownTask returns the error for a task that does not exist or is not accessible. It does not
// distinguish the two.
func unknownTask() error {
	return protocol.Errorf(protocol.CodeInvalidParams, "Unknown task: there is none of this id, or it has expired")
}

// storeError returns the protocol error for a failure of the store.
func storeError(err error) error {
	switch {
	case errors.Is(err, ErrNotFound):
		return unknownTask()
	case errors.Is(err, ErrFull):
		return protocol.Errorf(protocol.CodeInternal, "There is no room to keep that; send it again when other tasks have ended")
	}
	var refused *protocol.Error
	if errors.As(err, &refused) {
		return refused
	}
	return protocol.Errorf(protocol.CodeInternal, "Internal error: %v", err)
}

// find returns the task with this id if it belongs to principal.
func (r *Runner) find(ctx context.Context, principal, id string, may func(tool string) error) (view, error) {
	if len(id) > maxID {
		return view{}, unknownTask()
	}
	record, err := r.store.Get(ctx, id)
	if err != nil {
		return view{}, storeError(err)
	}
	if record.Principal != principal || !record.Expires.After(time.Now()) {
		return view{}, unknownTask()
	}
	if !record.Ended && record.Owner != r.owner && r.failOrphans(ctx) {
		if record, err = r.store.Get(ctx, id); err != nil {
			return view{}, storeError(err)
		}
	}
	return r.view(&record, may)
}

// view returns the state of a task for its principal. may, if not nil, decides whether the principal
// may still use the tool.
func (r *Runner) view(record *Record, may func(tool string) error) (view, error) {
	s, err := readState(record)
	if err != nil {
		return view{}, storeError(err)
	}
	if may != nil {
		if err := may(s.Tool); err != nil {
			return view{}, toolRefused(err)
		}
	}
	if t := r.runningTask(record.ID); t != nil && !s.Status.Ended() && !s.Cancel {
		t.mu.Lock()
		if t.message != "" {
			s.Message = t.message
		}
		if t.messageTime.After(s.Updated) {
			s.Updated = t.messageTime
		}
		t.mu.Unlock()
	}
	return view{record.ID, record.Created, s}, nil
}

// toolRefused returns the protocol error for a tool that may not be used.
func toolRefused(err error) error {
	var refused *protocol.Error
	if errors.As(err, &refused) {
		return err
	}
	return protocol.Errorf(protocol.CodeInvalidParams, "The tool of this task may not be used: %v", err)
}

// update adds answers to the task. Answers to unknown questions are ignored.
func (r *Runner) update(ctx context.Context, id string, responses map[string]json.RawMessage) (protocol.Result, error) {
	if responses == nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: tasks/update needs the member \"inputResponses\", an object")
	}
	_, err := r.change(ctx, id, nil, func(_ *Record, s *state) error {
		before := len(s.Requests)
		for key, answer := range responses {
			if _, open := s.Requests[key]; !open || s.Status.Ended() {
				continue
			}
			if len(answer) == 0 || answer[0] != '{' {
				return protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: inputResponses[%q] must be an object", key)
			}
			if s.Answers == nil {
				s.Answers = make(map[string]json.RawMessage)
			}
			s.Answers[key] = answer
			delete(s.Requests, key)
		}
		if len(s.Requests) == before {
			return errUnchanged
		}
		s.updateStatus()
		return nil
	})
	if err != nil {
		return nil, storeError(err)
	}
	return protocol.EmptyResult{}, nil
}

// cancel requests the end of a task. In revision 2026-07-28 the task ends when its work ends,
// possibly with a result. In a session it ends at once.
func (r *Runner) cancel(ctx context.Context, id string, session bool) (protocol.Result, error) {
	seen, err := r.change(ctx, id, nil, func(record *Record, s *state) error {
		switch {
		case s.Status.Ended() && session:
			return protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the task cannot be cancelled: it has ended as %s", sessionStatus(s))
		case session:
			s.Cancel = true
			s.finish(record, Cancelled, "The task was cancelled.", nowMillis(), r.opts.Keep)
			return nil
		case s.Status.Ended(), s.Cancel:
			return errUnchanged
		}
		s.Cancel, s.Message = true, "The task is being cancelled."
		s.Requests, s.Answers, s.Refusals = nil, nil, nil
		s.updateStatus()
		return nil
	})
	if err != nil {
		return nil, storeError(err)
	}
	if t := r.runningTask(id); t != nil {
		t.start.Cancel(ErrCancelled)
	}
	if session {
		return detailed{seen}, nil
	}
	return protocol.EmptyResult{}, nil
}
