package transport_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/websocket"
)

// allTransports are the transports, each with a server of its own.
var allTransports = map[string]func(t *testing.T, d protocol.Dispatcher) protocol.Transport{
	"memory": func(_ *testing.T, d protocol.Dispatcher) protocol.Transport {
		return transport.InMemory{Server: d, Options: quiet}
	},
	"process": func(_ *testing.T, d protocol.Dispatcher) protocol.Transport { return transport.InProcess{Server: d} },
	"stdio":   func(t *testing.T, d protocol.Dispatcher) protocol.Transport { return overPipes{t, d} },
	"tcp": func(t *testing.T, d protocol.Dispatcher) protocol.Transport {
		return dialed(t, d, "tcp", "127.0.0.1:0")
	},
	"unix": func(t *testing.T, d protocol.Dispatcher) protocol.Transport {
		return dialed(t, d, "unix", filepath.Join(t.TempDir(), "s"))
	},
	"http": func(t *testing.T, d protocol.Dispatcher) protocol.Transport {
		return &httpclient.Client{URL: routed(t, d, httpserver.Options{Log: quiet.Log}), Options: quiet}
	},
	"sse": func(t *testing.T, d protocol.Dispatcher) protocol.Transport {
		return &httpclient.Client{URL: routed(t, d, httpserver.SSEOptions{Connection: quiet}), SSE: true, Options: quiet}
	},
	"websocket": func(t *testing.T, d protocol.Dispatcher) protocol.Transport {
		return &websocket.Client{URL: "ws" + routed(t, d, websocket.Options{Connection: quiet})[len("http"):], Options: quiet}
	},
}

// overPipes connects through a pair of pipes, as a parent and a child process
// are.
type overPipes struct {
	t *testing.T
	d protocol.Dispatcher
}

// Connect implements protocol.Transport.
func (o overPipes) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- transport.ServeIO(context.WithoutCancel(ctx), o.d, fromClient, toClient, quiet) }()
	o.t.Cleanup(func() {
		if err := <-ended; err != nil {
			o.t.Errorf("serving: %v", err)
		}
	})
	return transport.ConnectStream(ctx, transport.NewLines(fromServer, toServer, func() error {
		return errors.Join(toServer.Close(), fromServer.Close())
	}, 0), host, quiet)
}

func dialed(t *testing.T, d protocol.Dispatcher, network, address string) protocol.Transport {
	l, err := net.Listen(network, address)
	if err != nil {
		t.Skipf("listening on %s: %v", network, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- transport.ServeListener(ctx, d, l, quiet) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	return transport.Dial{Network: network, Address: l.Addr().String(), Options: quiet}
}

func routed(t *testing.T, d protocol.Dispatcher, route transport.Route) (url string) {
	handler := route.Handler(d)
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		if err := handler.Shutdown(context.Background()); err != nil {
			t.Errorf("shutting down: %v", err)
		}
		server.Close()
	})
	return server.URL
}

// span is the revisions in which something exists.
type span struct{ first, last protocol.Revision }

func (s span) has(rev protocol.Revision) bool { return rev >= s.first && rev <= s.last }

var (
	always   = span{protocol.Rev20241105, protocol.Latest}
	sessions = span{protocol.Rev20241105, protocol.Rev20251125}
	modern   = span{protocol.Rev20260728, protocol.Latest}
)

// methods are all requests of a client's, each with params that are right for
// the fixture, where they exist, and the member that the result must have.
var methods = []struct {
	name   string
	params string
	in     span
	member string
}{
	{"ping", `{}`, sessions, ""},
	{"server/discover", `{}`, modern, "supportedVersions"},
	{"tools/list", `{}`, always, "tools"},
	{"tools/call", `{"name":"greet","arguments":{"name":"Ada"}}`, always, "content"},
	{"resources/list", `{}`, always, "resources"},
	{"resources/templates/list", `{}`, always, "resourceTemplates"},
	{"resources/read", `{"uri":"note://readme"}`, always, "contents"},
	{"resources/subscribe", `{"uri":"note://readme"}`, sessions, ""},
	{"resources/unsubscribe", `{"uri":"note://readme"}`, sessions, ""},
	{"prompts/list", `{}`, always, "prompts"},
	{"prompts/get", `{"name":"summarize","arguments":{"topic":"go"}}`, always, "messages"},
	{"completion/complete", `{"ref":{"type":"ref/prompt","name":"summarize"},"argument":{"name":"topic","value":"a"}}`, always, "completion"},
	{"logging/setLevel", `{"level":"info"}`, sessions, ""},
	{"tasks/get", `{"taskId":"x"}`, span{}, ""},
	{"tasks/list", `{}`, span{}, ""},
	{"roots/list", `{}`, span{}, ""}, // is a server's to ask
	{"sampling/createMessage", `{}`, span{}, ""},
	{"elicitation/create", `{}`, span{}, ""},
	{"no/such/method", `{}`, span{}, ""},
}

