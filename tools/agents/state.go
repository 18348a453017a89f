package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// nextStates says what may follow a state.
var nextStates = map[record.Status][]record.Status{
	record.Blocked:   {record.Queued, record.Failed, record.Cancelled},
	record.Queued:    {record.Running, record.Failed, record.Cancelled},
	record.Running:   {record.Queued, record.Completed, record.Failed, record.TimedOut, record.Cancelled},
	record.Completed: {record.ResultReported},
	record.Failed:    {record.ResultReported},
	record.TimedOut:  {record.ResultReported},
	record.Cancelled: {record.ResultReported},
}

// errState is a change of state that is not possible.
var errState = errors.New("the state of the agent does not allow that")

// advance changes the state of an agent.
func advance(a *record.Agent, to record.Status) error {
	if !slices.Contains(nextStates[a.Status], to) {
		return fmt.Errorf("%w: %s is %s and cannot become %s", errState, a.ID, a.Status, to)
	}
	a.Status = to
	if to.Ended() && to != record.ResultReported {
		a.Outcome = to
	}
	return nil
}

// ending is how a run has ended, and why if it has not completed.
type ending struct {
	outcome record.Status
	why     string
	said    string // its last message
	text    string // what it has said in all, by its own word
	lost    bool   // nobody knows how far it has come
}

// errTimeout is why an agent is ended that has run too long.
var errTimeout = errors.New("its time is over")

// cancellation is why an agent is ended that somebody has cancelled.
type cancellation struct{ reason string }

func (c *cancellation) Error() string {
	if c.reason == "" {
		return "it was cancelled"
	}
	return "it was cancelled: " + c.reason
}

// endingOf is the ending of a run that was ended for a cause.
func endingOf(cause error) ending {
	if errors.Is(cause, errTimeout) {
		return ending{outcome: record.TimedOut, why: cause.Error()}
	}
	return ending{outcome: record.Cancelled, why: cause.Error()}
}

// judge says how a run has ended. What the agent has told of its own end counts before anything else, for programs may go on
// after it, and be ended for that.
func judge(ctx context.Context, exit executor.Exit, err error) ending {
	cause := context.Cause(ctx)
	switch {
	case err == nil && exit.Finished && !exit.Failed:
		return ending{outcome: record.Completed}
	case cause != nil:
		return endingOf(cause)
	case errors.Is(err, errPanic):
		return ending{outcome: record.Failed, why: err.Error()}
	case err != nil:
		return ending{outcome: record.Failed, why: "it could not be started: " + err.Error()}
	case exit.Message != "":
		return ending{outcome: record.Failed, why: exit.Message, lost: errors.Is(exit.Cause, executor.ErrLost)}
	case exit.Cause != nil:
		return ending{outcome: record.Failed, why: exit.Cause.Error(), lost: errors.Is(exit.Cause, executor.ErrLost)}
	case exit.Finished:
		return ending{outcome: record.Failed, why: "it has told of a failure"}
	case exit.Signal != "":
		return ending{outcome: record.Failed, why: "its program was ended by " + exit.Signal}
	case exit.Code != 0:
		return ending{outcome: record.Failed, why: fmt.Sprintf("its program has ended with exit code %d", exit.Code)}
	}
	return ending{outcome: record.Failed, why: "its program has ended without telling a result"}
}
