package agents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

const (
	// flushEvery is the least time between two records of what an agent says.
	flushEvery = 100 * time.Millisecond
	// seenEvery is how often the record of an agent says that its server lives.
	seenEvery = 5 * time.Second
	// callsPerFlush bounds the events about calls of tools between two records.
	callsPerFlush = 20
	maxCalls      = 50      // that a record keeps
	maxOpen       = 1_000   // that may be running at once
	maxMessage    = 4 << 10 // bytes of the last message in a record
	maxSaying     = 64 << 10
	maxChanges    = 2_000 // files
)

// The pauses between attempts to record an end.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
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
	t := a.track(r, w, cancel)
	defer t.clock.stop()
	exit, err := a.play(ctx, r, spec, t)
	if exit.Leftover {
		a.log.Info("an agent has left processes, which were ended", slog.String("agent", r.id))
	}
	t.stop(!t.remote && (err == nil || ctx.Err() != nil))
	a.finish(ctx, t, exit, err)
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

// track is what is known of an agent that runs: what it tells is gathered here, and recorded now and then.
type track struct {
	a       *Agents
	r       *run
	w       *workplace
	started time.Time
	stopped chan struct{}
	flushed chan struct{} // closed when the flushing has ended
	remote  bool          // it may wait for a place elsewhere
	clock   *clock        // its time

	mu        sync.Mutex
	begun     bool
	runner    string // where it runs
	attempt   int
	dirty     bool
	session   string
	model     string
	stalled   bool
	count     int
	calls     []record.ToolCall // the newest, by Seq
	open      map[string]int    // the Seq of calls that have not completed, by their ID
	announced int               // events about calls since the last flush
	saying    []byte            // what the assistant says, the beginning of it
	said      int               // how much of it there is
	head      string            // the beginning of what the assistant has said last as a whole
	tail      []byte            // the end of what the assistant has said last
	usage     *record.Usage
	last      string // what the agent has said of its own end
	report    *record.Report
	changes   changes
	faulty    bool // an output was not kept; that is logged once

	heard heard // since stop
}

// heard is everything that an agent has told by its end.
type heard struct {
	said    string // the beginning of the last message of the assistant
	last    string // the agent's word on its own end
	changes changes
}

