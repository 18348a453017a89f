package agents_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	natsagents "github.com/dougu-go/dougu/nats/agents"
	"github.com/dougu-go/dougu/nats/internal/natstest"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// actor runs agents as functions.
type actor struct {
	act func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error)
}

func (actor) Name() string { return "fake" }
func (actor) Models(context.Context) ([]executor.Model, error) {
	return []executor.Model{{ID: "m-1", Name: "M 1"}}, nil
}
func (a actor) Run(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	return a.act(ctx, s, tell)
}
func (actor) Close() error { return nil }

// fixture is a server with its runners.
type fixture struct {
	*testing.T
	nats *natstest.Server
	o    natsagents.Options
	dir  string

	server *natsagents.Server
	x      *natsagents.Executor // of server
}

// short is a lease for tests that wait for its end. A busy machine can renew it within half of it.
const short = 4 * time.Second

func newFixture(t *testing.T, lease time.Duration, x natsagents.ExecutorOptions) *fixture {
	t.Helper()
	c := &fixture{T: t, nats: natstest.Start(t), o: small(), dir: t.TempDir()}
	c.o.Lease, c.o.Timeout = lease, 10*time.Second
	c.serve(c.nats.URL(), x)
	return c
}

// serve makes a server at an address.
func (c *fixture) serve(url string, x natsagents.ExecutorOptions) *natsagents.Server {
	c.Helper()
	server, err := openAt(c.T, url, c.o).Serve(c.Context())
	must(c, err)
	c.Cleanup(func() { must(c, server.Close()) })
	x.Program = "fake"
	c.server, c.x = server, server.Executor(x)
	return server
}

// runner starts a runner, which stop stops.
func (c *fixture) runner(o natsagents.RunnerOptions, act func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error)) (stop func()) {
	c.Helper()
	return c.runnerAt(c.nats.URL(), o, act)
}

// runnerAt starts a runner at an address.
func (c *fixture) runnerAt(url string, o natsagents.RunnerOptions, act func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error)) (stop func()) {
	c.Helper()
	o.Executors, o.Dirs = []executor.Executor{actor{act}}, []string{c.dir}
	r, err := natsagents.NewRunner(openAt(c.T, url, c.o), o)
	must(c, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.Context()))
	var running group.Group
	running.Go(func() {
		if err := r.Run(ctx); err != nil {
			c.Error(err)
		}
	})
	stop = func() {
		cancel()
		running.Wait()
	}
	c.Cleanup(stop)
	return stop
}

// told collects the events of an executor.
type told struct {
	mu    sync.Mutex
	all   []string
	heard chan struct{}
}

func (o *told) tell(e executor.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	said := strings.TrimSpace(fmt.Sprint(e.Kind, " ", e.Runner, e.Text, string(e.Data)))
	if e.Usage != nil {
		said += fmt.Sprintf(" %d in all: %v", e.Usage.InputTokens, e.Cumulative)
	}
	o.all = append(o.all, said)
	if o.heard != nil && e.Kind != executor.Placed {
		close(o.heard)
		o.heard = nil
	}
}

func (o *told) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.all, "; ")
}

func (c *fixture) spec(prompt string) executor.Spec {
	return executor.Spec{AgentID: "a-1", Prompt: prompt, Dir: c.dir, Env: []string{"A=b"}, Model: "m-1"}
}

func TestRun(t *testing.T) {
	c := newFixture(t, timeout, natsagents.ExecutorOptions{})
	c.runner(natsagents.RunnerOptions{Name: "one"}, func(_ context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		switch s.Prompt {
		case "work":
			data := []byte("line\n")
			tell(executor.Event{Kind: executor.Output, Stream: record.Raw, Data: data})
			copy(data, "XXXXX") // is the executor's
			tell(executor.Event{Kind: executor.Delta, Text: "Hel"})
			tell(executor.Event{Kind: executor.Delta, Text: "lo"})
			tell(executor.Event{Kind: executor.ToolStarted, Tool: &executor.Tool{CallID: "1", Type: "readToolCall", Args: []byte(`{"a":1}`)}})
			tell(executor.Event{Kind: executor.Finished, Text: "done " + s.Env[0], Usage: &record.Usage{InputTokens: 3}, Cumulative: true})
			return executor.Exit{Finished: true, Code: 7, Signal: "TERM"}, nil
		case "refuse":
			return executor.Exit{}, fmt.Errorf("no: %w", executor.ErrUnauthenticated)
		case "panic":
			panic("fault")
		}
		return executor.Exit{Failed: true, Message: "odd", Cause: executor.ErrUnknownModel}, nil
	})
	var o told
	exit, err := c.x.Run(t.Context(), c.spec("work"), o.tell)
	if err != nil || exit != (executor.Exit{Finished: true, Code: 7, Signal: "TERM"}) {
		t.Errorf("it ended as %+v, %v", exit, err)
	}
	if got := o.String(); got != "placed one; output line; delta Hello; tool_started; finished done A=b 3 in all: true" && got != "placed one; output line; delta Hel; delta lo; tool_started; finished done A=b 3 in all: true" {
		t.Errorf("it told %s", got)
	}
	if _, err = c.x.Run(t.Context(), c.spec("refuse"), o.tell); !errors.Is(err, executor.ErrUnauthenticated) || !strings.Contains(err.Error(), "on one: no") {
		t.Errorf("what refuses: %v", err)
	}
	if _, err = c.x.Run(t.Context(), c.spec("panic"), o.tell); err == nil || !strings.Contains(err.Error(), "fault") {
		t.Errorf("what panics: %v", err)
	}
	if exit, err = c.x.Run(t.Context(), c.spec("fail"), o.tell); err != nil || exit.Cause != executor.ErrUnknownModel || exit.Message != "odd" {
		t.Errorf("what fails: %+v, %v", exit, err)
	}
	elsewhere := c.spec("work")
	elsewhere.Dir = t.TempDir()
	if _, err = c.x.Run(t.Context(), elsewhere, o.tell); err == nil || !strings.Contains(err.Error(), "agents may not work in") {
		t.Errorf("another directory: %v", err)
	}
}

