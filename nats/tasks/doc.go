// Package tasks keeps tasks in NATS, so that several instances of a server on
// several machines answer for each other's: what is asked, answered and cancelled at
// one reaches the work at another (see mcp/tasks).
//
// NATS needs JetStream and version 2.10 or later. Who can reach the subjects can do
// everything in the name of every client: use an account of their own, and TLS. The
// clocks of the machines should agree to within some seconds, for a runner says by
// its own until when it lives.
package tasks
