package agents

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/nats/internal/kept"
	"github.com/dougu-go/dougu/tools/agents/executor"
)

// RunnerOptions configure a Runner. Executors and Dirs are required.
type RunnerOptions struct {
	// Name is the name of the runner for people. Default: the name of the machine.
	Name string
	// Slots is the number of agents that run at once. Default 4.
	Slots int
	// Executors run the agents on this machine. Each run names its executor.
	Executors []executor.Executor
	// Labels are further properties that a run can require, see ExecutorOptions.Label.
	Labels []string
	// Dirs are the directories in and below which agents may work. A run names its directory
	// by a path, so the path must be the same here and on the machine of the MCP server.
	Dirs []string
}

// Runner takes runs out of the work queue and runs them.
type Runner struct {
	s    *Store
	o    RunnerOptions
	id   string
	dirs []string
	work group.Group

	mu     sync.Mutex // guards the fields below, which RunnerState describes
	busy   int
	peak   int
	taken  int64
	models map[string][]executor.Model // by name of the executor; nil until learn has asked it
}

// RunnerState describes a living runner.
type RunnerState struct {
	Name string `json:"name"`
	// Slots is the limit of agents at once, and Busy the number of running agents. Peak is the
	// largest Busy so far, and Taken the number of agents begun.
	Slots int   `json:"slots"`
	Busy  int   `json:"busy"`
	Peak  int   `json:"peak"`
	Taken int64 `json:"taken"`
	// Programs are the models that each executor has reported, by the executor's name.
	Programs map[string][]executor.Model `json:"programs"`
	Labels   []string                    `json:"labels,omitempty"`
	At       time.Time                   `json:"at"`
}

// Runners returns the living runners, and runners that died less than a lease ago.
func (s *Store) Runners(ctx context.Context) ([]RunnerState, error) {
	return all(ctx, s, "asking which runners live", s.aliveStream, s.key("agent-alive", "runner.*"), func(m jetstream.Msg) (r RunnerState, err error) {
		return r, json.Unmarshal(m.Data(), &r)
	})
}

// NewRunner makes a Runner, which runs nothing until Run is called. The executors stay the
// caller's to close.
func NewRunner(s *Store, o RunnerOptions) (*Runner, error) {
	if o.Name == "" {
		o.Name, _ = os.Hostname() // else it has none
	}
	o.Slots = cmp.Or(max(o.Slots, 0), 4)
	if len(o.Executors) == 0 || len(o.Dirs) == 0 {
		return nil, errors.New("making a runner: it needs executors, and directories in which agents may work")
	}
	r := &Runner{s: s, o: o, id: rand.Text(), models: make(map[string][]executor.Model)}
	for _, dir := range o.Dirs {
		real, err := realPath(dir)
		if err != nil {
			return nil, fmt.Errorf("making a runner: %w", err)
		}
		r.dirs = append(r.dirs, real)
	}
	for _, e := range o.Executors {
		if _, twice := r.models[e.Name()]; twice {
			return nil, fmt.Errorf("making a runner: two executors are called %s", e.Name())
		}
		r.models[e.Name()] = nil
	}
	r.work.OnPanic = func(value any, stack []byte) {
		s.opts.Log.Error("panic in a runner", slog.Any("panic", value), slog.String("stack", string(stack)))
	}
	return r, nil
}

// realPath is an absolute path without links.
func realPath(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// allowed reports whether agents may work in a directory.
func (r *Runner) allowed(dir string) error {
	real, err := realPath(dir)
	if err != nil {
		return fmt.Errorf("the directory %s is not on the machine of this runner: %w", dir, err)
	}
	for _, at := range r.dirs {
		if rel, err := filepath.Rel(at, real); err == nil && (rel == "." || filepath.IsLocal(rel)) {
			return nil
		}
	}
	return fmt.Errorf("agents may not work in the directory %s; the allowed directories are %s", dir, strings.Join(r.dirs, ", "))
}

// Run takes runs until ctx ends. Then it ends the running agents, reports them as lost to the MCP
// servers that have ordered them, and returns.
func (r *Runner) Run(ctx context.Context) error {
	if err := r.beat(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	r.work.Go(func() { r.learn(ctx) })
	r.work.Go(func() { r.beating(ctx) })
	for i := range r.o.Slots {
		r.work.Go(func() { r.slot(ctx, i) })
	}
	r.work.Wait()
	r.s.leave(ctx, "runner."+r.id)
	return nil
}

// learn asks the executors for their models, once.
func (r *Runner) learn(ctx context.Context) {
	for _, e := range r.o.Executors {
		models, err := e.Models(ctx)
		if err != nil {
			r.s.opts.Log.Warn("an executor does not tell its models", slog.String("executor", e.Name()), slog.Any("error", err))
			continue
		}
		r.mu.Lock()
		r.models[e.Name()] = models
		r.mu.Unlock()
	}
	_ = r.beat(ctx) // else with the next
}

func (r *Runner) beating(ctx context.Context) {
	tick := time.NewTicker(r.s.opts.Lease / beats)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := r.beat(ctx); err != nil && ctx.Err() == nil {
				r.s.opts.Log.Warn("the heartbeat of this runner cannot be written", slog.Any("error", err))
			}
		case <-ctx.Done():
			return
		}
	}
}

// State returns the description of the runner that Store.Runners returns elsewhere.
func (r *Runner) State() RunnerState {
	r.mu.Lock()
	defer r.mu.Unlock()
	programs := make(map[string][]executor.Model, len(r.models))
	for name, models := range r.models {
		programs[name] = models
	}
	return RunnerState{Name: r.o.Name, Slots: r.o.Slots, Busy: r.busy, Peak: r.peak, Taken: r.taken, Programs: programs, Labels: r.o.Labels, At: time.Now().UTC()}
}

func (r *Runner) beat(ctx context.Context) error { return r.s.live(ctx, "runner."+r.id, r.State()) }

// queues returns the names of the queues that the runner serves.
func (r *Runner) queues() []string {
	var all []string
	for _, e := range r.o.Executors {
		for _, label := range append([]string{""}, r.o.Labels...) {
			all = append(all, r.s.queue(e.Name(), label))
		}
	}
	return all
}

// ackWait is the time after which NATS offers a run to another runner, if the first runner has not
// acknowledged the message of the queue. Two runners may take one run if the first is slow. That
// does no harm: the log of the run accepts only one of them.
const ackWait = 10 * time.Second

// consumer returns the consumer that all runners of a queue share.
func (r *Runner) consumer(ctx context.Context, queue string) (c jetstream.Consumer, err error) {
	err = r.s.try(ctx, "joining a work queue", func(ctx context.Context) error {
		c, err = r.s.kept().work.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: "runners-" + kept.Key(queue), FilterSubject: queue, AckPolicy: jetstream.AckExplicitPolicy,
			AckWait: ackWait, MaxAckPending: 10_000, MaxDeliver: -1,
		})
		return err
	})
	return c, err
}
