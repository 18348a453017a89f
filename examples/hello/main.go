// Command hello is the smallest server: one tool on standard input and output. On a terminal it explains itself.
package main

import (
	"context"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

type GreetArgs struct {
	Name string `json:"name" jsonschema:"minLength=1,description=Who to greet"`
}

func greet(_ context.Context, in GreetArgs) (string, error) { return "Hello, " + in.Name, nil }

func main() {
	explain() // on a terminal
	srv := mcp.NewServer(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	err := mcp.AddTool(srv, mcp.Tool{Name: "greet", Description: "Greets a person."}, greet)
	if err == nil {
		err = transport.ServeStdio(context.Background(), srv, nil)
	}
	if err != nil {
		log.Fatal(err)
	}
}
