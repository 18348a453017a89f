package agents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// execute runs an agent from its start to its recorded end.
func (a *Agents) execute(r *run) {
	if r.ctx.Err() != nil {
		a.endUnstarted(r, endingForCause(context.Cause(r.ctx)))
		return
	}
	w, err := a.openWorkplace(r.ctx, r)
	if err != nil {
		a.endUnstarted(r, classifyExit(r.ctx, executor.Exit{}, err))
		return
	}
	spec := a.spec(r, w)
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	t := a.track(r, w, cancel)
	defer t.clock.stop()
	exit, err := a.runExecutor(ctx, r, spec, t)
	if exit.Leftover {
		a.log.Info("processes of an agent outlived it and were ended", slog.String("agent", r.id))
	}
	t.stop(!t.remote && (err == nil || ctx.Err() != nil))
	a.finishRun(ctx, t, exit, err)
}

// runExecutor calls the executor and converts a panic into errPanic.
func (a *Agents) runExecutor(ctx context.Context, r *run, spec executor.Spec, t *track) (exit executor.Exit, err error) {
	defer func() {
		if v := recover(); v != nil {
			a.log.Error("an executor panicked", slog.String("agent", r.id), slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("%w: %v", errPanic, v)
		}
	}()
	return r.executor.Run(ctx, spec, t.handleEvent)
}

// errPanic is the error of a run whose executor panicked.
var errPanic = errors.New("the executor panicked")

// finishRun records the end of a run that was executed. The track must have stopped.
func (a *Agents) finishRun(ctx context.Context, t *track, exit executor.Exit, err error) {
	e := classifyExit(ctx, exit, err)
	e.lastMessage, e.finalText = t.final.message, t.final.finalText
	found := t.w.close(t.final.changes)
	a.recordEnd(t.r, func(agent *record.Agent) error {
		t.fillRecord(agent)
		if err := setEnd(agent, e); err != nil {
			return err
		}
		agent.Result = resultOf(agent, e, found)
		return nil
	})
}
