package sqlite_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/sqlite"
)

func crew(b *testing.B, d *sqlite.DB, n int, status record.Status) (ids []string) {
	b.Helper()
	newGroup(b, d, "g")
	for i := range n {
		a := record.Agent{ID: fmt.Sprint("agent-", i), GroupID: "g", Status: status, Prompt: strings.Repeat("prompt ", 500), LastAssistantMessage: strings.Repeat("text ", 100), CreatedAt: time.Now()}
		for j := range 50 {
			a.RecentToolCalls = append(a.RecentToolCalls, record.ToolCall{Seq: j, CallID: "toolu_vrtx_01abc", Type: "readToolCall", Args: []byte(`{"path":"internal/somewhere/file.go","offset":1,"limit":200}`)})
		}
		must(b, d.CreateAgent(b.Context(), a))
		ids = append(ids, a.ID)
	}
	return ids
}

// BenchmarkUpdate measures updates of unfinished agents.
func BenchmarkUpdate(b *testing.B) {
	d := open(b, file(b), sqlite.Options{})
	ids := crew(b, d, 200, record.Running)
	for i := 0; b.Loop(); i++ {
		set(b, d, ids[i%len(ids)], func(a *record.Agent) { a.ToolCallCount++ })
	}
}

// BenchmarkFlush measures a write of 200 changed agents.
func BenchmarkFlush(b *testing.B) {
	d := open(b, file(b), sqlite.Options{WriteDelay: time.Hour})
	ids := crew(b, d, 200, record.Running)
	for b.Loop() {
		for _, id := range ids {
			set(b, d, id, func(a *record.Agent) { a.ToolCallCount++ })
		}
		_, err := d.Agents(b.Context(), record.Query{GroupID: "none"})
		must(b, err)
	}
}

// BenchmarkHistory measures opening and searching 5,000 agents.
func BenchmarkHistory(b *testing.B) {
	file := file(b)
	d := open(b, file, sqlite.Options{})
	crew(b, d, 5000, record.Completed)
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			again, err := sqlite.Open(b.Context(), file, sqlite.Options{})
			must(b, err)
			must(b, again.Close())
		}
	})
	for name, q := range map[string]record.Query{"page": {Newest: true, Limit: 50}, "text": {Text: "nowhere", Limit: 50}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := d.Agents(b.Context(), q)
				must(b, err)
			}
		})
	}
}
