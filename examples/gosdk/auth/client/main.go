// Command client logs in at a server that needs a token, with a page in the user's browser, and lists its tools.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security/oauth"
	"github.com/dougu-go/dougu/transport/httpclient"
)

func main() {
	server := flag.String("server_url", "http://localhost:8000/mcp", "URL of the server")
	port := flag.Int("callback_port", 3142, "port of this machine that receives the authorization code")
	flag.Parse()
	ctx := context.Background()
	login := &oauth.Client{Name: "test-client", Authorizer: &oauth.Loopback{Port: *port, Open: func(_ context.Context, page string) error {
		fmt.Println("Please open the following URL in your browser:", page)
		return nil
	}}}
	defer login.Close()
	if err := login.Authorize(ctx, *server); err != nil {
		log.Fatal(err)
	}
	transport := &httpclient.Client{URL: *server, HTTPClient: &http.Client{Transport: login.Transport(*server, nil)}}
	client, err := mcp.Connect(ctx, transport, mcp.Implementation{Name: "test-client", Version: "1.0.0"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	log.Println("Tools:")
	for tool, err := range client.Tools(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		log.Printf("- %q", tool.Name)
	}
}
