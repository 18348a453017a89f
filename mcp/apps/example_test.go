package apps_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/apps"
	"github.com/dougu-go/dougu/transport"
)

// document is a page; a real one speaks with its host, which gives it the results of
// tools.
const document = `<!doctype html><title>Weather</title><p id="sky"></p><script>/* … */</script>`

func sky(context.Context, struct{}) (string, error) { return "sunny", nil }

// weather returns a server with a tool that has a page.
func weather() (*mcp.Server, error) {
	page, err := apps.Resource("ui://weather/today", document, apps.Options{Title: "Weather"})
	if err != nil {
		return nil, err
	}
	today, err := apps.ForTool(mcp.NewTool(mcp.Tool{Name: "today"}, sky), "ui://weather/today")
	if err != nil {
		return nil, err
	}
	opts := new(mcp.ServerOptions)
	apps.Offer(opts)
	srv := mcp.NewServer(mcp.Implementation{Name: "weather", Version: "1.0.0"}, opts)
	return srv, srv.Replace("weather", mcp.Features{Tools: []mcp.ServerTool{today}, Resources: []mcp.ServerResource{page}})
}

// A server with a page, and a host that shows it.
func Example() {
	srv, err := weather()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()

	opts := new(mcp.ClientOptions)
	apps.Declare(opts)
	client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, mcp.Implementation{Name: "host", Version: "1.0.0"}, opts)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	for tool, err := range apps.ModelTools(client.Tools(ctx)) { // the tools for the model
		if err != nil {
			log.Fatal(err)
		}
		view, err := apps.Read(ctx, client, tool) // view.HTML is to be shown under view.Policy
		if err != nil {
			log.Fatal(err)
		}
		result, err := apps.Call(ctx, client, tool.Name, nil, nil) // for the page, which must not call everything
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(view.URI, "shows", result.Content[0].(mcp.TextContent).Text)
	}
	// Output: ui://weather/today shows sunny
}
