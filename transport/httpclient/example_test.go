package httpclient_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

func ExampleClient() {
	srv := mcp.NewServer(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	err := mcp.AddTool(srv, mcp.Tool{Name: "greet", Description: "Greets a person."}, func(_ context.Context, in struct {
		Name string `json:"name"`
	}) (string, error) {
		return "Hello, " + in.Name, nil
	})
	if err != nil {
		log.Fatal(err)
	}
	handler := httpserver.NewHandler(srv, nil)
	server := httptest.NewServer(handler)
	defer server.Close()

	ctx := context.Background()
	client, err := mcp.Connect(ctx, &httpclient.Client{
		URL:    server.URL + "/mcp",
		Header: http.Header{"X-Tenant": {"example"}},
		Token:  func(context.Context, *httpclient.StatusError) (string, error) { return "from the keyring", nil },
	}, mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	text, err := mcp.Call[string](ctx, client, "greet", map[string]string{"name": "World"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text, client.Revision())
	if err := client.Close(); err != nil {
		log.Fatal(err)
	}
	if err := handler.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: Hello, World 2026-07-28
}
