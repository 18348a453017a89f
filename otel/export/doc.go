// Package export sends what package otel observes to a collector, by OTLP over
// HTTP, as the environment variables of OpenTelemetry say: OTEL_SERVICE_NAME,
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
// Nothing waits for a collector: spans are kept in a queue of bounded length, and
// what has no room there is dropped. What cannot be sent is told in the log, once
// a minute at most. Nothing global is changed.
package export
