package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

func TestServer_UseTools(t *testing.T) {
	var seen []string
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
	srv.UseTools(func(next mcp.RawHandler) mcp.RawHandler {
		return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
			call := mcp.CallFrom(ctx)
			tool := call.ServerTool().Tool()
			seen = append(seen, fmt.Sprintf("%s %s %q %s", call.Tool, tool.Description, call.Principal(), args))
			if tool.Annotations != nil && tool.Annotations.Destructive != nil && *tool.Annotations.Destructive && call.Principal() != "ada" {
				return nil, &mcp.ToolError{Code: "FORBIDDEN", Message: "only Ada may delete"}
			}
			return next(ctx, args)
		}
	})
	srv.UseTools(func(next mcp.RawHandler) mcp.RawHandler {
		return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
			if mcp.CallFrom(ctx).Tool == "boom" {
				panic("boom")
			}
			return next(ctx, args)
		}
	})
	type args struct {
		Path string `json:"path" jsonschema:"default=."`
	}
	yes := true
	for _, tool := range []mcp.Tool{{Name: "list", Description: "Lists."}, {Name: "delete", Description: "Deletes.", Annotations: &mcp.ToolAnnotations{Destructive: &yes}}, {Name: "boom"}} {
		if err := mcp.AddTool(srv, tool, func(_ context.Context, in args) (string, error) { return in.Path, nil }); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ principal, params, want string }{
		{"", `{"name":"list"}`, "."},
		{"eve", `{"name":"delete","Name":"list"}`, "FORBIDDEN"},
		{"ada", `{"name":"delete","arguments":{"path":"x"}}`, "x"},
		{"ada", `{"name":"list","arguments":{"pth":"x"}}`, "INVALID_PARAMS"},
		{"", `{"name":"boom"}`, "INTERNAL_ERROR"},
	} {
		req := &protocol.Request{Method: "tools/call", Params: json.RawMessage(tc.params), Meta: protocol.RequestMeta{Revision: protocol.Latest}, Peer: protocol.Peer{Principal: tc.principal}}
		result, err := srv.Dispatch(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if got := result.(*mcp.ToolResult).Blocks()[0].(mcp.TextContent).Text; !strings.Contains(got, tc.want) {
			t.Errorf("%s %s: %q, want %q", tc.principal, tc.params, got, tc.want)
		}
	}
	want := []string{`list Lists. "" {"path":"."}`, `delete Deletes. "eve" {"path":"."}`, `delete Deletes. "ada" {"path":"x"}`, `boom  "" {"path":"."}`}
	if got := strings.Join(seen, "; "); got != strings.Join(want, "; ") {
		t.Errorf("the middleware saw %s", got)
	}
}

func TestRequest_ToolCall(t *testing.T) {
	for _, tc := range []struct{ method, params, want string }{
		{"tools/call", `{"name":"delete","Name":"list","arguments":{"a":1}}`, `delete {"a":1} true`},
		{"tools/call", `{"n\u0061me":"delete"}`, `  false`},
		{"tools/call", `{"Name":"list"}`, `  false`},
		{"tools/call", `{"name":"list","arguments":[]}`, `  false`},
		{"tools/call", ``, `  false`},
		{"prompts/get", `{"name":"list"}`, `  false`},
	} {
		req := &protocol.Request{Method: tc.method, Params: json.RawMessage(tc.params)}
		tool, args, ok := mcp.ToolCall(req)
		if got := fmt.Sprintf("%s %s %v", tool, args, ok); got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.method, tc.params, got, tc.want)
		}
	}
}
