package migration

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	gotransport "github.com/mark3labs/mcp-go/client/transport"
	gomcp "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
)

// goConnect connects a client of mcp-go to a server of mcp-go over HTTP.
func goConnect(t *testing.T, srv *server.MCPServer) *client.Client {
	t.Helper()
	web := httptest.NewServer(server.NewStreamableHTTPServer(srv))
	t.Cleanup(web.Close)
	over, err := gotransport.NewStreamableHTTP(web.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := client.NewClient(over, client.WithElicitationHandler(goElicitation{}))
	if err = c.Start(t.Context()); err == nil {
		_, err = c.Initialize(t.Context(), gomcp.InitializeRequest{Params: gomcp.InitializeParams{ProtocolVersion: gomcp.LATEST_PROTOCOL_VERSION, ClientInfo: gomcp.Implementation{Name: "test", Version: "1"}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func goCall(t *testing.T, c *client.Client, tool string, args map[string]any) (*gomcp.CallToolResult, error) {
	t.Helper()
	return c.CallTool(t.Context(), gomcp.CallToolRequest{Params: gomcp.CallToolParams{Name: tool, Arguments: args}})
}

func TestMCPGo_ArgumentsAreNotChecked(t *testing.T) {
	srv := server.NewMCPServer("test", "1")
	srv.AddTool(gomcp.NewTool("greet", gomcp.WithInputSchema[goArgs]()), gomcp.NewStructuredToolHandler(goTyped))
	result, err := goCall(t, goConnect(t, srv), "greet", map[string]any{"nmae": "Ada"})
	if err != nil || result.IsError {
		t.Errorf("mcp-go: %+v, %v", result, err)
	}
	client := mcptest.Connect(t, serverWith(t, mcp.NewTool(mcp.Tool{Name: "greet"}, greet)), nil)
	_, err = mcp.Call[Out](t.Context(), client, "greet", map[string]any{"nmae": "Ada"})
	if err == nil || !strings.Contains(err.Error(), `did you mean "name"?`) {
		t.Errorf("dougu: %v", err)
	}
}

func TestMCPGo_ErrorOfHandler(t *testing.T) {
	srv := server.NewMCPServer("test", "1")
	srv.AddTool(gomcp.NewTool("fail"), func(context.Context, gomcp.CallToolRequest) (*gomcp.CallToolResult, error) {
		return nil, errors.New("no city")
	})
	if _, err := goCall(t, goConnect(t, srv), "fail", nil); err == nil {
		t.Error("mcp-go sends a result")
	}
	tool := mcp.NewTool(mcp.Tool{Name: "fail"}, func(context.Context, struct{}) (string, error) { return "", errors.New("no city") })
	if text, isError := call(t, mcptest.Connect(t, serverWith(t, tool), nil), "fail"); !isError || text != "no city" {
		t.Errorf("dougu: %q, %v", text, isError)
	}
}

func TestMCPGo_QuestionsInTheLatestRevision(t *testing.T) {
	srv := server.NewMCPServer("test", "1", server.WithElicitation())
	var asking error
	srv.AddTool(gomcp.NewTool("ask"), func(ctx context.Context, _ gomcp.CallToolRequest) (*gomcp.CallToolResult, error) {
		_, asking = srv.RequestElicitation(ctx, gomcp.ElicitationRequest{Params: gomcp.ElicitationParams{Message: "Which colour?", RequestedSchema: map[string]any{"type": "object"}}})
		return gomcp.NewToolResultText(""), nil
	})
	c := goConnect(t, srv)
	if _, err := goCall(t, c, "ask", nil); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(asking, server.ErrServerInitiatedRequestUnsupported) || c.ProtocolVersion() != "2026-07-28" {
		t.Errorf("mcp-go: %v in %s", asking, c.ProtocolVersion())
	}
}

func TestMCPGo_DefaultAnnotations(t *testing.T) {
	if hint := gomcp.NewTool("greet").Annotations.DestructiveHint; hint == nil || !*hint {
		t.Errorf("mcp-go: %v", hint)
	}
	if annotations := mcp.NewTool(mcp.Tool{Name: "greet"}, greet).Tool().Annotations; annotations != nil {
		t.Errorf("dougu: %v", annotations)
	}
}
