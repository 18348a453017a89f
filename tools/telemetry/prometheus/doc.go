// Package prometheus shows what a server counts to Prometheus: requests and calls
// of tools with how they ended and how long they took, connections and sessions by
// client, what was refused, circuit breakers, indexes and caches, and memory,
// processor and runtime of the process.
//
//	http.Handle("/metrics", prometheus.Handler(prometheus.Options{Namespace: "cqm", Recorder: recorder}))
//
// Labels are names of tools, methods, clients and codes, never a path, an argument
// or a text, and there is a bounded number of each. What is served says who uses a
// server and how much: it belongs to those who run it.
package prometheus
