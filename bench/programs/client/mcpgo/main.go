//lint:file-ignore SA1019 sessions are deprecated, and alone tell when a subscription is established

// Command mcpgo is a client of a server that it starts as a child process, written with github.com/mark3labs/mcp-go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

type sum struct {
	Sum int `json:"sum"`
}

// person answers the questions of a server.
type person struct{}

func (person) Elicit(_ context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	fmt.Println("question:", request.Params.Message)
	answer := mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"name": "Ada"}}
	return &mcp.ElicitationResult{ElicitationResponse: answer}, nil
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, command []string) error {
	updated := make(chan string, 1)
	// Sessions are deprecated, but ListenAsync of revision 2026-07-28 returns before the subscription is established.
	c := client.NewClient(transport.NewStdio(command[0], nil, command[1:]...), client.WithElicitationHandler(person{}), client.WithLegacyProtocolOnly())
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		switch fields := n.Params.AdditionalFields; n.Method {
		case "notifications/progress":
			fmt.Printf("progress: %v of %v\n", fields["progress"], fields["total"])
		case mcp.MethodNotificationResourceUpdated:
			uri, _ := fields["uri"].(string)
			updated <- uri
		}
	})
	if err := c.Start(ctx); err != nil {
		return err
	}
	defer c.Close()
	var initialize mcp.InitializeRequest
	initialize.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	initialize.Params.ClientInfo = mcp.Implementation{Name: "client", Version: "1.0.0"}
	if _, err := c.Initialize(ctx, initialize); err != nil {
		return err
	}
	if err := errors.Join(
		show(c.IterTools(ctx, mcp.ListToolsRequest{}), func(t mcp.Tool) string { return "tool: " + t.Name }),
		show(c.IterResources(ctx, mcp.ListResourcesRequest{}), func(r mcp.Resource) string { return "resource: " + r.URI }),
		show(c.IterResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{}), func(t mcp.ResourceTemplate) string { return "template: " + t.URITemplate.Raw() }),
		show(c.IterPrompts(ctx, mcp.ListPromptsRequest{}), func(p mcp.Prompt) string { return "prompt: " + p.Name }),
	); err != nil {
		return err
	}
	result, err := call(ctx, c, mcp.CallToolParams{Name: "add", Arguments: map[string]int{"a": 2, "b": 3}})
	if err != nil {
		return err
	}
	var added sum
	if err := decode(result, &added); err != nil {
		return err
	}
	fmt.Println("sum:", added.Sum)
	if _, err := call(ctx, c, mcp.CallToolParams{Name: "count", Meta: &mcp.Meta{ProgressToken: "count"}}); err != nil {
		return err
	}
	greeting, err := call(ctx, c, mcp.CallToolParams{Name: "greet"})
	if err != nil {
		return err
	}
	fmt.Println("greeting:", text(greeting))
	if err := c.Subscribe(ctx, mcp.SubscribeRequest{Params: mcp.SubscribeParams{URI: "note:///today"}}); err != nil {
		return err
	}
	if _, err := call(ctx, c, mcp.CallToolParams{Name: "note", Arguments: map[string]string{"text": "Buy milk."}}); err != nil {
		return err
	}
	uri := <-updated
	note, err := c.ReadResource(ctx, mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: uri}})
	if err != nil {
		return err
	}
	contents, ok := mcp.AsTextResourceContents(note.Contents[0])
	if !ok {
		return fmt.Errorf("%s is no text", uri)
	}
	fmt.Printf("updated: %s: %s\n", uri, contents.Text)
	if _, err := call(ctx, c, mcp.CallToolParams{Name: "add", Arguments: map[string]string{"a": "two"}}); err != nil {
		fmt.Println("refused")
	}
	return c.Close()
}

// call calls a tool. A result with an error is an error.
func call(ctx context.Context, c *client.Client, params mcp.CallToolParams) (*mcp.CallToolResult, error) {
	result, err := c.CallTool(ctx, mcp.CallToolRequest{Params: params})
	if err == nil && result.IsError {
		err = errors.New(params.Name + ": " + text(result))
	}
	return result, err
}

// text returns the text of a result.
func text(result *mcp.CallToolResult) string {
	var all string
	for _, content := range result.Content {
		if block, ok := mcp.AsTextContent(content); ok {
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
