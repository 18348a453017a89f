package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/security/redact"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

const (
	// maxOpen bounds the calls of tools that are known to be at work, maxCallID what is kept of the name of one.
	maxOpen, maxCallID = 1024, 256
)

// run is what is known of one agent while it runs.
type run struct {
	o       *Options
	decoder Decoder
	talk    Dialogue // decoder, if the program is talked with
	out     *outbox  // what it is told; nil if it is not talked with

	broken   chan struct{} // closed when it cannot be talked with any more
	began    chan struct{} // closed with the beginning of the session
	finished chan struct{} // closed when the agent has told its end

	mu     sync.Mutex // guards all below and serializes tell
	tell   func(executor.Event)
	lines  lines
	errs   tail // the end of standard error
	odd    tail // the end of what was on standard output and is no event
	last   time.Time
	silent bool
	open   map[string]struct{}
	end    *executor.Event // Finished
	over   bool            // nothing more is told
	reason string          // why it was ended here
}

func newRun(o *Options, d Decoder, tell func(executor.Event)) *run {
	n := &run{
		o: o, decoder: d, tell: tell, last: time.Now(), open: make(map[string]struct{}),
		began: make(chan struct{}), finished: make(chan struct{}), broken: make(chan struct{}), errs: tail{most: 15 << 10}, odd: tail{most: 4 << 10},
	}
	n.lines = lines{most: o.MaxLine, line: n.line, dropped: n.dropped}
	if talk, ok := d.(Dialogue); ok {
		n.talk, n.out, n.lines.keep = talk, newOutbox(), o.MaxLine
	}
	return n
}

// hear takes what the program prints.
func (n *run) hear(s process.Stream, p []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over {
		return
	}
	n.wake()
	if s == process.Stderr {
		n.emit(executor.Event{Kind: executor.Output, Stream: record.Stderr, Data: p})
		n.errs.write(p)
		return
	}
	n.emit(executor.Event{Kind: executor.Output, Stream: record.Raw, Data: p})
	n.lines.write(p)
}

// wake notes that something was heard.
func (n *run) wake() {
	now := time.Now()
	if n.silent {
		n.silent = false
		n.emit(executor.Event{Kind: executor.Heard, At: now, Silent: now.Sub(n.last)})
	}
	n.last = now
}

// line reads a line of standard output.
func (n *run) line(text []byte) {
	if n.decoder.Decode(text, n.emit) {
		return
	}
	n.odd.write(text)
	n.odd.write([]byte{'\n'})
	n.emit(executor.Event{Kind: executor.Line, Text: printable(text, shownLine)})
}

func (n *run) dropped(begin []byte, size int64) {
	if n.talk != nil { // somebody may wait for an answer to it for ever
		n.breakOff(fmt.Sprintf("it sent a message of %d bytes, and %d are the most", size, n.o.MaxLine))
	}
	n.emit(executor.Event{Kind: executor.Line, Text: fmt.Sprintf("a line of %d bytes was left out, which begins: %s", size, printable(begin, shownLine/2))})
}

// emit tells something, and draws from it what matters here.
func (n *run) emit(e executor.Event) {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	switch e.Kind {
	case executor.Init:
		once(n.began)
	case executor.ToolStarted:
		if len(n.open) < maxOpen {
			n.open[callID(e)] = struct{}{}
		}
	case executor.ToolCompleted:
		delete(n.open, callID(e))
	case executor.Finished:
		if n.end != nil {
			e.Kind = executor.Unknown // an agent ends once
			break
		}
		once(n.began)
		once(n.finished)
		if n.out != nil {
			n.out.close()
		}
		end := e
		n.end = &end
	}
	n.tell(e)
}

func callID(e executor.Event) string {
	if e.Tool == nil {
		return ""
	}
	return e.Tool.CallID[:min(len(e.Tool.CallID), maxCallID)]
}

func once(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}

