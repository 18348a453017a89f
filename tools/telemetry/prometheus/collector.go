package prometheus

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	client "github.com/prometheus/client_golang/prometheus"

	"github.com/dougu-go/dougu/mcp/errorclass"
	"github.com/dougu-go/dougu/tools/telemetry"
)

const (
	// mostLabel is the longest value of a label, in bytes.
	mostLabel = 64
	// mostValues is the largest number of values of a label from Sources. Further values are
	// counted together as "other".
	mostValues = 64
	other      = "other"
)

// bounds are the upper limits of the duration buckets, in seconds.
var bounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60}

// Options configure a Collector.
type Options struct {
	// Namespace is the prefix of every metric name. Default: "dougu".
	Namespace string
	// Recorder has the counts of requests and tool calls; nil exports none of them.
	Recorder *telemetry.Recorder
	// Sources has further metrics.
	Sources
}

// Collector exports the metrics of a server. It implements prometheus.Collector, for use in an own
// registry.
type Collector struct {
	options Options

	requests, requestTime, requesting      *client.Desc
	calls, callErrors, callTime, calling   *client.Desc
	active, mostActive, connected          *client.Desc
	activeBy, connectedBy, refused         *client.Desc
	sessions, sessionsActive, clients      *client.Desc
	breaker, breakerFailures               *client.Desc
	indexState, files, pieces, pending     *client.Desc
	source, disk, checked                  *client.Desc
	entries, hits, misses, started, memory *client.Desc
}

