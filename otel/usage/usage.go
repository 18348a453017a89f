// Package usage makes metrics of the counts of package telemetry: tokens and their cost by
// model, calls by tool, sessions. They are read when metrics are collected, so that counting
// has no additional cost.
package usage

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/dougu-go/dougu/tools/telemetry"
)

const scope = "github.com/dougu-go/dougu/otel/usage"

// Source has the counters to observe. A nil counter is left out.
type Source struct {
	// Recorder counts requests, calls and sessions.
	Recorder *telemetry.Recorder
	// Models sums up the use of models: the method ModelStatistics of a
	// telemetry.Telemetry. The models with the fewest tokens may be missing in it.
	Models func(context.Context, telemetry.StatisticsArgs) (telemetry.ModelStatistics, error)
}

// Observe makes the metrics, whose names begin with "dougu.". They are made until
// stop is called.
func Observe(meters metric.MeterProvider, from Source) (stop func() error, err error) {
	m := maker{in: meters.Meter(scope)}
	var all metrics
	if from.Recorder != nil {
		all.requests = m.counter("dougu.requests", "{request}", "Requests that have ended, by method and outcome.")
		all.calls = m.counter("dougu.tool.calls", "{call}", "Calls of tools that have ended, by tool and outcome.")
		all.failures = m.counter("dougu.tool.errors", "{error}", "Calls of tools that failed, by the code of the error.")
		all.requesting = m.gauge("dougu.requests.active", "{request}", "Requests that are running.")
		all.calling = m.gauge("dougu.tool.calls.active", "{call}", "Calls of tools that are running.")
		all.sessions = m.counter("dougu.sessions", "{session}", "Sessions that have called a tool.")
		all.active = m.gauge("dougu.sessions.active", "{session}", "Sessions that have called a tool in the last 15 minutes.")
		all.heap = m.gauge("dougu.memory.heap", "By", "Memory of objects, alive or not yet swept.")
	}
	if from.Models != nil {
		all.tokens = m.counter("dougu.model.tokens", "{token}", "Tokens that were tracked, by model and kind.")
		all.uses = m.counter("dougu.model.uses", "{use}", "Uses that were tracked, by model.")
		all.cost = m.amount("dougu.model.cost", "1", "What the tokens of priced models cost by the present prices, by currency.")
	}
	if m.failed != nil {
		return nil, fmt.Errorf("making the metrics of usage: %w", m.failed)
	}
	registered, err := m.in.RegisterCallback(func(ctx context.Context, o metric.Observer) error { return all.observe(ctx, o, from) }, m.made...)
	if err != nil {
		return nil, fmt.Errorf("observing usage: %w", err)
	}
	return registered.Unregister, nil
}

// maker makes instruments and collects errors.
type maker struct {
	in     metric.Meter
	made   []metric.Observable
	failed error
}

func (m *maker) counter(name, unit, description string) metric.Int64ObservableCounter {
	made, err := m.in.Int64ObservableCounter(name, metric.WithUnit(unit), metric.WithDescription(description))
	m.made, m.failed = append(m.made, made), errors.Join(m.failed, err)
	return made
}

func (m *maker) gauge(name, unit, description string) metric.Int64ObservableGauge {
	made, err := m.in.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description))
	m.made, m.failed = append(m.made, made), errors.Join(m.failed, err)
	return made
}

func (m *maker) amount(name, unit, description string) metric.Float64ObservableGauge {
	made, err := m.in.Float64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description))
	m.made, m.failed = append(m.made, made), errors.Join(m.failed, err)
	return made
}

type metrics struct {
	requests, calls, failures, sessions, tokens, uses metric.Int64ObservableCounter
	requesting, calling, active, heap                 metric.Int64ObservableGauge
	cost                                              metric.Float64ObservableGauge
}

func (m *metrics) observe(ctx context.Context, o metric.Observer, from Source) error {
	if from.Recorder != nil {
		m.recorded(o, from.Recorder.Snapshot())
	}
	if from.Models == nil {
		return nil
	}
	s, err := from.Models(ctx, telemetry.StatisticsArgs{})
	if err != nil {
		return fmt.Errorf("reading the use of models: %w", err)
	}
	for name, u := range s.ModelBreakdown {
		model := attribute.String("gen_ai.request.model", name)
		o.ObserveInt64(m.uses, int64(u.Count), metric.WithAttributes(model))
		o.ObserveInt64(m.tokens, u.Tokens.Input, metric.WithAttributes(model, attribute.String("gen_ai.token.type", "input")))
		o.ObserveInt64(m.tokens, u.Tokens.Output, metric.WithAttributes(model, attribute.String("gen_ai.token.type", "output")))
	}
	o.ObserveFloat64(m.cost, s.EstimatedCost, metric.WithAttributes(attribute.String("dougu.currency", s.Currency)))
	return nil
}

func (m *metrics) recorded(o metric.Observer, s telemetry.Snapshot) {
	endings(o, m.requests, "mcp.method.name", s.Requests)
	endings(o, m.calls, "gen_ai.tool.name", s.Tools)
	codes := make(map[string]int64)
	for _, calls := range s.Tools {
		for code, n := range calls.ErrorsByCode {
			codes[code] += n
		}
	}
	for code, n := range codes {
		o.ObserveInt64(m.failures, n, metric.WithAttributes(attribute.String("dougu.tool.error.code", code)))
	}
	o.ObserveInt64(m.requesting, s.RunningRequests)
	o.ObserveInt64(m.calling, s.RunningCalls)
	o.ObserveInt64(m.sessions, s.Sessions.Total)
	o.ObserveInt64(m.active, s.Sessions.Active)
	o.ObserveInt64(m.heap, s.Memory.Heap)
}

// endings observes how often each has ended how.
func endings(o metric.Observer, in metric.Int64ObservableCounter, key string, all map[string]telemetry.Calls) {
	for name, calls := range all {
		for outcome, n := range map[string]int64{"succeeded": calls.Succeeded, "failed": calls.Failed, "rejected": calls.Rejected, "cancelled": calls.Cancelled, "asked": calls.Asked} {
			if n > 0 {
				o.ObserveInt64(in, n, metric.WithAttributes(attribute.String(key, name), attribute.String("dougu.outcome", outcome)))
			}
		}
	}
}
