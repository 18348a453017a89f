// Package telemetry is the set of tools that tell of the model that is at work, of its use, and of the server itself:
// get_current_model, track_token_usage, get_model_statistics and get_server_stats, as the CursorCLI specification has them.
//
// Every tool is also a method of [Telemetry], for programs that need no protocol:
//
//	recorder := telemetry.NewRecorder()
//	set, err := telemetry.New(tools.Env{}, telemetry.Options{Recorder: recorder, Environment: os.Getenv})
//	got, err := set.TrackTokenUsage(ctx, telemetry.TrackArgs{ModelName: "gpt-5", InputTokens: 1200, OutputTokens: 300, Duration: 850})
//
// A [Recorder] counts and outlives the sets, which are made anew when a configuration changes. Its Middleware, in
// tools.Profile.Wrap, measures the tools of a server.
// Its Requests, in mcp.Server.Use, measures all requests by their method; Snapshot tells other programs what was counted: package
// prometheus shows it, and package alert watches it.
//
// # The current model
//
// No server knows which model its client talks to, so it is taken on trust: from the configuration, else from variables of the
// environment, else from what the client says in the _meta of the very request, else it is a default. The answer tells which.
// Clients say it under the key io.github.dougu-go/model, dougu/model or cursor/model, as the name of the model or as an object:
//
//	"_meta": {"dougu/model": {"name": "claude-sonnet-4-5", "provider": "anthropic", "contextWindow": 200000}}
//
// What names a model says no more than that, a small table of well-known models completes, by the beginning of their names:
// their makers, and context windows as they were known in July 2026. These are approximate, and marked so: makers change
// them, sell different ones under one name, and clients use less than there is.
//
// # Use and cost
//
// Tokens and milliseconds are what callers track; nothing is measured or guessed, and nothing else is kept: no text of a
// conversation, no content of files, no arguments. Sums are exact, and stop at the largest int64 instead of overflowing. Of 1,000
// models each is counted by itself, more are counted together as "other". Cost is estimated when it is asked for, from the sums
// and the present prices, in exact decimal arithmetic; see [ParsePrices] for the file.
//
// # The file of statistics
//
// With Options.StatsFile usage outlives the program. It is written at most every two seconds and on Close, as a whole or not at
// all; a crash loses no more than those two seconds. Processes that share a file add to what they find in it, by turns, and see
// what others have added when they have written themselves. A lock file lies beside it, and stays. A damaged file is renamed,
// with .corrupt behind its name, and the log says so; what this process knows of it is written anew. So it is when the file is
// gone: to begin from nothing, remove it while no server is running.
//
// # Statistics of the server
//
// Calls are counted by the name that they were made under. An error is a result with isError or a returned error, a panic is one
// with the code INTERNAL_ERROR; calls that the client gave up, and rounds that end with a question to it, are counted apart and
// do not enter the latency. Quantiles of latency come from a histogram with 16 buckets for every doubling: they are at most
// 3.2 % off. Everything is bounded: 256 tools, 32 codes of errors each, 4,096 sessions, 64 clients.
package telemetry
