// Package access limits the use of an MCP server with many clients: which clients may connect, how
// many sessions and requests each may have, and which tools each may call.
//
// A [Control] has a middleware for all requests and an Authorize function for the tools:
//
//	control := access.New(access.Options{Allowed: []string{access.Cursor, access.ClaudeDesktop}})
//	srv := mcp.NewServer(info, &mcp.ServerOptions{Authorize: control.Authorize})
//	srv.Use(control.Middleware())
//
// [Options] are the limits; a [Refusal] is the error of a refused request. A client chooses its own
// name, so Options.Allowed only prevents mistakes. Use tokens (package security/auth) to keep out
// attackers. The limits of a principal apply to all its clients together. Clients without
// authentication share the limits of their host.
package access
