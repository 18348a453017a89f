package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/tools/agents/executor"
)

// following is how an executor follows a run.
type following struct {
	x     *Executor
	key   string
	log   runLog
	order order
	tell  func(executor.Event)
	news  <-chan struct{}

	runner    string // the name of the runner; empty while the run waits
	heard     time.Time
	cancelled time.Time
	asked     bool // the runner, to end it
	read      int  // bytes since the log was trimmed
	end       *end
}

// waitingPoll is how often is looked after a run that waits, should a hint be lost.
const waitingPoll = 5 * time.Second

// trimEvery is how many bytes of a log are read before they are removed.
const trimEvery = 1 << 20

// begin orders the next attempt.
func (f *following) begin(ctx context.Context) error {
	f.order.Attempt++
	f.runner = ""
	err := f.log.add(ctx, kindOrder, &f.order)
	if err == nil {
		err = f.x.invite(ctx, &f.log)
	}
	if err != nil {
		f.order.Attempt--
		return fmt.Errorf("ordering an agent: %w", err)
	}
	return nil
}

// follow reports the events of the runner until the run has ended.
func (f *following) follow(ctx context.Context) (executor.Exit, error) {
	// The events are reported to the end, also after a cancellation.
	asking := context.WithoutCancel(ctx)
	for {
		asked := time.Now()
		err := f.readOn(asking)
		if err == nil && f.end == nil && ctx.Err() == nil {
			if over, exit, err := f.tend(ctx, asked); over || err != nil {
				return exit, err
			}
		}
		if f.end == nil && ctx.Err() != nil {
			if over, exit := f.conclude(asking, context.Cause(ctx), err == nil && f.silent(asked)); over {
				return exit, nil
			}
		}
		if f.end != nil {
			return f.ended(ctx)
		}
		f.pause(ctx)
	}
}

// silent reports whether a runner was not heard of for a lease when the log was read.
func (f *following) silent(asked time.Time) bool {
	return f.runner != "" && asked.Sub(f.heard) > f.order.Lease
}

// tend looks after a run of which there is nothing new.
func (f *following) tend(ctx context.Context, asked time.Time) (over bool, exit executor.Exit, err error) {
	switch {
	case f.silent(asked):
		return f.lost(ctx, fmt.Sprintf("the runner %s was not heard of for %v", f.runner, f.order.Lease))
	case f.runner == "":
		return false, exit, f.present(ctx)
	}
	return false, exit, nil
}

// conclude ends a run. over is true if the run has ended or its runner is unknown.
func (f *following) conclude(ctx context.Context, cause error, silent bool) (over bool, exit executor.Exit) {
	if f.cancelled.IsZero() {
		f.cancelled = time.Now()
	}
	if !f.asked {
		f.asked = f.cancel(ctx, cause) == nil
	}
	switch {
	case f.end != nil:
		return false, exit
	case f.asked && f.runner == "": // no runner can take the run any more
		return true, exit
	case silent || time.Since(f.cancelled) > 2*f.order.Lease:
		return true, executor.Exit{Failed: true, Message: "its runner " + f.runner + " was not heard of any more when it was ended"}
	}
	return false, exit
}

// pause waits until there is something to read, or to be looked after.
func (f *following) pause(ctx context.Context) {
	d, done := waitingPoll, ctx.Done()
	if f.runner != "" {
		d = f.order.Lease / beats
	}
	if !f.cancelled.IsZero() {
		d, done = f.order.Lease/beats, nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-f.news:
	case <-timer.C:
	case <-done:
	}
}

// readOn reads all that is new.
func (f *following) readOn(ctx context.Context) error {
	for f.end == nil {
		m, err := f.log.next(ctx)
		if err != nil || m == nil {
			return err
		}
		f.heard = time.Now()
		if err := f.hear(m); err != nil {
			return err
		}
		if f.read += len(m.Data) + 1<<10; f.read > trimEvery {
			f.read = 0
			f.log.trim(ctx)
		}
	}
	return nil
}

