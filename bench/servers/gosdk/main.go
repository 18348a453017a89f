// Command gosdk serves the catalog with github.com/modelcontextprotocol/go-sdk over standard input and output or HTTP. Arguments
// and results are validated, as always for typed tools of that library.
package main

import (
	"context"
	"log"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dougu-go/dougu/bench/catalog"
	"github.com/dougu-go/dougu/bench/servers/internal/front"
)

func main() {
	settings := front.Parse()
	s := mcp.NewServer(&mcp.Implementation{Name: "gosdk", Version: "1.0.0"}, nil)
	if err := register(s, settings.Tools); err != nil {
		log.Fatal(err)
	}
	if settings.Fixture {
		addFixture(s)
	}
	if err := serve(s, settings); err != nil {
		log.Fatal(err)
	}
}

// serve responds over HTTP with plain JSON, which is cheaper for this library than an event stream. Its handler supports revision
// 2026-07-28 only without sessions.
func serve(s *mcp.Server, settings front.Settings) error {
	if settings.HTTP == "" {
		return s.Run(context.Background(), &mcp.StdioTransport{})
	}
	return settings.Serve(mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: !settings.Sessions, JSONResponse: true}))
}

func register(s *mcp.Server, total int) error {
	add(s, catalog.SmallName, catalog.SmallDescription, catalog.Greet)
	add(s, catalog.SearchName, catalog.SearchDescription, catalog.Search)
	add(s, catalog.SizeName, catalog.SizeDescription, catalog.Size)

	noops, err := catalog.Noops(total)
	if err != nil {
		return err
	}
	for _, n := range noops {
		switch n.Shape {
		case catalog.Read:
			add(s, n.Name, n.Description, nothing[catalog.ReadArgs])
		case catalog.Find:
			add(s, n.Name, n.Description, nothing[catalog.FindArgs])
		case catalog.Run:
			add(s, n.Name, n.Description, nothing[catalog.RunArgs])
		case catalog.Edit:
			add(s, n.Name, n.Description, nothing[catalog.EditArgs])
		}
	}
	return nil
}

func add[In, Out any](s *mcp.Server, name, description string, compute func(In) Out) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: description},
		func(_ context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
			return nil, compute(in), nil
		})
}

func nothing[In any](In) catalog.NoopResult { return catalog.NoopResult{OK: true} }

func addFixture(s *mcp.Server) {
	s.AddResource(
		&mcp.Resource{URI: catalog.AboutURI, Name: catalog.AboutName, MIMEType: catalog.AboutType},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			about := &mcp.ResourceContents{URI: catalog.AboutURI, MIMEType: catalog.AboutType, Text: catalog.AboutText}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{about}}, nil
		})
	argument := &mcp.PromptArgument{Name: catalog.PromptArgument, Description: catalog.PromptWho, Required: true}
	s.AddPrompt(
		&mcp.Prompt{Name: catalog.PromptName, Description: catalog.PromptDescription, Arguments: []*mcp.PromptArgument{argument}},
		func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			text := &mcp.TextContent{Text: catalog.Introduce(r.Params.Arguments[catalog.PromptArgument])}
			return &mcp.GetPromptResult{
				Description: catalog.PromptDescription,
				Messages:    []*mcp.PromptMessage{{Role: "user", Content: text}},
			}, nil
		})
}
