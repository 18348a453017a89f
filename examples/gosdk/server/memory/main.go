// Command memory is a knowledge graph of entities and relations that a model fills and searches.
//
//	memory [-memory FILE] [-http ADDRESS]
package main

import (
	"context"
	"errors"
	"flag"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
)

type entities struct {
	Entities []Entity `json:"entities"`
}

type relations struct {
	Relations []Relation `json:"relations"`
}

type additions struct {
	Observations []addition `json:"observations"`
}

type addition struct {
	EntityName string   `json:"entityName"`
	Contents   []string `json:"contents"`
}

type entityNames struct {
	EntityNames []string `json:"entityNames" jsonschema:"entities to delete"`
}

type deletions struct {
	Deletions []deletion `json:"deletions"`
}

type deletion struct {
	EntityName   string   `json:"entityName"`
	Observations []string `json:"observations"`
}

type query struct {
	Query string `json:"query"`
}

type names struct {
	Names []string `json:"names" jsonschema:"names of nodes to open"`
}

func main() {
	address := flag.String("http", "", "`address` to serve at, in place of standard input and output")
	file := flag.String("memory", "", "`file` that keeps the knowledge; otherwise it is lost at exit")
	flag.Parse()
	if err := run(context.Background(), *address, &store{file: *file}); err != nil {
		log.Fatal(err)
	}
}

// tool registers a tool that changes or reads the graph. Each change is kept before its result is returned.
func tool[In, Out any](server *mcp.Server, s *store, name, description, done string, f func(*graph, In) (Out, error)) error {
	return mcp.AddTool(server, mcp.Tool{Name: name, Description: description}, func(_ context.Context, in In) (mcp.TypedResult[Out], error) {
		result := mcp.TypedResult[Out]{Content: []mcp.Content{mcp.TextContent{Text: done}}}
		err := s.change(func(g *graph) (err error) {
			result.Value, err = f(g, in)
			return err
		})
		return result, err
	})
}

func run(ctx context.Context, address string, s *store) error {
	server := mcp.NewServer(mcp.Implementation{Name: "memory"}, nil)
	if err := errors.Join(
		tool(server, s, "create_entities", "Create multiple new entities in the knowledge graph", "Entities created successfully", (*graph).createEntities),
		tool(server, s, "create_relations", "Create multiple new relations between entities", "Relations created successfully", (*graph).createRelations),
		tool(server, s, "add_observations", "Add new observations to existing entities", "Observations added successfully", (*graph).addObservations),
		tool(server, s, "delete_entities", "Remove entities and their relations", "Entities deleted successfully", (*graph).deleteEntities),
		tool(server, s, "delete_observations", "Remove specific observations from entities", "Observations deleted successfully", (*graph).deleteObservations),
		tool(server, s, "delete_relations", "Remove specific relations from the graph", "Relations deleted successfully", (*graph).deleteRelations),
		tool(server, s, "read_graph", "Read the entire knowledge graph", "Graph read successfully", func(g *graph, _ mcp.None) (graph, error) { return *g, nil }),
		tool(server, s, "search_nodes", "Search for nodes based on query", "Nodes searched successfully", (*graph).search),
		tool(server, s, "open_nodes", "Retrieve specific nodes by name", "Nodes opened successfully", (*graph).open),
	); err != nil {
		return err
	}
	if address == "" {
		return transport.ServeStdio(ctx, server, nil)
	}
	return transport.Serve(ctx, server, transport.HTTP{Address: address, Routes: map[string]transport.Route{"/": httpserver.Options{}}})
}
