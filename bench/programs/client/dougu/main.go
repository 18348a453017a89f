// Command dougu is a client of a server that it starts as a child process, written with this library.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log"
	"os"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

type sum struct {
	Sum int `json:"sum"`
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, command []string) error {
	updated := make(chan string, 1)
	server := transport.Command{Path: command[0], Args: command[1:]}
	client, err := mcp.Connect(ctx, server, mcp.Implementation{Name: "client", Version: "1.0.0"}, &mcp.ClientOptions{
		Elicit: func(_ context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			fmt.Println("question:", form.Message)
			return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"name":"Ada"}`)}, nil
		},
		OnResourceUpdated: func(uri string) { updated <- uri },
	})
	if err != nil {
		return err
	}
	defer client.Close()
	if err := errors.Join(
		show(client.Tools(ctx), func(t mcp.Tool) string { return "tool: " + t.Name }),
		show(client.Resources(ctx), func(r mcp.Resource) string { return "resource: " + r.URI }),
		show(client.Templates(ctx), func(t mcp.ResourceTemplate) string { return "template: " + t.URITemplate }),
		show(client.Prompts(ctx), func(p mcp.Prompt) string { return "prompt: " + p.Name }),
	); err != nil {
		return err
	}
	result, err := mcp.Call[sum](ctx, client, "add", map[string]int{"a": 2, "b": 3})
	if err != nil {
		return err
	}
	fmt.Println("sum:", result.Sum)
	progress := func(p protocol.ProgressNotification) { fmt.Printf("progress: %v of %v\n", p.Progress, p.Total) }
	counted, err := client.CallTool(ctx, "count", nil, &mcp.CallOptions{OnProgress: progress})
	if err == nil && counted.IsError {
		err = &mcp.ToolFailure{Tool: "count", Result: counted}
	}
	if err != nil {
		return err
	}
	greeting, err := mcp.Call[string](ctx, client, "greet", nil)
	if err != nil {
		return err
	}
	fmt.Println("greeting:", greeting)
	if _, err := client.Subscribe(ctx, protocol.SubscriptionFilter{ResourceSubscriptions: []string{"note:///today"}}, nil); err != nil {
		return err
	}
	if _, err := mcp.Call[mcp.None](ctx, client, "note", map[string]string{"text": "Buy milk."}); err != nil {
		return err
	}
	uri := <-updated
	note, err := client.ReadResource(ctx, uri, nil)
	if err != nil {
		return err
	}
	fmt.Printf("updated: %s: %s\n", uri, note.Contents[0].Text)
	if _, err := mcp.Call[sum](ctx, client, "add", map[string]string{"a": "two"}); err != nil {
		fmt.Println("refused")
	}
	return client.Close()
}

// show prints the names of all features of a list.
func show[T any](features iter.Seq2[T, error], name func(T) string) error {
	for feature, err := range features {
		if err != nil {
			return err
		}
		fmt.Println(name(feature))
	}
	return nil
}
