package transport_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/websocket"
)

// One server on every transport, for clients of every revision.
func Example_everyTransport() {
	ctx := context.Background()
	srv := mcp.NewServer(mcp.Implementation{Name: "everywhere", Version: "1.0.0"}, nil)
	tokens, err := auth.ParseTokens(os.Getenv("TOKENS")) // alice=…,bob=…
	if err != nil {
		log.Fatal(err)
	}

	err = transport.Serve(ctx, srv,
		transport.Stdio{},
		transport.Listen{Network: "unix", Address: "/run/user/1000/tools.sock"},
		transport.HTTP{Address: "127.0.0.1:3000", Wrap: tokens.Wrap, Routes: map[string]transport.Route{
			"/mcp": httpserver.Options{},    // Streamable HTTP, all revisions at one address
			"/sse": httpserver.SSEOptions{}, // HTTP+SSE, for clients of 2024
			"/ws":  websocket.Options{},
		}},
	)
	log.Print(err)
}

// A Handler can be mounted in any router. The program shuts it down.
func Example_router() {
	srv := mcp.NewServer(mcp.Implementation{Name: "mounted", Version: "1.0.0"}, nil)

	handler := httpserver.NewHandler(srv, nil)
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	server := &http.Server{Addr: "127.0.0.1:3000", Handler: mux}
	server.RegisterOnShutdown(func() { _ = handler.Shutdown(context.Background()) })

	log.Print(server.ListenAndServe())
}

// A client negotiates the revision with the server.
func Example_client() {
	ctx := context.Background()

	client, err := mcp.Connect(ctx, &httpclient.Client{URL: "https://tools.example.com/mcp"}, mcp.Implementation{Name: "agent", Version: "1.0.0"}, &mcp.ClientOptions{
		OnListChanged: func(list string) { log.Printf("the %s have changed", list) },
		Elicit: func(ctx context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			fmt.Println(form.Message) // ask the user
			return mcp.Answer[json.RawMessage]{Action: mcp.Decline}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for tool, err := range client.Tools(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tool.Name, tool.Description)
	}
}

// Settings are the values of a form.
type Settings struct {
	Format string `json:"format" jsonschema:"enum=png,enum=svg,default=svg"`
	Width  int    `json:"width,omitempty" jsonschema:"minimum=1,default=800"`
}

// A handler asks the user in every revision of the client.
func Example_elicitation() {
	render := func(ctx context.Context, _ struct{}) (string, error) {
		answer, err := mcp.Elicit[Settings](ctx, "settings", "Which settings?")
		if err != nil || answer.Action != mcp.Accept {
			return "nothing rendered", err
		}
		if err := mcp.Confirm(ctx, "overwrite", "Overwrite plan.svg?"); err != nil {
			return "", err
		}
		mcp.Progress(ctx, 1, 2, "rendering")
		return fmt.Sprintf("rendered as %s, %d wide", answer.Value.Format, answer.Value.Width), nil
	}

	srv := mcp.NewServer(mcp.Implementation{Name: "plans", Version: "1.0.0"}, nil)
	if err := mcp.AddTool(srv, mcp.Tool{Name: "render"}, render); err != nil {
		log.Fatal(err)
	}
	client, err := mcp.Connect(context.Background(), transport.InMemory{Server: srv}, mcp.Implementation{Name: "agent", Version: "1.0.0"}, &mcp.ClientOptions{
		Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"format":"png"}`)}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	text, err := mcp.Call[string](context.Background(), client, "render", nil)
	fmt.Println(text, err)
	// Output: rendered as png, 800 wide <nil>
}

// A client is told when a resource changes.
func Example_subscription() {
	ctx := context.Background()
	srv := mcp.NewServer(mcp.Implementation{Name: "notes", Version: "1.0.0"}, nil)
	type place struct {
		Name string `json:"name"`
	}
	err := mcp.AddTemplate(srv, mcp.ResourceTemplate{URITemplate: "note:///{name}", Name: "note", MIMEType: "text/plain"},
		func(_ context.Context, uri string, in place) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{{URI: uri, MIMEType: "text/plain", Text: "about " + strings.ToLower(in.Name)}}, nil
		})
	if err != nil {
		log.Fatal(err)
	}
	client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, mcp.Implementation{Name: "agent", Version: "1.0.0"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	updated := make(chan string)
	sub, err := client.Subscribe(ctx, protocol.SubscriptionFilter{ResourceSubscriptions: []string{"note:///Today"}}, func(n protocol.Notification) {
		if n, ok := n.(*protocol.ResourceUpdatedNotification); ok {
			updated <- n.URI
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	defer sub.Close()
	srv.ResourceUpdated("note:///Today")
	result, err := client.ReadResource(ctx, <-updated, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Contents[0].Text)
	// Output: about today
}
