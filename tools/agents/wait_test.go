package agents_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// A call returns at the right time, with the ended and the pending agents.
func TestWait_Modes(t *testing.T) {
	for _, tc := range []struct {
		name      string
		lasting   []time.Duration // the agents
		args      agents.WaitArgs
		took      time.Duration
		completed int
		timedOut  bool
		slice     bool
	}{
		{"all", []time.Duration{5 * time.Second, 8 * time.Second}, agents.WaitArgs{}, 8 * time.Second, 2, false, false},
		{"any", []time.Duration{5 * time.Second, 8 * time.Second}, agents.WaitArgs{Mode: "any"}, 5 * time.Second, 1, false, false},
		{"longer than a call waits", []time.Duration{5 * time.Second, time.Hour}, agents.WaitArgs{}, 50 * time.Second, 1, false, true},
		{"any, longer than a call waits", []time.Duration{time.Hour, time.Hour}, agents.WaitArgs{Mode: "any"}, 50 * time.Second, 0, false, true},
		{"the caller's time is longer still", []time.Duration{time.Hour}, agents.WaitArgs{TimeoutMs: 120_000}, 50 * time.Second, 0, false, true},
		{"the caller's time is over", []time.Duration{5 * time.Second, time.Hour}, agents.WaitArgs{TimeoutMs: 20_000}, 20 * time.Second, 1, true, false},
		{"just in time", []time.Duration{5 * time.Second}, agents.WaitArgs{TimeoutMs: 6_000, Mode: "all"}, 5 * time.Second, 1, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newFixture(t, agents.Options{})
				group := c.group(t)
				for _, d := range tc.lasting {
					c.stage.on(d.String(), runFor(d))
					tc.args.AgentIDs = append(tc.args.AgentIDs, c.run(t, agents.RunArgs{GroupID: group, Prompt: d.String(), TimeoutMs: 7_200_000}))
				}
				start := time.Now()
				w, err := c.Wait(t.Context(), tc.args)
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took < tc.took || took > tc.took+time.Second/10 {
					t.Errorf("it took %v, want %v", took, tc.took)
				}
				if len(w.Completed) != tc.completed || len(w.Pending) != len(tc.lasting)-tc.completed || w.TimedOut != tc.timedOut || w.Slice != tc.slice {
					t.Errorf("it answers %+v", w)
				}
				again := time.Now()
				if len(w.Completed) > 0 {
					if _, err := c.Wait(t.Context(), agents.WaitArgs{AgentIDs: []string{w.Completed[0].AgentID}}); err != nil || time.Since(again) > 0 {
						t.Errorf("waiting for what has ended took %v, %v", time.Since(again), err)
					}
				}
			})
		})
	}
}

// Each call reports the number of new tool calls.
func TestWait_NewCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{WaitTimeout: 9500 * time.Millisecond})
		c.stage.on("@work", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
			tell(executor.Event{Kind: executor.Init})
			for i := range 15 {
				tool := &executor.Tool{CallID: string(rune('a' + i)), Type: "readToolCall", Args: []byte(`{"path":"main.go"}`)}
				tell(executor.Event{Kind: executor.ToolStarted, Tool: tool})
				tell(executor.Event{Kind: executor.Said, Text: "Reading\non."})
				time.Sleep(2 * time.Second)
			}
			return succeed(ctx, s, tell)
		})
		id := c.run(t, agents.RunArgs{Prompt: "@work"})
		var said []string
		for {
			w, err := c.Wait(t.Context(), agents.WaitArgs{AgentIDs: []string{id}})
			if err != nil {
				t.Fatal(err)
			}
			if !w.Slice {
				said = append(said, w.TextContent())
				break
			}
			said = append(said, w.Pending[0].Progress)
			if text := w.TextContent(); !strings.HasPrefix(text, id+" is running: ") || !strings.HasSuffix(text, "call wait_agent again with the pending agents]\n") {
				t.Errorf("it says %q", text)
			}
		}
		all := strings.Join(said, "\n")
		for _, want := range []string{"10s, 5 tool calls, readToolCall {\"path\":\"main.go\"}, says: Reading on.", "19s, 10 tool calls (5 new)", " completed after 30s (success)\nDone.\n"} {
			if !strings.Contains(all, want) {
				t.Errorf("it does not say %q:\n%s", want, all)
			}
		}
	})
}

func TestWait_InvalidArguments(t *testing.T) {
	c := newFixture(t, agents.Options{})
	id := c.run(t, agents.RunArgs{Prompt: "linger"})
	for _, tc := range []struct {
		args agents.WaitArgs
		code string
	}{
		{agents.WaitArgs{}, "INVALID_PARAMS"},
		{agents.WaitArgs{AgentIDs: make([]string, 101)}, "INVALID_PARAMS"},
		{agents.WaitArgs{AgentIDs: []string{id}, Mode: "some"}, "INVALID_PARAMS"},
		{agents.WaitArgs{AgentIDs: []string{id}, TimeoutMs: -1}, "INVALID_PARAMS"},
		{agents.WaitArgs{AgentIDs: []string{id, "impl-code-1-0000"}}, "UNKNOWN_AGENT"},
	} {
		_, err := c.Wait(t.Context(), tc.args)
		toolsettest.WantError(t, err, tc.code)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Wait(ctx, agents.WaitArgs{AgentIDs: []string{id}}); err == nil {
		t.Error("a call waits though nobody wants its answer")
	}
	if s := c.status(t, id); s.Status.Ended() {
		t.Errorf("the agent is %s", s.Status)
	}
}

// A silent agent is reported as stalled and keeps running.
func TestWait_Stalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []record.EventType
		c := newFixture(t, agents.Options{Notify: func(e record.Event, a record.Agent) { told = append(told, e.Type) }})
		c.stage.on("@work", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
			tell(executor.Event{Kind: executor.Silence, Silent: 30 * time.Second})
			time.Sleep(5 * time.Second)
			tell(executor.Event{Kind: executor.Heard})
			time.Sleep(5 * time.Second)
			return succeed(ctx, s, tell)
		})
		id := c.run(t, agents.RunArgs{Prompt: "@work"})
		time.Sleep(time.Second)
		if s := c.status(t, id); !s.Stalled || s.Status != record.Running {
			t.Errorf("it is %+v", s)
		}
		time.Sleep(5 * time.Second)
		if s := c.status(t, id); s.Stalled {
			t.Error("it is stalled still")
		}
		c.end(t, id)
		stalls := ""
		for _, e := range c.eventsOf(t, id) {
			if e.Type == record.AgentStalled {
				stalls += string(e.Data)
			}
		}
		want := `{"agentId":"` + id + `","stalled":true,"silent_ms":30000}{"agentId":"` + id + `","stalled":false,"silent_ms":0}`
		if stalls != want {
			t.Errorf("the events say %s", stalls)
		}
		if len(told) != 2 || told[0] != record.AgentStalled || told[1] != record.AgentCompleted {
			t.Errorf("people were told of %q", told)
		}
	})
}
