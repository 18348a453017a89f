// Package rpc is JSON-RPC 2.0 as MCP uses it: it splits a stream into messages
// with one scan of the envelope, runs the requests of one peer with bounded
// concurrency, and writes answers and notifications in order.
//
// It knows frames and raw messages only. What a method means, which revision of
// the protocol a peer speaks and what a result looks like are its [Handler]'s.
package rpc
