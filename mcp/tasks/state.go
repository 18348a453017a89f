package tasks

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// Status is the status of a task.
type Status string

// The statuses (extension io.modelcontextprotocol/tasks, "Task Status").
const (
	Working       Status = "working"        // the work is running
	InputRequired Status = "input_required" // the task waits for answers
	Completed     Status = "completed"      // with a result, which may have isError
	Failed        Status = "failed"         // with a protocol error
	Cancelled     Status = "cancelled"      // by its client
)

// Ended reports whether the status is final.
func (s Status) Ended() bool { return s == Completed || s == Failed || s == Cancelled }

// state is the content of Record.Data.
type state struct {
	Tool    string    `json:"tool"` // name of the tool
	Status  Status    `json:"status"`
	Message string    `json:"message,omitempty"` // status message
	Updated time.Time `json:"updated"`           // time of the last change
	TTL     int64     `json:"ttl"`               // milliseconds after creation
	Poll    int64     `json:"poll"`              // milliseconds between requests of clients
	// Requests are unanswered questions. Answers wait until the work takes them. Refusals are
	// errors in place of answers; sessions of 2025-11-25 send them.
	Requests map[string]protocol.InputRequest `json:"requests,omitempty"`
	Answers  map[string]json.RawMessage       `json:"answers,omitempty"`
	Refusals map[string]string                `json:"refusals,omitempty"`
	Cancel   bool                             `json:"cancel,omitempty"`  // a client has requested the end
	Result   json.RawMessage                  `json:"result,omitempty"`  // result in the latest revision
	IsError  bool                             `json:"isError,omitempty"` // the result has isError
	Error    *failure                         `json:"error,omitempty"`   // error of a failed task
}

// failure is a protocol error in a stored task.
type failure struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// failureOf returns err as a failure. Errors other than *protocol.Error become internal errors.
func failureOf(err error) *failure {
	var e *protocol.Error
	if errors.As(err, &e) {
		return &failure{e.Code, e.Message, e.Data}
	}
	return &failure{Code: protocol.CodeInternal, Message: "Internal error: " + err.Error()}
}

// err returns the failure as an error.
func (f *failure) err() *protocol.Error {
	return &protocol.Error{Code: f.Code, Message: f.Message, Data: f.Data}
}

// readState decodes the state of a record.
func readState(r *Record) (*state, error) {
	s := new(state)
	if err := json.Unmarshal(r.Data, s); err != nil {
		return nil, fmt.Errorf("reading the task %s: %w", r.ID, err)
	}
	return s, nil
}

// storeIn stores the state in its record, with the next version.
func (s *state) storeIn(r *Record) error {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("writing the task %s: %w", r.ID, err)
	}
	r.Data, r.Ended = data, s.Status.Ended()
	r.Version++
	return nil
}

// updateStatus sets the status according to the open questions, unless the task has ended.
func (s *state) updateStatus() {
	switch {
	case s.Status.Ended():
	case len(s.Requests) > 0:
		s.Status = InputRequired
	default:
		s.Status = Working
	}
}

// finish sets the final status. The task is kept for at least keep.
func (s *state) finish(r *Record, status Status, message string, now time.Time, keep time.Duration) {
	s.Status, s.Message = status, message
	s.Requests, s.Answers, s.Refusals = nil, nil, nil
	if until := now.Add(keep); until.After(r.Created.Add(time.Duration(s.TTL) * time.Millisecond)) {
		s.TTL = until.Sub(r.Created).Milliseconds()
	}
	r.Expires = r.Created.Add(time.Duration(s.TTL) * time.Millisecond)
}
