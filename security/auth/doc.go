// Package auth says who may use a server that others can reach (2026-07-28,
// basic/authorization). There are two ways, and a server can have both:
//
// Tokens are bearer tokens of one's own, each of which stands for a principal (RFC
// 6750). They work in front of every transport: as an http.Handler for HTTP and
// WebSocket, and as transport.Options.Verify for sockets.
//
// A Resource accepts the access tokens of authorization servers, tells clients
// where to get one (RFC 9728), and asks for a better one where a tool needs more. What
// a token stands for is said by a Verifier: packages jwt and introspect have one each.
// Package dpop is about tokens that are bound to a key.
//
// A token may be limited to permissions, which tools can need
// (mcp.ToolOptions.Permissions): Authorize decides by them, and so does package access,
// which looks at the principal too.
//
// A token is a password. It belongs on loopback addresses or behind TLS.
package auth
