// Package driver starts whole MCP servers as processes, keeps a number of
// calls in flight over their pipes, over HTTP or over WebSocket, and measures
// what the calls cost the server: its own processor time, its memory, and the
// wall clock. It also keeps thousands of sessions, streams and connections open
// and measures what they take while nothing happens.
//
// What is sent is encoded beforehand and what comes back is only split at its
// line ends while the clock runs, so that the driver stays out of the way. The
// answers are checked all the same: all of a warm-up, and of the measured calls
// a regular sample and every answer whose length is not the usual one.
package driver