// track begins to follow a run in its workplace. The run is ended with errTimeout when its time is over.
func (a *Agents) track(r *run, w *workplace, end context.CancelCauseFunc) *track {
	t := &track{
		a: a, r: r, w: w, started: now(), stopped: make(chan struct{}), flushed: make(chan struct{}),
		clock: &clock{d: r.agent.Timeout, end: end}, open: make(map[string]int), changes: make(changes),
	}
	_, t.remote = r.executor.(executor.Remote)
	a.work.Go(t.flushing)
	if !t.remote {
		t.clock.start()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	w.t = t
	return t
}

// tell hears of an event. The executor calls it, never concurrently.
func (t *track) tell(e executor.Event) {
	switch e.Kind {
	case executor.Waiting:
		t.await(e)
		return
	case executor.Placed:
		t.place(e)
		return
	}
	t.begin()
	switch e.Kind {
	case executor.Output:
		t.keep(e.Stream, e.Data)
		return
	case executor.Line:
		t.keep(record.Stderr, append([]byte(e.Text), '\n'))
		return
	case executor.Delta, executor.Said:
		t.keep(record.Text, t.say(e))
		return
	case executor.ToolStarted, executor.ToolCompleted:
		if e.Tool != nil {
			t.tool(e)
		}
		return
	case executor.Silence, executor.Heard:
		t.quiet(e)
		return
	}
	usage := t.used(e)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e.Kind {
	case executor.Init:
		t.model, t.dirty = truncate.Within(e.Model, maxName), true
		if len(e.Session) <= maxName {
			t.session = e.Session
		}
	case executor.Finished:
		t.last, t.dirty = e.Text, true
		t.usage = usage
	}
}

// begin records that the agent is running.
func (t *track) begin() {
	t.mu.Lock()
	begun := t.begun
	t.begun = true
	t.mu.Unlock()
	if begun {
		return
	}
	t.update(record.AgentStatusUpdate, func(agent *record.Agent) error {
		agent.StartedAt = t.started
		return advance(agent, record.Running)
	})
}

// update changes the record and tells of it.
func (t *track) update(what record.EventType, change func(*record.Agent) error) {
	_, _, err := t.a.change(t.a.life, t.r.id, what, change)
	if err != nil && !errors.Is(err, errState) {
		t.a.log.Warn("what an agent does was not recorded", slog.String("agent", t.r.id), slog.Any("error", err))
	}
}

// say notes what the assistant says, and answers what of it is new as text.
func (t *track) say(e executor.Event) (added []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dirty = true
	if e.Kind == executor.Delta {
		t.saying = append(t.saying, e.Text[:min(len(e.Text), maxSaying-len(t.saying))]...)
		if t.said == 0 {
			t.tail = t.tail[:0]
		}
		t.said += len(e.Text)
		t.keepTail(e.Text)
		return []byte(e.Text)
	}
	// A whole message is mostly what was said in parts before.
	rest := e.Text
	switch {
	case t.said == 0:
	case len(e.Text) >= t.said && strings.HasPrefix(e.Text, string(t.saying)):
		rest = e.Text[t.said:]
	default:
		rest = "\n" + e.Text
	}
	t.saying, t.said, t.head = t.saying[:0], 0, truncate.Within(e.Text, maxSummary)
	t.tail = t.tail[:0]
	t.keepTail(e.Text)
	added = append([]byte(rest), '\n')
	if !bytes.HasSuffix(added, []byte("\n\n")) {
		added = append(added, '\n')
	}
	return added
}

// keepTail adds to the end of the last message, more of which is kept than records show.
func (t *track) keepTail(text string) {
	const most = 2 * maxMessage
	t.tail = append(t.tail, text[max(len(text)-most, 0):]...)
	if n := len(t.tail) - most; n > most {
		t.tail = append(t.tail[:0], t.tail[n:]...)
	}
}

// lastOf is the end of a text, of at most so many bytes, in whole characters.
func lastOf(text string, most int) string {
	const mark = "…"
	if len(text) <= most {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return mark + strings.ToValidUTF8(strings.TrimLeftFunc(text[len(text)-most+len(mark):], func(r rune) bool { return r == '\uFFFD' }), "")
}

// keep keeps what an agent has written.
func (t *track) keep(s record.Stream, p []byte) {
	if len(p) == 0 {
		return
	}
	err := t.a.outputs.Append(context.WithoutCancel(t.a.life), t.r.id, s, p)
	if err == nil {
		return
	}
	t.mu.Lock()
	first := !t.faulty
	t.faulty = true
	t.mu.Unlock()
	if first {
		t.a.log.Warn("output of an agent was lost", slog.String("agent", t.r.id), slog.Any("error", err))
	}
}

// quiet notes that nothing is heard any more, or something is again.
func (t *track) quiet(e executor.Event) {
	stalled := e.Kind == executor.Silence
	t.mu.Lock()
	changed := t.stalled != stalled
	t.stalled, t.dirty = stalled, true
	t.mu.Unlock()
	if !changed {
		return
	}
	t.flush()
	ctx := context.WithoutCancel(t.a.life)
	event := t.a.emit(ctx, record.Event{Type: record.AgentStalled, AgentID: t.r.id, GroupID: t.r.agent.GroupID}, stall{t.r.id, stalled, e.Silent.Milliseconds()})
	if agent, err := t.a.store.Agent(ctx, t.r.id); err == nil && stalled {
		t.a.notify(event, agent)
	}
}

// stall is the data of record.AgentStalled.
type stall struct {
	AgentID  string `json:"agentId"`
	Stalled  bool   `json:"stalled"`
	SilentMs int64  `json:"silent_ms"`
}

// flushing records what is new until stop is called. The first time it says that the agent is running, should it not have
// been heard of.
func (t *track) flushing() {
	defer close(t.flushed)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	seen := time.NewTicker(seenEvery)
	defer seen.Stop()
	for {
		select {
		case <-seen.C:
			t.see()
		case <-tick.C:
			if !t.remote {
				t.begin()
			}
			t.flush()
		case <-t.stopped:
			return
		}
	}
}

// see records that the agent runs still. No event tells of it.
func (t *track) see() {
	_, err := t.a.store.UpdateAgent(context.WithoutCancel(t.a.life), t.r.id, func(agent *record.Agent) error {
		if agent.Status != record.Running {
			return errState
		}
		agent.SeenAt = now()
		return nil
	})
	if err != nil && !errors.Is(err, errState) {
		t.a.log.Warn("it was not recorded that an agent runs still", slog.String("agent", t.r.id), slog.Any("error", err))
	}
}

// flush records what is new.
func (t *track) flush() {
	t.mu.Lock()
	dirty := t.dirty
	t.dirty, t.announced = false, 0
	t.mu.Unlock()
	if dirty {
		t.update(record.AgentStatusUpdate, func(agent *record.Agent) error {
			t.copyTo(agent)
			return nil
		})
	}
}

// copyTo puts what is known into the record.
func (t *track) copyTo(agent *record.Agent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.begun && agent.Status == record.Queued {
		agent.Status, agent.StartedAt = record.Running, t.started
	}
	if t.runner != "" {
		agent.Runner, agent.Attempt = t.runner, t.attempt
	}
	if t.session != "" {
		agent.SessionID = t.session
	}
	if t.model != "" {
		agent.ModelName = t.model
	}
	agent.Stalled, agent.ToolCallCount, agent.SeenAt = t.stalled, t.count, now()
	agent.RecentToolCalls = slices.Clone(t.calls)
	if len(t.tail) > 0 {
		agent.LastAssistantMessage = lastOf(string(t.tail), maxMessage)
	}
	if t.usage != nil {
		agent.Usage = new(*t.usage)
	}
}

// stop ends the following. ran says that the agent has been running, heard of or not.
func (t *track) stop(ran bool) {
	close(t.stopped)
	<-t.flushed
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun = t.begun || ran
	t.heard = heard{said: t.head, last: t.last, changes: maps.Clone(t.changes)}
	if t.said > 0 {
		t.heard.said = truncate.Within(string(t.saying), maxSummary)
	}
}

// changed is what the agent has told of changes so far.
func (t *track) changed() changes {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.changes)
}

// clock ends a run whose time is over. Its time may begin anew.
type clock struct {
	d   time.Duration
	end context.CancelCauseFunc

	mu    sync.Mutex
	timer *time.Timer
}

func (c *clock) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
	c.timer = group.AfterFunc(c.d, func() { c.end(errTimeout) })
}

