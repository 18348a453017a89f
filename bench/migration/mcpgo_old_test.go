package migration

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/mcptest"
	"github.com/mark3labs/mcp-go/server"
)

//lint:file-ignore U1000,SA1019 the columns of the tables are compiled, not run

// The left column of docs/guide/from-mcp-go.md.

type goArgs struct {
	Name string `json:"name"`
}

type goOut struct {
	Text string `json:"text"`
}

func goGreet(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name, err := request.RequireString("name")
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	count := request.GetInt("count", 1)
	slog.Info("greet", "count", count)
	if name == "" {
		return mcp.NewToolResultErrorf("the name %q is empty", name), nil
	}
	return mcp.NewToolResultText("Hello, " + name), nil
}

func goTyped(ctx context.Context, request mcp.CallToolRequest, in goArgs) (goOut, error) {
	return goOut{Text: "Hello, " + in.Name}, nil
}

func goServer(ctx context.Context) error {
	srv := server.NewMCPServer("hello", "1.0.0", server.WithToolCapabilities(true), server.WithRecovery(), server.WithInputSchemaValidation())
	_ = server.NewMCPServer("hello", "1.0.0", server.WithInstructions("Greet first."), server.WithLogger(slog.Default()), server.WithPaginationLimit(50))
	srv.AddTool(mcp.NewTool("greet", mcp.WithDescription("Greets a person."), mcp.WithString("name", mcp.Required(), mcp.MinLength(1))), goGreet)
	srv.AddTool(mcp.NewTool("typed", mcp.WithInputSchema[goArgs](), mcp.WithOutputSchema[goOut]()), mcp.NewStructuredToolHandler(goTyped))
	schema := json.RawMessage(`{"type":"object"}`)
	srv.AddTool(mcp.NewToolWithRawSchema("raw", "Does anything.", schema), goGreet)
	_ = mcp.NewTool("list", mcp.WithReadOnlyHintAnnotation(true), mcp.WithOpenWorldHintAnnotation(false))
	srv.DeleteTools("greet")
	srv.SetTools(server.ServerTool{Tool: mcp.NewTool("greet"), Handler: goGreet})
	srv.AddResource(mcp.NewResource("notes:///today", "today", mcp.WithMIMEType("text/plain")), goRead)
	srv.AddResourceTemplate(mcp.NewResourceTemplate("notes:///{name}", "note"), goRead)
	srv.AddPrompt(mcp.NewPrompt("review", mcp.WithArgument("code", mcp.RequiredArgument())), goReview)
	srv.SendNotificationToAllClients("notifications/resources/updated", map[string]any{"uri": "notes:///today"})
	srv.Use(goTimed)
	hooks := &server.Hooks{}
	hooks.AddBeforeAny(func(ctx context.Context, id any, method mcp.MCPMethod, message any) {})
	_ = server.WithHooks(hooks)
	_ = server.WithToolFilter(func(ctx context.Context, tools []mcp.Tool) []mcp.Tool { return tools })
	return errors.Join(goServe(srv), srv.AddSessionTool("session", mcp.NewTool("mine"), goGreet))
}

func goRead(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, Text: "milk"}}, nil
}

func goReview(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(request.Params.Arguments["code"]))}), nil
}

func goTimed(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		began := time.Now()
		defer func() { slog.Info("call", "tool", request.Params.Name, "time", time.Since(began)) }()
		return next(ctx, request)
	}
}

func goHandler(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	srv := server.ServerFromContext(ctx)
	_ = srv.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progressToken": request.Params.Meta.ProgressToken, "progress": 1, "total": 2, "message": "half"})
	_ = srv.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "", "working"))
	schema := map[string]any{"type": "object", "properties": map[string]any{"colour": map[string]any{"type": "string"}}}
	answer, err := srv.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{Message: "Which colour?", RequestedSchema: schema}})
	if err != nil || answer.Action != mcp.ElicitationResponseActionAccept {
		return nil, err
	}
	message := mcp.SamplingMessage{Role: mcp.RoleUser, Content: mcp.NewTextContent("Summarize.")}
	_, _ = srv.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: mcp.CreateMessageParams{MaxTokens: 100, Messages: []mcp.SamplingMessage{message}}})
	_, _ = srv.RequestRoots(ctx, mcp.ListRootsRequest{})
	_, _ = srv.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: mcp.CreateMessageParams{MaxTokens: 100, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent("Summarize.")}}}})
	_ = server.ClientSessionFromContext(ctx).SessionID()
	_ = request.Header.Get("X-Tenant")
	return mcp.NewToolResultImage("a chart", "aGk=", "image/png"), nil
}

func goServe(srv *server.MCPServer) error {
	err := server.ServeStdio(srv)
	handler := server.NewStreamableHTTPServer(srv)
	err = errors.Join(err, handler.Start("127.0.0.1:3000"))
	_ = server.NewStreamableHTTPServer(srv, server.WithSessionIdleTTL(time.Hour), server.WithEndpointPath("/mcp"))
	_ = server.NewSSEServer(srv)
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	return errors.Join(err, http.ListenAndServe("127.0.0.1:3000", mux))
}

func goClient(ctx context.Context, url string, srv *server.MCPServer) error {
	c, err := client.NewStreamableHttpClient(url)
	if err != nil {
		return err
	}
	if err := c.Start(ctx); err != nil {
		return err
	}
	_, err = c.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION, ClientInfo: mcp.Implementation{Name: "agent", Version: "1.0.0"}}})
	if err != nil {
		return err
	}
	_, _ = client.NewStdioMCPClient("server", nil, "-v")
	_, _ = client.NewInProcessClient(srv)
	result, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "greet", Arguments: map[string]any{"name": "Ada"}}})
	if err != nil || result.IsError {
		return err
	}
	_ = result.StructuredContent
	tools, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return err
	}
	slog.Info("tools", "count", len(tools.Tools))
	_, _ = c.ReadResource(ctx, mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: "notes:///today"}})
	_, _ = c.GetPrompt(ctx, mcp.GetPromptRequest{Params: mcp.GetPromptParams{Name: "review", Arguments: map[string]string{"code": "x := 1"}}})
	c.OnNotification(func(notification mcp.JSONRPCNotification) {})
	_ = c.Listen(ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{"notes:///today"}})
	_ = c.SetLevel(ctx, mcp.SetLevelRequest{Params: mcp.SetLevelParams{Level: mcp.LoggingLevelInfo}})
	_ = c.ProtocolVersion()
	_ = c.Ping(ctx)
	return c.Close()
}

type goElicitation struct{}

func (goElicitation) Elicit(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"colour": "blue"}}}, nil
}

func goClientOptions() client.ClientOption {
	return client.WithElicitationHandler(goElicitation{})
}

func goConnectInTest(t *testing.T) *client.Client {
	srv, err := mcptest.NewServer(t, server.ServerTool{Tool: mcp.NewTool("greet"), Handler: goGreet})
	if err != nil {
		t.Fatal(err)
	}
	return srv.Client()
}
