// Package auth says who may use a server that others can reach: static bearer
// tokens, each of which stands for a principal (RFC 6750; 2026-07-28,
// basic/authorization, "Access Token Usage"). It works in front of every
// transport: as an http.Handler for HTTP and WebSocket, and as
// transport.Options.Verify for sockets.
//
// A token is a password. It belongs on loopback addresses or behind TLS.
package auth
