package agents

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

const (
	// flushInterval is the shortest time between two updates of a record.
	flushInterval = 100 * time.Millisecond
	// heartbeatInterval is the time between two updates of Agent.SeenAt.
	heartbeatInterval = 5 * time.Second
	callsPerFlush     = 20       // tool call events per flush interval
	maxCalls          = 50       // tool calls in a record
	maxOpenCalls      = 1_000    // calls without an end
	maxMessage        = 4 << 10  // bytes of the last message in a record
	maxMessageBuffer  = 64 << 10 // bytes of an unfinished message
	maxChanges        = 2_000    // changed files of a run
)

// track collects the events of a running agent and writes them to its record at intervals. It ends
// the run when its timeout is over.
type track struct {
	a       *Agents
	r       *run
	w       *workplace
	started time.Time
	stopped chan struct{} // closed by stop
	flushed chan struct{} // closed when flushLoop has returned
	remote  bool          // the executor may wait for a free runner on another machine
	clock   *clock        // the timeout of the run

	mu           sync.Mutex
	isRunning    bool              // the record shows Running
	runner       string            // machine that runs the agent; empty for this one
	attempt      int               // number of the attempt, from 1 on; 0 if the executor makes only one
	dirty        bool              // the record lacks recent events
	session      string            // id of the conversation at the program; empty until it is known
	model        string            // model that the program reports; empty until it is known
	stalled      bool              // no output for some time while no tool runs
	count        int               // tool calls so far
	calls        []record.ToolCall // the newest calls, ordered by Seq
	open         map[string]int    // Seq of unfinished calls, by call ID
	eventCount   int               // tool call events since the last flush
	message      []byte            // beginning of the unfinished message, at most maxMessageBuffer bytes
	messageBytes int               // full length of the unfinished message
	lastMessage  string            // beginning of the last finished message
	tail         []byte            // end of the newest message, finished or not
	usage        *record.Usage
	finalText    string // text of the Finished event
	report       *record.Report
	changes      changes
	outputFailed bool // an output was lost; logged once

	final streamResult // set by stop
}

// streamResult is the content of the events of a run.
type streamResult struct {
	message   string // beginning of the last message of the assistant
	finalText string // text of the Finished event
	changes   changes
}

