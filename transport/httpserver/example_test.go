package httpserver_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
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

// The transport of 2024, for clients that have no other. Its stream and its messages have one address here.
func ExampleNewSSEHandler() {
	srv := mcp.NewServer(mcp.Implementation{Name: "old", Version: "1.0.0"}, nil)
	handler := httpserver.NewSSEHandler(srv, nil)
	server := httptest.NewServer(handler)
	defer server.Close()
	defer handler.Shutdown(context.Background())

	client, err := mcp.Connect(context.Background(), &httpclient.Client{URL: server.URL, SSE: true}, mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	if err != nil {
		panic(err)
	}
	defer client.Close()
	fmt.Println(client.Server().Server.Name)
	// Output: old
}

// A long call of a session closes its HTTP response. The client gets the result when it resumes the stream.
func ExamplePoll() {
	srv := mcp.NewServer(mcp.Implementation{Name: "reports", Version: "1.0.0"}, nil)
	err := mcp.AddTool(srv, mcp.Tool{Name: "report"}, func(ctx context.Context, _ struct{}) (string, error) {
		if httpserver.Poll(ctx, 10*time.Millisecond) {
			return "a report for a client that resumes", nil // after minutes of work
		}
		return "a report", nil
	})
	if err != nil {
		panic(err)
	}
	handler := httpserver.NewHandler(srv, nil)
	server := httptest.NewServer(handler)
	defer server.Close()
	defer handler.Shutdown(context.Background())
	client, err := mcp.Connect(context.Background(), &httpclient.Client{URL: server.URL}, mcp.Implementation{Name: "example", Version: "1.0.0"}, &mcp.ClientOptions{Revision: protocol.Rev20251125})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	fmt.Println(mcp.Call[string](context.Background(), client, "report", nil))
	// Output: a report for a client that resumes <nil>
}