func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
}

// finish ends a run that has been running, with all that is known of it. Nothing follows the run any more.
func (a *Agents) finish(ctx context.Context, t *track, exit executor.Exit, err error) {
	e := judge(ctx, exit, err)
	e.said, e.text = t.heard.said, t.heard.last
	found := t.w.close(t.heard.changes)
	a.over(t.r, func(agent *record.Agent) error {
		t.copyTo(agent)
		if err := settle(agent, e); err != nil {
			return err
		}
		agent.Result = resultOf(agent, e, found)
		return nil
	})
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

// endingOf is the ending of a run that was ended for a cause.
func endingOf(cause error) ending {
	if errors.Is(cause, errTimeout) {
		return ending{outcome: record.TimedOut, why: cause.Error()}
	}
	return ending{outcome: record.Cancelled, why: cause.Error()}
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

// over records the end of a run, and tells of it. It is called once a run.
func (a *Agents) over(r *run, change func(*record.Agent) error) {
	agent, event, err := a.change(a.life, r.id, record.AgentCompleted, change)
	for pause := firstPause; retriable(err) && pause < lastPause && wait.Sleep(a.life, pause) == nil; pause *= 2 {
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

// retriable reports whether a change could work at another time.
func retriable(err error) bool {
	return err != nil && !errors.Is(err, errState) && !errors.Is(err, record.ErrNotFound)
}

// notify tells people.
func (a *Agents) notify(e record.Event, agent record.Agent) {
	if a.options.Notify != nil {
		a.options.Notify(e, agent)
	}
}
