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

// The subtypes of calls.
const (
	callStarted   = "started"
	callCompleted = "completed"
)

// toolCall is the data of record.AgentToolCall.
type toolCall struct {
	AgentID string          `json:"agentId"`
	Call    record.ToolCall `json:"call"`
}

// tool notes the beginning or the end of a call.
func (t *track) tool(e executor.Event) {
	tool := e.Tool
	call, first, announce := t.noteCall(e)
	if first && strings.HasSuffix(tool.Name, reportTool) {
		t.overhear(tool.Args)
	}
	if tool.Diff != "" {
		t.keep(record.Diff, []byte(strings.TrimRight(tool.Diff, "\n")+"\n"))
	}
	if announce {
		t.a.emit(context.WithoutCancel(t.a.life), record.Event{Type: record.AgentToolCall, AgentID: t.r.id, GroupID: t.r.agent.GroupID}, toolCall{t.r.id, call})
	}
}

// noteCall keeps a call among the newest, and says whether it is heard of for the first time, and whether to tell of it.
func (t *track) noteCall(e executor.Event) (call record.ToolCall, first, announce bool) {
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
	call = record.ToolCall{CallID: callID, Type: truncate.Within(tool.Type, maxName), Name: nameOf(tool), Subtype: callStarted, Args: shortArgs(tool.Args), StartedAt: at}
	if !known {
		t.count++
		seq = t.count
	}
	call.Seq = seq
	if e.Kind == executor.ToolStarted {
		if len(t.open) < maxOpen {
			t.open[callID] = seq
		}
	} else {
		delete(t.open, callID)
		call.Subtype, call.Failed, call.EndedAt = callCompleted, tool.Failed, at
	}
	call = t.remember(call)
	for _, c := range tool.Changes {
		t.changes.add(t.w.dir, c.Path, c.Kind, record.FromStream)
	}
	t.dirty = true
	t.announced++
	return call, !known, t.announced <= callsPerFlush
}

// remember puts a call where an earlier state of it is, or at the end.
func (t *track) remember(call record.ToolCall) record.ToolCall {
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

// maxName bounds the identifiers of calls, sessions and models that an agent tells, in bytes.
const maxName = 512

// maxArgs bounds the arguments of a call in a record, in bytes.
const maxArgs = 1 << 10

// shortArgs shortens the strings of arguments until they fit a record.
func shortArgs(args json.RawMessage) json.RawMessage {
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
		if short, err := json.Marshal(shortened(value, longest, 4)); err == nil && len(short) <= maxArgs {
			return short
		}
	}
	return json.RawMessage(`{"…":"the arguments are too long"}`)
}

// shortened is a decoded value with shorter strings and lists, and nothing beneath a depth.
func shortened(value any, longest, depth int) any {
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
			short = append(short, shortened(member, longest, depth-1))
		}
		return short
	case map[string]any:
		if depth == 0 {
			return "…"
		}
		short := make(map[string]any, len(v))
		for name, member := range v {
			short[truncate.Within(name, longest)] = shortened(member, longest, depth-1)
		}
		return short
	}
	return value
}

// nameOf is how people know an MCP tool; "" for other tools.
func nameOf(tool *executor.Tool) string {
	if tool.Server == "" || tool.Name == "" {
		return truncate.Within(tool.Name, maxName)
	}
	return truncate.Within(tool.Server+"/"+tool.Name, maxName)
}
