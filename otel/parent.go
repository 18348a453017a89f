package otel

import (
	"context"

	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/trace"

	"github.com/dougu-go/dougu/mcp"
)

// servedKey is for what the trace of a request that is being served said of
// itself.
type servedKey struct{}

// passedOn reports whether a request with this trace is the one that ctx serves
// already: then what stands in front has handed it on within the process, and the
// span of ctx is closer than the trace.
func passedOn(ctx context.Context, said string) bool {
	outer, ok := ctx.Value(servedKey{}).(string)
	return ok && outer == said
}

// parentOf returns ctx with the span that a request belongs to, and how its own
// span is to begin.
func (i *Instruments) parentOf(ctx context.Context, req *mcp.Request) (context.Context, []trace.SpanStartOption) {
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
		return i.apart(ctx, &said, options)
	}
	ctx, named := i.extract(ctx, &said)
	switch {
	case named.IsValid() && ambient.IsValid():
		options = append(options, trace.WithLinks(trace.Link{SpanContext: ambient}))
		fallthrough
	case named.IsValid():
		ctx = trace.ContextWithRemoteSpanContext(ctx, named)
	case ambient.IsValid() || said.named: // what is named and cannot be read is nobody else's
	case i.opts.Parent.IsValid():
		ctx = trace.ContextWithRemoteSpanContext(ctx, i.opts.Parent)
	}
	return ctx, options
}

// apart begins a trace of its own: what the request claims, and the span of its
// context, are only linked to.
func (i *Instruments) apart(ctx context.Context, said *carrier, options []trace.SpanStartOption) (context.Context, []trace.SpanStartOption) {
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
