package record_test

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/agents/record"
)

func ExampleNewMemory() {
	ctx := context.Background()
	m := record.NewMemory(record.MemoryOptions{})
	defer m.Close()
	_ = m.CreateGroup(ctx, record.Group{ID: "grp-1", Description: "Sign-in, its tests and a review", Status: record.GroupActive})
	_ = m.CreateAgent(ctx, record.Agent{ID: "impl-code-1", GroupID: "grp-1", Role: "impl-code", Status: record.Queued})

	a, err := m.UpdateAgent(ctx, "impl-code-1", func(a *record.Agent) error {
		a.Status = record.Running
		return nil
	})
	fmt.Println(a.Status, a.Version, err)
	page, err := m.Agents(ctx, record.Query{Statuses: []record.Status{record.Running}})
	fmt.Println(page.Total, err)
	// Output:
	// running 1 <nil>
	// 1 <nil>
}
