package migration

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os/exec"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

//lint:file-ignore U1000,SA1019 the columns of the tables are compiled, not run

// The left column of docs/guide/from-go-sdk.md.

type sdkArgs struct {
	Name string `json:"name" jsonschema:"the person's name"`
}

type sdkOut struct {
	Text string `json:"text"`
}

func sdkGreet(ctx context.Context, req *mcp.CallToolRequest, in sdkArgs) (*mcp.CallToolResult, sdkOut, error) {
	return nil, sdkOut{Text: "Hello, " + in.Name}, nil
}

func sdkServer(ctx context.Context) error {
	srv := mcp.NewServer(&mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	_ = mcp.NewServer(&mcp.Implementation{Name: "hello", Version: "1.0.0"}, &mcp.ServerOptions{Instructions: "Greet first.", Logger: slog.Default(), PageSize: 50})
	mcp.AddTool(srv, &mcp.Tool{Name: "greet"}, sdkGreet)
	schema := &jsonschema.Schema{Type: "object"}
	raw := func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_ = req.Params.Arguments
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
	}
	srv.AddTool(&mcp.Tool{Name: "raw", InputSchema: schema}, raw)
	srv.RemoveTools("greet")
	read := func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	srv.AddResource(&mcp.Resource{URI: "notes:///today", Name: "today"}, read)
	srv.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "notes:///{name}", Name: "note"}, read)
	srv.AddPrompt(&mcp.Prompt{Name: "review", Arguments: []*mcp.PromptArgument{{Name: "code", Required: true}}}, sdkReview)
	uri := "notes:///today"
	err := srv.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
	_ = mcp.ServerOptions{CompletionHandler: sdkComplete}
	_ = mcp.ServerOptions{SubscribeHandler: func(context.Context, *mcp.SubscribeRequest) error { return nil }}
	_ = mcp.ServerOptions{KeepAlive: time.Minute}
	srv.AddReceivingMiddleware(sdkLogged)
	return errors.Join(err, sdkServe(ctx, srv))
}

func sdkReview(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: req.Params.Arguments["code"]}}}}, nil
}

func sdkComplete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{req.Params.Argument.Value}}}, nil
}

func sdkLogged(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		slog.Info("request", "method", method)
		return next(ctx, method, req)
	}
}

func sdkHandler(ctx context.Context, req *mcp.CallToolRequest, in sdkArgs) (*mcp.CallToolResult, any, error) {
	if in.Name == "" {
		return nil, nil, errors.New("the name is missing")
	}
	if in.Name == "forbidden" {
		return nil, nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "not this name"}
	}
	_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half"})
	_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "working"})
	log := slog.New(mcp.NewLoggingHandler(req.Session, nil))
	log.Info("working")
	schema := &jsonschema.Schema{Type: "object"}
	answer, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Which colour?", RequestedSchema: schema})
	if err != nil || answer.Action != "accept" {
		return nil, nil, err
	}
	_, _ = req.Session.ListRoots(ctx, nil)
	_, _ = req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "Summarize."}}}})
	_ = req.ClientCapabilities().Elicitation != nil
	_ = req.ClientInfo().Name
	_ = auth.TokenInfoFromContext(ctx).UserID
	_ = req.Extra.Header.Get("X-Tenant")
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: []byte("…"), MIMEType: "image/png"}}}, nil, nil
}

func sdkServe(ctx context.Context, srv *mcp.Server) error {
	err := srv.Run(ctx, &mcp.StdioTransport{})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, nil)
	_ = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{SessionTimeout: time.Hour, EventStore: mcp.NewMemoryEventStore(nil), MaxRequestBodyBytes: 1 << 20})
	_ = mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return srv }, nil)
	var verify auth.TokenVerifier
	protected := auth.RequireBearerToken(verify, nil)(handler)
	return errors.Join(err, http.ListenAndServe("127.0.0.1:3000", protected))
}

func sdkClient(ctx context.Context, url string, srv *mcp.Server) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		return err
	}
	_ = &mcp.CommandTransport{Command: exec.Command("server", "-v")}
	serverSide, clientSide := mcp.NewInMemoryTransports()
	if _, err := srv.Connect(ctx, serverSide, nil); err != nil {
		return err
	}
	_, _ = client.Connect(ctx, clientSide, nil)
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "greet", Arguments: sdkArgs{Name: "Ada"}})
	if err != nil || result.IsError {
		return err
	}
	_ = result.StructuredContent
	_ = result.GetError()
	for tool, err := range session.Tools(ctx, nil) {
		slog.Info("tool", "name", tool.Name, "err", err)
	}
	_, _ = session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "notes:///today"})
	_, _ = session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "review", Arguments: map[string]string{"code": "x := 1"}})
	_, _ = session.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "review"}, Argument: mcp.CompleteParamsArgument{Name: "code", Value: "x"}})
	_ = session.Subscribe(ctx, &mcp.SubscribeParams{URI: "notes:///today"})
	_ = session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "info"})
	_ = session.InitializeResult().ServerInfo.Name
	_ = session.Ping(ctx, nil)
	client.AddSendingMiddleware(sdkLogged)
	client.AddRoots(&mcp.Root{URI: "file:///src"})
	_ = session.Wait()
	return session.Close()
}

func sdkClientOptions() []mcp.ClientOptions {
	return []mcp.ClientOptions{
		{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"colour": "blue"}}, nil
		}},
		{CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Content: &mcp.TextContent{Text: "Short."}, Model: "m"}, nil
		}},
		{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {}},
		{ResourceUpdatedHandler: func(context.Context, *mcp.ResourceUpdatedNotificationRequest) {}},
		{LoggingMessageHandler: func(context.Context, *mcp.LoggingMessageRequest) {}},
		{ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {}},
	}
}
