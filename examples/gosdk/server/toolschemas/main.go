// Command toolschemas states the schemas of a tool in several ways: derived from types, written as JSON, and both.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

type input struct {
	Name string `json:"name" jsonschema:"the person to greet"`
}

type limited struct {
	Name string `json:"name" jsonschema:"maxLength=10,description=the person to greet"`
}

type output struct {
	Greeting string `json:"greeting" jsonschema:"the greeting to send to the user"`
}

const (
	inputSchema  = `{"type":"object","properties":{"name":{"type":"string","maxLength":10}}}`
	outputSchema = `{"type":"object","properties":{"greeting":{"type":"string"}}}`
)

func greet(_ context.Context, in input) (output, error) { return output{"Hi " + in.Name}, nil }

// manual gets valid arguments as JSON and makes the whole result.
func manual(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
	var in input
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, err
	}
	text, err := json.Marshal(output{"Hi " + in.Name})
	return &mcp.ToolResult{Structured: text}, err
}

func unlimited(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
	var in struct{ User string }
	err := json.Unmarshal(args, &in)
	return mcp.Text("Hi " + in.User), err
}

func main() {
	server := mcp.NewServer(mcp.Implementation{Name: "greeter"}, &mcp.ServerOptions{CheckResults: true})
	err := errors.Join(
		mcp.AddTool(server, mcp.Tool{Name: "simple_greeting"}, greet),
		mcp.AddTool(server, mcp.Tool{Name: "customized_greeting_2"}, func(ctx context.Context, in limited) (output, error) { return greet(ctx, input(in)) }),
		server.Replace("json", mcp.Features{Tools: []mcp.ServerTool{
			mcp.NewRawTool(mcp.Tool{Name: "manual_greeting", InputSchema: json.RawMessage(inputSchema), OutputSchema: json.RawMessage(outputSchema)}, manual),
			mcp.NewRawTool(mcp.Tool{Name: "unlimited_greeting", InputSchema: json.RawMessage(`{"type":"object","properties":{"user":{"type":"string"}}}`)}, unlimited),
			mcp.NewTool(mcp.Tool{Name: "customized_greeting_1"}, greet).With(mcp.ToolOptions{InputSchema: json.RawMessage(inputSchema)}),
		}}),
	)
	if err == nil {
		err = transport.ServeStdio(context.Background(), server, nil)
	}
	if err != nil {
		log.Fatal(err)
	}
}
