package agents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// perform runs an agent from its beginning to its end.
func (a *Agents) perform(r *run) {
	if r.ctx.Err() != nil {
		a.conclude(r, endingOf(context.Cause(r.ctx)))
		return
	}
	w, err := a.open(r.ctx, r)
	if err != nil {
		a.conclude(r, judge(r.ctx, executor.Exit{}, err))
		return
	}
	spec := a.spec(r, w)
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	t := a.track(r, w.dir)
	t.clock = newClock(r.agent.Timeout, cancel)
	defer t.clock.stop()
	if !t.remote {
		t.clock.start()
	}
	w.follow(t)
	exit, err := a.play(ctx, r, spec, t)
	if exit.Leftover {
		a.log.Info("an agent has left processes, which were ended", slog.String("agent", r.id))
	}
	t.stop(!t.remote && (err == nil || ctx.Err() != nil))
	e := judge(ctx, exit, err)
	e.said, e.text = t.lastWords()
	a.finish(r, t, w, e)
}

// play lets the executor run an agent, and survives that.
func (a *Agents) play(ctx context.Context, r *run, spec executor.Spec, t *track) (exit executor.Exit, err error) {
	defer func() {
		if v := recover(); v != nil {
			a.log.Error("an executor panicked", slog.String("agent", r.id), slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("%w: %v", errPanic, v)
		}
	}()
	return r.executor.Run(ctx, spec, t.tell)
}

// errPanic is an executor that has panicked.
var errPanic = errors.New("what runs it has a fault")

// spec is what the executor is given.
func (a *Agents) spec(r *run, w *workplace) executor.Spec {
	env, servers := a.child(r)
	return executor.Spec{
		AgentID: r.id, Model: r.agent.Model, Prompt: a.prompt(r, w), Dir: w.dir, ReadOnly: r.agent.ReadOnly, Trust: true,
		Tools: r.role.Tools, Env: env, Resume: r.agent.SessionID, Servers: servers,
	}
}

// finish puts together what is known of a run that has been running, and ends it.
func (a *Agents) finish(r *run, t *track, w *workplace, e ending) {
	found := w.close()
	a.over(r, func(agent *record.Agent) error {
		t.copyTo(agent)
		if err := settle(agent, e); err != nil {
			return err
		}
		agent.Result = resultOf(agent, e, found)
		return nil
	})
}

// conclude ends a run that never was running. A worktree that was made for it already is told of.
func (a *Agents) conclude(r *run, e ending) {
	a.over(r, func(agent *record.Agent) error {
		if err := settle(agent, e); err != nil {
			return err
		}
		agent.Result = resultOf(agent, e, a.remains(agent))
		return nil
	})
}

// settle gives an agent its last state.
func settle(agent *record.Agent, e ending) error {
	if err := advance(agent, e.outcome); err != nil {
		return err
	}
	agent.EndedAt, agent.Error, agent.Stalled, agent.Lost = now(), e.why, false, e.lost
	if agent.Report != nil {
		return advance(agent, record.ResultReported)
	}
	return nil
}

// The pauses between attempts to record an end.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

// retriable reports whether a change could work at another time.
func retriable(err error) bool {
	return err != nil && !errors.Is(err, errState) && !errors.Is(err, record.ErrNotFound)
}

// over records the end of a run, and tells of it. It is called once a run.
func (a *Agents) over(r *run, change func(*record.Agent) error) {
	agent, event, err := a.change(a.life, r.id, record.AgentCompleted, change)
	for pause := firstPause; retriable(err) && pause < lastPause && wait.For(a.life, pause) == nil; pause *= 2 {
		agent, event, err = a.change(a.life, r.id, record.AgentCompleted, change)
	}
	if err != nil && !errors.Is(err, errState) {
		a.log.Error("the end of an agent was not recorded", slog.String("agent", r.id), slog.Any("error", err))
	}
	a.lease.give(r.id)
	a.revoke(r.id)
	a.mu.Lock()
	delete(a.runs, r.id)
	delete(a.orders, orderer{r.agent.Principal, r.id})
	if r.reserved {
		r.reserved = false
		a.count(r, share{waiting: -1})
	}
	ends := a.ends
	a.ends = make(chan struct{})
	a.mu.Unlock()
	r.cancel(nil)
	if err == nil {
		a.notify(event, agent)
	}
	switch agent.Outcome {
	case record.Completed:
	case record.Cancelled: // stop says the same, whichever comes first
		a.stopBeneath(r.id, wasCancelled)
	default:
		a.stopBeneath(r.id, "has ended as "+string(agent.Outcome))
	}
	close(r.ended)
	close(ends)
}
