// Package websocket carries MCP over WebSocket (RFC 6455). The protocol defines
// no such transport; what follows is the binding that this package speaks, as a
// custom transport has to document it (2026-07-28, basic/transports, "Custom
// Transports"). It is the one of the TypeScript SDK's WebSocket client.
//
// # Establishment
//
// The client opens a WebSocket and offers the subprotocol "mcp", which the
// server chooses. A client that offers no subprotocol is served too; one that
// offers others alone is refused with status 400. Extensions are not negotiated:
// messages are not compressed.
//
// The handshake is an ordinary HTTP request, and that is where the server looks
// at who asks: at the names and pages of [Options.Hosts] and [Options.Origins]
// (status 403), at a bearer token if something such as package auth is in front
// of the [Handler] (status 401), and at how many connections are open (status
// 503). The principal that was authenticated is that of every request on the
// connection.
//
// # Framing
//
// Every text message is one JSON-RPC message in UTF-8, in both directions; in a
// session of revision 2025-03-26 it may be a batch. Messages may be fragmented.
// Binary messages are not understood. A connection carries requests of revision
// 2026-07-28, whose metadata is in the message alone (params._meta; there is
// nothing in the handshake that it could contradict), and at the same time one
// session of an older revision, which initialize opens and which ends with the
// connection. There is no session id.
//
// # Cancellation
//
// As on stdio: notifications/cancelled with the id of the request. Many requests
// share a connection, so closing it is the end of all of them: the server
// cancels those that still run. A subscription ends when its request is
// cancelled; its notifications carry its id.
//
// # Termination
//
// Either side closes the WebSocket. What the server answered before is sent
// first. These are the status codes of the closing:
//
//	1000  the client has finished
//	1001  the server is shutting down; come back later or elsewhere
//	1002  the other side violates RFC 6455
//	1003  a binary message
//	1007  a text message that is not UTF-8
//	1009  a message over the limit; a request was answered with an error before
//	1011  the server failed in a way that it did not foresee
//
// A peer that does not answer pings, or does not read what is sent to it, is cut
// off without a closing, which could not reach it.
//
// A [Client] opens a connection that breaks again, see [Client.Reconnect].
package websocket
