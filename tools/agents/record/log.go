package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"
	"unicode/utf8"
)

// EventType is the kind of an event.
type EventType string

// The events, with their data. Agents and groups in the data have the JSON form of this package;
// agents are shortened by Agent.Compact.
const (
	ServerStartup         EventType = "server:startup"               // {version, startedAt, port}
	HealthModelValidation EventType = "healthcheck:model_validation" // the state of all roles
	HealthRoleStart       EventType = "healthcheck:role_start"       // {roleId, model}
	HealthRoleComplete    EventType = "healthcheck:role_complete"    // the state of one role
	HealthComplete        EventType = "healthcheck:complete"         // {total, available}
	GroupCreated          EventType = "group:created"                // a group
	GroupRemoved          EventType = "group:deleted"                // a group
	AgentCreated          EventType = "agent:created"                // an agent
	AgentStatusUpdate     EventType = "agent:status_update"          // an agent
	AgentToolCall         EventType = "agent:tool_call"              // {agentId, call}
	AgentStalled          EventType = "agent:stalled"                // {agentId, stalled, silent_ms}
	AgentCompleted        EventType = "agent:completed"              // an agent
	AgentResultReported   EventType = "agent:result_reported"        // an agent
	ConfigUpdated         EventType = "config:updated"               // {roles}
)

// Event is an entry of a Log.
type Event struct {
	// Seq numbers the events of a log from 1, without gaps.
	Seq  int64     `json:"seq"`
	Type EventType `json:"type"`
	// At is the time of the event. Log.Append sets it if it is zero.
	At time.Time `json:"at"`
	// AgentID and GroupID are set for events of an agent or a group.
	AgentID string `json:"agentId,omitempty"`
	GroupID string `json:"groupId,omitempty"`
	// Data is the JSON data of the event; the constants of EventType describe it.
	Data json.RawMessage `json:"data"`
}

// ErrGone reports that a position in a log is no longer stored, or never existed. The reader loads
// the current state from the Store and follows the log from its end.
var ErrGone = errors.New("the events are no longer stored")

// Log is an ordered sequence of events. It is safe for concurrent use.
type Log interface {
	// Append adds an event and returns it with its Seq. It sets At if it is zero. It does not wait
	// for readers.
	Append(ctx context.Context, e Event) (Event, error)
	// Last returns the Seq of the newest event; 0 if there is none.
	Last(ctx context.Context) (int64, error)
	// Follow yields every event after a Seq and waits for new ones, until ctx ends or the log is
	// closed. A log stores a limited number of events; a reader that falls behind receives ErrGone.
	Follow(ctx context.Context, after int64) iter.Seq2[Event, error]
}

// Publish encodes data as JSON and appends the event.
func Publish(ctx context.Context, l Log, e Event, data any) (Event, error) {
	encoded, err := json.Marshal(data)
	if err != nil {
		return e, fmt.Errorf("encoding the data of %s: %w", e.Type, err)
	}
	e.Data = encoded
	return l.Append(ctx, e)
}

// compactMessageBytes is the size of the last message in a compact record. Its end is kept, which
// is the newest part.
const compactMessageBytes = 600

// Compact returns the agent for lists and events: without the prompt, the recent tool calls, the
// context files and the changes, and with a shortened last message.
func (a Agent) Compact() Agent {
	a.Prompt, a.RecentToolCalls, a.ContextFiles = "", nil, nil
	if n := len(a.LastAssistantMessage) - compactMessageBytes; n > 0 {
		for n < len(a.LastAssistantMessage) && !utf8.RuneStart(a.LastAssistantMessage[n]) {
			n++
		}
		a.LastAssistantMessage = "…" + a.LastAssistantMessage[n:]
	}
	if a.Result != nil {
		short := *a.Result
		short.RawOutput, short.Changes = "", nil
		a.Result = &short
	}
	return a
}