// working tells that it works, and works until it is ended.
func working(ctx context.Context, _ executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	tell(executor.Event{Kind: executor.Said, Text: "working"})
	<-ctx.Done()
	return executor.Exit{Failed: true, Signal: "KILL"}, nil
}

// begun runs an agent, and returns once it has told something.
func (c *fixture) begun(ctx context.Context) (o *told, ended func() (executor.Exit, error)) {
	c.Helper()
	heard := make(chan struct{})
	o = &told{heard: heard}
	var exit executor.Exit
	var err error
	var running group.Group
	running.Go(func() { exit, err = c.x.Run(ctx, c.spec("work"), o.tell) })
	c.Cleanup(running.Wait)
	select {
	case <-heard:
	case <-time.After(timeout):
		c.Fatalf("it has told %s", o)
	}
	return o, func() (executor.Exit, error) {
		running.Wait()
		return exit, err
	}
}

func TestCancel(t *testing.T) {
	c := newFixture(t, timeout, natsagents.ExecutorOptions{Attempts: 3})
	ctx, cancel := context.WithCancel(t.Context())
	t.Run("waiting", func(t *testing.T) { // without a runner
		waiting, enough := context.WithTimeout(t.Context(), 2*time.Second)
		defer enough()
		if exit, err := c.x.Run(waiting, c.spec("work"), func(executor.Event) { t.Error("it was run") }); err != nil || exit != (executor.Exit{}) {
			t.Errorf("%+v, %v", exit, err)
		}
	})
	c.runner(natsagents.RunnerOptions{Name: "one"}, working) // it does not start the cancelled run
	o, ended := c.begun(ctx)
	cancel()
	exit, err := ended()
	if err != nil || exit.Signal != "KILL" || o.String() != "placed one; said working" {
		t.Errorf("%+v, %v: %s", exit, err, o)
	}
}

// A runner that is stopped gives its agents back.
func TestRunner_Stopped(t *testing.T) {
	for attempts, want := range map[int]string{
		1: "placed one; said working",
		2: "placed one; said working; waiting the runner one was stopped; placed two; said done",
	} {
		t.Run(fmt.Sprint(attempts), func(t *testing.T) {
			c := newFixture(t, timeout, natsagents.ExecutorOptions{Attempts: attempts})
			stop := c.runner(natsagents.RunnerOptions{Name: "one"}, working)
			o, ended := c.begun(t.Context())
			c.runner(natsagents.RunnerOptions{Name: "two"}, func(_ context.Context, _ executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
				tell(executor.Event{Kind: executor.Said, Text: "done"})
				return executor.Exit{Finished: true}, nil
			})
			stop()
			exit, err := ended()
			if lost := errors.Is(exit.Cause, executor.ErrLost); err != nil || lost != (attempts == 1) || exit.Finished == lost {
				t.Errorf("it ended as %+v, %v", exit, err)
			}
			if o.String() != want {
				t.Errorf("it told %s, want %s", o, want)
			}
		})
	}
}

func TestRunner_LabelsAndModels(t *testing.T) {
	c := newFixture(t, timeout, natsagents.ExecutorOptions{Label: "gpu"})
	if _, err := c.x.Models(t.Context()); !errors.Is(err, executor.ErrUnavailable) {
		t.Errorf("the models of nobody: %v", err)
	}
	c.runner(natsagents.RunnerOptions{Name: "plain"}, working)
	c.runner(natsagents.RunnerOptions{Name: "able", Labels: []string{"gpu"}}, func(context.Context, executor.Spec, func(executor.Event)) (executor.Exit, error) {
		return executor.Exit{Finished: true}, nil
	})
	var o told
	if _, err := c.x.Run(t.Context(), c.spec(""), o.tell); err != nil || o.String() != "placed able" {
		t.Errorf("it was run by %s: %v", &o, err)
	}
	until(t, "models", func() bool {
		models, err := c.x.Models(t.Context())
		return err == nil && len(models) == 1 && models[0].ID == "m-1"
	})
}

// until tries something until it is true.
func until(t *testing.T, what string, try func() bool) {
	t.Helper()
	deadline := time.Now().Add(timeout)
	for !try() {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen within %v", what, timeout)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
