package tasks

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Info is the state of a task as the server reports it.
type Info struct {
	ID      string    // ID identifies the task; empty for a call without a task.
	Status  Status    // Status is the status of the task.
	Message string    // Message is the status message; may be empty.
	Created time.Time // Created is the time of creation.
	Updated time.Time // Updated is the time of the last change.
	// TTL is the time after Created for which the server keeps the task; 0 means no limit.
	TTL time.Duration
	// PollInterval is the interval between requests that the server asks for; 0 if it asks for
	// none.
	PollInterval time.Duration
	// Requests are the unanswered questions, by key.
	Requests map[string]protocol.InputRequest
	// Err is the error of a failed task.
	Err *protocol.Error

	raw json.RawMessage // result of a completed task
}

// infoWire is a task in the format of revision 2026-07-28.
type infoWire struct {
	ID       string                           `json:"taskId"`
	Status   Status                           `json:"status"`
	Message  string                           `json:"statusMessage"`
	Created  time.Time                        `json:"createdAt"`
	Updated  time.Time                        `json:"lastUpdatedAt"`
	TTL      *float64                         `json:"ttlMs"`
	Poll     float64                          `json:"pollIntervalMs"`
	Requests map[string]protocol.InputRequest `json:"inputRequests"`
	Result   json.RawMessage                  `json:"result"`
	Error    *failure                         `json:"error"`
}

// UnmarshalJSON decodes the result of tasks/get, the response to a call that has become a task, or
// the params of notifications/tasks.
func (i *Info) UnmarshalJSON(data []byte) error {
	var wire infoWire
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading a task: %w", err)
	}
	*i = Info{
		ID: wire.ID, Status: wire.Status, Message: wire.Message, Created: wire.Created, Updated: wire.Updated,
		PollInterval: millis(wire.Poll), Requests: wire.Requests, raw: wire.Result,
	}
	if wire.TTL != nil {
		i.TTL = millis(*wire.TTL)
	}
	if wire.Error != nil {
		i.Err = wire.Error.err()
	}
	switch {
	case i.ID == "":
		return errors.New("reading a task: it has no id")
	case i.Status == Completed && len(i.raw) == 0:
		return errors.New("reading a task: it is completed and has no result")
	case i.Status == Failed && i.Err == nil:
		i.Err = protocol.Errorf(protocol.CodeInternal, "The task has failed, and its server does not say why")
	case i.Status != Working && i.Status != InputRequired && !i.Status.Ended():
		return fmt.Errorf("reading a task: its status %q is unknown", i.Status)
	}
	return nil
}

// millis converts milliseconds from a server to a duration between 0 and 100 years.
func millis(n float64) time.Duration {
	const most = 100 * 365 * 24 * time.Hour
	return time.Duration(min(max(n, 0), float64(most.Milliseconds()))) * time.Millisecond
}

// outcome returns the raw result of a task that has ended.
func (i *Info) outcome() (json.RawMessage, error) {
	switch i.Status {
	case Completed:
		return i.raw, nil
	case Failed:
		return nil, i.Err
	case Cancelled:
		return nil, ErrCancelled
	}
	return nil, fmt.Errorf("the task has not ended: it is %s", i.Status)
}

// Result returns the result of a completed task. The error is the *protocol.Error of a failed task,
// ErrCancelled, or says that the task has not ended.
func (i *Info) Result() (*mcp.ToolResult, error) {
	raw, err := i.outcome()
	if err != nil {
		return nil, err
	}
	result := new(mcp.ToolResult)
	return result, json.Unmarshal(raw, result)
}
