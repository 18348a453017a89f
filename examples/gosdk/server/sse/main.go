// Command sse serves two servers over HTTP+SSE, the transport of 2024: /greeter1 and /greeter2.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport/httpserver"
)

type args struct {
	Name string `json:"name"`
}

func greet(_ context.Context, in args) (string, error) { return "Hi " + in.Name, nil }

func main() {
	host := flag.String("host", "localhost", "host to listen on")
	port := flag.String("port", "8080", "port to listen on")
	flag.Parse()
	for number, description := range map[string]string{"1": "say hi", "2": "say hello"} {
		server := mcp.NewServer(mcp.Implementation{Name: "greeter" + number}, nil)
		if err := mcp.AddTool(server, mcp.Tool{Name: "greet" + number, Description: description}, greet); err != nil {
			log.Fatal(err)
		}
		http.Handle("/greeter"+number, httpserver.NewSSEHandler(server, nil))
	}
	log.Printf("MCP servers serving at %s:%s", *host, *port)
	log.Fatal(http.ListenAndServe(*host+":"+*port, nil))
}
