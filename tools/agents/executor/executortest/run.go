package executortest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/agents/executor"
)

// markVariable is the variable in the environment of agents by which the test finds their processes.
const markVariable = "EXECUTORTEST_RUN"

// result is a run that has ended.
type result struct {
	exit   executor.Exit
	err    error
	events []executor.Event // without Output
}

// one returns the only event of a kind; ok is false if there is another number of them.
func (r result) one(kind executor.Kind) (e executor.Event, ok bool) {
	for _, other := range r.events {
		if other.Kind == kind {
			if ok {
				return e, false
			}
			e, ok = other, true
		}
	}
	return e, ok
}

// of returns the number of events of the kinds.
func (r result) of(kinds ...executor.Kind) (n int) {
	for _, e := range r.events {
		if slices.Contains(kinds, e.Kind) {
			n++
		}
	}
	return n
}

// recorder receives the events of a run and checks each.
type recorder struct {
	remote  bool
	onEvent func(executor.Event) // called for each event but Output; may be nil

	calling  atomic.Bool // an event is being received
	returned atomic.Bool // Run has returned

	mu     sync.Mutex
	events []executor.Event
	last   time.Time

	failing sync.Mutex
	t       testing.TB // nil when the test has ended or given up waiting for Run; guarded by failing
}

// fail fails the test, unless it has ended.
func (r *recorder) fail(format string, args ...any) {
	r.failing.Lock()
	defer r.failing.Unlock()
	if r.t != nil {
		r.t.Helper()
		r.t.Errorf(format, args...)
	}
}

// silence makes the failures of later events have no effect: package testing ends the program if a test fails after its end.
func (r *recorder) silence() {
	r.failing.Lock()
	defer r.failing.Unlock()
	r.t = nil
}

// tell receives an event.
func (r *recorder) tell(e executor.Event) {
	if !r.calling.CompareAndSwap(false, true) {
		r.fail("the event %s arrived while another one was being received", e.Kind)
		return
	}
	defer r.calling.Store(false)
	if r.returned.Load() {
		r.fail("the event %s arrived after Run had returned", e.Kind)
		return
	}
	r.mu.Lock()
	r.checkEvent(e)
	if e.Kind != executor.Output {
		r.events = append(r.events, e)
	}
	r.mu.Unlock()
	if r.onEvent != nil && e.Kind != executor.Output {
		r.onEvent(e)
	}
}

const (
	maxText      = 4 << 10   // Text of Line and Unknown, with the mark of a cut
	maxArgs      = 64 << 10  // Tool.Args
	maxDiff      = 256 << 10 // Tool.Diff
	maxCutMarker = 8         // the mark of a cut text
)

// checkEvent checks the fields of an event. Callers hold r.mu.
func (r *recorder) checkEvent(e executor.Event) {
	switch e.Kind {
	case executor.Init, executor.Prompted, executor.Thinking, executor.Delta, executor.Said, executor.Finished, executor.Silence, executor.Heard:
	case executor.ToolStarted, executor.ToolCompleted:
		if e.Tool == nil {
			r.fail("the event %s has no Tool", e.Kind)
			return
		}
	case executor.Line, executor.Unknown:
		if len(e.Text) > maxText+maxCutMarker {
			r.fail("the Text of %s has %d bytes; the limit is %d", e.Kind, len(e.Text), maxText)
		}
	case executor.Output:
		if e.Stream == "" || len(e.Data) == 0 {
			r.fail("the event output has the Stream %q and %d bytes", e.Stream, len(e.Data))
		}
	case executor.Placed, executor.Waiting:
		if !r.remote {
			r.fail("the event %s is for an executor.Remote only", e.Kind)
		}
	default:
		r.fail("there is no kind of event %q", e.Kind)
	}
	if e.Kind != executor.Output {
		if e.At.IsZero() {
			r.fail("the event %s has no time", e.Kind)
		}
		if e.At.Before(r.last) {
			r.fail("the event %s has a time before that of the previous event", e.Kind)
		}
		r.last = e.At
	}
	for name, text := range map[string]string{"Session": e.Session, "Model": e.Model, "Text": e.Text} {
		if !utf8.ValidString(text) {
			r.fail("the %s of %s is not UTF-8: %q", name, e.Kind, text[:min(len(text), 100)])
		}
	}
	if tool := e.Tool; tool != nil {
		if e.Kind != executor.ToolStarted && e.Kind != executor.ToolCompleted {
			r.fail("the event %s has a Tool", e.Kind)
		}
		if len(tool.Args) > maxArgs || len(tool.Args) > 0 && !json.Valid(tool.Args) {
			r.fail("the Args of %s are not JSON of at most %d bytes: %.100q", e.Kind, maxArgs, tool.Args)
		}
		if len(tool.Diff) > maxDiff || !utf8.ValidString(tool.Diff) || !utf8.ValidString(tool.Error) {
			r.fail("the Diff or the Error of %s is not UTF-8, or longer than %d bytes", e.Kind, maxDiff)
		}
	}
}

