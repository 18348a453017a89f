package export

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
)

// Config is the configuration that the environment does not have. The zero value is valid.
type Config struct {
	// Service has service.name and service.version of the program. The environment has
	// precedence.
	Service mcp.Implementation
	// Attributes are further ones of the program.
	Attributes []attribute.KeyValue
	// FlushTimeout is the limit of the time in which Close sends the rest. Default 2 s,
	// since clients wait no longer for the end of a server that they have started.
	FlushTimeout time.Duration
	// Log receives errors. Default: slog.Default().
	Log *slog.Logger
}

// Exports sends spans and metrics. A provider is nil if the environment turns it off;
// package otel then makes no spans or no metrics.
type Exports struct {
	Tracers trace.TracerProvider
	Meters  metric.MeterProvider

	shutdown []func(context.Context) error // ends the providers
	line     *line                         // through which both exporters send; limits logs and can cancel requests
	flush    time.Duration                 // Config.FlushTimeout or its default
}

// Start begins to send. It makes no connection before there are spans or metrics, so
// a missing collector is no error. Start returns an error for an invalid setting, for
// example an unsupported protocol.
//
// With OTEL_SDK_DISABLED=true nothing is sent, with OTEL_TRACES_EXPORTER or
// OTEL_METRICS_EXPORTER=none no traces or no metrics. The only protocol is
// http/protobuf.
func Start(ctx context.Context, c Config) (*Exports, error) {
	if c.FlushTimeout <= 0 {
		c.FlushTimeout = 2 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	e := &Exports{line: newLine(c.Log), flush: c.FlushTimeout}
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return e, nil
	}
	traces, problem := wanted("TRACES")
	metrics, otherProblem := wanted("METRICS")
	if err := errors.Join(problem, otherProblem); err != nil {
		return nil, err
	}
	about, err := describe(ctx, c)
	if err != nil {
		c.Log.Warn("not all is known of the program that is traced", "error", err) // the known attributes are sent
	}
	if traces {
		err = e.startTraces(ctx, about)
	}
	if metrics && err == nil {
		err = e.startMetrics(ctx, about)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close(ctx))
	}
	return e, nil
}

// wanted reports whether a signal, TRACES or METRICS, is to be sent. The error names the
// variable with a value that this package does not support.
func wanted(signal string) (bool, error) {
	name := "OTEL_" + signal + "_EXPORTER"
	switch to := os.Getenv(name); to {
	case "none":
		return false, nil
	case "", "otlp":
	default:
		return false, fmt.Errorf("%s is %q, and may be otlp or none", name, to)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_" + signal + "_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := os.Getenv(name); !slices.Contains([]string{"", "http/protobuf"}, protocol) {
			return false, fmt.Errorf("%s is %q, and may be http/protobuf alone: set it so, and the port of the endpoint to that of OTLP over HTTP, usually 4318", name, protocol)
		} else if protocol != "" {
			break
		}
	}
	return true, nil
}

// describe returns the attributes of the program, without its user and its arguments.
func describe(ctx context.Context, c Config) (*resource.Resource, error) {
	own := slices.Clone(c.Attributes)
	for key, value := range map[string]string{"service.name": c.Service.Name, "service.version": c.Service.Version} {
		if value != "" {
			own = append(own, attribute.String(key, value))
		}
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(), resource.WithOSType(), resource.WithProcessPID(),
		resource.WithProcessRuntimeName(), resource.WithProcessRuntimeVersion(), resource.WithService(), resource.WithAttributes(own...), resource.WithFromEnv())
	if about == nil {
		about = resource.Empty()
	}
	return about, err
}

// startTraces sets Tracers. spanLine is the exporter that sends through e.line.
func (e *Exports) startTraces(ctx context.Context, about *resource.Resource) error {
	to, err := otlptracehttp.New(ctx)
	if err != nil {
		return fmt.Errorf("preparing to send traces: %w", err)
	}
	p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spanLine{to, e.line}), sdktrace.WithResource(about))
	e.Tracers, e.shutdown = p, append(e.shutdown, p.Shutdown)
	return nil
}

// startMetrics sets Meters. metricLine is the exporter that sends through e.line.
func (e *Exports) startMetrics(ctx context.Context, about *resource.Resource) error {
	to, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return fmt.Errorf("preparing to send metrics: %w", err)
	}
	p := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(metricLine{to, e.line})), sdkmetric.WithResource(about))
	e.Meters, e.shutdown = p, append(e.shutdown, p.Shutdown)
	return nil
}

// Close sends the remaining spans and metrics within the limits of ctx and
// Config.FlushTimeout, then cancels running requests. Later spans and metrics are
// dropped. The error joins those of the providers and that of the last attempt to send.
func (e *Exports) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, e.flush)
	defer cancel()
	e.line.closing()
	unhook := context.AfterFunc(ctx, e.line.cut)
	defer unhook()
	var all group.Group
	failed := make([]error, len(e.shutdown))
	for n, shutdown := range e.shutdown {
		all.Go(func() { failed[n] = shutdown(ctx) })
	}
	all.Wait()
	e.line.cut()
	e.line.sending.Wait()
	return errors.Join(append(failed, e.line.failure())...)
}
