// Package gateway combines any number of MCP servers behind one server. These upstreams run in the
// same process, as child processes or on the network. Each upstream has a prefix, so that two tools
// named "search" stay distinct.
//
//	g, err := gateway.New(gateway.Options{Info: mcp.Implementation{Name: "office", Version: "1.0.0"}},
//		gateway.Upstream{Name: "files", Server: files},
//		gateway.Upstream{Name: "git", Connect: gateway.Always(transport.Command{Path: "git-mcp"})},
//		gateway.Upstream{Name: "issues", Connect: gateway.Always(&httpclient.Client{URL: "https://issues.example/mcp"})})
//	err = transport.ServeStdio(ctx, g, nil)
//
// A [Gateway] is an protocol.Dispatcher, so every transport and middleware of a server can be used. It
// translates between the revisions of clients and upstreams: lists, calls, prompts, resources,
// completion, subscriptions, progress, cancellation, tasks and questions.
//
// Clients see one merged list of each kind, which the Gateway caches. A principal has its own lists
// and connections if an upstream has PerPrincipal. The Gateway connects to an upstream at its first
// use or in Gateway.Start. An upstream that hangs or has ended does not block the others. Arguments
// and results are forwarded unchanged.
//
// # Trust
//
// Upstreams are untrusted. Invalid and duplicate names are omitted, and the size of lists and the
// number of requests of an upstream are limited. Credentials of a client never reach an upstream;
// see Upstream.Connect for the credentials of a connection.
package gateway
