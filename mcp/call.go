package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

// Invocation is what a handler can learn of the request that it serves.
type Invocation struct {
	Request *Request
	Tool    string // name of the tool; empty for other requests

	server *Server
	clock  *clock // nil when the call has no time limit
	gate   passage

	asks       bool     // it may put questions
	replayable bool     // questions are answered by running the call again
	started    bool     // progress has been sent
	journal    journal  // of such a call
	tasking    *tasking // nil when the call can be no task

	mu       sync.Mutex
	pages    map[string]string // ids of the URL questions of a session, by key
	progress float64
}

type callKey struct{}

// CallFrom returns the call that ctx belongs to, or nil in a tool that was
// called in process.
func CallFrom(ctx context.Context) *Invocation {
	call, _ := ctx.Value(callKey{}).(*Invocation)
	return call
}

// withCall returns a context that knows its call.
func withCall(ctx context.Context, call *Invocation) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// Progress tells the client how far the call of ctx has come, if it asked for
// that (2026-07-28, basic/patterns/progress). Progress must increase: what does
// not is left out. total is 0 when unknown. In a task the message is what the task
// says of itself, and the numbers are not told.
func Progress(ctx context.Context, progress, total float64, message string) {
	call := CallFrom(ctx)
	if call == nil || call.reportTask(message) || call.Request.Meta.ProgressToken == nil || call.Request.Notify == nil {
		return
	}
	call.mu.Lock()
	defer call.mu.Unlock()
	if call.started && progress <= call.progress {
		return
	}
	call.started, call.progress = true, progress
	_ = call.Request.Notify(ctx, &ProgressNotification{Token: call.Request.Meta.ProgressToken, Progress: progress, Total: total, Message: message})
}

// Log sends a message to the client's log if the client asked for its level.
// data is any value that encodes as JSON; logger may be empty.
//
// Deprecated: logging through the protocol is deprecated as of 2026-07-28; it
// still works with every revision.
func Log(ctx context.Context, level LogLevel, logger string, data any) {
	if !wantsLog(ctx, level) {
		return
	}
	raw, err := marshal(nil, data)
	if err != nil {
		raw = mustMarshal(nil, fmt.Sprint(data))
	}
	_ = CallFrom(ctx).Request.Notify(ctx, &LogNotification{Level: level, Logger: logger, Data: raw})
}

// Capability is something that a client may be able to do for a server.
type Capability string

// The capabilities that Supports knows. An elicitation capability without modes
// means forms.
const (
	CapElicitForm    Capability = "elicitation.form"
	CapElicitURL     Capability = "elicitation.url"
	CapSampling      Capability = "sampling"
	CapSamplingTools Capability = "sampling.tools"
	CapRoots         Capability = "roots"
)

// Supports reports whether the client of ctx's call declared a capability for
// this very request.
func Supports(ctx context.Context, c Capability) bool {
	call := CallFrom(ctx)
	return call != nil && call.Request.Meta.Capabilities().has(c)
}

func (caps ClientCapabilities) has(c Capability) bool {
	switch c {
	case CapElicitForm:
		return caps.Elicitation != nil && (caps.Elicitation.Form != nil || caps.Elicitation.URL == nil)
	case CapElicitURL:
		return caps.Elicitation != nil && caps.Elicitation.URL != nil
	case CapSampling:
		return caps.Sampling != nil
	case CapSamplingTools:
		return caps.Sampling != nil && caps.Sampling.Tools != nil
	case CapRoots:
		return caps.Roots != nil
	}
	return false
}

// require returns the error for a capability that the client lacks: a protocol
// error where the revision has one, else one for the model.
func (call *Invocation) require(c Capability) error {
	if call.Request.Meta.Capabilities().has(c) {
		return nil
	}
	if !call.Request.Meta.Revision.Modern() {
		what := "request"
		if call.Tool != "" {
			what = "tool"
		}
		return &ToolError{Code: "MISSING_CAPABILITY", Message: fmt.Sprintf("the client does not offer %s, which this %s needs", c, what), Next: "do what the " + what + " would have asked for without it, or tell the user"}
	}
	required := map[Capability]any{
		CapElicitForm:    map[string]any{"elicitation": map[string]any{"form": struct{}{}}},
		CapElicitURL:     map[string]any{"elicitation": map[string]any{"url": struct{}{}}},
		CapSampling:      map[string]any{"sampling": struct{}{}},
		CapSamplingTools: map[string]any{"sampling": map[string]any{"tools": struct{}{}}},
		CapRoots:         map[string]any{"roots": struct{}{}},
	}
	e := Errorf(CodeMissingCapability, "The client does not declare the capability %s, which this request needs", c)
	return e.withData(map[string]any{"requiredCapabilities": required[c]})
}

// errTimeout is the cause of a context whose call took too long.
var errTimeout error = timeout{}

// timeout says of itself what it is, as errors of package net do, so that
// middleware can tell it from a cancellation.
type timeout struct{}

func (timeout) Error() string { return "the tool took too long" }
func (timeout) Timeout() bool { return true }

// clock ends a call's context after a time that does not run while the call
// waits for its client, and after a longer one that always runs.
type clock struct {
	mu      sync.Mutex
	limit   time.Duration
	left    time.Duration
	since   time.Time
	timer   *time.Timer
	hard    *time.Timer
	stopped bool
	off     bool
}

// startClock returns a context that the clock ends; stop must be called.
func startClock(ctx context.Context, limit, hard time.Duration) (context.Context, *clock, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	expire := func() { cancel(errTimeout) }
	c := &clock{limit: limit, left: limit, since: time.Now(), timer: group.AfterFunc(limit, expire)}
	if hard <= 0 {
		hard = 10 * limit
	}
	c.hard = group.AfterFunc(hard, expire)
	return ctx, c, func() {
		c.timer.Stop()
		c.hard.Stop()
		cancel(nil)
	}
}

// pause stops the clock; resume lets it run again. A nil clock does nothing.
func (c *clock) pause() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer.Stop() {
		c.left -= time.Since(c.since)
		c.stopped = true
	}
}

// disarm stops the clock for good: what it limits has become a task.
func (c *clock) disarm() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off = true
	c.timer.Stop()
	c.hard.Stop()
}

func (c *clock) resume() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped && !c.off {
		c.stopped, c.since = false, time.Now()
		c.timer.Reset(max(c.left, time.Millisecond))
	}
}
