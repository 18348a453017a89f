// Package record defines the records of agents and the interfaces of their stores: a Store for
// groups and agents, a Log for events, and Outputs for the output of agents.
//
// The server that runs agents writes records, and dashboards and other servers read them; they have
// no other connection. Memory implements the three interfaces for one process. Package sqlite implements them in a file, and package
// nats/agents on a server, so that several machines share them. Package recordtest tests
// implementations.
//
// Stores return copies, which callers may change. All implementations are safe for concurrent use.
package record
