package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log"
	"strings"
	"testing/fstest"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// A resource is read by its URI.
func ExampleNewResource() {
	ctx := context.Background()
	motto := mcp.NewResource(mcp.Resource{URI: "notes://motto", Name: "motto", MIMEType: "text/plain"},
		func(context.Context, string) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{{Text: "Errors are values."}}, nil
		}).With(mcp.ResourceOptions{Cache: &protocol.CacheHint{TTLMillis: 60_000, Public: true}})
	srv := mcp.NewServer(mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	if err := srv.Replace("example", mcp.Features{Resources: []mcp.ServerResource{motto}}); err != nil {
		log.Fatal(err)
	}
	client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, mcp.Implementation{Name: "client", Version: "1.0.0"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	for resource, err := range client.Resources(ctx) {
		fmt.Println(resource.URI, resource.MIMEType, err)
	}
	result, err := client.ReadResource(ctx, "notes://motto", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Contents[0].Text)
	_, err = client.ReadResource(ctx, "notes://other", nil)
	fmt.Println(err)
	// Output:
	// notes://motto text/plain <nil>
	// Errors are values.
	// reading notes://other: Resource not found: "notes://other"
}

// A template stands for many resources. A file that does not exist is a resource
// that does not exist: fs.ErrNotExist says so.
func ExampleNewTemplate() {
	ctx := context.Background()
	type Path struct {
		Path string `json:"path" jsonschema:"maxLength=100"`
	}
	files := fstest.MapFS{"docs/a.md": {Data: []byte("# A")}, "docs/b.md": {Data: []byte("# B")}}
	template := mcp.NewTemplate(mcp.ResourceTemplate{URITemplate: "docs:///{+path}", Name: "document", MIMEType: "text/markdown"},
		func(_ context.Context, _ string, in Path) ([]mcp.ResourceContents, error) {
			text, err := fs.ReadFile(files, in.Path) // a path that leads out is not valid there
			if err != nil {
				return nil, err
			}
			return []mcp.ResourceContents{{Text: string(text)}}, nil
		}).
		Complete("path", func(_ context.Context, value string, _ map[string]string) (mcp.Completion, error) {
			var c mcp.Completion
			err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
				if err == nil && !entry.IsDir() && strings.HasPrefix(path, value) {
					c.Values = append(c.Values, path)
				}
				return err
			})
			return c, err
		})
	srv := mcp.NewServer(mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	if err := srv.Replace("example", mcp.Features{Templates: []mcp.ServerTemplate{template}}); err != nil {
		log.Fatal(err)
	}
	client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, mcp.Implementation{Name: "client", Version: "1.0.0"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	paths, err := client.CompleteResource(ctx, "docs:///{+path}", "path", "docs/", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(paths.Values)
	uri, err := template.Template().Expand(map[string]string{"path": paths.Values[0]})
	if err != nil {
		log.Fatal(err)
	}
	result, err := client.ReadResource(ctx, uri, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(uri, result.Contents[0].MIMEType, result.Contents[0].Text)
	_, err = client.ReadResource(ctx, "docs:///docs/c.md", nil)
	fmt.Println(mcp.IsResourceNotFound(err))
	// Output:
	// [docs/a.md docs/b.md]
	// docs:///docs/a.md text/markdown # A
	// true
}

// The arguments of a prompt are the fields of a struct; an enum completes by
// itself.
func ExampleNewPrompt() {
	ctx := context.Background()
	type Review struct {
		Code  string `json:"code" jsonschema:"minLength=1,description=What to review"`
		Focus string `json:"focus,omitempty" jsonschema:"enum=safety,enum=speed,enum=style,default=style"`
	}
	prompt := mcp.NewPrompt(mcp.Prompt{Name: "review", Description: "Reviews code."},
		func(_ context.Context, in Review) (*mcp.PromptResult, error) {
			return &mcp.PromptResult{Messages: []mcp.PromptMessage{
				mcp.UserText("Review the " + in.Focus + " of: " + in.Code),
				mcp.AssistantText("I shall be frank."),
			}}, nil
		})
	srv := mcp.NewServer(mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	if err := srv.Replace("example", mcp.Features{Prompts: []mcp.ServerPrompt{prompt}}); err != nil {
		log.Fatal(err)
	}
	client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, mcp.Implementation{Name: "client", Version: "1.0.0"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	focus, err := client.CompletePrompt(ctx, "review", "focus", "s", nil)
	fmt.Println(focus.Values, err)
	result, err := client.GetPrompt(ctx, "review", map[string]string{"code": "x := 1", "focus": "speed"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range result.Messages {
		fmt.Printf("%s: %s\n", m.Role, m.Content.(mcp.TextContent).Text)
	}
	_, err = client.GetPrompt(ctx, "review", map[string]string{"focus": "looks"}, nil)
	fmt.Println(err)
	// Output:
	// [safety speed style] <nil>
	// user: Review the speed of: x := 1
	// assistant: I shall be frank.
	// getting the prompt review: Invalid params: the arguments of the prompt "review": focus: must be one of "safety", "speed", "style", got "looks"; code: required
}

// The subscribers of a resource, or of a resource that contains it, are notified of the change.
func ExampleServer_ResourceUpdated() {
	ctx := context.Background()
	srv := mcp.NewServer(mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	if err := srv.Replace("example", mcp.Features{ReserveResources: true}); err != nil {
		log.Fatal(err)
	}
	client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, mcp.Implementation{Name: "client", Version: "1.0.0"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	changed := make(chan string, 1)
	subscription, err := client.Subscribe(ctx, protocol.SubscriptionFilter{ResourceSubscriptions: []string{"notes://work"}}, func(n protocol.Notification) {
		if updated, ok := n.(*protocol.ResourceUpdatedNotification); ok {
			changed <- updated.URI
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	defer subscription.Close()
	fmt.Println(subscription.Filter().ResourceSubscriptions)
	srv.ResourceUpdated("notes://home")
	srv.ResourceUpdated("notes://work/today")
	fmt.Println(<-changed)
	// Output:
	// [notes://work]
	// notes://work/today
}

// Replace exchanges all features of an owner at once. If there are problems, the error has all of them, and nothing changes.
func ExampleServer_Replace() {
	nothing := func(context.Context, struct{}) (mcp.None, error) { return mcp.None{}, nil }
	srv := mcp.NewServer(mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	if err := srv.Replace("example", mcp.Features{Tools: []mcp.ServerTool{mcp.NewTool(mcp.Tool{Name: "build"}, nothing)}}); err != nil {
		log.Fatal(err)
	}
	err := srv.Replace("another", mcp.Features{
		Tools:     []mcp.ServerTool{mcp.NewTool(mcp.Tool{Name: "build"}, nothing), mcp.NewTool(mcp.Tool{Name: "test"}, nothing)},
		Resources: []mcp.ServerResource{mcp.NewResource(mcp.Resource{URI: "notes.txt", Name: "notes"}, func(context.Context, string) ([]mcp.ResourceContents, error) { return nil, nil })},
	})
	fmt.Println(err)
	fmt.Println(len(srv.Tools()), "tool")
	// Output:
	// registering the features of "another": tool "build" is offered by "example" and by "another"; resource "notes.txt": a resource needs an absolute URI, such as file:///notes.txt or notes://today
	// 1 tool
}

// An extension of the protocol is in use where both sides declare it.
func ExampleSupportsExtension() {
	ctx := context.Background()
	srv := mcp.NewServer(mcp.Implementation{Name: "example", Version: "1.0.0"}, &mcp.ServerOptions{
		Extensions: map[string]json.RawMessage{"com.example/charts": json.RawMessage(`{}`)},
	})
	err := mcp.AddTool(srv, mcp.Tool{Name: "sales"}, func(ctx context.Context, _ struct{}) (string, error) {
		if settings, ok := mcp.SupportsExtension(ctx, "com.example/charts"); ok {
			return "a chart as " + string(settings), nil
		}
		return "a table", nil
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, extensions := range []map[string]json.RawMessage{nil, {"com.example/charts": json.RawMessage(`{"type":"svg"}`)}} {
		client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, mcp.Implementation{Name: "client", Version: "1.0.0"}, &mcp.ClientOptions{Extensions: extensions})
		if err != nil {
			log.Fatal(err)
		}
		text, err := mcp.Call[string](ctx, client, "sales", nil)
		fmt.Println(text, err)
		if err := client.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// a table <nil>
	// a chart as {"type":"svg"} <nil>
}

// A typed value and a picture are one result: a program reads the value, and the model sees both.
func ExampleTypedResult() {
	type Chart struct {
		Points int `json:"points" jsonschema:"minimum=1"`
	}
	draw := mcp.NewTool(mcp.Tool{Name: "draw_chart"}, func(context.Context, struct{}) (mcp.TypedResult[Chart], error) {
		png := []byte("\x89PNG")
		return mcp.TypedResult[Chart]{
			Value:   Chart{Points: 3},
			Content: []mcp.Content{mcp.ImageContent{Data: png, MIMEType: "image/png"}},
		}, nil
	})
	result, err := draw.Call(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(result.Structured))
	for _, block := range result.Blocks() {
		fmt.Printf("%T\n", block)
	}
	// Output:
	// {"points":3}
	// mcp.TextContent
	// mcp.ImageContent
}

// Remove takes the name of a tool that AddTool has registered.
func ExampleServer_Remove() {
	srv := mcp.NewServer(mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	greet := func(context.Context, struct{}) (string, error) { return "Hello", nil }
	if err := mcp.AddTool(srv, mcp.Tool{Name: "greet"}, greet); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(srv.Tools()))
	if err := srv.Remove("greet"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(srv.Tools()))
	// Output:
	// 1
	// 0
}
