package record_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// BenchmarkUpdate measures an update and an event with 200 agents in the store.
func BenchmarkUpdate(b *testing.B) {
	m := memory(b, record.MemoryOptions{})
	must(b, m.CreateGroup(b.Context(), record.Group{ID: "g", Status: record.GroupActive}))
	a := record.Agent{GroupID: "g", Status: record.Running, Prompt: strings.Repeat("prompt ", 1000), LastAssistantMessage: strings.Repeat("text ", 100)}
	for i := range 50 {
		a.RecentToolCalls = append(a.RecentToolCalls, record.ToolCall{Seq: i, CallID: "toolu_vrtx_01abc", Type: "readToolCall", Subtype: "completed", Args: json.RawMessage(`{"path":"internal/somewhere/file.go","offset":1,"limit":200}`)})
	}
	ids := make([]string, 200)
	for i := range ids {
		ids[i] = fmt.Sprint("agent-", i)
		a.ID = ids[i]
		must(b, m.CreateAgent(b.Context(), a))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a, err := m.UpdateAgent(b.Context(), ids[i%len(ids)], func(a *record.Agent) error { a.ToolCallCount++; return nil })
		must(b, err)
		data, err := json.Marshal(a.Compact())
		must(b, err)
		_, err = m.Log().Append(b.Context(), record.Event{Type: record.AgentStatusUpdate, AgentID: a.ID, Data: data})
		must(b, err)
	}
}