// run runs an agent to its end and checks the result as far as it does not depend on the agent. onEvent may be nil.
func (h Harness) run(ctx context.Context, t testing.TB, x executor.Executor, s executor.Spec, onEvent func(executor.Event)) result {
	t.Helper()
	_, remote := x.(executor.Remote)
	r := &recorder{t: t, remote: remote, onEvent: onEvent}
	t.Cleanup(r.silence)
	var returned, got result
	if !h.within(t, "Run", func() { returned.exit, returned.err = x.Run(ctx, s, r.tell) }) {
		r.silence()
		return result{err: errBlocked}
	}
	got = returned
	r.returned.Store(true)
	time.Sleep(lateEvents)
	r.mu.Lock()
	got.events = r.events
	r.mu.Unlock()
	h.checkProcesses(t, s.AgentID)
	checkResult(t, got)
	return got
}

// lateEvents is the time that the test waits for events after the end of Run. Later events fail the test until it ends.
const lateEvents = 10 * time.Millisecond

// errBlocked is the error of a run that has not returned.
var errBlocked = errors.New("Run has not returned")

// within calls f and reports whether f has ended before the timeout; see waittest.Within.
func (h Harness) within(t testing.TB, what string, f func()) bool {
	t.Helper()
	return waittest.Within(t, h.Timeout, what, f)
}

// checkResult checks that the exit and the events of a run match.
func checkResult(t testing.TB, r result) {
	t.Helper()
	ends := r.of(executor.Finished)
	if ends > 1 {
		t.Errorf("there are %d events finished", ends)
	}
	if r.err != nil {
		if ends > 0 || r.exit.Finished {
			t.Errorf("Run returned the error %v for an agent that has finished", r.err)
		}
		if r.of(executor.Init) > 0 {
			t.Errorf("Run returned the error %v for an agent that was started: there is the event init", r.err)
		}
		return
	}
	if r.exit.Finished != (ends > 0) {
		t.Errorf("Exit.Finished is %t with %d events finished", r.exit.Finished, ends)
	}
	if end, ok := r.one(executor.Finished); ok && end.Failed && !r.exit.Failed {
		t.Errorf("the agent reported the failure %q, and the exit is %+v", end.Text, r.exit)
	}
	if !r.exit.Finished && !r.exit.Failed {
		t.Errorf("an agent without a report has not failed: the exit is %+v", r.exit)
	}
	if r.exit.Failed && r.exit.Message == "" {
		t.Errorf("a failure has no message: the exit is %+v", r.exit)
	}
	if !utf8.ValidString(r.exit.Message) {
		t.Errorf("Exit.Message is not UTF-8: %.100q", r.exit.Message)
	}
	if !r.exit.Failed && r.exit.Cause != nil {
		t.Errorf("a success has the cause %v", r.exit.Cause)
	}
}

// spec returns the Spec of a run. Its environment has the mark of the run.
func (h Harness) spec(t testing.TB, prompt string) executor.Spec {
	t.Helper()
	s := h.Spec
	s.AgentID, s.Prompt = "agent-"+rand.Text(), prompt
	s.Env = append(slices.Clone(s.Env), markVariable+"="+s.AgentID)
	if s.Dir == "" {
		s.Dir = t.TempDir()
	}
	return s
}

// summary describes the events of a run in an error message.
func (r result) summary() string {
	text := fmt.Sprintf("the exit is %+v, the error %v; the events are", r.exit, r.err)
	for _, e := range r.events {
		text += fmt.Sprintf("\n%s %.200q", e.Kind, e.Session+e.Text)
	}
	return text
}