// attend waits for the end of the process, and sees to it when it is due. It
// reports whether something that the process has started outlived it.
func (n *run) attend(ctx context.Context, child *process.Captured) (left bool) {
	begin := time.NewTimer(n.o.Begin)
	defer begin.Stop()
	quiet := time.NewTimer(n.o.Silence)
	defer quiet.Stop()
	began, finished := n.began, n.finished
	var farewell <-chan time.Time
	for {
		select {
		case <-child.Ended():
			if left = child.Left(); left {
				_ = child.Signal(process.Kill)
			}
			return left
		case <-began:
			began = nil
			begin.Stop()
		case <-finished:
			finished = nil
			timer := time.NewTimer(n.o.Farewell)
			defer timer.Stop()
			farewell = timer.C
		case <-n.broken:
			n.stop(child, n.o.Grace)
			return false
		case <-quiet.C:
			quiet.Reset(n.listen())
			continue
		case <-begin.C:
			n.because(fmt.Sprintf("the program did not begin a session within %v", n.o.Begin))
			n.stop(child, n.o.Grace)
			return false
		case <-farewell:
			n.stop(child, n.o.Grace)
			return false
		case <-ctx.Done():
			grace := n.o.Grace
			if errors.Is(context.Cause(ctx), executor.ErrShutdown) {
				grace = min(grace, shutdownGrace)
			}
			n.because("it was ended: " + context.Cause(ctx).Error())
			n.stop(child, grace-n.cancel(child, grace))
			return false
		}
	}
}

// stop ends a process that does not end by itself.
func (n *run) stop(child *process.Captured, grace time.Duration) {
	if err := child.Stop(process.Terminate, grace); err != nil {
		n.o.Log.Warn("an agent was not ended with all that it had started", "error", err)
	}
}

// begin begins a dialogue, if it is one.
func (n *run) begin() {
	if n.talk == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.talk.Begin(func(line []byte) {
		if err := n.out.put(line); err != nil {
			n.breakOff(err.Error())
		}
	})
}

// breakOff has a program ended that cannot be talked with.
func (n *run) breakOff(reason string) {
	if n.reason == "" {
		n.reason = reason
	}
	once(n.broken)
}

// shutdownGrace is the time of an agent to end when its server stops.
const shutdownGrace = 700 * time.Millisecond

// cancel asks a program with a dialogue to end by itself, and waits for a third of grace. It returns the time that it waited for at most.
func (n *run) cancel(child *process.Captured, grace time.Duration) time.Duration {
	if n.talk == nil {
		return 0
	}
	n.mu.Lock()
	if !n.over && n.end == nil {
		n.talk.Cancel()
	}
	n.mu.Unlock()
	part := grace / 3
	timer := time.NewTimer(part)
	defer timer.Stop()
	select {
	case <-child.Ended():
	case <-n.finished:
	case <-timer.C:
	}
	return part
}

func (n *run) because(reason string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.reason = reason
}

// listen tells of silence, and answers when to listen again.
func (n *run) listen() time.Duration {
	if !n.mu.TryLock() {
		return n.o.Silence // something is being told just now
	}
	defer n.mu.Unlock()
	silent := time.Since(n.last)
	if silent < n.o.Silence {
		return n.o.Silence - silent
	}
	if !n.silent && len(n.open) == 0 && n.end == nil {
		n.silent = true
		n.emit(executor.Event{Kind: executor.Silence, Silent: silent})
	}
	return n.o.Silence
}

// hang tells what is left to tell. Nothing is told afterwards.
func (n *run) hang() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines.close()
	n.over = true
	if n.talk != nil {
		n.talk.Close()
	}
}

// exit says how it ended.
func (n *run) exit(e process.Exit, p Program) executor.Exit {
	n.mu.Lock()
	defer n.mu.Unlock()
	x := executor.Exit{Finished: n.end != nil, Code: e.Code, Signal: e.Signal}
	if x.Finished {
		if x.Failed = n.end.Failed; x.Failed {
			x.Message = n.end.Text
			x.Cause = p.Failure(x.Message)
		}
		return x
	}
	words := strings.TrimSpace(printable(n.errs.bytes(), n.errs.most))
	if words == "" {
		words = strings.TrimSpace(printable(n.odd.bytes(), n.odd.most))
	}
	x.Failed, x.Cause = true, p.Failure(words)
	if x.Message = n.reason; x.Message == "" {
		x.Message = fmt.Sprintf("the program ended with %s and has not told a result", e)
	}
	if words != "" {
		x.Message += "; it said: " + new(redact.Redactor).Redact(words)
	}
	return x
}