// NewCollector returns a Collector.
func NewCollector(o Options) *Collector {
	if o.Namespace == "" {
		o.Namespace = "dougu"
	}
	name := func(name, help string, labels ...string) *client.Desc {
		return client.NewDesc(client.BuildFQName(o.Namespace, "", name), help, labels, nil)
	}
	return &Collector{
		options:         o,
		requests:        name("requests_total", "Requests that have ended, by method and outcome.", "method", "outcome"),
		requestTime:     name("request_duration_seconds", "Duration of requests that succeeded or failed.", "method"),
		requesting:      name("requests_in_flight", "Requests that are running."),
		calls:           name("tool_calls_total", "Tool calls that have ended, by tool and outcome.", "tool", "outcome"),
		callErrors:      name("tool_errors_total", "Errors of tool calls, by code and class: caller for mistakes of the caller, else server.", "code", "class"),
		callTime:        name("tool_call_duration_seconds", "Duration of tool calls that succeeded or failed.", "tool"),
		calling:         name("tool_calls_in_flight", "Tool calls that are running."),
		active:          name("connections_active", "Active connections."),
		mostActive:      name("connections_max", "Largest number of active connections."),
		connected:       name("connections_total", "Connections since the start."),
		activeBy:        name("connections_active_by_client", "Active connections, by kind of client.", "client"),
		connectedBy:     name("connections_by_client_total", "Connections since the start, by kind of client.", "client"),
		refused:         name("refused_total", "Requests that were refused, by the code of the error.", "code"),
		sessions:        name("sessions_total", "Sessions that have called a tool."),
		sessionsActive:  name("sessions_active", "Sessions that have called a tool in the last 15 minutes."),
		clients:         name("client_calls_total", "Tool calls by client, with the name that the client sends.", "client", "version", "transport"),
		breaker:         name("breaker_state", "1 for the present state of a circuit breaker.", "breaker", "state"),
		breakerFailures: name("breaker_failures", "Consecutive failures of a circuit breaker.", "breaker"),
		indexState:      name("index_state", "1 for the present state of an index.", "index", "state"),
		files:           name("index_files", "Files in an index.", "index"),
		pieces:          name("index_pieces", "Pieces in an index.", "index"),
		pending:         name("index_pending_files", "Changed files that are not indexed yet.", "index"),
		source:          name("index_source_bytes", "Size of the files in an index.", "index"),
		disk:            name("index_disk_bytes", "Size of an index.", "index"),
		checked:         name("index_checked_timestamp_seconds", "Time of the last complete check of the files.", "index"),
		entries:         name("cache_entries", "Entries in a cache.", "cache"),
		hits:            name("cache_hits_total", "Lookups that a cache answered.", "cache"),
		misses:          name("cache_misses_total", "Lookups that a cache could not answer.", "cache"),
		started:         name("start_timestamp_seconds", "Start of counting."),
		memory:          name("heap_bytes", "Size of heap objects, live or not yet swept."),
	}
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(out chan<- *client.Desc) {
	for _, d := range []*client.Desc{
		c.requests, c.requestTime, c.requesting, c.calls, c.callErrors, c.callTime, c.calling, c.active, c.mostActive, c.connected,
		c.activeBy, c.connectedBy, c.refused, c.sessions, c.sessionsActive, c.clients, c.breaker, c.breakerFailures, c.indexState,
		c.files, c.pieces, c.pending, c.source, c.disk, c.checked, c.entries, c.hits, c.misses, c.started, c.memory,
	} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(out chan<- client.Metric) {
	s := sink(out)
	if r := c.options.Recorder; r != nil {
		c.recorded(s, r.Snapshot())
	}
	if f := c.options.Connections; f != nil {
		c.connections(s, f())
	}
	if f := c.options.Breakers; f != nil {
		for name, b := range named(f(), func(b Breaker) string { return b.Name }) {
			s.gauge(c.breaker, 1, name, label(b.State))
			s.gauge(c.breakerFailures, float64(b.Failures), name)
		}
	}
	if f := c.options.Indexes; f != nil {
		for name, i := range named(f(), func(i Index) string { return i.Name }) {
			c.index(s, name, i)
		}
	}
	if f := c.options.Caches; f != nil {
		for name, h := range named(f(), func(h Cache) string { return h.Name }) {
			s.gauge(c.entries, float64(h.Entries), name)
			s.count(c.hits, h.Hits, name)
			s.count(c.misses, h.Misses, name)
		}
	}
}

func (c *Collector) recorded(s sink, r telemetry.Snapshot) {
	s.gauge(c.started, float64(r.StartedAt.UnixMilli())/1000)
	s.gauge(c.memory, float64(r.Memory.Heap))
	s.gauge(c.requesting, float64(r.RunningRequests))
	s.gauge(c.calling, float64(r.RunningCalls))
	s.gauge(c.sessionsActive, float64(r.Sessions.Active))
	s.count(c.sessions, r.Sessions.Total)
	s.ended(c.requests, c.requestTime, r.Requests)
	s.ended(c.calls, c.callTime, r.Tools)
	codes := make(map[string]int64)
	for _, calls := range r.Tools {
		for code, n := range calls.ErrorsByCode {
			codes[code] += n
		}
	}
	for code, n := range bounded(codes) {
		s.count(c.callErrors, n, code, class(code))
	}
	type key struct{ name, version, transport string }
	byClient := make(map[key]int64)
	for _, one := range r.Clients {
		byClient[key{label(one.Name), label(one.Version), label(one.Transport)}] += one.Requests
	}
	for k, n := range byClient {
		s.count(c.clients, n, k.name, k.version, k.transport)
	}
}

func (c *Collector) connections(s sink, n Connections) {
	s.gauge(c.active, float64(n.Active))
	s.gauge(c.mostActive, float64(n.Max))
	s.count(c.connected, n.Total)
	for name, v := range bounded(n.ByClient) {
		s.gauge(c.activeBy, float64(v), name)
	}
	for name, v := range bounded(n.TotalByClient) {
		s.count(c.connectedBy, v, name)
	}
	for name, v := range bounded(n.Refused) {
		s.count(c.refused, v, name)
	}
}

func (c *Collector) index(s sink, name string, i Index) {
	s.gauge(c.indexState, 1, name, label(i.State))
	s.gauge(c.files, float64(i.Files), name)
	s.gauge(c.pieces, float64(i.Pieces), name)
	s.gauge(c.pending, float64(i.Pending), name)
	s.gauge(c.source, float64(i.Source), name)
	s.gauge(c.disk, float64(i.Disk), name)
	if !i.Checked.IsZero() {
		s.gauge(c.checked, float64(i.Checked.UnixMilli())/1000, name)
	}
}

// sink sends metrics to a scrape. An invalid metric is sent as an error.
type sink chan<- client.Metric

func (s sink) put(d *client.Desc, m client.Metric, err error) {
	if err != nil {
		m = client.NewInvalidMetric(d, err)
	}
	s <- m
}

func (s sink) gauge(d *client.Desc, v float64, labels ...string) {
	m, err := client.NewConstMetric(d, client.GaugeValue, v, labels...)
	s.put(d, m, err)
}

func (s sink) count(d *client.Desc, n int64, labels ...string) {
	m, err := client.NewConstMetric(d, client.CounterValue, float64(n), labels...)
	s.put(d, m, err)
}

// ended sends the outcomes and durations of calls.
func (s sink) ended(count, took *client.Desc, all map[string]telemetry.Calls) {
	for name, calls := range all {
		name = label(name)
		s.count(count, calls.Succeeded, name, "succeeded")
		s.count(count, calls.Failed, name, "failed")
		s.count(count, calls.Rejected, name, "rejected")
		s.count(count, calls.Cancelled, name, "cancelled")
		s.count(count, calls.Asked, name, "asked")
		within := make(map[float64]uint64, len(bounds))
		for _, bound := range bounds {
			within[bound] = uint64(calls.Durations.CountUpTo(time.Duration(bound * float64(time.Second))))
		}
		m, err := client.NewConstHistogram(took, uint64(calls.Durations.Count()), calls.Durations.Sum().Seconds(), within, name)
		s.put(took, m, err)
	}
}

// class returns the class of an error code: "caller" for mistakes of the caller, else "server".
func class(code string) string {
	if errorclass.ByCaller(code) {
		return "caller"
	}
	return "server"
}

// label returns external text as a valid label value: UTF-8, truncated to mostLabel bytes.
func label(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > mostLabel {
		end := mostLabel
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	return text
}

// bounded returns the counts with valid label values. Values after the mostValues largest are added
// up under other.
func bounded[N int | int64](counts map[string]N) map[string]N {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	all := make(map[string]N, len(names))
	for n, name := range names {
		if n >= mostValues {
			all[other] += counts[name]
			continue
		}
		all[label(name)] += counts[name]
	}
	return all
}

// named returns at most mostValues elements by name. Of elements with the same name it keeps the
// first.
func named[T any](all []T, name func(T) string) map[string]T {
	by := make(map[string]T, len(all))
	for _, one := range all {
		key := label(name(one))
		if _, known := by[key]; !known && len(by) < mostValues {
			by[key] = one
		}
	}
	return by
}
