// Command hello is a server with one tool on standard input and output.
package main

import (
	"context"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

type args struct {
	Name string `json:"name" jsonschema:"the person to greet"`
}

func greet(_ context.Context, in args) (string, error) { return "Hi " + in.Name, nil }

func main() {
	server := mcp.NewServer(mcp.Implementation{Name: "greeter"}, nil)
	if err := mcp.AddTool(server, mcp.Tool{Name: "greet", Description: "say hi"}, greet); err != nil {
		log.Fatal(err)
	}
	if err := transport.ServeStdio(context.Background(), server, nil); err != nil {
		log.Fatal(err)
	}
}
