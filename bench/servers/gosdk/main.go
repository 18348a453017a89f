// Command gosdk serves the catalog over standard input and output with
// github.com/modelcontextprotocol/go-sdk. Arguments and results are
// validated, as that library always does for typed tools.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dougu-go/dougu/bench/catalog"
)

func main() {
	total := flag.Int("tools", 50, "how many tools to serve")
	flag.Parse()

	s := mcp.NewServer(&mcp.Implementation{Name: "gosdk", Version: "1.0.0"}, nil)
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
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}

func add[In, Out any](s *mcp.Server, name, description string, compute func(In) Out) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: description},
		func(_ context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
			return nil, compute(in), nil
		})
}

func nothing[In any](In) catalog.NoopResult { return catalog.NoopResult{OK: true} }
