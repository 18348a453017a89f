// Command mcpgo is a minimal server, written with github.com/mark3labs/mcp-go.
package main

import (
	"context"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func greet(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name, err := request.RequireString("name")
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	return mcp.NewToolResultText("Hello, " + name), nil
}

func main() {
	s := server.NewMCPServer("hello", "1.0.0", server.WithInputSchemaValidation(), server.WithStrictInputSchemaDefault())
	s.AddTool(mcp.NewTool("greet", mcp.WithDescription("Greets a person."),
		mcp.WithString("name", mcp.Required(), mcp.Description("Who to greet"))), greet)
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}
