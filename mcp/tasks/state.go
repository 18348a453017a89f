package tasks

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

// Status is how far a task has come.
type Status string

// The statuses (extension io.modelcontextprotocol/tasks, "Task Status").
const (
	Working       Status = "working"
	InputRequired Status = "input_required" // it waits for answers
	Completed     Status = "completed"      // its result may be that the tool has failed
	Failed        Status = "failed"         // with a protocol error
	Cancelled     Status = "cancelled"
)

// Ended reports whether the task will not change any more.
func (s Status) Ended() bool { return s == Completed || s == Failed || s == Cancelled }

// state is what a Record's data says.
type state struct {
	Tool    string    `json:"tool"`
	Status  Status    `json:"status"`
	Message string    `json:"message,omitempty"`
	Updated time.Time `json:"updated"`
	TTL     int64     `json:"ttl"`  // milliseconds from the creation, as clients are told
	Poll    int64     `json:"poll"` // milliseconds
	// Requests wait for answers; Answers wait for the work to take them, as do
	// Refusals, the errors that sessions of 2025-11-25 answer with instead.
	Requests map[string]mcp.InputRequest `json:"requests,omitempty"`
	Answers  map[string]json.RawMessage  `json:"answers,omitempty"`
	Refusals map[string]string           `json:"refusals,omitempty"`
	Cancel   bool                        `json:"cancel,omitempty"` // the client wants it to end
	Result   json.RawMessage             `json:"result,omitempty"` // in the latest revision
	IsError  bool                        `json:"isError,omitempty"`
	Error    *failure                    `json:"error,omitempty"`
}

// failure is a protocol error.
type failure struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func failureOf(err error) *failure {
	var e *mcp.Error
	if errors.As(err, &e) {
		return &failure{e.Code, e.Message, e.Data}
	}
	return &failure{Code: mcp.CodeInternal, Message: "Internal error: " + err.Error()}
}

func (f *failure) err() *mcp.Error {
	return &mcp.Error{Code: f.Code, Message: f.Message, Data: f.Data}
}

// stateOf reads the data of a record.
func stateOf(r *Record) (*state, error) {
	s := new(state)
	if err := json.Unmarshal(r.Data, s); err != nil {
		return nil, fmt.Errorf("reading the task %s: %w", r.ID, err)
	}
	return s, nil
}

// into writes the state into its record, with the next version.
func (s *state) into(r *Record) error {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("writing the task %s: %w", r.ID, err)
	}
	r.Data, r.Ended = data, s.Status.Ended()
	r.Version++
	return nil
}

// settle makes the status say whether questions are open.
func (s *state) settle() {
	switch {
	case s.Status.Ended():
	case len(s.Requests) > 0:
		s.Status = InputRequired
	default:
		s.Status = Working
	}
}

// end ends the task; who looks after it has at least keep to find out.
func (s *state) end(r *Record, status Status, message string, now time.Time, keep time.Duration) {
	s.Status, s.Message = status, message
	s.Requests, s.Answers, s.Refusals = nil, nil, nil
	if until := now.Add(keep); until.After(r.Created.Add(time.Duration(s.TTL) * time.Millisecond)) {
		s.TTL = until.Sub(r.Created).Milliseconds()
	}
	r.Expires = r.Created.Add(time.Duration(s.TTL) * time.Millisecond)
}
