package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

var exampleClient = mcp.Implementation{Name: "example", Version: "1.0.0"}

// library is a server with a resource and a prompt.
func library() *mcp.Server {
	srv := mcp.NewServer(mcp.Implementation{Name: "library", Version: "1.0.0"}, nil)
	err := mcp.AddResource(srv, mcp.Resource{URI: "library:///opening-hours", Name: "Opening hours"},
		func(_ context.Context, uri string) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{{URI: uri, Text: "9 to 5"}}, nil
		})
	if err != nil {
		log.Fatal(err)
	}
	type topic struct {
		Topic string `json:"topic"`
	}
	err = mcp.AddPrompt(srv, mcp.Prompt{Name: "recommend", Description: "Asks for a book."},
		func(_ context.Context, in topic) (*mcp.PromptResult, error) {
			return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText("Recommend a book on " + in.Topic + ".")}}, nil
		})
	if err != nil {
		log.Fatal(err)
	}
	return srv
}

// A resource is read by its URI.
func ExampleClient_ReadResource() {
	ctx := context.Background()
	client, err := mcp.Connect(ctx, transport.InMemory{Server: library()}, exampleClient, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for resource, err := range client.Resources(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		result, err := client.ReadResource(ctx, resource.URI, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(resource.Name+":", result.Contents[0].Text)
	}
	_, err = client.ReadResource(ctx, "library:///secrets", nil)
	fmt.Println("not found:", mcp.IsResourceNotFound(err))
	// Output:
	// Opening hours: 9 to 5
	// not found: true
}

// A prompt is a template of a conversation.
func ExampleClient_GetPrompt() {
	ctx := context.Background()
	client, err := mcp.Connect(ctx, transport.InMemory{Server: library()}, exampleClient, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	prompt, err := client.GetPrompt(ctx, "recommend", map[string]string{"topic": "sailing"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, message := range prompt.Messages {
		fmt.Println(message.Role, "says:", message.Content.(mcp.TextContent).Text)
	}
	// Output:
	// user says: Recommend a book on sailing.
}

// A subscription tells of changes, whatever the revision that the server speaks.
// When the server ends it, Done is closed; to open another is up to the caller.
func ExampleClient_Subscribe() {
	ctx := context.Background()
	srv := library()
	client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, exampleClient, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	changes := make(chan string)
	filter := protocol.SubscriptionFilter{ResourceSubscriptions: []string{"library:///opening-hours"}}
	sub, err := client.Subscribe(ctx, filter, func(n protocol.Notification) {
		if n, ok := n.(*protocol.ResourceUpdatedNotification); ok {
			changes <- n.URI
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	srv.ResourceUpdated("library:///opening-hours")
	fmt.Println("changed:", <-changes)
	fmt.Println("closed:", sub.Close())
	// Output:
	// changed: library:///opening-hours
	// closed: <nil>
}

// A client that lets its user answer the questions of tools. A field that
// the user leaves out of a form gets its default.
func ExampleClientOptions() {
	ctx := context.Background()
	type order struct {
		Size  string `json:"size" jsonschema:"enum=small,enum=large"`
		Sugar bool   `json:"sugar,omitempty" jsonschema:"default=true"`
	}
	srv := mcp.NewServer(mcp.Implementation{Name: "bar", Version: "1.0.0"}, nil)
	err := mcp.AddTool(srv, mcp.Tool{Name: "coffee"}, func(ctx context.Context, _ struct{}) (string, error) {
		answer, err := mcp.Elicit[order](ctx, "order", "Which coffee?")
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s: %s, with sugar: %v", answer.Action, answer.Value.Size, answer.Value.Sugar), nil
	})
	if err != nil {
		log.Fatal(err)
	}
	client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, exampleClient, &mcp.ClientOptions{
		Elicit: func(_ context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			fmt.Println(form.Message)
			return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"size":"small"}`)}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	fmt.Println(mcp.Call[string](ctx, client, "coffee", nil))
	// Output:
	// Which coffee?
	// accept: small, with sugar: true <nil>
}

// Middleware of a client sees every request that it sends: here it asks for the progress of each.
func ExampleClientOptions_use() {
	ctx := context.Background()
	srv := mcp.NewServer(mcp.Implementation{Name: "jobs", Version: "1.0.0"}, nil)
	err := mcp.AddTool(srv, mcp.Tool{Name: "work"}, func(ctx context.Context, _ mcp.None) (string, error) {
		mcp.Progress(ctx, 1, 2, "half")
		return "done", nil
	})
	if err != nil {
		log.Fatal(err)
	}
	watch := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			req.Notify = func(_ context.Context, n protocol.Notification) error {
				fmt.Println(req.Method, n.(*protocol.ProgressNotification).Message)
				return nil
			}
			return next(ctx, req)
		}
	}
	client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, mcp.Implementation{Name: "agent", Version: "1.0.0"}, &mcp.ClientOptions{Use: []mcp.Middleware{watch}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	fmt.Println(mcp.Call[string](ctx, client, "work", nil))
	// Output:
	// tools/call half
	// done <nil>
}
