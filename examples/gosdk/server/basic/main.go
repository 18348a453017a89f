// Command basic connects a client to a server in memory and calls a tool.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

type args struct {
	Name string `json:"name"`
}

func greet(_ context.Context, in args) (string, error) { return "Hi " + in.Name, nil }

func main() {
	ctx := context.Background()
	server := mcp.NewServer(mcp.Implementation{Name: "greeter", Version: "v0.0.1"}, nil)
	if err := mcp.AddTool(server, mcp.Tool{Name: "greet", Description: "say hi"}, greet); err != nil {
		log.Fatal(err)
	}
	client, err := mcp.Connect(ctx, transport.InMemory{Server: server}, mcp.Implementation{Name: "client"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	text, err := mcp.Call[string](ctx, client, "greet", args{Name: "user"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
}
