//lint:file-ignore SA1019 logging is deprecated, and tested all the same

package main

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// step is the interval between notifications of slow tools. At shorter intervals an unread notification is replaced by the next
// one.
const step = 50 * time.Millisecond

// slowTools returns tools that take time and report progress.
func slowTools() []mcp.ServerTool {
	return []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "test_tool_with_progress", Description: "Reports progress three times."}, withProgress),
		mcp.NewTool(mcp.Tool{Name: "test_tool_with_logging", Description: "Logs three messages."}, withLogging),
		mcp.NewTool(mcp.Tool{Name: "test_reconnection", Description: "Ends its stream before it answers; the answer is on the next one."}, reconnection),
	}
}

func withProgress(ctx context.Context, _ none) (string, error) {
	for _, done := range []float64{0, 50, 100} {
		mcp.Progress(ctx, done, 100, "")
		if err := wait.Sleep(ctx, step); err != nil {
			return "", err
		}
	}
	return "Completed in three steps.", nil
}

func withLogging(ctx context.Context, _ none) (string, error) {
	for _, message := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		mcp.Log(ctx, protocol.LevelInfo, "conformance", message)
		if err := wait.Sleep(ctx, step); err != nil {
			return "", err
		}
	}
	return "Logged three messages.", nil
}

// reconnection closes the stream, so that the client polls, in revisions that support it.
func reconnection(ctx context.Context, _ none) (string, error) {
	httpserver.Poll(ctx, 2*step)
	if err := wait.Sleep(ctx, 2*step); err != nil {
		return "", err
	}
	return "The answer came after the stream was closed.", nil
}
