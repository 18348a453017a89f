package migration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
)

//lint:file-ignore U1000,SA1019 the columns of the tables are compiled, not run

// The right column of docs/guide/from-mcp-go.md, where it is not that of docs/guide/from-go-sdk.md.

type GreetArgs struct {
	Name  string `json:"name" jsonschema:"minLength=1"`
	Count int    `json:"count,omitempty" jsonschema:"default=1"`
}

func greetText(ctx context.Context, in GreetArgs) (string, error) {
	if in.Name == "nobody" {
		return "", fmt.Errorf("the name %q is empty", in.Name)
	}
	return "Hello, " + in.Name, nil
}

func moreOfServer(ctx context.Context) error {
	allowed := func(ctx context.Context, req *protocol.Request, tool mcp.ServerTool) error { return nil }
	srv := mcp.NewServer(mcp.Implementation{Name: "hello", Version: "1.0.0"}, &mcp.ServerOptions{Authorize: allowed})
	err := mcp.AddTool(srv, mcp.Tool{Name: "greet", Description: "Greets a person."}, greetText)
	raw := func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.Text("done"), nil
	}
	schema := json.RawMessage(`{"type":"object"}`)
	tool := mcp.NewRawTool(mcp.Tool{Name: "raw", Description: "Does anything.", InputSchema: schema}, raw)
	err = errors.Join(err, srv.Replace("raw", mcp.Features{Tools: []mcp.ServerTool{tool}}))
	_ = mcp.Tool{Name: "list", Annotations: mcp.ReadOnly()}
	_ = mcp.Resource{URI: "notes:///today", Name: "today", MIMEType: "text/plain"}
	return errors.Join(err, transport.Serve(ctx, srv, transport.HTTP{Address: "127.0.0.1:3000", Routes: map[string]transport.Route{"/mcp": httpserver.Options{}}}))
}

func chart(ctx context.Context, in GreetArgs) ([]mcp.Content, error) {
	return []mcp.Content{mcp.TextContent{Text: "a chart"}, mcp.ImageContent{Data: []byte("hi"), MIMEType: "image/png"}}, nil
}
