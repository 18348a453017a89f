package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// childVariable makes the test binary a server on standard input and output.
const childVariable = "DOUGU_GATEWAY_TEST_CHILD"

type echoArgs struct {
	Text string `json:"text"`
}

type deployArgs struct {
	Target string `json:"target"`
}

type approval struct {
	Really bool   `json:"really"`
	Why    string `json:"why,omitempty"`
}

// newServer is an upstream with something of everything.
func newServer(name string) *mcp.Server {
	srv := mcp.NewServer(mcp.Implementation{Name: name, Version: "1.0.0"}, &mcp.ServerOptions{Instructions: "Use " + name + " with care."})
	echo := mcp.NewTool(mcp.Tool{Name: "echo", Description: "Says the text again."}, func(ctx context.Context, in echoArgs) (string, error) {
		return name + " says " + in.Text, nil
	})
	count := mcp.NewTool(mcp.Tool{Name: "count"}, func(ctx context.Context, _ struct{}) (string, error) {
		for i := range 3 {
			mcp.Progress(ctx, float64(i+1), 3, fmt.Sprint("step ", i+1))
		}
		return "counted", nil
	})
	deploy := mcp.NewTool(mcp.Tool{Name: "deploy"}, func(ctx context.Context, in deployArgs) (string, error) {
		answer, err := mcp.Elicit[approval](ctx, "first", "Deploy to "+in.Target+"?")
		if err != nil {
			return "", err
		}
		if answer.Action != mcp.Accept {
			return "not deployed", nil
		}
		second, err := mcp.Elicit[approval](ctx, "second", "Really?")
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("deployed to %s: %v, %v", in.Target, answer.Value.Really, second.Value.Why), nil
	})
	wait := mcp.NewTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, _ struct{}) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	features := mcp.Features{
		Tools: []mcp.ServerTool{echo, count, deploy, wait},
		Resources: []mcp.ServerResource{mcp.NewResource(mcp.Resource{URI: "memo://" + name, Name: "memo"}, func(context.Context, string) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{{Text: "memo of " + name}}, nil
		})},
		Prompts: []mcp.ServerPrompt{mcp.NewPrompt(mcp.Prompt{Name: "greet"}, func(_ context.Context, in struct {
			Who string `json:"who"`
		}) (*mcp.PromptResult, error) {
			return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText(name + " greets " + in.Who)}}, nil
		}).Complete("who", func(context.Context, string, map[string]string) (mcp.Completion, error) {
			return mcp.Completion{Values: []string{"world of " + name}}, nil
		})},
	}
	if err := srv.Replace("test", features); err != nil {
		panic(err)
	}
	err := mcp.AddTemplate(srv, mcp.ResourceTemplate{URITemplate: name + "://rows/{id}", Name: "row"}, func(_ context.Context, uri string, in struct {
		ID string `json:"id"`
	}) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{{Text: "row " + in.ID + " of " + name}}, nil
	})
	if err != nil {
		panic(err)
	}
	return srv
}

func serveChild() {
	if err := transport.ServeStdio(context.Background(), newServer("child"), nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child is an upstream that is a process.
func child(t testing.TB) protocol.Transport {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return transport.Command{Path: program, Env: []string{childVariable + "=1"}}
}

// speaking is a transport to a server that speaks one revision alone.
type speaking struct {
	protocol.Transport
	rev protocol.Revision
}

// Connect implements protocol.Transport.
func (s speaking) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	own := *host
	own.Revision = s.rev
	return s.Transport.Connect(ctx, &own)
}

// inMemory is an upstream on a connection in memory, in a revision.
func inMemory(srv protocol.Dispatcher, rev protocol.Revision) func(context.Context, string) (protocol.Transport, error) {
	return gateway.Always(speaking{transport.InMemory{Server: srv}, rev})
}

// newGateway is a gateway that ends with the test.
func newGateway(t testing.TB, o gateway.Options, upstreams ...gateway.Upstream) *gateway.Gateway {
	t.Helper()
	if o.Log == nil {
		o.Log = new(waittest.Log).Logger()
	}
	g, err := gateway.New(o, upstreams...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Errorf("closing the gateway: %v", err)
		}
	})
	return g
}

// eras are a revision of either kind.
var eras = []protocol.Revision{protocol.Rev20251125, protocol.Latest}

func connect(t testing.TB, d protocol.Dispatcher, rev protocol.Revision, opts mcp.ClientOptions) *mcp.Client {
	t.Helper()
	opts.Revision = rev
	return mcptest.Connect(t, d, &opts)
}

// toolNames are the names that a client sees.
func toolNames(t testing.TB, c *mcp.Client) []string {
	t.Helper()
	var names []string
	for tool, err := range c.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}

// call calls a tool and returns its text.
func call(t testing.TB, c *mcp.Client, name string, args any) string {
	t.Helper()
	text, err := mcp.Call[string](t.Context(), c, name, args)
	if err != nil {
		t.Fatalf("calling %s: %v", name, err)
	}
	return text
}

// heard records the notifications of a client.
type heard struct {
	mu  sync.Mutex
	all []string
}

func (h *heard) add(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, what)
}

func (h *heard) has(what string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Contains(h.all, what)
}

func asFailure(err error, failure **mcp.ToolFailure) bool { return errors.As(err, failure) }
