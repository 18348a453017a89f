package agents_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/transport"
)

// waitText returns the text of a call of wait_agent that takes a time.
func (c fixture) waitText(t testing.TB, ctx context.Context, ids ...string) string {
	t.Helper()
	w, err := c.Wait(ctx, agents.WaitArgs{AgentIDs: ids, TimeoutMs: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return w.TextContent()
}

// A call returns the changes since the last call of its caller, and one line without a change.
func TestWait_News(t *testing.T) {
	const again = " [timed out: the agents keep running; call wait_agent again]\n"
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{MaxConcurrent: 1})
		steps := make(chan []executor.Event)
		c.stage.on("@work", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
			for events := range steps {
				for _, e := range events {
					tell(e)
				}
			}
			return succeed(ctx, s, tell)
		})
		group := c.group(t)
		id := c.run(t, agents.RunArgs{GroupID: group, Prompt: "@work"})
		time.Sleep(time.Second) // the agent holds the only slot
		queued := c.run(t, agents.RunArgs{GroupID: group})
		edit := func(path, kind string) *executor.Tool {
			return &executor.Tool{CallID: path, Type: "editToolCall", Args: []byte(`{"path":"` + path + `"}`), Changes: []executor.FileChange{{Path: path, Kind: kind}}}
		}
		for i, step := range []struct {
			events []executor.Event
			want   string
		}{
			{nil, id + " is running: 2s, 0 tool calls\n" + queued + " is queued: waits in the queue\n[timed out: the agents keep running; call wait_agent again]\n"},
			{nil, "nothing new: " + id + " (running), " + queued + " (queued)" + again},
			{[]executor.Event{{Kind: executor.Said, Text: "Reading."}}, id + " is running: 4s, says: Reading.\nnothing new: " + queued + " (queued)" + again},
			{[]executor.Event{{Kind: executor.ToolCompleted, Tool: edit("a.go", "edited")}, {Kind: executor.ToolCompleted, Tool: edit("b.go", "created")}},
				id + ` is running: 5s, 2 tool calls (2 new), editToolCall {"path":"b.go"}, changed: a.go, b.go (created)` + "\nnothing new: " + queued + " (queued)" + again},
			{nil, "nothing new: " + id + " (running), " + queued + " (queued)" + again},
			{[]executor.Event{{Kind: executor.ToolCompleted, Tool: edit("c.go", "deleted")}, {Kind: executor.Silence, Silent: 30 * time.Second}},
				id + ` is running: 7s, 3 tool calls (1 new), no output for a while, editToolCall {"path":"c.go"}, changed: c.go (deleted)` + "\nnothing new: " + queued + " (queued)" + again},
			{[]executor.Event{{Kind: executor.Heard}, {Kind: executor.Said, Text: strings.Repeat("long ", 100) + "end."}},
				id + " is running: 8s, output again, says: …ng" + strings.Repeat(" long", 30) + " end., all its new text: get_agent_output offset=10\nnothing new: " + queued + " (queued)" + again},
		} {
			if step.events != nil {
				steps <- step.events
			}
			if got := c.waitText(t, t.Context(), id, queued); got != step.want {
				t.Errorf("call %d answers\n%s\nwant\n%s", i, got, step.want)
			}
		}
		close(steps)
		if got := c.end(t, id).TextContent(); !strings.HasPrefix(got, id+" completed after 8s (success)\nDone.\n") {
			t.Errorf("the end is %q", got)
		}
		before := "ended before: " + id + " (completed) [name only the other agents; results: get_agent_status]\n"
		if w := c.end(t, id); w.TextContent() != before || !w.Completed[0].Unchanged || w.Completed[0].Summary != "" {
			t.Errorf("after the end, a call answers %+v: %s", w, w.TextContent())
		}
		if got := c.end(t, id, queued).TextContent(); !strings.HasPrefix(got, queued+" completed after 0s (success)\n") || !strings.HasSuffix(got, before) {
			t.Errorf("the end of one of two is %q", got)
		}
		if _, err := c.Report(t.Context(), agents.ReportArgs{AgentID: id, Status: "failure", Summary: "Not all is done."}); err != nil {
			t.Fatal(err)
		}
		if got := c.end(t, id).TextContent(); !strings.HasPrefix(got, id+" completed after 8s (failure)\nNot all is done.\n") {
			t.Errorf("after a late report, a call answers %q", got)
		}
	})
}

// A caller does not take the news of another one: sessions, and agents, are callers of their own.
func TestWait_NewsOfCallers(t *testing.T) {
	c := newFixture(t, agents.Options{MaxDepth: 2})
	server := mcp.NewServer(mcp.Implementation{Name: "crew", Version: "1"}, nil)
	if _, err := tools.Install(server, "agents", tools.Profile{}, c.Agents); err != nil {
		t.Fatal(err)
	}
	connect := func() func(id string) string {
		client, err := mcp.Connect(t.Context(), transport.InMemory{Server: server}, mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{Revision: protocol.Rev20251125})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close() })
		return func(id string) string {
			t.Helper()
			r, err := client.CallTool(t.Context(), "wait_agent", agents.WaitArgs{AgentIDs: []string{id}, TimeoutMs: 1}, nil)
			if err != nil || r.IsError {
				t.Fatalf("%+v, %v", r, err)
			}
			return r.Content[0].(mcp.TextContent).Text
		}
	}
	parent := c.run(t, agents.RunArgs{Prompt: "linger"})
	c.await(t, parent, record.Running)
	child, err := c.Run(agents.WithCaller(t.Context(), parent), agents.RunArgs{GroupID: c.status(t, parent).GroupID, Role: "impl-code", Prompt: "linger"})
	if err != nil {
		t.Fatal(err)
	}
	id := child.AgentID
	c.await(t, id, record.Running)
	one, two := connect(), connect()
	for name, wait := range map[string]func(string) string{
		"one session": one, "another session": two,
		"an agent": func(id string) string {
			return c.waitText(t, agents.WithCaller(t.Context(), parent), id)
		},
	} {
		if got := wait(id); !strings.HasPrefix(got, id+" is running: ") {
			t.Errorf("the first call of %s answers %q", name, got)
		}
		if got := wait(id); !strings.HasPrefix(got, "nothing new: "+id+" (running) [") || strings.Count(got, "\n") != 1 {
			t.Errorf("the second call of %s answers %q", name, got)
		}
	}
	if _, err := c.Cancel(t.Context(), agents.CancelArgs{AgentID: id}); err != nil {
		t.Fatal(err)
	}
	for _, wait := range []func(string) string{one, two} {
		if got := wait(id); !strings.HasPrefix(got, id+" cancelled after ") {
			t.Errorf("after the end, a call answers %q", got)
		}
	}
}
