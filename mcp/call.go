package mcp

//lint:file-ignore SA1019 deprecated parts of the protocol work in every revision

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Invocation describes the running request to its handler. CallFrom returns it.
type Invocation struct {
	Request *protocol.Request // Request is the request that runs; do not modify it.
	Tool    string            // Tool is the name of the called tool; empty for other requests.

	server *Server
	tool   *ServerTool // nil for other requests than calls of tools
	clock  *clock      // nil if the call has no time limit
	gate   gatePlace   // place of the call in the gate of its tool

	canAsk       bool    // the handler may ask questions
	replayable   bool    // answers arrive with a second run of the handler
	progressSent bool    // a progress notification was sent
	journal      journal // answers and step results, if replayable

	omitStructured bool      // the client does not receive structured content
	taskState      *taskCall // nil if the call cannot be a task

	mu             sync.Mutex        // guards pages, progress and started
	urlQuestionIDs map[string]string // ids of the questions by URL in a session, by key
	progress       float64           // last reported progress
}

// ServerTool returns the called tool as it is registered, with its annotations and permissions; the zero
// ServerTool for other requests.
func (call *Invocation) ServerTool() ServerTool {
	if call.tool == nil {
		return ServerTool{}
	}
	return *call.tool
}

// Principal returns the authenticated identity of the caller; empty without authentication.
func (call *Invocation) Principal() string { return call.Request.Peer.Principal }

// callKey is the context key of the *Invocation.
type callKey struct{}

// CallFrom returns the Invocation of the request that ctx belongs to. It returns nil if a handler
// was called in process, without a Server.
func CallFrom(ctx context.Context) *Invocation {
	if ctx == nil {
		return nil
	}
	call, _ := ctx.Value(callKey{}).(*Invocation)
	return call
}

// withCall returns a copy of ctx that carries call.
func withCall(ctx context.Context, call *Invocation) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// Progress sends a progress notification for the call of ctx if the client requested progress
// (2026-07-28, basic/patterns/progress). A value that is not larger than the last one is dropped. A
// total of 0 means unknown. In a task, message becomes the status message of the task, and the
// numbers are dropped.
func Progress(ctx context.Context, progress, total float64, message string) {
	call := CallFrom(ctx)
	if call == nil || call.reportTask(message) || call.Request.Meta.ProgressToken == nil || call.Request.Notify == nil {
		return
	}
	call.mu.Lock()
	defer call.mu.Unlock()
	if call.progressSent && progress <= call.progress {
		return
	}
	call.progressSent, call.progress = true, progress
	_ = call.Request.Notify(ctx, &protocol.ProgressNotification{Token: call.Request.Meta.ProgressToken, Progress: progress, Total: total, Message: message})
}

// Log sends a message to the client's log if the client asked for its level.
// data is any value that encodes as JSON; logger may be empty.
//
// Deprecated: logging through the protocol is deprecated as of 2026-07-28; it
// still works with every revision.
func Log(ctx context.Context, level protocol.LogLevel, logger string, data any) {
	if !wantsLog(ctx, level) {
		return
	}
	raw, err := marshal(nil, data)
	if err != nil {
		raw = mustMarshal(nil, fmt.Sprint(data))
	}
	_ = CallFrom(ctx).Request.Notify(ctx, &protocol.LogNotification{Level: level, Logger: logger, Data: raw})
}

// Capability names an ability of a client that handlers can require. See Supports.
type Capability string

// The capabilities of clients. A client that declares elicitation without modes supports forms.
const (
	CapElicitForm    Capability = "elicitation.form" // questions to the user by a form
	CapElicitURL     Capability = "elicitation.url"  // pages that the user opens
	CapSampling      Capability = "sampling"         // completions by the client's model
	CapSamplingTools Capability = "sampling.tools"   // the same, with tools for the model
	CapRoots         Capability = "roots"            // folders that the client works in
)

// Supports reports whether the client declares capability c for the call of ctx. It returns false
// outside a call.
func Supports(ctx context.Context, c Capability) bool {
	call := CallFrom(ctx)
	return call != nil && hasCapability(call.Request.Meta.Capabilities(), c)
}

// hasCapability reports whether caps contains c.
func hasCapability(caps protocol.ClientCapabilities, c Capability) bool {
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

// require returns nil if the client declares c. Otherwise it returns a protocol error in revision
// 2026-07-28, and a *ToolError for the model in older revisions.
func (call *Invocation) require(c Capability) error {
	if hasCapability(call.Request.Meta.Capabilities(), c) {
		return nil
	}
	if !call.Request.Meta.Revision.Modern() {
		what := "request"
		if call.Tool != "" {
			what = "tool"
		}
		return &ToolError{Code: "MISSING_CAPABILITY", Message: fmt.Sprintf("the client does not offer %s, which this %s needs", c, what), Next: "continue without this " + what + ", or tell the user"}
	}
	required := map[Capability]any{
		CapElicitForm:    map[string]any{"elicitation": map[string]any{"form": struct{}{}}},
		CapElicitURL:     map[string]any{"elicitation": map[string]any{"url": struct{}{}}},
		CapSampling:      map[string]any{"sampling": struct{}{}},
		CapSamplingTools: map[string]any{"sampling": map[string]any{"tools": struct{}{}}},
		CapRoots:         map[string]any{"roots": struct{}{}},
	}
	e := protocol.Errorf(protocol.CodeMissingCapability, "The client does not declare the capability %s, which this request needs", c)
	return e.WithData(map[string]any{"requiredCapabilities": required[c]})
}

// errTimeout is the cancellation cause of a context whose call exceeded its time limit.
var errTimeout error = timeout{}

// timeout is the type of errTimeout. Its method Timeout follows package net: middleware can
// distinguish a timeout from a cancellation.
type timeout struct{}

func (timeout) Error() string { return "the tool took too long" }
func (timeout) Timeout() bool { return true }

// clock enforces the time limits of a call. The soft limit does not run while the call waits for
// its client. The hard limit always runs.
type clock struct {
	mu       sync.Mutex
	limit    time.Duration // soft limit
	left     time.Duration // remaining part of limit at time since
	since    time.Time     // time of the start or the last resume
	timer    *time.Timer   // fires at the end of limit
	hard     *time.Timer   // fires at the hard limit
	paused   bool          // paused
	disarmed bool          // disarmed
}

// startClock returns a context that is cancelled with errTimeout after limit or hard. A hard limit
// that is not positive means ten times limit. The caller must call the returned function at the
// end.
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

// pause stops the soft limit until resume. A nil clock does nothing.
func (c *clock) pause() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer.Stop() {
		c.left -= time.Since(c.since)
		c.paused = true
	}
}

// disarm stops both limits permanently, because the call has become a task.
func (c *clock) disarm() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.disarmed = true
	c.timer.Stop()
	c.hard.Stop()
}

// resume continues the soft limit after pause, with at least a millisecond left. A nil clock does
// nothing.
func (c *clock) resume() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused && !c.disarmed {
		c.paused, c.since = false, time.Now()
		c.timer.Reset(max(c.left, time.Millisecond))
	}
}
