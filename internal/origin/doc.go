// Package origin decides which web pages and which names may reach a server
// over HTTP: without it, any page that a user's browser shows can talk to a
// server on the user's machine, directly or through a name that it lets resolve
// to a loopback address (2026-07-28, basic/transports/streamable-http, "Security").
package origin
