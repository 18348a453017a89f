// Command mcpgo serves the catalog over standard input and output with
// github.com/mark3labs/mcp-go, as its examples of structured tools do.
// Arguments are not validated, which is that library's default.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/dougu-go/dougu/bench/catalog"
)

func main() {
	total := flag.Int("tools", 50, "how many tools to serve")
	flag.Parse()

	s := server.NewMCPServer("mcpgo", "1.0.0", server.WithToolCapabilities(false))
	add(s, catalog.SmallName, catalog.SmallDescription, catalog.Greet)
	add(s, catalog.SearchName, catalog.SearchDescription, catalog.Search)
	add(s, catalog.SizeName, catalog.SizeDescription, catalog.Size)

	noops, err := catalog.Noops(*total)
	if err != nil {
		log.Fatal(err)
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
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
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
