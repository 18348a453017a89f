// Command dougu is a minimal server, written with this library.
package main

import (
	"context"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

type person struct {
	Name string `json:"name" jsonschema:"Who to greet"`
}

func greet(_ context.Context, in person) (string, error) { return "Hello, " + in.Name, nil }

func main() {
	server := mcp.NewServer(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	err := mcp.AddTool(server, mcp.Tool{Name: "greet", Description: "Greets a person."}, greet)
	if err == nil {
		err = transport.ServeStdio(context.Background(), server, nil)
	}
	if err != nil {
		log.Fatal(err)
	}
}
