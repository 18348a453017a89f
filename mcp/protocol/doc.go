// Package protocol has the messages of the Model Context Protocol and the interfaces between a
// transport and a client or server. Authors of transports, of gateways and of middleware for
// requests use it. Programs that offer or call tools need package mcp, and of this package the
// names in its functions, for example Request and Revision.
//
// A Request arrives in the form of revision 2026-07-28. A Dispatcher handles it, for example an
// mcp.Server, and returns a Result or an Error. A Notification is sent before the result. All of
// them stay typed until they are sent; only their encoding depends on the Revision of the peer.
//
// On the client side, a Transport opens a Conn, which is a Dispatcher too. The Host describes the
// client to it.
package protocol
