// Command middleware logs every request, and more of a tool's call.
package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

type args struct {
	Name string `json:"name" jsonschema:"Name to greet"`
}

func greet(_ context.Context, in args) (string, error) { return "Hello, " + in.Name + "!", nil }

// logging returns middleware that logs requests.
func logging(logger *slog.Logger) mcp.Middleware {
	return func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			logger := logger.With("method", req.Method)
			logger.Info("MCP method started", "has_params", req.Params != nil)
			if name, arguments, ok := mcp.ToolCall(req); ok {
				logger.Info("Calling tool", "name", name, "args", string(arguments))
			}
			start := time.Now()
			result, err := next(ctx, req)
			if err != nil {
				logger.Error("MCP method failed", "duration_ms", time.Since(start).Milliseconds(), "err", err)
				return nil, err
			}
			logger.Info("MCP method completed", "duration_ms", time.Since(start).Milliseconds(), "has_result", result != nil)
			if tool, ok := result.(*mcp.ToolResult); ok {
				logger.Info("tool result", "isError", tool.IsError, "structuredContent", string(tool.Structured))
			}
			return result, nil
		}
	}
}

func main() {
	ctx := context.Background()
	server := mcp.NewServer(mcp.Implementation{Name: "logging-example"}, nil)
	server.Use(logging(slog.New(slog.NewTextHandler(os.Stdout, nil))))
	if err := mcp.AddTool(server, mcp.Tool{Name: "greet", Description: "Greet someone with logging."}, greet); err != nil {
		log.Fatal(err)
	}
	client, err := mcp.Connect(ctx, transport.InMemory{Server: server}, mcp.Implementation{Name: "test-client"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	text, err := mcp.Call[string](ctx, client, "greet", args{Name: "World"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("Tool result:", text)
}
