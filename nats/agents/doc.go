// Package agents lets several machines share one crew of agents by NATS with
// JetStream: a Store keeps groups, agents, events and output there (key-value state
// and streams), an Executor puts runs on a work queue, and a Runner on any machine
// takes what it can run.
//
// A run has a log of its own, to which only who holds the run can add: each message
// names the one that it follows, and NATS refuses it if another has come before. So a
// runner that was taken for dead, and is not, can do nothing in the run's name any
// more; and since it must be heard of within a lease, it ends its agent before
// anybody else may begin it again. Nothing runs twice, but when that was asked for
// (ExecutorOptions.Attempts), and the record of the agent says so.
//
// NATS needs JetStream and version 2.10 or later. Who can reach the subjects can give
// orders to every runner, and reads what agents write: use an account of their own,
// and TLS.
package agents
