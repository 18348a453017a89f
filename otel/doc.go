// Package otel tells OpenTelemetry what servers, clients and gateways of this
// library do: a span of every request, with the trace carried on in its _meta
// (2026-07-28, basic, "_meta"), and histograms of how long requests take. Names
// and attributes are those of the semantic conventions for MCP, which are in
// development.
//
//	instruments, err := otel.New(otel.Options{Tracers: tracers, Meters: meters})
//	srv.Use(instruments.Server)
//	client, err := mcp.Connect(ctx, instruments.Client(transport), info, instruments.Answers(opts))
//
// A gateway has both sides: Instruments.Dispatcher in front of it, and
// Instruments.Client around what its upstreams are reached by.
//
// Package export makes providers that send to a collector, as the environment
// says; any others do. Package usage makes metrics of what package telemetry
// counts, and package agents spans of the agents that are run.
//
// # What is told
//
// Spans bear the names of methods, tools and prompts, revision, transport, place
// of the peer, and how the request has ended: the code and the message of a
// protocol error, without what looks like a secret, and the code of a tool's error.
// They do not bear arguments, unless Options.Arguments is set, results, what tools
// say of their errors, users and queries of URIs, and the ids of sessions, of which
// they have a digest. Metrics have as few attributes, and of no more than 1,000
// combinations each.
//
// # Cost
//
// Without providers nothing is wrapped, and nothing is paid. Nothing here waits
// for anybody: how spans are sent is for the providers.
package otel
