//lint:file-ignore SA1019 sampling and logging are deprecated, and tested all the same

package main

import (
	"context"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// strictTools returns tools that only some requests permit.
func strictTools() []mcp.ServerTool {
	return []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "test_missing_capability", Description: "Needs a client with a model."},
			func(ctx context.Context, _ none) (string, error) {
				return ask(ctx, "The model said", sampling("answer", "Say something", 10))
			}),
		mcp.NewTool(mcp.Tool{Name: "test_streaming_elicitation", Description: "Asks the user after a sign of life."},
			func(ctx context.Context, _ none) (string, error) {
				mcp.Progress(ctx, 1, 2, "about to ask")
				return askForm[nameForm](ctx, "user_name", "What is your name?")
			}),
		mcp.NewTool(mcp.Tool{Name: "test_logging_tool", Description: "Logs, which a client hears if it has asked to."},
			func(ctx context.Context, _ none) (string, error) {
				mcp.Log(ctx, protocol.LevelError, "conformance", "only for who has asked")
				return "Logged.", nil
			}),
	}
}
