// Package websocket carries MCP over WebSocket (RFC 6455). [NewHandler] returns
// the server side, an http.Handler; a [Client] is the client side. The protocol
// does not define this transport. The binding below is compatible with the
// WebSocket client of the TypeScript SDK (2026-07-28, basic/transports, "Custom
// Transports").
//
// # Establishment
//
// The client opens a WebSocket and offers the subprotocol "mcp", which the
// server chooses. A client without a subprotocol is accepted, too. A client that
// offers only others is refused with status 400. Extensions are not negotiated:
// messages are not compressed.
//
// The handshake is an ordinary HTTP request. The server checks the host and the
// origin ([Options.Hosts] and [Options.Origins], status 403), a bearer token if
// middleware such as package auth wraps the [Handler] (status 401), and the
// number of open connections (status 503). The authenticated principal is the
// principal of every request on the connection.
//
// # Framing
//
// Every text message is one JSON-RPC message in UTF-8, in both directions; in a
// session of revision 2025-03-26 it may be a batch. Messages may be fragmented.
// Binary messages are refused. A connection carries requests of revision
// 2026-07-28, whose metadata is in the message alone (params._meta; there is
// nothing in the handshake that it could contradict), and at the same time one
// session of an older revision, which initialize opens and which ends with the
// connection. There is no session id.
//
// # Cancellation
//
// As on stdio: notifications/cancelled with the id of the request. Closing the
// connection cancels all of its running requests. A subscription ends when its
// request is cancelled; its notifications carry its id.
//
// # Termination
//
// Either side closes the WebSocket. The server first sends its queued responses.
// Status codes of the closing:
//
//	1000  the client has finished
//	1001  the server is shutting down; come back later or elsewhere
//	1002  the other side violates RFC 6455
//	1003  a binary message
//	1007  a text message that is not UTF-8
//	1009  a message over the limit; a request was answered with an error before
//	1011  an internal error of the server
//
// The connection to a peer that does not answer pings, or does not read, is
// closed without a closing handshake, which could not reach the peer.
//
// A [Client] reconnects after the connection is lost; see [Client.Reconnect].
package websocket
