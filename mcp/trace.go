package mcp

import (
	"context"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// TraceContext connects a request to its trace, in the formats of W3C Trace Context and W3C Baggage
// (2026-07-28, basic, "_meta"). The values are forwarded without validation.
type TraceContext struct {
	Parent  string // Parent is the traceparent.
	State   string // State is the tracestate.
	Baggage string // Baggage is the baggage.
}

// maxTrace limits each part of a trace context, in bytes; longer ones are dropped. W3C Baggage
// requires 8192.
const maxTrace = 8192

// traceKey is the context key of the TraceContext.
type traceKey struct{}

// WithTrace returns a copy of ctx whose requests to servers belong to the trace t.
func WithTrace(ctx context.Context, t TraceContext) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceFrom returns the trace of ctx: the value of WithTrace, otherwise the trace of the request
// that a handler serves. The zero value means none.
func TraceFrom(ctx context.Context) TraceContext {
	if t, ok := ctx.Value(traceKey{}).(TraceContext); ok {
		return t
	}
	call := CallFrom(ctx)
	if call == nil {
		return TraceContext{}
	}
	meta := &call.Request.Meta
	return TraceContext{Parent: metaText(meta, "traceparent"), State: metaText(meta, "tracestate"), Baggage: metaText(meta, "baggage")}
}

// metaText returns the value of a _meta key if it is a string of at most maxTrace bytes, otherwise "".
func metaText(m *protocol.RequestMeta, key string) string {
	raw := m.Value(key)
	if len(raw) == 0 || len(raw) > maxTrace {
		return ""
	}
	s, err := jsonx.Unquote(raw)
	if err != nil {
		return ""
	}
	return s
}

// Environ returns environment variables that connect a program to the trace, as NAME=value:
// TRACEPARENT and TRACESTATE. It returns nil if Parent is not well formed. Baggage is not included,
// because a client can write anything into it.
func (t TraceContext) Environ() []string {
	if !isParent(t.Parent) {
		return nil
	}
	env := []string{"TRACEPARENT=" + t.Parent}
	if t.State != "" && len(t.State) <= maxTracestate && !strings.ContainsFunc(t.State, func(r rune) bool { return r < ' ' || r > '~' }) {
		env = append(env, "TRACESTATE="+t.State)
	}
	return env
}

// maxTracestate limits the forwarded tracestate, as W3C Trace Context requires.
const maxTracestate = 512

// isParent reports whether s is a traceparent of version 00.
func isParent(s string) bool {
	if len(s) != 55 || !strings.HasPrefix(s, "00-") {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 2 || i == 35 || i == 52:
			if c != '-' {
				return false
			}
		case (c < '0' || c > '9') && (c < 'a' || c > 'f'):
			return false
		}
	}
	return true
}

// appendMembers appends the _meta members of the trace, each with a comma before it.
func (t TraceContext) appendMembers(dst []byte) []byte {
	dst = jsonx.AppendOptional(dst, "traceparent", t.Parent)
	dst = jsonx.AppendOptional(dst, "tracestate", t.State)
	return jsonx.AppendOptional(dst, "baggage", t.Baggage)
}
