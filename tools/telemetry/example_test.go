package telemetry_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/telemetry"
)

// Usage is tracked and priced.
func Example() {
	prices, err := telemetry.ParsePrices([]byte(`{"currency": "USD", "models": {"gpt-5*": {"inputPer1k": 0.00125, "outputPer1k": 0.01}}}`))
	if err != nil {
		log.Fatal(err)
	}
	set, err := telemetry.New(tools.Env{}, telemetry.Options{Prices: prices, Model: telemetry.ModelInfo{Name: "gpt-5-mini"}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	defer set.Close(ctx)

	model, err := set.CurrentModel(ctx, telemetry.CurrentModelArgs{})
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		_, err := set.TrackTokenUsage(ctx, telemetry.TrackArgs{ModelName: model.Name, InputTokens: 12_000, OutputTokens: 800, Duration: 1_500})
		if err != nil {
			log.Fatal(err)
		}
	}
	used, err := set.ModelStatistics(ctx, telemetry.StatisticsArgs{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Provider, used.TotalTokensUsed.Input, used.TotalTokensUsed.Output, used.EstimatedCost, used.Currency)
	// Output: openai 24000 1600 0.046 USD
}

// A recorder measures every tool of a server, and outlives its set.
func ExampleRecorder() {
	recorder := telemetry.NewRecorder()
	set, err := telemetry.New(tools.Env{}, telemetry.Options{Recorder: recorder})
	if err != nil {
		log.Fatal(err)
	}
	srv := mcp.NewServer(mcp.Implementation{Name: "server", Version: "1.0.0"}, nil)
	profile := tools.Profile{Wrap: []mcp.ToolMiddleware{recorder.Middleware}}
	installed, err := tools.Install(srv, "telemetry", profile, set)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	defer installed.Close(ctx)

	for range 3 {
		_, err := srv.Dispatch(ctx, &protocol.Request{Method: "tools/call", Params: []byte(`{"name":"get_current_model"}`), Meta: protocol.RequestMeta{Revision: protocol.Latest}})
		if err != nil {
			log.Fatal(err)
		}
	}
	stats, err := set.ServerStats(ctx, telemetry.ServerStatsArgs{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.Requests.ByTool["get_current_model"].Count, stats.Requests.Errors)
	// Output: 3 0
}
