package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// calls is an agent that calls tools.
func calls(events ...executor.Event) act {
	return func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		tell(executor.Event{Kind: executor.Init})
		for _, e := range events {
			tell(e)
		}
		return succeed(ctx, s, tell)
	}
}

func started(id, kind, args string) executor.Event {
	return executor.Event{Kind: executor.ToolStarted, Tool: &executor.Tool{CallID: id, Type: kind, Args: json.RawMessage(args)}}
}

func completed(id, kind string, failed bool) executor.Event {
	return executor.Event{Kind: executor.ToolCompleted, Tool: &executor.Tool{CallID: id, Type: kind, Failed: failed}}
}

func TestTrack_ToolCalls(t *testing.T) {
	c := newFixture(t, agents.Options{})
	c.stage.on("@work", calls(
		started("a\n1", "readToolCall", `{"path":"a.go"}`),
		started("b", "shellToolCall", `{"command":"make"}`),
		started("b", "shellToolCall", `{"command":"make"}`), // told twice
		completed("b", "shellToolCall", true),
		completed("a\n1", "readToolCall", false),
		completed("c", "newToolCall", false), // whose beginning was not told
		executor.Event{Kind: executor.ToolStarted},
		executor.Event{Kind: "unheard of"},
	))
	id := c.run(t, agents.RunArgs{Prompt: "@work"})
	c.end(t, id)
	s := c.status(t, id)
	var got []string
	for _, call := range s.RecentToolCalls {
		got = append(got, fmt.Sprintf("%d %q %s %s %v %s", call.Seq, call.CallID, call.Type, call.Subtype, call.Failed, call.Args))
	}
	want := `1 "a\n1" readToolCall completed false {"path":"a.go"}
2 "b" shellToolCall completed true {"command":"make"}
3 "c" newToolCall completed false `
	if all := strings.Join(got, "\n"); all != want || s.ToolCallCount != 3 || s.Result.ToolCallCount != 3 {
		t.Errorf("%d calls:\n%s", s.ToolCallCount, all)
	}
	told := 0
	for _, e := range c.eventsOf(t, id) {
		if e.Type == record.AgentToolCall {
			told++
		}
	}
	if told != 5 {
		t.Errorf("%d events tell of calls", told)
	}
	later, err := c.Status(t.Context(), agents.StatusArgs{AgentID: id, SinceSeq: 2})
	if err != nil || len(later.RecentToolCalls) != 1 || later.RecentToolCalls[0].Seq != 3 {
		t.Errorf("since the second: %+v, %v", later.RecentToolCalls, err)
	}
	for _, says := range []string{"2 shellToolCall completed failed {", "is completed, ", "result: success\nDone.\n", "tokens: 1000 in, 100 out\n"} {
		if !strings.Contains(s.TextContent(), says) {
			t.Errorf("the status does not say %q: %s", says, s.TextContent())
		}
	}
}

// Records and answers stay within their limits for any amount of events.
func TestTrack_OutputLimits(t *testing.T) {
	c := newFixture(t, agents.Options{})
	long := strings.Repeat("日本", 40_000)
	deep := strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 500)
	c.stage.on("@work", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		for i := range 3_000 {
			args := fmt.Sprintf(`{"n":%d,"text":%q,"list":[%s1]}`, i, long[:6000], strings.Repeat("1,", 300))
			switch i % 4 {
			case 1:
				args = deep
			case 2:
				args = `{"broken":`
			case 3:
				args = `{` + strings.Repeat(`"`+long[:300]+`":1,`, 40) + `"z":1}`
			}
			tell(started(fmt.Sprint("call", i), "editToolCall", args))
			tell(fileChanges(executor.FileChange{Path: fmt.Sprintf("%s/%d.go", long[:300], i), Kind: "created"}))
			tell(executor.Event{Kind: executor.Line, Text: "no event"})
		}
		for range 100 {
			tell(executor.Event{Kind: executor.Delta, Text: long[:3000]})
		}
		tell(executor.Event{Kind: executor.Said, Text: long})
		tell(executor.Event{Kind: executor.Finished, Text: long})
		return executor.Exit{Finished: true}, nil
	})
	id := c.run(t, agents.RunArgs{Prompt: "@work"})
	c.end(t, id)
	agent, err := c.memory.Agent(t.Context(), id)
	if err != nil || len(agent.RecentToolCalls) != 50 || agent.ToolCallCount != 6_000 {
		t.Fatalf("%d of %d calls, %v", len(agent.RecentToolCalls), agent.ToolCallCount, err)
	}
	for _, call := range agent.RecentToolCalls {
		if len(call.Args) > 1<<10 || len(call.Args) > 0 && !json.Valid(call.Args) {
			t.Errorf("the arguments of a call are %d bytes: %s", len(call.Args), call.Args)
		}
	}
	if n := len(agent.LastAssistantMessage); n > 4<<10 || n < 4000 || strings.ContainsRune(agent.LastAssistantMessage, '\uFFFD') {
		t.Errorf("the last message has %d bytes", n)
	}
	r := agent.Result
	if len(r.Changes) > 2_000 || len(r.Summary) > 2<<10 || len(r.RawOutput) > 8<<10 || !strings.HasPrefix(r.Summary, "日本") {
		t.Errorf("the result has %d changes, a summary of %d and an output of %d bytes", len(r.Changes), len(r.Summary), len(r.RawOutput))
	}
	s := c.status(t, id)
	if text, _ := json.Marshal(s); len(text) > (tools.Limits{}).WithDefaults().Answer || s.MoreFiles < 300 {
		t.Errorf("the status has %d bytes and leaves out %d files", len(text), s.MoreFiles)
	}
	w := c.end(t, id)
	if text, _ := json.Marshal(w); len(text) > 16<<10 {
		t.Errorf("wait_agent answers %d bytes", len(text))
	}
	out, err := c.Output(t.Context(), agents.OutputArgs{AgentID: id, Kind: "stderr", Length: 18})
	if err != nil || !strings.HasPrefix(out.TextContent(), "[stderr of "+id+", bytes 0 to 18 of 27000; more from offset 18 on]\nno event\n") {
		t.Errorf("%q, %v", out.TextContent(), err)
	}
}

func TestOutput_InvalidArguments(t *testing.T) {
	c := newFixture(t, agents.Options{})
	id := c.run(t, agents.RunArgs{})
	for _, args := range []agents.OutputArgs{{AgentID: "x-1-0000"}, {AgentID: id, Kind: "smell"}, {AgentID: id, Length: -1}} {
		if _, err := c.Output(t.Context(), args); err == nil {
			t.Errorf("%+v is answered", args)
		}
	}
}
