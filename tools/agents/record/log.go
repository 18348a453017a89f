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

// EventType names what has happened.
type EventType string

// The events, whose data is in the comments. Agents and groups are those of this package in JSON; of agents the prompt and the
// recent tool calls are left out of what comes often, as Agent.Brief does.
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

// Event is something that has happened.
type Event struct {
	// Seq numbers the events of a log, without gaps, from 1.
	Seq  int64     `json:"seq"`
	Type EventType `json:"type"`
	At   time.Time `json:"at"`
	// AgentID and GroupID are whose it is, if it is anybody's.
	AgentID string          `json:"agentId,omitempty"`
	GroupID string          `json:"groupId,omitempty"`
	Data    json.RawMessage `json:"data"`
}

// ErrGone is a place in a log whose events are not kept any more: who follows it must look at the Store and begin at its end.
var ErrGone = errors.New("the events are not kept any more")

// Log tells what happens, in one order for all. It may be used concurrently.
type Log interface {
	// Append adds an event, whose Seq and, if it is zero, At it sets, and answers it. It does not wait for those who follow.
	Append(ctx context.Context, e Event) (Event, error)
	// Last is the Seq of the newest event; 0 if there is none.
	Last(ctx context.Context) (int64, error)
	// Follow yields every event after a Seq, and waits for those to come, until ctx ends or the log is closed. A log keeps a
	// bounded number of events: who is slower meets ErrGone.
	Follow(ctx context.Context, after int64) iter.Seq2[Event, error]
}

// Tell adds an event to a log, with its data encoded.
func Tell(ctx context.Context, l Log, e Event, data any) (Event, error) {
	encoded, err := json.Marshal(data)
	if err != nil {
		return e, fmt.Errorf("encoding the data of %s: %w", e.Type, err)
	}
	e.Data = encoded
	return l.Append(ctx, e)
}

// briefMessage is how much of the last message of an agent is shown in brief: its end, which is what is new.
const briefMessage = 600

// Brief is the agent without what is long: what lists and events show.
func (a Agent) Brief() Agent {
	a.Prompt, a.RecentToolCalls, a.ContextFiles = "", nil, nil
	if n := len(a.LastAssistantMessage) - briefMessage; n > 0 {
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
