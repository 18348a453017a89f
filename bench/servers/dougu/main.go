// Command dougu serves the catalog with this library over standard input and output, HTTP or WebSocket. Arguments are validated.
package main

import (
	"context"
	"errors"
	"log"

	"github.com/dougu-go/dougu/bench/catalog"
	"github.com/dougu-go/dougu/bench/servers/internal/front"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/websocket"
)

func main() {
	settings := front.Parse()
	s := mcp.NewServer(mcp.Implementation{Name: "dougu", Version: "1.0.0"}, nil)
	err := register(s, settings.Tools)
	if err == nil && settings.Fixture {
		err = addFixture(s)
	}
	if err != nil {
		log.Fatal(err)
	}
	if err := serve(s, settings); err != nil {
		log.Fatal(err)
	}
}

// serve serves legacy and modern revisions at one endpoint. Limits are raised above the number of held items; all others are the
// library's defaults.
func serve(s *mcp.Server, settings front.Settings) error {
	if settings.HTTP == "" {
		return transport.ServeStdio(context.Background(), s, nil)
	}
	listener, err := settings.Listen()
	if err != nil {
		return err
	}
	const most = 100_000
	return transport.Serve(context.Background(), s, transport.HTTP{
		Listener: listener,
		Routes: map[string]transport.Route{
			front.Path:       httpserver.Options{MaxSessions: most, MaxStreams: most},
			front.SocketPath: websocket.Options{MaxConns: most},
		},
	})
}

func register(s *mcp.Server, total int) error {
	noops, err := catalog.Noops(total)
	if err != nil {
		return err
	}
	errs := []error{
		add(s, catalog.SmallName, catalog.SmallDescription, catalog.Greet),
		add(s, catalog.SearchName, catalog.SearchDescription, catalog.Search),
		add(s, catalog.SizeName, catalog.SizeDescription, catalog.Size),
	}
	for _, n := range noops {
		switch n.Shape {
		case catalog.Read:
			err = add(s, n.Name, n.Description, nothing[catalog.ReadArgs])
		case catalog.Find:
			err = add(s, n.Name, n.Description, nothing[catalog.FindArgs])
		case catalog.Run:
			err = add(s, n.Name, n.Description, nothing[catalog.RunArgs])
		case catalog.Edit:
			err = add(s, n.Name, n.Description, nothing[catalog.EditArgs])
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func add[In, Out any](s *mcp.Server, name, description string, compute func(In) Out) error {
	return mcp.AddTool(s, mcp.Tool{Name: name, Description: description},
		func(_ context.Context, in In) (Out, error) { return compute(in), nil })
}

func nothing[In any](In) catalog.NoopResult { return catalog.NoopResult{OK: true} }

// introduceArgs are the arguments of the prompt.
type introduceArgs struct {
	Name string `json:"name" jsonschema:"Who to introduce"`
}

func addFixture(s *mcp.Server) error {
	about := mcp.Resource{URI: catalog.AboutURI, Name: catalog.AboutName, MIMEType: catalog.AboutType}
	introduce := mcp.Prompt{Name: catalog.PromptName, Description: catalog.PromptDescription}
	return errors.Join(
		mcp.AddResource(s, about, func(_ context.Context, uri string) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{{URI: uri, MIMEType: catalog.AboutType, Text: catalog.AboutText}}, nil
		}),
		mcp.AddPrompt(s, introduce, func(_ context.Context, in introduceArgs) (*mcp.PromptResult, error) {
			return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText(catalog.Introduce(in.Name))}}, nil
		}),
	)
}
