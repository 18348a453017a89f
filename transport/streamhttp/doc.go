// Package streamhttp carries MCP over HTTP: Streamable HTTP of every revision
// that has it, and HTTP+SSE of 2024-11-05.
//
// A Handler serves a server at one address to clients of all revisions at once:
// those of 2026-07-28, whose requests stand alone, and those of older ones, which
// open a session first. It is an http.Handler: mount it at any path, behind
// whatever authenticates. Options is a route of transport.HTTP, which brings an
// http.Server with safe limits.
//
// A Client finds out what a server speaks and speaks that.
package streamhttp
