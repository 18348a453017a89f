package agents_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/internal/group"
	natsagents "github.com/dougu-go/dougu/nats/agents"
	"github.com/dougu-go/dougu/nats/internal/natstest"
	"github.com/dougu-go/dougu/tools/agents/executor"
)

// done ends at once.
func done(_ context.Context, _ executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	tell(executor.Event{Kind: executor.Said, Text: "done"})
	return executor.Exit{Finished: true}, nil
}

// A runner without connection ends its agent before another runner starts it. Its messages after a reconnection are
// refused.
func TestRunner_Disconnected(t *testing.T) {
	t.Parallel()
	c := newFixture(t, short, natsagents.ExecutorOptions{Attempts: 2})
	link := c.nats.Link(t)
	ended, late := make(chan time.Time, 1), make(chan struct{})
	c.runnerAt(link.URL(), natsagents.RunnerOptions{Name: "one", Slots: 1}, func(ctx context.Context, _ executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		tell(executor.Event{Kind: executor.Said, Text: "working"})
		<-ctx.Done()
		ended <- time.Now()
		<-late // it does not end as it should
		tell(executor.Event{Kind: executor.Said, Text: "late"})
		return executor.Exit{Finished: true}, nil
	})
	o, end := c.begun(t.Context())
	begun := make(chan time.Time, 1)
	c.runner(natsagents.RunnerOptions{Name: "two"}, func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		begun <- time.Now()
		return done(ctx, s, tell)
	})
	link.Cut()
	exit, err := end()
	if err != nil || !exit.Finished {
		t.Errorf("it ended as %+v, %v", exit, err)
	}
	if first, second := <-ended, <-begun; second.Before(first) {
		t.Errorf("the second began %v before the first was to end", first.Sub(second))
	}
	link.Heal()
	close(late)
	want := "placed one; said working; waiting the runner one was not heard of for 4s; placed two; said done"
	if o.String() != want {
		t.Errorf("it told %s, want %s", o, want)
	}
	c.runner(natsagents.RunnerOptions{Name: "one again"}, done)
	var again told
	if _, err := c.x.Run(t.Context(), c.spec(""), again.tell); err != nil || strings.Contains(again.String(), "late") || o.String() != want {
		t.Errorf("it told %s and %s, %v", o, &again, err)
	}
}

// Where it was not asked for, nothing is begun anew.
func TestServer_LostAgentFails(t *testing.T) {
	t.Parallel()
	c := newFixture(t, short, natsagents.ExecutorOptions{})
	link := c.nats.Link(t)
	c.runnerAt(link.URL(), natsagents.RunnerOptions{Name: "one"}, working)
	o, end := c.begun(t.Context())
	c.runner(natsagents.RunnerOptions{Name: "two"}, working)
	link.Cut()
	exit, err := end()
	if err != nil || exit.Cause != executor.ErrLost || !exit.Failed || !strings.Contains(exit.Message, "one was not heard of") || o.String() != "placed one; said working" {
		t.Errorf("it ended as %+v, %v: %s", exit, err, o)
	}
}

// An agent is ended whose server is not heard of any more, and one that was cancelled while its server could not say so.
func TestServer_Disconnected(t *testing.T) {
	t.Parallel()
	c := newFixture(t, short, natsagents.ExecutorOptions{})
	link := c.nats.Link(t)
	c.serve(link.URL(), natsagents.ExecutorOptions{})
	ended := make(chan struct{})
	c.runner(natsagents.RunnerOptions{Name: "one"}, func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		defer close(ended)
		return working(ctx, s, tell)
	})
	ctx, cancel := context.WithCancel(t.Context())
	_, end := c.begun(ctx)
	link.Cut()
	cancel()
	if exit, err := end(); err != nil || !strings.Contains(exit.Message, "was not heard of any more when it was ended") {
		t.Errorf("it ended as %+v, %v", exit, err)
	}
	select {
	case <-ended:
	case <-time.After(timeout):
		t.Error("it goes on working")
	}
	link.Heal()
}

// A run goes on over a restart of NATS, and a waiting run is ordered again if NATS has lost its order.
func TestRunner_NATSRestart(t *testing.T) {
	t.Parallel()
	for name, memory := range map[string]bool{"files": false, "memory": true} {
		t.Run(name, func(t *testing.T) {
			c := &fixture{T: t, nats: natstest.Start(t), o: small(), dir: t.TempDir()}
			c.o.Memory, c.o.Lease, c.o.Timeout = memory, timeout, 3*time.Second
			c.serve(c.nats.URL(), natsagents.ExecutorOptions{})
			if memory {
				var o told
				finished := make(chan error, 1)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var running group.Group
				running.Go(func() {
					_, err := c.x.Run(ctx, c.spec(""), o.tell)
					finished <- err
				})
				defer running.Wait()
				until(t, "it waits", func() bool { return c.waiting() == 1 })
				c.nats.Stop()
				c.nats.Restart(t)
				c.runner(natsagents.RunnerOptions{Name: "one"}, done)
				if err := <-finished; err != nil || o.String() != "placed one; said done" {
					t.Errorf("it told %s, %v", &o, err)
				}
				return
			}
			goOn := make(chan struct{})
			c.runner(natsagents.RunnerOptions{Name: "one"}, func(ctx context.Context, _ executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
				tell(executor.Event{Kind: executor.Said, Text: "working"})
				select {
				case <-goOn:
				case <-ctx.Done():
				}
				tell(executor.Event{Kind: executor.Said, Text: "done"})
				return executor.Exit{Finished: ctx.Err() == nil}, nil
			})
			o, end := c.begun(t.Context())
			c.nats.Stop()
			c.nats.Restart(t)
			close(goOn)
			if exit, err := end(); err != nil || !exit.Finished || o.String() != "placed one; said working; said done" {
				t.Errorf("it ended as %+v, %v: %s", exit, err, o)
			}
		})
	}
}

// The list of living servers is an error after NATS was away.
func TestLiving(t *testing.T) {
	t.Parallel()
	c := newFixture(t, short, natsagents.ExecutorOptions{})
	one := c.serve(c.nats.URL(), natsagents.ExecutorOptions{})
	link := c.nats.Link(t)
	two := c.serve(link.URL(), natsagents.ExecutorOptions{})
	if _, err := one.Living(t.Context()); err == nil {
		t.Error("who has just begun knows who lives")
	}
	until(t, "both live", func() bool {
		living, err := one.Living(t.Context())
		return err == nil && living[one.Name()] && living[two.Name()]
	})
	link.Cut()
	until(t, "one lives", func() bool {
		living, err := one.Living(t.Context())
		return err == nil && living[one.Name()] && !living[two.Name()]
	})
	link.Heal()
	until(t, "both live again", func() bool {
		living, err := one.Living(t.Context())
		return err == nil && living[two.Name()]
	})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := one.Living(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}

// waiting is how many runs are in the queue.
func (c *fixture) waiting() uint64 {
	c.Helper()
	js, err := jetstream.New(c.nats.Connect(c.T))
	must(c, err)
	work, err := js.Stream(c.Context(), c.o.Prefix+"-agent-work")
	must(c, err)
	return work.CachedInfo().State.Msgs
}
