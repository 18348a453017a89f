package agents

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
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

// track is what is known of an agent that runs: what it tells is gathered here, and recorded now and then.
type track struct {
	a       *Agents
	r       *run
	dir     string // where it works
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
}

// track begins to follow a run.
func (a *Agents) track(r *run, dir string) *track {
	t := &track{
		a: a, r: r, dir: dir, started: now(), stopped: make(chan struct{}), flushed: make(chan struct{}),
		open: make(map[string]int), changes: make(changes),
	}
	_, t.remote = r.executor.(executor.Remote)
	a.work.Go(t.flushing)
	return t
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

// stop ends the following. ran says that the agent has been running, heard of or not.
func (t *track) stop(ran bool) {
	close(t.stopped)
	<-t.flushed
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun = t.begun || ran
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

// update changes the record and tells of it.
func (t *track) update(what record.EventType, change func(*record.Agent) error) {
	_, _, err := t.a.change(t.a.life, t.r.id, what, change)
	if err != nil && !errors.Is(err, errState) {
		t.a.log.Warn("what an agent does was not recorded", slog.String("agent", t.r.id), slog.Any("error", err))
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

// changed is what the agent has told of changes so far.
func (t *track) changed() changes {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.changes)
}

// lastWords are the beginning of what the assistant has said last, and what the agent has said of its own end.
func (t *track) lastWords() (said, last string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.said > 0 {
		return truncate.Within(string(t.saying), maxSummary), t.last
	}
	return t.head, t.last
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
	usage := t.own(e)
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
		t.usage = t.a.priced(t.r.agent.Model, usage)
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
