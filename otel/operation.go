package otel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// operation is something that is asked of a peer, or answered to it.
type operation struct {
	i      *Instruments
	span   trace.Span // nil when none is made
	start  time.Time
	labels labels
	in     *durations // nil when it is not measured
}

// operate begins an operation with a span in ctx.
func (i *Instruments) operate(ctx context.Context, kind trace.SpanKind, start time.Time, l labels) (context.Context, operation) {
	op := operation{i: i, start: start, labels: l}
	switch kind {
	case trace.SpanKindClient:
		op.in = i.client
	case trace.SpanKindServer:
		op.in = i.server
	}
	if i.tracer == nil {
		return ctx, op
	}
	ctx, op.span = i.tracer.Start(ctx, l.name(), trace.WithSpanKind(kind),
		trace.WithAttributes(l.append(make([]attribute.KeyValue, 0, 10))...))
	return ctx, op
}

// recording reports whether anybody will see the span.
func (op *operation) recording() bool { return op.span != nil && op.span.IsRecording() }

// end records how the operation has ended.
func (op *operation) end(ctx context.Context, o outcome) {
	if op.span != nil {
		op.i.record(op.span, o)
		op.span.End()
	}
	if op.in != nil {
		op.labels.failure, op.labels.status = o.failure, o.status()
		op.in.measure(ctx, op.start, op.labels)
	}
}
