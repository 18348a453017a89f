package otel

import (
	"context"

	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/trace"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// servedKey is the context key of the traceparent of the request that is being served.
type servedKey struct{}

// passedOn reports whether ctx already serves the request with this traceparent: another
// component has then forwarded it within the process, and the span of ctx is the closer
// parent.
func passedOn(ctx context.Context, said string) bool {
	outer, ok := ctx.Value(servedKey{}).(string)
	return ok && outer == said
}

// parentOf returns ctx with the span that a request belongs to, and how its own
// span is to begin.
func (i *Instruments) parentOf(ctx context.Context, req *protocol.Request) (context.Context, []trace.SpanStartOption) {
	options := append(make([]trace.SpanStartOption, 0, 5), trace.WithSpanKind(trace.SpanKindServer))
	said := metaCarrier(req.Meta.Raw)
	ambient := trace.SpanContextFromContext(ctx)
	if ambient.IsValid() && passedOn(ctx, said.Parent) {
		return ctx, options
	}
	ctx = context.WithValue(ctx, servedKey{}, said.Parent)
	if !said.named && !ambient.IsValid() {
		if baggage := said.Baggage; req.Peer.Headers != nil {
			said = headerCarrier(req.Peer.Headers)
			if baggage != "" {
				said.Baggage = baggage
			}
		}
	}
	if i.opts.Untrusted != nil && i.opts.Untrusted(req) {
		return i.startNewTrace(ctx, &said, options)
	}
	ctx, named := i.extract(ctx, &said)
	switch {
	case named.IsValid() && ambient.IsValid():
		options = append(options, trace.WithLinks(trace.Link{SpanContext: ambient}))
		fallthrough
	case named.IsValid():
		ctx = trace.ContextWithRemoteSpanContext(ctx, named)
	case ambient.IsValid() || said.named: // an unreadable trace does not fall back to another parent
	case i.opts.Parent.IsValid():
		ctx = trace.ContextWithRemoteSpanContext(ctx, i.opts.Parent)
	}
	return ctx, options
}

// startNewTrace begins a new trace, with links to the claimed trace and to the span of ctx.
func (i *Instruments) startNewTrace(ctx context.Context, said *carrier, options []trace.SpanStartOption) (context.Context, []trace.SpanStartOption) {
	ambient := trace.SpanContextFromContext(ctx)
	claim := *said
	claim.Baggage = ""
	_, named := i.extract(ctx, &claim)
	var links []trace.Link
	for _, other := range []trace.SpanContext{named, ambient} {
		if other.IsValid() {
			links = append(links, trace.Link{SpanContext: other})
		}
	}
	ctx = baggage.ContextWithoutBaggage(ctx)
	return ctx, append(options, trace.WithNewRoot(), trace.WithLinks(links...))
}
