package agents_test

import (
	"context"
	"testing"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
)

// BenchmarkRun measures the time until run_agent returns.
func BenchmarkRun(b *testing.B) {
	c := newFixture(b, agents.Options{MaxQueued: 1 << 30, MaxPerHour: 1 << 30, MaxConcurrent: 1})
	group, err := c.CreateGroup(b.Context(), agents.GroupArgs{Description: "x"})
	if err != nil {
		b.Fatal(err)
	}
	c.run(b, agents.RunArgs{GroupID: group.GroupID, Prompt: "linger"})
	for b.Loop() {
		if _, err := c.Run(b.Context(), agents.RunArgs{GroupID: group.GroupID, Role: "impl-code", Prompt: "x"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTrack_HandleEvent measures the cost of an event of an agent.
func BenchmarkTrack_HandleEvent(b *testing.B) {
	c := newFixture(b, agents.Options{})
	c.stage.on("@work", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		tell(executor.Event{Kind: executor.Init})
		for b.Loop() {
			tell(executor.Event{Kind: executor.Delta, Text: "word "})
		}
		return succeed(ctx, s, tell)
	})
	b.ReportAllocs()
	c.end(b, c.run(b, agents.RunArgs{Prompt: "@work", TimeoutMs: 3_600_000}))
}
