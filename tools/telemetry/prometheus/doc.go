// Package prometheus exports the metrics of a server to Prometheus: requests and tool calls with
// outcome and duration, connections and sessions by client, refused requests, circuit breakers,
// indexes, caches, and memory, processor time and Go runtime of the process.
//
//	http.Handle("/metrics", prometheus.Handler(prometheus.Options{Namespace: "cqm", Recorder: recorder}))
//
// A Collector reads a telemetry.Recorder and the functions in Sources at each scrape. Labels
// contain only names of tools, methods and clients, and error codes: no paths, arguments or texts.
// The number of values per label is limited. The metrics show usage by client, so restrict access
// to the operators of the server.
package prometheus
