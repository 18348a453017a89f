// Command http is a server and a client of Streamable HTTP. The server logs each request.
//
//	http server
//	http client
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

func main() {
	host := flag.String("host", "localhost", "host to connect to or listen on")
	port := flag.Int("port", 8000, "port to connect to or listen on")
	proto := flag.String("proto", "http", "scheme of the URL, for the client")
	flag.Parse()
	var err error
	switch address := fmt.Sprintf("%s:%d", *host, *port); flag.Arg(0) {
	case "server":
		err = serve(context.Background(), address)
	case "client":
		err = use(context.Background(), *proto+"://"+address)
	default:
		log.Fatal("Usage: http [flags] server|client")
	}
	if err != nil {
		log.Fatal(err)
	}
}

type args struct {
	City string `json:"city,omitempty" jsonschema:"enum=nyc,enum=sf,enum=boston,default=nyc,description=City to get time for"`
}

func cityTime(_ context.Context, in args) (string, error) {
	city := map[string][2]string{
		"nyc":    {"New York City", "America/New_York"},
		"sf":     {"San Francisco", "America/Los_Angeles"},
		"boston": {"Boston", "America/New_York"},
	}[in.City]
	zone, err := time.LoadLocation(city[1])
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("The current time in %s is %s", city[0], time.Now().In(zone).Format(time.RFC3339)), nil
}

// logging is middleware that logs each request and its duration.
func logging(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
		start := time.Now()
		log.Printf("[REQUEST] Address: %s | Method: %s", req.Peer.Address, req.Method)
		result, err := next(ctx, req)
		log.Printf("[RESPONSE] Address: %s | Method: %s | Error: %v | Duration: %v", req.Peer.Address, req.Method, err, time.Since(start))
		return result, err
	}
}

func serve(ctx context.Context, address string) error {
	server := mcp.NewServer(mcp.Implementation{Name: "time-server", Version: "1.0.0"}, nil)
	server.Use(logging)
	err := mcp.AddTool(server, mcp.Tool{Name: "cityTime", Description: "Get the current time in NYC, San Francisco, or Boston"}, cityTime)
	if err != nil {
		return err
	}
	log.Printf("MCP server listening on %s", address)
	return transport.Serve(ctx, server, transport.HTTP{Address: address, Routes: map[string]transport.Route{"/": httpserver.Options{}}})
}

func use(ctx context.Context, url string) error {
	client, err := mcp.Connect(ctx, &httpclient.Client{URL: url}, mcp.Implementation{Name: "time-client", Version: "1.0.0"}, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	for tool, err := range client.Tools(ctx) {
		if err != nil {
			return err
		}
		log.Printf("  - %s: %s", tool.Name, tool.Description)
	}
	for _, city := range []string{"nyc", "sf", "boston"} {
		text, err := mcp.Call[string](ctx, client, "cityTime", args{City: city})
		if err != nil {
			return err
		}
		log.Printf("  %s", text)
	}
	return nil
}