// hear handles a message of the log. A message that cannot be read is skipped.
func (f *following) hear(m *jetstream.RawStreamMsg) error {
	switch m.Header.Get(headerKind) {
	case kindClaim:
		var c claim
		_ = json.Unmarshal(m.Data, &c) // its name is for people
		f.runner = c.Runner
		if f.runner == "" {
			f.runner = "?"
		}
		f.tell(executor.Event{Kind: executor.Placed, At: m.Time, Runner: f.runner, Attempt: f.order.Attempt})
	case kindEvents:
		var events []wireEvent
		if err := json.Unmarshal(m.Data, &events); err != nil {
			f.x.v.s.opts.Log.Warn("a message of a runner cannot be read", "runner", f.runner, "error", err)
		}
		for i := range events {
			f.tell(events[i].event())
		}
	case kindEnd:
		f.end = new(end)
		if err := json.Unmarshal(m.Data, f.end); err != nil {
			f.end = &end{Error: "how it has ended cannot be read: " + err.Error()}
		}
	}
	return nil
}

// ended returns the results of Executor.Run.
func (f *following) ended(ctx context.Context) (executor.Exit, error) {
	e := f.end
	if e.Stopped && !e.Exit.Finished && f.cancelled.IsZero() {
		f.end = nil
		if over, exit, err := f.lost(ctx, "the runner "+f.runner+" was stopped"); over || err != nil {
			return exit, err
		}
		return f.follow(ctx)
	}
	exit := e.Exit
	exit.Cause = causes[e.Cause]
	if e.Error != "" {
		err := errors.New("on " + f.runner + ": " + e.Error)
		if cause := causes[e.Why]; cause != nil {
			err = fmt.Errorf("%w: %w", err, cause)
		}
		return exit, err
	}
	return exit, nil
}

// cancel asks the runner to end the agent.
func (f *following) cancel(ctx context.Context, cause error) error {
	ctx, enough := context.WithTimeout(ctx, f.order.Lease/beats)
	defer enough()
	reason := ""
	if cause != nil {
		reason = cause.Error()
	}
	for {
		err := f.log.add(ctx, kindCancel, reason)
		if !errors.Is(err, errOvertaken) {
			_ = f.x.v.s.nc.Publish(f.x.v.s.subject("run", f.key), nil) // else it is found without
			return err
		}
		before := f.log.last
		if err := f.readOn(ctx); err != nil || f.end != nil || f.log.last == before {
			return err
		}
	}
}

// lost takes the run away from its runner, and begins it anew if that is wanted; over says that it is not.
func (f *following) lost(ctx context.Context, why string) (over bool, exit executor.Exit, err error) {
	asking, enough := context.WithTimeout(context.WithoutCancel(ctx), f.order.Lease/2)
	defer enough()
	last := f.log.last
	err = f.log.add(asking, kindFence, nil)
	if errors.Is(err, errOvertaken) {
		if err = f.readOn(asking); err != nil || f.log.last != last {
			return false, exit, nil // it was heard of, or is looked after later
		}
		gone, err := f.log.lost(asking)
		if err != nil || !gone {
			return false, exit, nil
		}
		f.log.last, f.log.before = 0, 0 // NATS has forgotten it, and refuses the runner for that
	} else if err != nil {
		return false, exit, nil // NATS is away: later
	}
	if f.order.Attempt >= f.x.o.Attempts || ctx.Err() != nil {
		return true, executor.Exit{Failed: true, Message: fmt.Sprintf("%v: %s", executor.ErrLost, why), Cause: executor.ErrLost}, nil
	}
	f.tell(executor.Event{Kind: executor.Waiting, At: time.Now(), Text: why, Attempt: f.order.Attempt + 1})
	if err := f.begin(context.WithoutCancel(ctx)); err != nil {
		return true, executor.Exit{Failed: true, Message: fmt.Sprintf("%v: %s; %v", executor.ErrLost, why, err), Cause: executor.ErrLost}, nil
	}
	return false, exit, nil
}

// present orders a run again that waits, when NATS has forgotten it.
func (f *following) present(ctx context.Context) error {
	asking, enough := context.WithTimeout(ctx, f.order.Lease/beats)
	defer enough()
	gone, err := f.log.lost(asking)
	if err != nil || !gone {
		return nil // it is looked after later
	}
	f.log.last, f.log.before = 0, 0
	f.order.Attempt--
	return f.begin(ctx)
}
