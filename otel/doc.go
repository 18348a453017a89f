// Package otel observes servers, clients and gateways with OpenTelemetry: it makes a
// span of every request, with the trace in the _meta of the request (2026-07-28,
// basic, "_meta"), and histograms of the durations. Names and attributes follow the
// semantic conventions for MCP, which are in development.
//
//	instruments, err := otel.New(otel.Options{Tracers: tracers, Meters: meters})
//	srv.Use(instruments.Server)
//	client, err := mcp.Connect(ctx, instruments.Client(transport), info, instruments.Answers(opts))
//
// Answers wraps the functions of the client that answer questions of the server
// (elicitation, sampling), so that each answer has a span, too.
//
// A gateway has both sides: Instruments.Dispatcher in front of it, and
// Instruments.Client around the transports of its upstreams.
//
// Package export makes providers that send to a collector, configured by the
// environment. Any other providers work, too. Package usage makes metrics of the
// counts of package telemetry, and package agents makes spans of agents.
//
// # Content
//
// Spans have the names of methods, tools and prompts, revision, transport, address
// of the peer, and the end of the request: the code and the redacted message of a
// protocol error, and the error code of a tool. Spans have arguments only with
// Options.Arguments. They never have results, error texts of tools, or the user and
// query of a URI. The id of a session is replaced by its digest. Metrics have a
// few of these attributes, each histogram in at most 1,000 combinations.
//
// # Cost
//
// Without providers nothing is wrapped and a request costs nothing more. This package
// never waits for a collector: sending is the task of the providers.
package otel
