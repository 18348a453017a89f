// Package rpc is JSON-RPC 2.0 as MCP uses it: it splits a stream into messages
// with one scan of the envelope, runs the requests of one peer with bounded
// concurrency, and writes answers and notifications in order.
//
// A [Conn] reads frames from a [Stream] and passes raw messages to a [Handler],
// which implements the methods and the revision of the protocol. [Options] limit
// concurrency, queues and times.
package rpc