// The test calls each method in each revision over each transport.
func TestTransports_Methods(t *testing.T) {
	for name, connect := range allTransports {
		for _, rev := range protocol.Revisions() {
			if name == "process" && rev != protocol.Latest {
				continue // InProcess speaks the latest revision only
			}
			t.Run(name+"/"+string(rev), func(t *testing.T) {
				t.Parallel()
				srv := fixture(t)
				if err := srv.Replace("askers", mcp.Features{Tools: askingTools()}); err != nil {
					t.Fatal(err)
				}
				client, err := mcp.Connect(t.Context(), connect(t, srv), mcp.Implementation{Name: "matrix", Version: "1"}, answering(rev))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := client.Close(); err != nil {
						t.Errorf("closing: %v", err)
					}
				})
				if client.Revision() != rev {
					t.Fatalf("connected at %s", client.Revision())
				}
				for _, m := range methods {
					t.Run(m.name, func(t *testing.T) {
						raw, err := client.Request(t.Context(), m.name, json.RawMessage(m.params), nil)
						checkMethod(t, raw, err, m.in.has(rev), m.member)
					})
				}
				t.Run("cancel", func(t *testing.T) { checkCancellation(t, client) })
				t.Run("listen", func(t *testing.T) { checkChanges(t, client, srv) })
				checkQuestions(t, client, rev)
			})
		}
	}
}

func checkMethod(t *testing.T, raw json.RawMessage, err error, exists bool, member string) {
	t.Helper()
	var refused *protocol.Error
	switch {
	case exists && err != nil:
		t.Errorf("it exists and fails: %v", err)
	case !exists && (!errors.As(err, &refused) || refused.Code != protocol.CodeMethodNotFound):
		t.Errorf("it does not exist, and the answer is %s, %v", raw, err)
	case exists && member != "":
		var result map[string]json.RawMessage
		if err := json.Unmarshal(raw, &result); err != nil || result[member] == nil {
			t.Errorf("the result has no %q: %s, %v", member, raw, err)
		}
	}
}

// checkCancellation leaves a call that would take a minute, and calls again.
func checkCancellation(t *testing.T, client *mcp.Client) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := client.CallTool(ctx, "wait", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call that was cancelled: %v", err)
	}
	if text, err := mcp.Call[string](t.Context(), client, "greet", person{Name: "Ada"}); err != nil || text != "Hello, Ada" {
		t.Errorf("after it: %q, %v", text, err)
	}
}

