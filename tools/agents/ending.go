package agents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Delays between attempts to record an end. The delay doubles after each attempt.
const (
	minRetryDelay = 100 * time.Millisecond
	maxRetryDelay = 5 * time.Second
)

// ending describes how a run has ended.
type ending struct {
	outcome     record.Status // Completed, Failed, TimedOut or Cancelled
	reason      string        // empty if the run completed
	lastMessage string        // beginning of the last message of the assistant
	finalText   string        // text of the Finished event
	lost        bool          // the runner was lost, so the progress is unknown
}

// errTimeout is the cause that cancels a run after its timeout.
var errTimeout = errors.New("it exceeded its timeout")

// cancellation is the cause that cancels a run on request.
type cancellation struct{ reason string }

func (c *cancellation) Error() string {
	if c.reason == "" {
		return "it was cancelled"
	}
	return "it was cancelled: " + c.reason
}

// classifyExit returns the ending of a run. A success that the agent itself reported takes
// precedence over the exit of its program: the program may continue after it, and be ended for
// that.
func classifyExit(ctx context.Context, exit executor.Exit, err error) ending {
	cause := context.Cause(ctx)
	switch {
	case err == nil && exit.Finished && !exit.Failed:
		return ending{outcome: record.Completed}
	case cause != nil:
		return endingForCause(cause)
	case errors.Is(err, errPanic):
		return ending{outcome: record.Failed, reason: err.Error()}
	case err != nil:
		return ending{outcome: record.Failed, reason: "it could not be started: " + err.Error()}
	case exit.Message != "":
		return ending{outcome: record.Failed, reason: exit.Message, lost: errors.Is(exit.Cause, executor.ErrLost)}
	case exit.Cause != nil:
		return ending{outcome: record.Failed, reason: exit.Cause.Error(), lost: errors.Is(exit.Cause, executor.ErrLost)}
	case exit.Finished:
		return ending{outcome: record.Failed, reason: "it reported a failure"}
	case exit.Signal != "":
		return ending{outcome: record.Failed, reason: "its program was ended by " + exit.Signal}
	case exit.Code != 0:
		return ending{outcome: record.Failed, reason: fmt.Sprintf("its program ended with exit code %d", exit.Code)}
	}
	return ending{outcome: record.Failed, reason: "its program ended without a result"}
}

// endingForCause returns the ending of a run whose context was cancelled.
func endingForCause(cause error) ending {
	if errors.Is(cause, errTimeout) {
		return ending{outcome: record.TimedOut, reason: cause.Error()}
	}
	return ending{outcome: record.Cancelled, reason: cause.Error()}
}

// endUnstarted records the end of a run that never started. Its result names a worktree that was
// already created.
func (a *Agents) endUnstarted(r *run, e ending) {
	a.recordEnd(r, func(agent *record.Agent) error {
		if err := setEnd(agent, e); err != nil {
			return err
		}
		agent.Result = resultOf(agent, e, a.findWorktree(agent))
		return nil
	})
}

// setEnd sets the final status of an agent.
func setEnd(agent *record.Agent, e ending) error {
	if err := setStatus(agent, e.outcome); err != nil {
		return err
	}
	agent.EndedAt, agent.Error, agent.Stalled, agent.Lost = now(), e.reason, false, e.lost
	if agent.Report != nil {
		return setStatus(agent, record.ResultReported)
	}
	return nil
}

// validTransitions lists the statuses that may follow a status.
var validTransitions = map[record.Status][]record.Status{
	record.Blocked:   {record.Queued, record.Failed, record.Cancelled},
	record.Queued:    {record.Running, record.Failed, record.Cancelled},
	record.Running:   {record.Queued, record.Completed, record.Failed, record.TimedOut, record.Cancelled},
	record.Completed: {record.ResultReported},
	record.Failed:    {record.ResultReported},
	record.TimedOut:  {record.ResultReported},
	record.Cancelled: {record.ResultReported},
}

// errState is the error of an invalid change of status.
var errState = errors.New("the state of the agent does not allow that")

// setStatus changes the status of an agent, or returns errState.
func setStatus(a *record.Agent, to record.Status) error {
	if !slices.Contains(validTransitions[a.Status], to) {
		return fmt.Errorf("%w: %s is %s and cannot become %s", errState, a.ID, a.Status, to)
	}
	a.Status = to
	if to.Ended() && to != record.ResultReported {
		a.Outcome = to
	}
	return nil
}

// recordEnd stores the end of a run, emits it, and cancels the agents that the run has ordered. It
// repeats failed updates for a few seconds. It is called once for each run.
func (a *Agents) recordEnd(r *run, change func(*record.Agent) error) {
	agent, event, err := a.updateAgent(a.baseCtx, r.id, record.AgentCompleted, change)
	for pause := minRetryDelay; retriable(err) && pause < maxRetryDelay && wait.Sleep(a.baseCtx, pause) == nil; pause *= 2 {
		agent, event, err = a.updateAgent(a.baseCtx, r.id, record.AgentCompleted, change)
	}
	if err != nil && !errors.Is(err, errState) {
		a.log.Error("the end of an agent was not recorded", slog.String("agent", r.id), slog.Any("error", err))
	}
	a.ownership.release(r.id)
	a.revokeToken(r.id)
	a.mu.Lock()
	delete(a.runs, r.id)
	delete(a.recentOrders, orderer{r.agent.Principal, r.id})
	if r.reserved {
		r.reserved = false
		a.addLoad(r, load{waiting: -1})
	}
	ends := a.endSignal
	a.endSignal = make(chan struct{})
	a.mu.Unlock()
	r.cancel(nil)
	if err == nil {
		a.notify(event, agent)
	}
	switch agent.Outcome {
	case record.Completed:
	case record.Cancelled: // stop uses the same reason
		a.stopChildren(r.id, cancelledReason)
	default:
		a.stopChildren(r.id, "has ended as "+string(agent.Outcome))
	}
	close(r.ended)
	close(ends)
}

// retriable reports whether a failed update may succeed later.
func retriable(err error) bool {
	return err != nil && !errors.Is(err, errState) && !errors.Is(err, record.ErrNotFound)
}

// notify calls Options.Notify.
func (a *Agents) notify(e record.Event, agent record.Agent) {
	if a.options.Notify != nil {
		a.options.Notify(e, agent)
	}
}
