// Package agents lets several machines share agents by NATS with JetStream.
//
// A Store keeps groups, agents, events and output in streams. An Executor, at an MCP server,
// puts runs on a work queue. A Runner, on any machine, takes the runs that it has a program,
// a directory and a free slot for. A Server represents one MCP server that orders runs: it
// creates the Executors, and reports at intervals that this MCP server is alive.
//
// Each run has a log, to which only the owner of the run can add: a message names its
// predecessor, and NATS refuses the message if another one has the same predecessor. A
// runner that was declared dead by mistake therefore cannot change the run any more. A
// runner that cannot renew its lease ends its agent before another runner may start the run
// again. An agent is started more than once only with ExecutorOptions.Attempts above 1, and
// its record then says so.
//
// NATS needs JetStream and version 2.10 or later. Any client that reaches the subjects can
// give orders to every runner and reads the output of agents: use an account for them
// alone, and TLS.
package agents
