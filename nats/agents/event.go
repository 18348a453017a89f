package agents

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// wireEvent is an event as a runner writes it.
type wireEvent struct {
	Kind    executor.Kind  `json:"k"`
	At      time.Time      `json:"at,omitzero"`
	Session string         `json:"session,omitempty"`
	Model   string         `json:"model,omitempty"`
	Text    string         `json:"text,omitempty"`
	Tool    *executor.Tool `json:"tool,omitempty"`
	Failed  bool           `json:"failed,omitempty"`
	Usage   *record.Usage  `json:"usage,omitempty"`
	Sum     bool           `json:"sum,omitempty"` // Usage is cumulative
	Stream  record.Stream  `json:"stream,omitempty"`
	Data    []byte         `json:"data,omitempty"`
	Silent  time.Duration  `json:"silent,omitempty"`
}

func wireOf(e executor.Event) wireEvent {
	return wireEvent{e.Kind, e.At, e.Session, e.Model, e.Text, e.Tool, e.Failed, e.Usage, e.Cumulative, e.Stream, bytes.Clone(e.Data), e.Silent}
}

func (w *wireEvent) event() executor.Event {
	return executor.Event{
		Kind: w.Kind, At: w.At, Session: w.Session, Model: w.Model, Text: w.Text, Tool: w.Tool, Failed: w.Failed, Usage: w.Usage, Cumulative: w.Sum,
		Stream: w.Stream, Data: w.Data, Silent: w.Silent,
	}
}

const (
	// maxBatch is about how many bytes of events are in a message.
	maxBatch = 256 << 10
	// maxEvent is the limit of an encoded event, in bytes, without the members that are cut.
	maxEvent = 512 << 10
)

// size is about how long it is when it is written.
func (w *wireEvent) size() int {
	n := 200 + len(w.Text) + len(w.Data)*4/3
	if w.Tool != nil {
		n += len(w.Tool.Args) + len(w.Tool.Diff) + len(w.Tool.Error) + 100*len(w.Tool.Changes)
	}
	return n
}

// join adds an event to one of the same kind, if they are one as well.
func (w *wireEvent) join(next *wireEvent) bool {
	if w.Kind != next.Kind || w.size()+next.size() > maxBatch/4 {
		return false
	}
	switch w.Kind {
	case executor.Output:
		if w.Stream != next.Stream {
			return false
		}
		w.Data = append(w.Data, next.Data...)
	case executor.Delta:
		w.Text += next.Text
	default:
		return false
	}
	return true
}

// encode writes events, each of them cut if it is too long for a message.
func encode(events []wireEvent) json.RawMessage {
	all := []byte{'['}
	for i := range events {
		data, err := json.Marshal(&events[i])
		if err != nil || len(data) > maxEvent { // the kind of event remains
			data, _ = json.Marshal(&wireEvent{Kind: executor.Unknown, At: events[i].At, Text: "an event that is too long, or cannot be written"})
		}
		if len(all) > 1 {
			all = append(all, ',')
		}
		all = append(all, data...)
	}
	return append(all, ']')
}
