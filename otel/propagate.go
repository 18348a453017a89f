package otel

import (
	"context"
	"encoding/json"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
)

// maxTrace bounds each part of a trace context that is read, in bytes.
const maxTrace = 8192

// carrier carries a trace context into and out of _meta, headers and
// environments.
type carrier struct {
	mcp.TraceContext
	named bool // there is a traceparent, whatever it says
}

var _ propagation.TextMapCarrier = (*carrier)(nil)

func (c *carrier) field(key string) *string {
	switch key {
	case "traceparent":
		return &c.Parent
	case "tracestate":
		return &c.State
	case "baggage":
		return &c.Baggage
	}
	return nil
}

// Get implements propagation.TextMapCarrier.
func (c *carrier) Get(key string) string {
	if at := c.field(key); at != nil {
		return *at
	}
	return ""
}

// Set implements propagation.TextMapCarrier.
func (c *carrier) Set(key, value string) {
	if at := c.field(key); at != nil {
		*at = value
	}
}

// Keys implements propagation.TextMapCarrier.
func (c *carrier) Keys() []string { return []string{"traceparent", "tracestate", "baggage"} }

// metaCarrier reads a _meta object. The first of several members with the same name
// counts.
func metaCarrier(meta json.RawMessage) (c carrier) {
	if len(meta) == 0 {
		return c
	}
	var seen [3]bool
	members := jsonx.Object(meta)
	for members.Next() {
		key, n := members.Key(), 0
		if members.Escaped() {
			key = []byte(members.Name())
		}
		switch string(key) {
		case "traceparent":
			c.named = true
		case "tracestate":
			n = 1
		case "baggage":
			n = 2
		default:
			continue
		}
		if seen[n] {
			continue
		}
		seen[n] = true
		if value := members.Value(); len(value) <= maxTrace {
			if s, err := jsonx.Unquote(value); err == nil {
				*c.field([...]string{"traceparent", "tracestate", "baggage"}[n]) = s
			}
		}
	}
	return c
}

// headerCarrier reads the headers of a request.
func headerCarrier(h http.Header) (c carrier) {
	for _, key := range c.Keys() {
		if value := h.Get(key); len(value) <= maxTrace {
			c.Set(key, value)
		}
	}
	return c
}

// extract returns ctx with the trace and the baggage of the carrier, and the span that the carrier names.
func (i *Instruments) extract(ctx context.Context, c *carrier) (context.Context, trace.SpanContext) {
	named := trace.SpanContextFromContext(i.traces.Extract(context.Background(), c))
	if c.Baggage != "" {
		ctx = i.bags.Extract(ctx, c)
	}
	return ctx, named
}

// inject is the trace that ctx belongs to; the zero value if none.
func (i *Instruments) inject(ctx context.Context) mcp.TraceContext {
	var c carrier
	i.traces.Inject(ctx, &c)
	if c.Parent != "" {
		i.bags.Inject(ctx, &c)
	}
	return c.TraceContext
}

// withTrace returns a JSON object, possibly empty, with the members of a trace in place
// of its own. Any other JSON is returned unchanged.
func withTrace(meta json.RawMessage, t mcp.TraceContext) json.RawMessage {
	if t.Parent == "" {
		return meta
	}
	out := append(make([]byte, 0, len(meta)+len(t.Parent)+len(t.State)+len(t.Baggage)+64), `{"traceparent":`...)
	out = jsonx.AppendQuoted(out, t.Parent)
	if t.State != "" {
		out = jsonx.AppendQuoted(append(out, `,"tracestate":`...), t.State)
	}
	if t.Baggage != "" {
		out = jsonx.AppendQuoted(append(out, `,"baggage":`...), t.Baggage)
	}
	members := jsonx.Object(meta)
	for len(meta) > 0 && members.Next() {
		switch name := members.Name(); name {
		case "traceparent", "tracestate", "baggage":
		default:
			out = append(jsonx.AppendQuoted(append(out, ','), name), ':')
			out = append(out, members.Value()...)
		}
	}
	if members.Err() != nil {
		return meta
	}
	return append(out, '}')
}

// EnvironmentParent is the span that a program was started in, as its environment
// says: TRACEPARENT and TRACESTATE. Agents and servers that Dougu's agents start
// have them. getenv is os.Getenv; without a trace the result is not valid.
func EnvironmentParent(getenv func(string) string) trace.SpanContext {
	c := carrier{TraceContext: mcp.TraceContext{Parent: getenv("TRACEPARENT"), State: getenv("TRACESTATE")}}
	return trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), &c))
}
