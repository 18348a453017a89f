// Package tasks keeps tasks in NATS, so that the instances of a server on several
// machines serve the tasks of each other. A Store is the tasks.Store of mcp/tasks: a
// question, an answer or a cancellation at one instance reaches the work at another.
//
// Tasks and the signs of life of their runners are in two key-value buckets of
// JetStream. Instances hint at changes by messages on a plain subject, and read the
// stream of the bucket at intervals, so that a lost hint delays a change by
// Options.Poll.
//
// NATS needs JetStream and version 2.10 or later. Any client that reaches the subjects
// can act in the name of every client of the server: use an account for them alone, and
// TLS. The clocks of the machines must agree to within some seconds, since a runner
// writes the end of its lease by its own clock.
package tasks
