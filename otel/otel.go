package otel

import (
	"errors"
	"fmt"
	"sync"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/redact"
)

// scope is the instrumentation scope of spans and metrics.
const scope = "github.com/dougu-go/dougu/otel"

// Options configure Instruments. The zero value observes nothing and costs nothing.
type Options struct {
	// Tracers make the spans; nil makes none.
	Tracers trace.TracerProvider
	// Meters make the metrics; nil makes none.
	Meters metric.MeterProvider
	// Untrusted, if set, reports whether to distrust the trace of a request. The span
	// of such a request begins a new trace with a link to the claimed one, and its
	// baggage is dropped. Set Untrusted for servers that strangers reach, since the
	// author of a trace also decides whether it is recorded. It is called concurrently.
	Untrusted func(req *protocol.Request) bool
	// Parent is the parent span of requests without a trace, see EnvironmentParent.
	Parent trace.SpanContext
	// Arguments records the arguments of tools in spans, redacted and shortened.
	// Default: they are not recorded. Results never are.
	Arguments bool
	// Redactor removes secrets from recorded messages, URIs and arguments. Default: the
	// zero redact.Redactor.
	Redactor *redact.Redactor
}

// Instruments observe servers, clients and gateways. They are safe for concurrent use.
type Instruments struct {
	opts   Options
	tracer trace.Tracer // nil without Options.Tracers
	traces propagation.TraceContext
	bags   propagation.Baggage

	server, client         *durations // durations of requests; nil without Options.Meters
	serverLife, clientLife *durations // durations of sessions and connections; nil likewise
}

// New makes Instruments. An error is one of Options.Meters.
func New(o Options) (*Instruments, error) {
	i := &Instruments{opts: o}
	if o.Tracers != nil {
		i.tracer = o.Tracers.Tracer(scope)
	}
	if o.Meters == nil {
		return i, nil
	}
	meter := o.Meters.Meter(scope)
	var failed [4]error
	i.server, failed[0] = newDurations(meter, "mcp.server.operation.duration", "How long requests took that the server answered.")
	i.client, failed[1] = newDurations(meter, "mcp.client.operation.duration", "How long requests took until their answer came.")
	i.serverLife, failed[2] = newDurations(meter, "mcp.server.session.duration", "How long sessions lasted, as the server saw them.")
	i.clientLife, failed[3] = newDurations(meter, "mcp.client.session.duration", "How long connections lasted, as the client saw them.")
	if err := errors.Join(failed[:]...); err != nil {
		return nil, fmt.Errorf("making the metrics: %w", err)
	}
	return i, nil
}

// idle reports whether nothing is observed.
func (i *Instruments) idle() bool { return i == nil || i.tracer == nil && i.server == nil }

// bounds are the bounds of the buckets of durations, in seconds, as the semantic
// conventions for MCP recommend.
var bounds = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}

// durations are a histogram and a cache of its attribute sets, so that a repeated set costs no
// allocation.
type durations struct {
	in    metric.Float64Histogram
	mu    sync.RWMutex                     // guards known
	known map[labels][]metric.RecordOption // by the values of the attributes
}

// maxKnown is the limit of different sets of attributes. Measurements with further sets,
// for example from clients that invent names, are recorded together.
const maxKnown = 1_000

func newDurations(meter metric.Meter, name, description string) (*durations, error) {
	in, err := meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description), metric.WithExplicitBucketBoundaries(bounds...))
	return &durations{in: in, known: make(map[labels][]metric.RecordOption)}, err
}

// with returns the attributes of a measurement. After maxKnown sets, a new one is replaced by the
// method "_OTHER" with the address of the peer.
func (d *durations) with(l labels) []metric.RecordOption {
	d.mu.RLock()
	set, ok := d.known[l]
	d.mu.RUnlock()
	if ok {
		return set
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.known) >= maxKnown {
		l = labels{method: otherMethod, at: l.at}
		if set, ok := d.known[l]; ok {
			return set
		}
	}
	set = []metric.RecordOption{metric.WithAttributeSet(l.set())}
	d.known[l] = set
	return set
}
