package migration

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

//lint:file-ignore U1000,SA1019 the columns of the tables are compiled, not run

// The right column of docs/guide/from-go-sdk.md, and of docs/guide/from-mcp-go.md where it is the same.

type Args struct {
	Name string `json:"name" jsonschema:"The person's name"`
}

type Out struct {
	Text string `json:"text"`
}

func greet(ctx context.Context, in Args) (Out, error) {
	return Out{Text: "Hello, " + in.Name}, nil
}

type Note struct {
	Name string `json:"name"`
}

type Review struct {
	Code string `json:"code"`
}

type Choice struct {
	Colour string `json:"colour" jsonschema:"enum=red,enum=blue"`
}

func newServer(ctx context.Context) error {
	srv := mcp.NewServer(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	_ = mcp.NewServer(mcp.Implementation{Name: "hello", Version: "1.0.0"}, &mcp.ServerOptions{Instructions: "Greet first.", Log: slog.Default(), PageSize: 50})
	err := mcp.AddTool(srv, mcp.Tool{Name: "greet"}, greet)
	schema := json.RawMessage(`{"type":"object"}`)
	raw := func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.Text("done"), nil
	}
	err = errors.Join(err, srv.Replace("raw", mcp.Features{Tools: []mcp.ServerTool{mcp.NewRawTool(mcp.Tool{Name: "raw", InputSchema: schema}, raw)}}))
	err = errors.Join(err, srv.Remove("greet"))
	read := func(ctx context.Context, uri string) ([]mcp.ResourceContents, error) {
		if uri == "notes:///yesterday" {
			return nil, fs.ErrNotExist
		}
		return nil, mcp.ResourceNotFound(uri)
	}
	err = errors.Join(err, mcp.AddResource(srv, mcp.Resource{URI: "notes:///today", Name: "today"}, read))
	readNote := func(ctx context.Context, uri string, in Note) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{{Text: in.Name}}, nil
	}
	err = errors.Join(err, mcp.AddTemplate(srv, mcp.ResourceTemplate{URITemplate: "notes:///{name}", Name: "note"}, readNote))
	err = errors.Join(err, mcp.AddPrompt(srv, mcp.Prompt{Name: "review"}, review))
	prompt := mcp.NewPrompt(mcp.Prompt{Name: "explain"}, review).Complete("code", complete)
	err = errors.Join(err, srv.Replace("prompts", mcp.Features{Prompts: []mcp.ServerPrompt{prompt}}))
	uri := "notes:///today"
	srv.ResourceUpdated(uri)
	srv.Use(logged)
	srv.UseTools(timed)
	return errors.Join(err, serve(ctx, srv))
}

func review(ctx context.Context, in Review) (*mcp.PromptResult, error) {
	return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText(in.Code)}}, nil
}

func complete(ctx context.Context, value string, others map[string]string) (mcp.Completion, error) {
	return mcp.Completion{Values: []string{value}}, nil
}

func logged(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
		slog.Info("request", "method", req.Method)
		return next(ctx, req)
	}
}

func timed(next mcp.RawHandler) mcp.RawHandler {
	return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		began := time.Now()
		defer func() { slog.Info("call", "tool", mcp.CallFrom(ctx).Tool, "time", time.Since(began)) }()
		return next(ctx, args)
	}
}

func handler(ctx context.Context, in Args) (any, error) {
	if in.Name == "" {
		return nil, errors.New("the name is missing")
	}
	if in.Name == "forbidden" {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "not this name")
	}
	mcp.Progress(ctx, 1, 2, "half")
	mcp.Log(ctx, protocol.LevelInfo, "", "working")
	log := slog.New(mcp.NewLogHandler(slog.Default().Handler()))
	log.InfoContext(ctx, "working")
	answer, err := mcp.Elicit[Choice](ctx, "colour", "Which colour?")
	if err != nil || answer.Action != mcp.Accept {
		return nil, err
	}
	_, _ = mcp.Sample(ctx, "summary", mcp.SampleParams{Prompt: "Summarize.", MaxTokens: 100})
	_, _ = mcp.AskAll(ctx, mcp.RootsQuestion("roots"))
	_ = mcp.SessionFrom(ctx).AddTools(mcp.NewTool(mcp.Tool{Name: "mine"}, greetText))
	_ = mcp.Supports(ctx, mcp.CapElicitForm)
	_ = mcp.CallFrom(ctx).Request.Meta.Client().Name
	_ = protocol.PrincipalFrom(ctx)
	_ = mcp.CallFrom(ctx).Request.Peer.Headers.Get("X-Tenant")
	return mcp.ImageContent{Data: []byte("…"), MIMEType: "image/png"}, nil
}

