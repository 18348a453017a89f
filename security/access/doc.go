// Package access keeps a server that many clients use at once from being used by
// more than it can serve, or by others than it is meant for: which clients may
// connect, how many of them, how often each of them may ask, and which tools
// each may use.
//
// A Control is a middleware around everything that a server answers, and the
// Authorize of its tools:
//
//	control := access.New(access.Options{Allowed: []string{access.Cursor, access.ClaudeDesktop}})
//	srv := mcp.NewServer(info, &mcp.ServerOptions{Authorize: control.Authorize})
//	srv.Use(control.Middleware)
//
// What a client is called is what it says of itself, and proves nothing: a list of
// clients keeps away those that have come by mistake. Who must be kept away is
// asked for a token, by package security/auth, and limits of a principal hold
// whatever its clients are called. Clients that are not
// authenticated share the limits of their host.
package access
