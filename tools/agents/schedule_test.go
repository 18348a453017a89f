package agents_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// runFor is an agent that completes after a duration.
func runFor(d time.Duration) act {
	return func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		tell(executor.Event{Kind: executor.Init, Session: "session of " + s.AgentID})
		select {
		case <-time.After(d):
			return succeed(ctx, s, tell)
		case <-ctx.Done():
			return executor.Exit{Signal: "SIGTERM"}, nil
		}
	}
}

func TestSchedule_Order(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{MaxConcurrent: 3, Stagger: 300 * time.Millisecond})
		c.stage.on("@work", runFor(10*time.Second))
		group := c.group(t)
		var ids []string
		for range 9 {
			ids = append(ids, c.run(t, agents.RunArgs{GroupID: group, Prompt: "@work"}))
		}
		start := time.Now()
		c.end(t, ids...)
		if got := c.stage.order(); !slices.Equal(got, ids) {
			t.Errorf("they were started as %q, not as %q", got, ids)
		}
		if c.stage.most != 3 {
			t.Errorf("%d were running at once", c.stage.most)
		}
		// Three rounds; in each of them the third agent starts two staggers after the first.
		if took := time.Since(start).Round(100 * time.Millisecond); took != 30600*time.Millisecond {
			t.Errorf("that took %v", took)
		}
		var starts []time.Time
		for _, id := range ids {
			starts = append(starts, c.status(t, id).StartedAt)
		}
		for i := 1; i < len(starts); i++ {
			if d := starts[i].Sub(starts[i-1]); d < 300*time.Millisecond {
				t.Errorf("number %d was started %v after the one before", i, d)
			}
		}
	})
}

func TestRun_ReturnsImmediately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{MaxConcurrent: 1})
		start := time.Now()
		first := c.run(t, agents.RunArgs{Prompt: "linger"})
		second := c.run(t, agents.RunArgs{Prompt: "linger"})
		if took := time.Since(start); took > 0 {
			t.Errorf("two orders took %v", took)
		}
		c.await(t, first, record.Running)
		if s := c.status(t, second); s.Status != record.Queued || s.ElapsedMs != 0 || !s.StartedAt.IsZero() {
			t.Errorf("the second is %+v", s)
		}
	})
}

func TestRun_Dependencies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{})
		c.stage.on("@work", runFor(5*time.Second))
		group := c.group(t)
		a := c.run(t, agents.RunArgs{GroupID: group, Prompt: "@work"})
		b := c.run(t, agents.RunArgs{GroupID: group, Prompt: "@work"})
		got, err := c.Run(t.Context(), agents.RunArgs{GroupID: group, Role: "code-review", Prompt: "look at it", DependsOn: []string{a, b, a}})
		if err != nil || got.Status != record.Blocked {
			t.Fatalf("got %+v, %v", got, err)
		}
		if w, err := c.Wait(t.Context(), agents.WaitArgs{AgentIDs: []string{got.AgentID}, TimeoutMs: 1000}); err != nil || !w.TimedOut || !strings.Contains(w.Pending[0].Progress, "waits for "+a) {
			t.Errorf("meanwhile: %+v, %v", w, err)
		}
		c.end(t, got.AgentID)
		if story := checkHistory(t, c, got.AgentID); story != "blocked queued running completed" {
			t.Errorf("its story is %s", story)
		}
		prompt := c.stage.spec(t, got.AgentID).Prompt
		for _, want := range []string{"Results of the agents whose work you build on", "## " + a + " (impl-code): completed\nDone.", "## " + b} {
			if !strings.Contains(prompt, want) {
				t.Errorf("the prompt does not say %q: %s", want, prompt)
			}
		}
		// A completed dependency does not block.
		if late, err := c.Run(t.Context(), agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "go on", DependsOn: []string{a}}); err != nil || late.Status != record.Queued {
			t.Errorf("got %+v, %v", late, err)
		}
	})
}

func TestRun_FailedDependency(t *testing.T) {
	for _, policy := range []string{agents.FailDependents, agents.RunDependents} {
		synctest.Test(t, func(t *testing.T) {
			c := newFixture(t, agents.Options{FailedDependency: policy})
			c.stage.on("@work", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
				time.Sleep(time.Second)
				return fail(ctx, s, tell)
			})
			group := c.group(t)
			a := c.run(t, agents.RunArgs{GroupID: group, Prompt: "@work"})
			b := c.run(t, agents.RunArgs{GroupID: group, DependsOn: []string{a}})
			d := c.run(t, agents.RunArgs{GroupID: group, DependsOn: []string{b}})
			c.end(t, a, b, d)
			s := c.status(t, d)
			if policy == agents.RunDependents {
				if s.Status != record.Completed || !strings.Contains(c.stage.spec(t, b).Prompt, "It has not completed: it did not work out") {
					t.Errorf("the last is %s: %s", s.Status, c.stage.spec(t, b).Prompt)
				}
				return
			}
			if s.Status != record.Failed || !strings.Contains(s.ErrorMessage, "it depends on "+b+", which has ended as failed") || !s.StartedAt.IsZero() {
				t.Errorf("the last is %+v", s)
			}
			_, err := c.Run(t.Context(), agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "go on", DependsOn: []string{a}})
			toolsettest.WantError(t, err, "BAD_DEPENDENCY", "has ended as failed")
			_, err = c.Run(t.Context(), agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "go on", DependsOn: []string{"impl-code-1-0000"}})
			toolsettest.WantError(t, err, "BAD_DEPENDENCY", "does not exist")
		})
	}
}

func TestRun_Limits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{MaxConcurrent: 2, MaxQueued: 3, MaxPerHour: 8})
		group := c.group(t)
		order := func() error {
			_, err := c.Run(t.Context(), agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "linger"})
			return err
		}
		for i := range 5 {
			if err := order(); err != nil {
				t.Fatalf("number %d: %v", i, err)
			}
			synctest.Wait()
		}
		toolsettest.WantError(t, order(), "LIMIT_REACHED", "2 of your agents are running and 3 are waiting", "Do this yourself")
		if _, err := c.Cancel(t.Context(), agents.CancelArgs{GroupID: group}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := order(); err != nil {
				t.Fatal(err)
			}
		}
		toolsettest.WantError(t, order(), "LIMIT_REACHED", "8 agents were ordered within an hour")
		time.Sleep(time.Hour + time.Second)
		if err := order(); err != nil {
			t.Errorf("an hour later: %v", err)
		}
	})
}

// Many agents complete, with at most MaxConcurrent at once.
func TestRun_ManyAgents(t *testing.T) {
	runs := 1_000
	if testing.Short() {
		runs = 200
	}
	c := newFixture(t, agents.Options{MaxConcurrent: 50, MaxQueued: 1_000, MaxPerHour: 2_000})
	group := c.group(t)
	var ids []string
	for i := range runs {
		prompt := []string{"do it", "fail", "do it", "do it"}[i%4]
		ids = append(ids, c.run(t, agents.RunArgs{GroupID: group, Prompt: prompt}))
	}
	counts := make(map[record.Status]int)
	for part := range slices.Chunk(ids, 100) {
		for _, e := range c.end(t, part...).Completed {
			counts[e.Status]++
		}
	}
	if len(counts) != 2 || counts[record.Completed] != runs*3/4 || counts[record.Failed] != runs/4 || c.stage.most > 50 {
		t.Errorf("they have ended as %v, %d at once", counts, c.stage.most)
	}
	if _, err := c.DeleteGroup(t.Context(), agents.DeleteGroupArgs{GroupID: group}); err != nil {
		t.Error(err)
	}
}
