// Command mcpgo serves the catalog with github.com/mark3labs/mcp-go, as its examples of structured tools do, over standard input
// and output or HTTP. Arguments are not validated, the default of that library.
package main

import (
	"context"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/dougu-go/dougu/bench/catalog"
	"github.com/dougu-go/dougu/bench/servers/internal/front"
)

func main() {
	settings := front.Parse()
	changes := settings.HTTP != "" // streams that listen report changes of the list
	s := server.NewMCPServer("mcpgo", "1.0.0", server.WithToolCapabilities(changes))
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

// serve serves legacy and modern revisions at one endpoint. Sessions are stored, because by default the library accepts any session
// id.
func serve(s *server.MCPServer, settings front.Settings) error {
	if settings.HTTP == "" {
		return server.ServeStdio(s)
	}
	return settings.Serve(server.NewStreamableHTTPServer(s, server.WithStateful(settings.Sessions)))
}

func register(s *server.MCPServer, total int) error {
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

func add[In, Out any](s *server.MCPServer, name, description string, compute func(In) Out) {
	s.AddTool(
		mcp.NewTool(name,
			mcp.WithDescription(description),
			mcp.WithInputSchema[In](),
			mcp.WithOutputSchema[Out](),
		),
		mcp.NewStructuredToolHandler(func(_ context.Context, _ mcp.CallToolRequest, in In) (Out, error) {
			return compute(in), nil
		}),
	)
}

func nothing[In any](In) catalog.NoopResult { return catalog.NoopResult{OK: true} }

func addFixture(s *server.MCPServer) {
	s.AddResource(
		mcp.NewResource(catalog.AboutURI, catalog.AboutName, mcp.WithMIMEType(catalog.AboutType)),
		func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			about := mcp.TextResourceContents{URI: catalog.AboutURI, MIMEType: catalog.AboutType, Text: catalog.AboutText}
			return []mcp.ResourceContents{about}, nil
		})
	s.AddPrompt(
		mcp.NewPrompt(catalog.PromptName, mcp.WithPromptDescription(catalog.PromptDescription),
			mcp.WithArgument(catalog.PromptArgument, mcp.ArgumentDescription(catalog.PromptWho), mcp.RequiredArgument())),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			text := mcp.NewTextContent(catalog.Introduce(r.Params.Arguments[catalog.PromptArgument]))
			return mcp.NewGetPromptResult(catalog.PromptDescription,
				[]mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, text)}), nil
		})
}
