package agents

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// The values of record.ToolCall.Subtype.
const (
	callStarted   = "started"
	callCompleted = "completed"
)

// toolCall is the data of a record.AgentToolCall event.
type toolCall struct {
	AgentID string          `json:"agentId"`
	Call    record.ToolCall `json:"call"`
}

// handleTool processes the start or the end of a tool call.
func (t *track) handleTool(e executor.Event) {
	tool := e.Tool
	call, first, announce := t.recordCall(e)
	if first && strings.HasSuffix(tool.Name, reportTool) {
		t.recordStreamReport(tool.Args)
	}
	if tool.Diff != "" {
		t.appendOutput(record.Diff, []byte(strings.TrimRight(tool.Diff, "\n")+"\n"))
	}
	if announce {
		t.a.emit(context.WithoutCancel(t.a.baseCtx), record.Event{Type: record.AgentToolCall, AgentID: t.r.id, GroupID: t.r.agent.GroupID}, toolCall{t.r.id, call})
	}
}

// recordCall adds or updates a call. first reports a new call; announce reports whether an event
// may be emitted.
func (t *track) recordCall(e executor.Event) (call record.ToolCall, first, announce bool) {
	tool := e.Tool
	at := e.At.UTC().Truncate(time.Millisecond)
	if e.At.IsZero() {
		at = now()
	}
	callID := truncate.Within(tool.CallID, maxName)
	t.mu.Lock()
	defer t.mu.Unlock()
	seq, known := t.open[callID]
	if e.Kind == executor.ToolStarted && known {
		return call, false, false // said twice
	}
	call = record.ToolCall{CallID: callID, Type: truncate.Within(tool.Type, maxName), Name: toolName(tool), Subtype: callStarted, Args: shortenArgs(tool.Args), StartedAt: at}
	if !known {
		t.count++
		seq = t.count
	}
	call.Seq = seq
	if e.Kind == executor.ToolStarted {
		if len(t.open) < maxOpenCalls {
			t.open[callID] = seq
		}
	} else {
		delete(t.open, callID)
		call.Subtype, call.Failed, call.EndedAt = callCompleted, tool.Failed, at
	}
	call = t.upsertCall(call)
	for _, c := range tool.Changes {
		t.changes.add(t.w.dir, c.Path, c.Kind, record.FromStream)
	}
	t.dirty = true
	t.eventCount++
	return call, !known, t.eventCount <= callsPerFlush
}

// upsertCall replaces the entry with the same Seq, or appends one and drops the oldest.
func (t *track) upsertCall(call record.ToolCall) record.ToolCall {
	for i := len(t.calls) - 1; i >= 0; i-- {
		if old := t.calls[i]; old.Seq == call.Seq {
			call.StartedAt = old.StartedAt
			if call.Args == nil {
				call.Args = old.Args
			}
			t.calls[i] = call
			return call
		}
	}
	if len(t.calls) == maxCalls {
		t.calls = append(t.calls[:0], t.calls[1:]...)
	}
	t.calls = append(t.calls, call)
	return call
}

// maxName is the largest size of identifiers of calls, sessions and models, in bytes.
const maxName = 512

// maxArgs is the largest size of the arguments of a call in a record, in bytes.
const maxArgs = 1 << 10

// shortenArgs shortens the strings in arguments until they fit maxArgs.
func shortenArgs(args json.RawMessage) json.RawMessage {
	if len(args) == 0 || !json.Valid(args) {
		return nil
	}
	if len(args) <= maxArgs {
		return append(json.RawMessage(nil), args...)
	}
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		return nil
	}
	for _, longest := range []int{300, 100, 30} {
		if short, err := json.Marshal(shortenValue(value, longest, 4)); err == nil && len(short) <= maxArgs {
			return short
		}
	}
	return json.RawMessage(`{"…":"the arguments are too long"}`)
}

// shortenValue returns a decoded JSON value with shorter strings and lists, cut below a depth.
func shortenValue(value any, longest, depth int) any {
	const most = 8 // members
	switch v := value.(type) {
	case string:
		return truncate.Within(v, longest)
	case []any:
		if depth == 0 {
			return "…"
		}
		short := make([]any, 0, min(len(v), most+1))
		for i, member := range v {
			if i == most {
				short = append(short, "…")
				break
			}
			short = append(short, shortenValue(member, longest, depth-1))
		}
		return short
	case map[string]any:
		if depth == 0 {
			return "…"
		}
		short := make(map[string]any, len(v))
		for name, member := range v {
			short[truncate.Within(name, longest)] = shortenValue(member, longest, depth-1)
		}
		return short
	}
	return value
}

// toolName returns server/tool for an MCP tool, or the name alone without a server.
func toolName(tool *executor.Tool) string {
	if tool.Server == "" || tool.Name == "" {
		return truncate.Within(tool.Name, maxName)
	}
	return truncate.Within(tool.Server+"/"+tool.Name, maxName)
}
