package export

import (
	"context"
	"log/slog"
	"sync"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/dougu-go/dougu/security/redact"
)

// quiet is the minimum time between two log messages about failures.
const quiet = time.Minute

// line is the path to the collector that all exporters share. It counts the running
// requests, logs failures at most once a minute, and cut cancels the requests.
type line struct {
	log     *slog.Logger
	life    context.Context
	end     context.CancelFunc
	sending sync.WaitGroup

	mu     sync.Mutex
	told   time.Time // time of the last log message about a failure
	failed int       // failures since told
	last   error     // error of the last attempt since the call of Close; nil if it succeeded
	ending bool      // Close was called, which returns failures itself
	over   bool      // nothing is sent any more
}

func newLine(log *slog.Logger) *line {
	l := &line{log: log}
	l.life, l.end = context.WithCancel(context.Background())
	return l
}

// send runs one attempt to send spans or metrics, and logs its failure. After the call of
// Close the failure is kept in last instead.
func (l *line) send(ctx context.Context, what string, attempt func(context.Context) error) {
	if !l.enter() {
		return
	}
	defer l.sending.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	unhook := context.AfterFunc(l.life, cancel)
	defer unhook()
	err := attempt(ctx)

	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ending {
		l.last = err
		return // Close tells it
	}
	if err == nil {
		return
	}
	l.failed++
	if now := time.Now(); l.told.IsZero() || now.Sub(l.told) >= quiet {
		l.log.Warn("telemetry could not be sent, and is lost", "what", what, "times", l.failed, "error", withoutSecrets(err))
		l.told, l.failed = now, 0
	}
}

// enter counts an attempt, and reports false after cut.
func (l *line) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.sending.Add(1)
	}
	return !l.over
}

// cut cancels the running requests and refuses further ones.
func (l *line) cut() {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	l.end()
}

// closing makes send keep failures for Close instead of logging them.
func (l *line) closing() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ending = true
}

func (l *line) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil {
		return nil
	}
	return &sendError{withoutSecrets(l.last), l.last}
}

// sendError is a failure to send, without the secrets that its message may have:
// endpoints have been seen with passwords in them.
type sendError struct {
	text string
	err  error
}

func (e *sendError) Error() string { return "sending telemetry: " + e.text }
func (e *sendError) Unwrap() error { return e.err }

func withoutSecrets(err error) string { return (*redact.Redactor)(nil).Text(err.Error()) }

// spanLine sends spans.
type spanLine struct {
	sdktrace.SpanExporter
	line *line
}

// ExportSpans implements sdktrace.SpanExporter.
func (s spanLine) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	s.line.send(ctx, "traces", func(ctx context.Context) error { return s.SpanExporter.ExportSpans(ctx, spans) })
	return nil
}

// metricLine sends metrics.
type metricLine struct {
	sdkmetric.Exporter
	line *line
}

// Export implements sdkmetric.Exporter.
func (m metricLine) Export(ctx context.Context, all *metricdata.ResourceMetrics) error {
	m.line.send(ctx, "metrics", func(ctx context.Context) error { return m.Exporter.Export(ctx, all) })
	return nil
}
