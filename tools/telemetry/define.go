package telemetry

import (
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// currentModelTool is the tool that Options.OnlyKnownModel concerns.
const currentModelTool = "get_current_model"

// define returns the tools with their descriptions.
func (t *Telemetry) define() ([]mcp.ServerTool, error) {
	return tools.Define(mcp.ToolOptions{},
		mcp.NewTool(mcp.Tool{
			Name:        currentModelTool,
			Description: "Shows the current AI model: provider, context window, cost.",
			Annotations: mcp.ReadOnly(),
		}, t.CurrentModel),
		mcp.NewTool(mcp.Tool{
			Name:        "track_token_usage",
			Description: "Counts one use of a model; duration is in ms.",
			Annotations: mcp.Additive(),
		}, t.TrackTokenUsage),
		mcp.NewTool(mcp.Tool{
			Name:        "get_model_statistics",
			Description: "Sums up tracked token usage, with estimated cost.",
			Annotations: mcp.ReadOnly(),
		}, t.ModelStatistics),
		mcp.NewTool(mcp.Tool{
			Name:        "get_server_stats",
			Description: "Shows uptime, calls, errors, latency, clients and memory of this server.",
			Annotations: mcp.ReadOnly(),
		}, t.ServerStats),
	)
}
