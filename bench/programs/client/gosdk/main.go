// Command gosdk is a client of a server that it starts as a child process, written with github.com/modelcontextprotocol/go-sdk.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1.0.0"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			fmt.Println("question:", req.Params.Message)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			fmt.Printf("progress: %v of %v\n", req.Params.Progress, req.Params.Total)
		},
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) {
			updated <- req.Params.URI
		},
	})
	// In revision 2026-07-28 Subscribe returns before the subscription is established.
	older := &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(command[0], command[1:]...)}, older)
	if err != nil {
		return err
	}
	defer session.Close()
	if err := errors.Join(
		show(session.Tools(ctx, nil), func(t *mcp.Tool) string { return "tool: " + t.Name }),
		show(session.Resources(ctx, nil), func(r *mcp.Resource) string { return "resource: " + r.URI }),
		show(session.ResourceTemplates(ctx, nil), func(t *mcp.ResourceTemplate) string { return "template: " + t.URITemplate }),
		show(session.Prompts(ctx, nil), func(p *mcp.Prompt) string { return "prompt: " + p.Name }),
	); err != nil {
		return err
	}
	result, err := call(ctx, session, &mcp.CallToolParams{Name: "add", Arguments: map[string]int{"a": 2, "b": 3}})
	if err != nil {
		return err
	}
	var added sum
	if err := decode(result, &added); err != nil {
		return err
	}
	fmt.Println("sum:", added.Sum)
	count := &mcp.CallToolParams{Name: "count"}
	count.SetProgressToken("count")
	if _, err := call(ctx, session, count); err != nil {
		return err
	}
	greeting, err := call(ctx, session, &mcp.CallToolParams{Name: "greet"})
	if err != nil {
		return err
	}
	fmt.Println("greeting:", text(greeting))
	if err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: "note:///today"}); err != nil {
		return err
	}
	if _, err := call(ctx, session, &mcp.CallToolParams{Name: "note", Arguments: map[string]string{"text": "Buy milk."}}); err != nil {
		return err
	}
	uri := <-updated
	note, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return err
	}
	fmt.Printf("updated: %s: %s\n", uri, note.Contents[0].Text)
	if _, err := call(ctx, session, &mcp.CallToolParams{Name: "add", Arguments: map[string]string{"a": "two"}}); err != nil {
		fmt.Println("refused")
	}
	return session.Close()
}

// call calls a tool. A result with an error is an error.
func call(ctx context.Context, session *mcp.ClientSession, params *mcp.CallToolParams) (*mcp.CallToolResult, error) {
	result, err := session.CallTool(ctx, params)
	if err == nil && result.IsError {
		err = errors.New(params.Name + ": " + text(result))
	}
	return result, err
}

// text returns the text of a result.
func text(result *mcp.CallToolResult) string {
	var all string
	for _, content := range result.Content {
		if block, ok := content.(*mcp.TextContent); ok {
			all += block.Text
		}
	}
	return all
}

// decode decodes the structured content of a result.
func decode(result *mcp.CallToolResult, to any) error {
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, to)
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
