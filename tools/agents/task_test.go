package agents_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// A task ends with its agent and has its outcome. Cancelling the task cancels the agent.
func TestRun_Task(t *testing.T) {
	c := newFixture(t, agents.Options{})
	gate := make(chan struct{})
	c.stage.on("@work", succeedAfter(gate))
	c.stage.on("@endless", linger)
	client := toolsettest.Tasks(t, c.Agents)
	group := c.group(t)
	task := toolsettest.Start(t, client, "run_agent", agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "@work"})
	if info, err := task.Get(t.Context()); err != nil || info.Status != tasks.Working {
		t.Errorf("while it runs the task is %s, %v", info.Status, err)
	}
	close(gate)
	result, err := task.Wait(t.Context())
	if err != nil || result.IsError {
		t.Fatalf("in the end %v, %v", result, err)
	}
	got := decode[agents.RunResult](t, result.Structured)
	if got.Status != record.Completed || got.End == nil || got.End.Result != record.Success || got.End.Summary == "" {
		t.Errorf("in the end %s", result.Structured)
	}
	if text := toolsettest.Text(t, result); !strings.Contains(text, "is completed\nresult: success\nsummary: ") {
		t.Errorf("it says %q", text)
	}

	task = toolsettest.Start(t, client, "run_agent", agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "@endless"})
	list, err := c.List(t.Context(), agents.ListArgs{GroupID: group})
	if err != nil || len(list.Agents) != 2 {
		t.Fatalf("there are %+v, %v", list, err)
	}
	if err := task.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := task.Wait(t.Context()); !errors.Is(err, tasks.ErrCancelled) {
		t.Errorf("when it is cancelled: %v", err)
	}
	c.await(t, list.Agents[0].AgentID, record.Cancelled)

	// An invalid order fails before a task exists.
	wrong, err := tasks.Start(t.Context(), client, "run_agent", agents.RunArgs{GroupID: "none", Role: "impl-code", Prompt: "x"}, nil)
	if err != nil || wrong.ID() != "" {
		t.Errorf("a wrong order is the task %q, %v", wrong.ID(), err)
	}
}
