package httpserver_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

func Example() {
	srv := mcp.NewServer(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	type args struct {
		Name string `json:"name"`
	}
	if err := mcp.AddTool(srv, mcp.Tool{Name: "greet", Description: "Greets a person."},
		func(_ context.Context, in args) (string, error) { return "Hello, " + in.Name, nil }); err != nil {
		panic(err)
	}

	handler := httpserver.NewHandler(srv, nil)
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	server := httptest.NewServer(mux)
	defer server.Close()
	defer handler.Shutdown(context.Background())

	ctx := context.Background()
	client, err := mcp.Connect(ctx, &httpclient.Client{URL: server.URL + "/mcp"}, mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	if err != nil {
		panic(err)
	}
	defer client.Close()
	answer, err := mcp.Call[string](ctx, client, "greet", args{Name: "World"})
	if err != nil {
		panic(err)
	}
	fmt.Println(answer)
	// Output: Hello, World
}
