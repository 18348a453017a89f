// Package httpclient connects to MCP servers over HTTP: Streamable HTTP of
// every revision that has it, and HTTP+SSE of 2024-11-05.
//
// A Client is an protocol.Transport. Its first connection negotiates the revision:
// server/discover, then initialize, then HTTP+SSE. The Client remembers the
// result for later connections.
//
// A connection to a server of 2026-07-28 has no state on the wire. A connection
// to an older server has a session: the package resumes streams that break,
// opens a forgotten session again, and restores its subscriptions and log
// level.
//
// A request whose answer cannot arrive any more fails with ErrRequestLost. A
// request that only reads is first sent a second time: a list, resources/read,
// server/discover or ping.
package httpclient
