// Package export sends the spans and metrics of package otel to a collector, by OTLP over
// HTTP. The environment variables of OpenTelemetry configure it: OTEL_SERVICE_NAME,
// OTEL_RESOURCE_ATTRIBUTES, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS,
// OTEL_TRACES_SAMPLER, OTEL_BSP_…, OTEL_METRIC_EXPORT_INTERVAL and the others.
//
//	exports, err := export.Start(ctx, export.Config{Service: info})
//	if err != nil {
//		return err
//	}
//	defer exports.Close(context.WithoutCancel(ctx))
//	instruments, err := otel.New(otel.Options{Tracers: exports.Tracers, Meters: exports.Meters})
//
// No request waits for a collector: spans are in a queue of bounded length, and further
// spans are dropped. Failures to send are logged at most once a minute. Nothing global is
// changed.
package export
