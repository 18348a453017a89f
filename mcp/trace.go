package mcp

import (
	"context"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// TraceContext ties a request to the trace that it is a part of, in the formats
// of W3C Trace Context and W3C Baggage (2026-07-28, basic, "_meta"). It is
// passed on, not read: what is not valid there is for whoever traces to ignore.
type TraceContext struct {
	Parent  string // traceparent
	State   string // tracestate
	Baggage string // baggage
}

// maxTrace bounds each part of a trace context, in bytes: a longer one is left
// out. W3C Baggage asks for 8192.
const maxTrace = 8192

type traceKey struct{}

// WithTrace returns a context whose requests to servers are part of a trace.
func WithTrace(ctx context.Context, t TraceContext) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceFrom returns the trace that ctx belongs to: the one that WithTrace has
// set, else that of the request which a handler serves. The zero value means
// none.
func TraceFrom(ctx context.Context) TraceContext {
	if t, ok := ctx.Value(traceKey{}).(TraceContext); ok {
		return t
	}
	call := CallFrom(ctx)
	if call == nil {
		return TraceContext{}
	}
	meta := &call.Request.Meta
	return TraceContext{Parent: meta.text("traceparent"), State: meta.text("tracestate"), Baggage: meta.text("baggage")}
}

// text is the value of a _meta key if that is a string of acceptable length.
func (m *RequestMeta) text(key string) string {
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

// Environ are the variables that tell a program which trace it is a part of, as
// NAME=value: TRACEPARENT and TRACESTATE. There are none unless Parent is well
// formed. Baggage stays behind: it is whatever a client wants to say.
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

// maxTracestate bounds what is handed on of a tracestate, as W3C Trace Context has it.
const maxTracestate = 512

// isParent reports whether s has the form of version 00 of W3C Trace Context.
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

// appendMembers appends the members of a _meta object that carry the trace,
// each with a comma in front.
func (t TraceContext) appendMembers(dst []byte) []byte {
	dst = appendOptional(dst, "traceparent", t.Parent)
	dst = appendOptional(dst, "tracestate", t.State)
	return appendOptional(dst, "baggage", t.Baggage)
}
