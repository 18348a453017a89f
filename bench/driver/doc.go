// Package driver starts MCP servers as processes and measures calls over pipes, HTTP and WebSocket: processor time and memory of
// the server, and wall time. It also opens thousands of sessions, streams and connections and measures their memory while they are
// idle.
//
// [Measure] runs workloads against servers and returns a [Report]. [Bars] are the bounds that the report must meet. Requests are
// encoded before the measurement, and responses are only split at line ends during it, so that the driver costs little. All
// responses of a warm-up are verified. Of measured calls, a regular sample and each response of unusual length are verified.
package driver