func serve(ctx context.Context, srv *mcp.Server) error {
	err := transport.ServeStdio(ctx, srv, nil)
	handler := httpserver.NewHandler(srv, nil)
	_ = httpserver.NewHandler(srv, &httpserver.Options{SessionIdle: time.Hour, MaxMessage: 1 << 20})
	_ = httpserver.NewSSEHandler(srv, nil)
	tokens, err2 := auth.ParseTokens("alice=0123456789abcdef0123456789abcdef")
	protected := tokens.Wrap(handler)
	return errors.Join(err, err2, http.ListenAndServe("127.0.0.1:3000", protected))
}

func newClient(ctx context.Context, url string, srv *mcp.Server) error {
	client, err := mcp.Connect(ctx, &httpclient.Client{URL: url}, mcp.Implementation{Name: "agent", Version: "1.0.0"}, nil)
	if err != nil {
		return err
	}
	_ = transport.Command{Path: "server", Args: []string{"-v"}}
	_ = transport.InMemory{Server: srv}
	out, err := mcp.Call[Out](ctx, client, "greet", Args{Name: "Ada"})
	if failure, ok := errors.AsType[*mcp.ToolFailure](err); ok {
		return failure
	}
	slog.Info(out.Text)
	result, err := client.CallTool(ctx, "greet", Args{Name: "Ada"}, nil)
	if err != nil || result.IsError {
		return err
	}
	_ = result.Structured
	for tool, err := range client.Tools(ctx) {
		slog.Info("tool", "name", tool.Name, "err", err)
	}
	_, _ = client.ReadResource(ctx, "notes:///today", nil)
	_, _ = client.GetPrompt(ctx, "review", map[string]string{"code": "x := 1"}, nil)
	_, _ = client.CompletePrompt(ctx, "review", "code", "x", nil)
	_, _ = client.Subscribe(ctx, protocol.SubscriptionFilter{ResourceSubscriptions: []string{"notes:///today"}}, updated)
	_ = client.Server().Server.Name
	_ = client.Revision()
	_ = client.Ping(ctx)
	<-client.Done()
	return client.Close()
}

func updated(n protocol.Notification) { slog.Info("changed", "what", n.Method()) }

func clientOptions() []mcp.ClientOptions {
	return []mcp.ClientOptions{
		{Sample: func(ctx context.Context, params mcp.SampleParams) (*mcp.SampleResult, error) { return nil, nil }},
		{Elicit: func(ctx context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"colour":"blue"}`)}, nil
		}},
		{Sample: func(ctx context.Context, params mcp.SampleParams) (*mcp.SampleResult, error) {
			return &mcp.SampleResult{Content: []mcp.Content{mcp.TextContent{Text: "Short."}}, Model: "m"}, nil
		}},
		{Use: []mcp.Middleware{logged}},
		{OnListChanged: func(list string) {}},
		{OnResourceUpdated: func(uri string) {}},
		{OnLog: func(n protocol.LogNotification) {}, LogLevel: protocol.LevelInfo},
		{Roots: func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///src"}}, nil }},
	}
}

func callOptions() *mcp.CallOptions {
	return &mcp.CallOptions{OnProgress: func(n protocol.ProgressNotification) {}}
}

func connectInTest(t *testing.T, srv *mcp.Server) *mcp.Client {
	return mcptest.Connect(t, srv, nil)
}
