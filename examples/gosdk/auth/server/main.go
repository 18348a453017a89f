// Command server accepts access tokens that an authorization server confirms (RFC 7662) and logs each request.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/introspect"
	"github.com/dougu-go/dougu/transport/httpserver"
)

type args struct {
	Input string `json:"input"`
}

func echo(_ context.Context, in args) (string, error) { return in.Input, nil }

// logging is middleware that logs each request and its duration.
func logging(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
		start := time.Now()
		log.Printf("[REQUEST] Principal: %s | Method: %s", req.Peer.Principal, req.Method)
		result, err := next(ctx, req)
		log.Printf("[RESPONSE] Principal: %s | Method: %s | Error: %v | Duration: %v", req.Peer.Principal, req.Method, err, time.Since(start))
		return result, err
	}
}

func main() {
	port := flag.Int("port", 8000, "port to listen on")
	issuer := flag.String("issuer", "", "authorization server")
	introspection := flag.String("introspection", "", "introspection endpoint of the authorization server")
	id := flag.String("client_id", "", "name of this server at the authorization server")
	secret := flag.String("client_secret", "", "secret of this server at the authorization server")
	flag.Parse()
	server := mcp.NewServer(mcp.Implementation{Name: "test-server", Version: "1.0.0"}, nil)
	server.Use(logging)
	if err := mcp.AddTool(server, mcp.Tool{Name: "echo"}, echo); err != nil {
		log.Fatal(err)
	}
	url := fmt.Sprintf("http://localhost:%d/mcp", *port)
	resource := &auth.Resource{
		URL: url, AuthorizationServers: []string{*issuer}, Scopes: []string{"read"}, Required: []string{"read"},
		Verifier: &introspect.Verifier{
			URL: *introspection, Issuer: *issuer, Audiences: []string{url}, NoAudience: true, ClientID: *id, ClientSecret: *secret,
		},
	}
	if err := resource.Err(); err != nil {
		log.Fatal(err)
	}
	resource.Mount(http.DefaultServeMux)
	http.Handle("/mcp", resource.Wrap(httpserver.NewHandler(server, nil)))
	log.Printf("Starting server on %s", url)
	log.Fatal(http.ListenAndServe(fmt.Sprintf("localhost:%d", *port), nil))
}