// checkChanges subscribes to everything and changes it.
func checkChanges(t *testing.T, client *mcp.Client, srv *mcp.Server) {
	heard := make(chan string, 100)
	sub, err := client.Subscribe(t.Context(), protocol.SubscriptionFilter{
		ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true, ResourceSubscriptions: []string{"note://readme"},
	}, func(n protocol.Notification) {
		if n, ok := n.(*protocol.ResourceUpdatedNotification); ok {
			heard <- n.URI
			return
		}
		heard <- n.Method()
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.ResourceUpdated("note://readme")
	srv.ResourceUpdated("note://other")
	err = srv.Replace("later", mcp.Features{
		Tools:     []mcp.ServerTool{mcp.NewTool(mcp.Tool{Name: "later"}, func(context.Context, struct{}) (mcp.None, error) { return mcp.None{}, nil })},
		Prompts:   []mcp.ServerPrompt{mcp.NewPrompt(mcp.Prompt{Name: "later"}, empty)},
		Resources: []mcp.ServerResource{mcp.NewResource(mcp.Resource{URI: "note://later", Name: "later"}, text("later"))},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for len(got) < 4 {
		select {
		case n := <-heard:
			if !slices.Contains(got, n) {
				got = append(got, n)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("heard %v alone", got)
		}
	}
	slices.Sort(got)
	want := []string{"note://readme", "notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/tools/list_changed"}
	if !slices.Equal(got, want) {
		t.Errorf("heard %v, want %v", got, want)
	}
	if err := sub.Close(); err != nil {
		t.Errorf("unsubscribing: %v", err)
	}
}

// answering is a client that accepts all questions.
func answering(rev protocol.Revision) *mcp.ClientOptions {
	return &mcp.ClientOptions{
		Revision: rev, LogLevel: protocol.LevelWarning, Log: quiet.Log,
		Elicit: func(_ context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"name":"Ada"}`)}, nil
		},
		ElicitURL: func(context.Context, string, string) (mcp.Action, error) { return mcp.Accept, nil },
		//lint:ignore SA1019 every revision must go on working
		Sample: func(context.Context, mcp.SampleParams) (*mcp.SampleResult, error) {
			return &mcp.SampleResult{Content: []mcp.Content{mcp.TextContent{Text: "Paris"}}, Model: "m"}, nil
		},
		//lint:ignore SA1019 every revision must go on working
		Roots: func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///work"}}, nil },
	}
}

// checkQuestions has the server ask everything that it may ask, from tools.
func checkQuestions(t *testing.T, client *mcp.Client, rev protocol.Revision) {
	for _, tc := range []struct {
		tool string
		in   span
		want string
	}{
		{"matrix_form", span{protocol.Rev20250618, protocol.Latest}, "Ada"},
		{"matrix_url", span{protocol.Rev20251125, protocol.Latest}, "accept"},
		{"matrix_sample", always, "Paris"},
		{"matrix_roots", always, "file:///work"},
	} {
		t.Run(tc.tool, func(t *testing.T) {
			text, err := mcp.Call[string](t.Context(), client, tc.tool, nil)
			var failure *mcp.ToolFailure
			switch {
			case tc.in.has(rev) && (err != nil || text != tc.want):
				t.Errorf("the answer is %q, %v; want %q", text, err, tc.want)
			case !tc.in.has(rev) && (!errors.As(err, &failure) || failure.ErrorCode() != "MISSING_CAPABILITY"):
				t.Errorf("a question that the revision does not have: %q, %v", text, err)
			}
		})
	}
	t.Run("progress", func(t *testing.T) {
		var steps []float64
		if _, err := client.CallTool(t.Context(), "work", nil, &mcp.CallOptions{OnProgress: func(p protocol.ProgressNotification) { steps = append(steps, p.Progress) }}); err != nil || !slices.Equal(steps, []float64{0, 1, 2}) {
			t.Errorf("progress %v, %v", steps, err)
		}
	})
}

// askingTools are tools that ask the client, one for each kind of question.
func askingTools() []mcp.ServerTool {
	tool := func(name string, f func(context.Context) (string, error)) mcp.ServerTool {
		return mcp.NewTool(mcp.Tool{Name: name}, func(ctx context.Context, _ struct{}) (string, error) { return f(ctx) }).With(mcp.ToolOptions{Unlisted: true})
	}
	return []mcp.ServerTool{
		tool("matrix_form", func(ctx context.Context) (string, error) {
			answer, err := mcp.Elicit[person](ctx, "who", "Who are you?")
			return answer.Value.Name, err
		}),
		tool("matrix_url", func(ctx context.Context) (string, error) {
			action, err := mcp.ElicitURL(ctx, "page", "Open this", "https://example.com/")
			return string(action), err
		}),
		tool("matrix_sample", func(ctx context.Context) (string, error) {
			//lint:ignore SA1019 every revision must go on working
			answer, err := mcp.Sample(ctx, "capital", mcp.SampleParams{Prompt: "What is the capital of France?", MaxTokens: 10})
			if err != nil {
				return "", err
			}
			return answer.Text(), nil
		}),
		tool("matrix_roots", func(ctx context.Context) (string, error) {
			//lint:ignore SA1019 every revision must go on working
			answers, err := mcp.AskAll(ctx, mcp.RootsQuestion("roots"))
			if err != nil {
				return "", err
			}
			var answer struct{ Roots []mcp.Root }
			if err := json.Unmarshal(answers[0], &answer); err != nil || len(answer.Roots) != 1 {
				return "", fmt.Errorf("%d roots: %w", len(answer.Roots), err)
			}
			return answer.Roots[0].URI, nil
		}),
	}
}
