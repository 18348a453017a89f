package tasks

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

// Info is what a server says of a task.
type Info struct {
	ID      string // empty for a call that was answered at once
	Status  Status
	Message string // of the task about itself; may be empty
	Created time.Time
	Updated time.Time
	// TTL is how long after its creation the task may be asked for, 0 if that is not
	// limited.
	TTL time.Duration
	// PollInterval is how often the server wants to be asked, 0 if it does not say.
	PollInterval time.Duration
	// Requests are the questions that wait for answers, by their keys.
	Requests map[string]mcp.InputRequest
	// Err is what a task has failed with.
	Err *mcp.Error

	raw json.RawMessage // the result
}

// infoWire is a task as revision 2026-07-28 has it.
type infoWire struct {
	ID       string                      `json:"taskId"`
	Status   Status                      `json:"status"`
	Message  string                      `json:"statusMessage"`
	Created  time.Time                   `json:"createdAt"`
	Updated  time.Time                   `json:"lastUpdatedAt"`
	TTL      *float64                    `json:"ttlMs"`
	Poll     float64                     `json:"pollIntervalMs"`
	Requests map[string]mcp.InputRequest `json:"inputRequests"`
	Result   json.RawMessage             `json:"result"`
	Error    *failure                    `json:"error"`
}

// UnmarshalJSON reads the result of tasks/get, the answer to a call that has become
// a task, or the params of notifications/tasks.
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
		i.Err = mcp.Errorf(mcp.CodeInternal, "The task has failed, and its server does not say why")
	case i.Status != Working && i.Status != InputRequired && !i.Status.Ended():
		return fmt.Errorf("reading a task: its status %q is unknown", i.Status)
	}
	return nil
}

// millis is a number of milliseconds of a server's, within reason.
func millis(n float64) time.Duration {
	const most = 100 * 365 * 24 * time.Hour
	return time.Duration(min(max(n, 0), float64(most.Milliseconds()))) * time.Millisecond
}

// outcome is the raw result of a task that has ended.
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

// Result is that of a task that has ended: what its tool has answered. The error is
// the *mcp.Error that the task has failed with, or ErrCancelled.
func (i *Info) Result() (*mcp.ToolResult, error) {
	raw, err := i.outcome()
	if err != nil {
		return nil, err
	}
	result := new(mcp.ToolResult)
	return result, json.Unmarshal(raw, result)
}
