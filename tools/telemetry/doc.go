// Package telemetry is the tool set that reports the current model, its usage and the state of the
// server. Its tools are get_current_model, track_token_usage, get_model_statistics and
// get_server_stats, as the CursorCLI specification defines them.
//
// Every tool is also a method of [Telemetry], for programs that do not use the protocol:
//
//	recorder := telemetry.NewRecorder()
//	set, err := telemetry.New(tools.Env{}, telemetry.Options{Recorder: recorder, Environment: os.Getenv})
//	got, err := set.TrackTokenUsage(ctx, telemetry.TrackArgs{ModelName: "gpt-5", InputTokens: 1200, OutputTokens: 300, Duration: 850})
//
// A [Recorder] holds all counts. It lives as long as the server; a change of the configuration
// makes a new set with the same Recorder. [Recorder.Middleware], in tools.Profile.Wrap, measures
// the tools of a server. [Recorder.Requests], in mcp.Server.Use, measures all requests by method.
// [Recorder.Snapshot] returns the counts to other programs: package prometheus exports them, and
// package alert checks them.
//
// # The current model
//
// A server cannot verify which model its client uses. The model is therefore read, in this order,
// from the configuration, from environment variables, from the _meta of the request, or it is the
// default. The result contains the source. Clients send the model under the key
// io.github.dougu-go/model, dougu/model or cursor/model, as a name or as an object:
//
//	"_meta": {"dougu/model": {"name": "claude-sonnet-4-5", "provider": "anthropic", "contextWindow": 200000}}
//
// If the source gives only a name, a small table completes provider and context window by the
// prefix of the name. The table has the values of July 2026. Context windows from it are marked as
// approximate, because providers change them and sell variants under one name.
//
// # Use and cost
//
// Only the tokens and milliseconds that callers track are kept: no text of a conversation, no
// content of files, no arguments. Sums are exact, and saturate at the largest int64. The first
// 1,000 models are counted by name, further models together as "other". The cost is computed on
// request, from the sums and the present prices, in exact decimal arithmetic; [ParsePrices]
// documents the price file.
//
// # The file of statistics
//
// With Options.StatsFile usage survives the end of the program. The file is written atomically, at
// most every two seconds and on Close; a crash loses at most those two seconds. Processes that share
// a file take a lock, read the file, and add their own counts. A process sees the counts of other
// processes after its own next write. The lock file beside the statistics is never removed.
//
// A damaged file is renamed with the suffix .corrupt, and a warning is logged. The process then
// writes a new file with the counts that it has in memory. The same happens if the file is removed:
// to reset the statistics, remove the file while no server is running.
//
// # Statistics of the server
//
// Calls are counted by the name of the tool in the request. A result with isError or a returned
// error is an error; a panic is an error with the code INTERNAL_ERROR. Calls that the client
// cancelled, and rounds that end with a question to the client, have counters of their own and do
// not enter the latency. Quantiles of the latency come from a histogram with 16 buckets per power
// of two; their error is at most 3.2 %. Memory is bounded: 256 tools, 32 error codes per tool, 4,096
// sessions and 64 clients.
package telemetry