// track starts to record a run in its workplace. It cancels the run with errTimeout when
// Agent.Timeout has passed.
func (a *Agents) track(r *run, w *workplace, end context.CancelCauseFunc) *track {
	t := &track{
		a: a, r: r, w: w, started: now(), stopped: make(chan struct{}), flushed: make(chan struct{}),
		clock: &clock{d: r.agent.Timeout, end: end}, open: make(map[string]int), changes: make(changes),
	}
	_, t.remote = r.executor.(executor.Remote)
	a.work.Go(t.flushLoop)
	if !t.remote {
		t.clock.start()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	w.t = t
	return t
}

// handleEvent processes an event. The executor calls it from one goroutine at a time.
func (t *track) handleEvent(e executor.Event) {
	switch e.Kind {
	case executor.Waiting:
		t.handleWaiting(e)
		return
	case executor.Placed:
		t.handlePlaced(e)
		return
	}
	t.markRunning()
	switch e.Kind {
	case executor.Output:
		t.appendOutput(e.Stream, e.Data)
		return
	case executor.Line:
		t.appendOutput(record.Stderr, append([]byte(e.Text), '\n'))
		return
	case executor.Delta, executor.Said:
		t.appendOutput(record.Text, t.addMessage(e))
		return
	case executor.ToolStarted, executor.ToolCompleted:
		if e.Tool != nil {
			t.handleTool(e)
		}
		return
	case executor.Silence, executor.Heard:
		t.setStalled(e)
		return
	}
	usage := t.runUsage(e)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e.Kind {
	case executor.Init:
		t.model, t.dirty = truncate.Within(e.Model, maxName), true
		if len(e.Session) <= maxName {
			t.session = e.Session
		}
	case executor.Finished:
		t.finalText, t.dirty = e.Text, true
		t.usage = usage
	}
}

// markRunning records once that the agent is running.
func (t *track) markRunning() {
	t.mu.Lock()
	begun := t.isRunning
	t.isRunning = true
	t.mu.Unlock()
	if begun {
		return
	}
	t.updateRecord(record.AgentStatusUpdate, func(agent *record.Agent) error {
		agent.StartedAt = t.started
		return setStatus(agent, record.Running)
	})
}

// updateRecord changes the record and emits an event. It logs errors.
func (t *track) updateRecord(event record.EventType, change func(*record.Agent) error) {
	_, _, err := t.a.updateAgent(t.a.baseCtx, t.r.id, event, change)
	if err != nil && !errors.Is(err, errState) {
		t.a.log.Warn("the record of an agent was not updated", slog.String("agent", t.r.id), slog.Any("error", err))
	}
}

// addMessage adds a message or a part of one, and returns the text that is new.
func (t *track) addMessage(e executor.Event) (added []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dirty = true
	if e.Kind == executor.Delta {
		t.message = append(t.message, e.Text[:min(len(e.Text), maxMessageBuffer-len(t.message))]...)
		if t.messageBytes == 0 {
			t.tail = t.tail[:0]
		}
		t.messageBytes += len(e.Text)
		t.appendTail(e.Text)
		return []byte(e.Text)
	}
	// A complete message usually repeats the parts that were sent before.
	rest := e.Text
	switch {
	case t.messageBytes == 0:
	case len(e.Text) >= t.messageBytes && strings.HasPrefix(e.Text, string(t.message)):
		rest = e.Text[t.messageBytes:]
	default:
		rest = "\n" + e.Text
	}
	t.message, t.messageBytes, t.lastMessage = t.message[:0], 0, truncate.Within(e.Text, maxSummary)
	t.tail = t.tail[:0]
	t.appendTail(e.Text)
	added = append([]byte(rest), '\n')
	if !bytes.HasSuffix(added, []byte("\n\n")) {
		added = append(added, '\n')
	}
	return added
}

// appendTail appends to the end of the newest message. It keeps more bytes than a record shows.
func (t *track) appendTail(text string) {
	const most = 2 * maxMessage
	t.tail = append(t.tail, text[max(len(text)-most, 0):]...)
	if n := len(t.tail) - most; n > most {
		t.tail = append(t.tail[:0], t.tail[n:]...)
	}
}

// truncateStart removes the beginning of text so that at most most bytes remain. It splits no
// characters and marks the cut with an ellipsis.
func truncateStart(text string, most int) string {
	const mark = "…"
	if len(text) <= most {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return mark + strings.ToValidUTF8(strings.TrimLeftFunc(text[len(text)-most+len(mark):], func(r rune) bool { return r == '\uFFFD' }), "")
}

// appendOutput appends p to an output stream of the agent. It logs the first error only.
func (t *track) appendOutput(s record.Stream, p []byte) {
	if len(p) == 0 {
		return
	}
	err := t.a.outputs.Append(context.WithoutCancel(t.a.baseCtx), t.r.id, s, p)
	if err == nil {
		return
	}
	t.mu.Lock()
	first := !t.outputFailed
	t.outputFailed = true
	t.mu.Unlock()
	if first {
		t.a.log.Warn("output of an agent was lost", slog.String("agent", t.r.id), slog.Any("error", err))
	}
}

// setStalled records that the agent has stopped writing events, or writes events again.
func (t *track) setStalled(e executor.Event) {
	stalled := e.Kind == executor.Silence
	t.mu.Lock()
	changed := t.stalled != stalled
	t.stalled, t.dirty = stalled, true
	t.mu.Unlock()
	if !changed {
		return
	}
	t.flush()
	ctx := context.WithoutCancel(t.a.baseCtx)
	event := t.a.emit(ctx, record.Event{Type: record.AgentStalled, AgentID: t.r.id, GroupID: t.r.agent.GroupID}, stallEvent{t.r.id, stalled, e.Silent.Milliseconds()})
	if agent, err := t.a.store.Agent(ctx, t.r.id); err == nil && stalled {
		t.a.notify(event, agent)
	}
}

// stallEvent is the data of record.AgentStalled.
type stallEvent struct {
	AgentID  string `json:"agentId"`
	Stalled  bool   `json:"stalled"`
	SilentMs int64  `json:"silent_ms"`
}

// flushLoop updates the record until stop is called. At the first tick it marks an agent on this
// machine as running, even without an event.
func (t *track) flushLoop() {
	defer close(t.flushed)
	tick := time.NewTicker(flushInterval)
	defer tick.Stop()
	seen := time.NewTicker(heartbeatInterval)
	defer seen.Stop()
	for {
		select {
		case <-seen.C:
			t.recordHeartbeat()
		case <-tick.C:
			if !t.remote {
				t.markRunning()
			}
			t.flush()
		case <-t.stopped:
			return
		}
	}
}

// recordHeartbeat sets Agent.SeenAt of a running agent. It emits no event.
func (t *track) recordHeartbeat() {
	_, err := t.a.store.UpdateAgent(context.WithoutCancel(t.a.baseCtx), t.r.id, func(agent *record.Agent) error {
		if agent.Status != record.Running {
			return errState
		}
		agent.SeenAt = now()
		return nil
	})
	if err != nil && !errors.Is(err, errState) {
		t.a.log.Warn("the heartbeat of an agent was not recorded", slog.String("agent", t.r.id), slog.Any("error", err))
	}
}

// flush updates the record if there are new events.
func (t *track) flush() {
	t.mu.Lock()
	dirty := t.dirty
	t.dirty, t.eventCount = false, 0
	t.mu.Unlock()
	if dirty {
		t.updateRecord(record.AgentStatusUpdate, func(agent *record.Agent) error {
			t.fillRecord(agent)
			return nil
		})
	}
}

// fillRecord copies the state of the track into the record.
func (t *track) fillRecord(agent *record.Agent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isRunning && agent.Status == record.Queued {
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
		agent.LastAssistantMessage = truncateStart(string(t.tail), maxMessage)
	}
	if t.usage != nil {
		agent.Usage = new(*t.usage)
	}
}

// stop ends flushLoop and sets final. ran reports whether the program was started, even if it sent
// no event.
func (t *track) stop(ran bool) {
	close(t.stopped)
	<-t.flushed
	t.mu.Lock()
	defer t.mu.Unlock()
	t.isRunning = t.isRunning || ran
	t.final = streamResult{message: t.lastMessage, finalText: t.finalText, changes: maps.Clone(t.changes)}
	if t.messageBytes > 0 {
		t.final.message = truncate.Within(string(t.message), maxSummary)
	}
}

// currentChanges returns a copy of the changes that events have named so far.
func (t *track) currentChanges() changes {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.changes)
}

// clock cancels a run after a timeout. start may be called again; the timeout then begins anew.
type clock struct {
	d   time.Duration           // the timeout
	end context.CancelCauseFunc // cancels the run

	mu    sync.Mutex
	timer *time.Timer // nil before the first start; guarded by mu
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
