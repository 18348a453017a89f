package agents

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/nats/internal/kept"
	"github.com/dougu-go/dougu/tools/agents/executor"
)

// ExecutorOptions configure an Executor.
type ExecutorOptions struct {
	// Name is how roles call it. Default: Program.
	Name string
	// Program is the name of the executor that a runner runs the agent with. Default "cursor".
	Program string
	// Label is one of RunnerOptions.Labels that a runner must have, too. Empty: any runner.
	Label string
	// Attempts is the limit of starts of an agent. Default 1: a lost agent has failed. With
	// more, a lost agent is started again, although the work of the lost one is unknown.
	Attempts int
}

// Executor puts runs on a work queue and reports the events of their runners. It implements
// executor.Remote: agents wait in the queue, in the order of their runs, until a runner has
// a free place. The time limit of an agent begins there.
type Executor struct {
	v *Server
	o ExecutorOptions
}

var _ executor.Remote = (*Executor)(nil)

// Executor makes an Executor of a server.
func (v *Server) Executor(o ExecutorOptions) *Executor {
	o.Program = cmp.Or(o.Program, "cursor")
	o.Name = cmp.Or(o.Name, o.Program)
	o.Attempts = max(o.Attempts, 1)
	return &Executor{v, o}
}

// Name implements executor.Executor.
func (x *Executor) Name() string { return x.o.Name }

// Remote implements executor.Remote.
func (x *Executor) Remote() {}

// Close implements executor.Executor.
func (x *Executor) Close() error { return nil }

// Models returns the models of a runner that could run the agents.
func (x *Executor) Models(ctx context.Context) ([]executor.Model, error) {
	runners, err := x.v.s.Runners(ctx)
	if err != nil {
		return nil, err
	}
	var all []executor.Model
	able := false
	for _, r := range runners {
		models, ok := r.Programs[x.o.Program]
		if !ok || x.o.Label != "" && !slices.Contains(r.Labels, x.o.Label) {
			continue
		}
		able = true
		for _, m := range models {
			if !slices.ContainsFunc(all, func(known executor.Model) bool { return known.ID == m.ID }) {
				all = append(all, m)
			}
		}
	}
	if !able {
		return nil, fmt.Errorf("%w: no runner has %s", executor.ErrUnavailable, strings.TrimSpace(x.o.Program+" "+x.o.Label))
	}
	return all, nil
}

// queue is where runs wait for runners that have a program, and a label if one is named.
func (s *Store) queue(program, label string) string {
	return s.subject("work", kept.Key(program+"\x00"+label))
}

// invitation is a message of the work queue. The log of the run says whether the run is still wanted.
type invitation struct {
	Subject string `json:"subject"`
}

// invite puts a run into the queue.
func (x *Executor) invite(ctx context.Context, l *runLog) error {
	data, err := json.Marshal(invitation{l.subject})
	if err != nil {
		return err
	}
	m := nats.NewMsg(x.v.s.queue(x.o.Program, x.o.Label))
	m.Data = data
	m.Header.Set(nats.MsgIdHdr, fmt.Sprint(l.subject, l.last))
	return x.v.s.try(ctx, "putting a run into the queue", func(ctx context.Context) error {
		_, err := x.v.s.conn.JS.PublishMsg(ctx, m, jetstream.WithRetryAttempts(0))
		return err
	})
}

// Run implements executor.Executor. When the end of ctx cannot be told to the runner, or the
// runner is not heard of, Run returns after two leases: the runner has ended the agent then.
func (x *Executor) Run(ctx context.Context, spec executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	key := rand.Text()
	f := &following{
		x: x, key: key, log: runLog{s: x.v.s, subject: x.v.s.subject("runs", x.v.name, key)}, tell: tell,
		order: order{Program: x.o.Program, Owner: x.v.name, Lease: x.v.s.opts.Lease, Spec: spec},
	}
	var stop func()
	f.news, stop = x.v.listen(key)
	defer stop()
	defer x.v.abandon(f.log.subject)
	if err := f.begin(ctx); err != nil {
		return executor.Exit{}, err
	}
	return f.follow(ctx)
}
