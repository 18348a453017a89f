// Package auth authenticates the requests of an MCP server over a network (2026-07-28,
// basic/authorization). It offers two methods, which a server can combine.
//
// [Tokens] is a fixed list of bearer tokens, each with its principal (RFC 6750). It protects every
// transport: as an http.Handler for HTTP and WebSocket, and as transport.Options.Verify for
// sockets.
//
// [Resource] accepts access tokens of authorization servers. It publishes the metadata that names
// these servers (RFC 9728) and requests more scopes when a tool needs them. A [Verifier] checks
// each token; packages jwt and introspect implement it. Package dpop checks tokens that are bound
// to a key.
//
// A token can be limited to permissions, which tools can require (mcp.ToolOptions.Permissions).
// [Authorize] checks them. Package access checks them too, together with rules for principals.
//
// A token is a password: use it only on loopback addresses or over TLS.
package auth
