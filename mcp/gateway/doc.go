// Package gateway puts one MCP server in front of any number of others: those in
// the same process, those that it starts, and those that it reaches over the
// network. Each has a prefix, so that two tools named "search" stay apart.
//
//	g, err := gateway.New(gateway.Options{Info: mcp.Implementation{Name: "office", Version: "1.0.0"}},
//		gateway.Upstream{Name: "files", Server: files},
//		gateway.Upstream{Name: "git", Connect: gateway.Always(transport.Command{Path: "git-mcp"})},
//		gateway.Upstream{Name: "issues", Connect: gateway.Always(&httpclient.Client{URL: "https://issues.example/mcp"})})
//	err = transport.ServeStdio(ctx, g, nil)
//
// A Gateway is an mcp.Dispatcher, so that every transport serves it and whatever
// stands in front of a server stands in front of it too. It speaks every revision
// to its clients and to its upstreams, whatever the other side speaks: lists,
// calls, prompts, resources, completion, subscriptions, progress, cancellation
// and the questions that tools ask.
//
// What a client sees is one list of each kind, made of those of the upstreams and
// kept: an upstream that hangs or has died holds nobody up. Arguments and results
// pass through as they are.
//
// # Trust
//
// A gateway trusts its upstreams no more than a client does. Names that are not
// as the specification wants them are left out, as is what comes twice, and what
// an upstream may hold, list or ask is bounded. The credentials of a client never
// reach an upstream: see Upstream.Connect for whose are used instead.
package gateway
