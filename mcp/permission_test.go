package mcp_test

import (
	"context"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/mcp"
)

func TestTool_DefaultPermission(t *testing.T) {
	for want, all := range map[string][]*mcp.ToolAnnotations{
		mcp.PermissionRead:  {mcp.ReadOnly(), {ReadOnly: new(true)}, {ReadOnly: new(true), Destructive: new(true), OpenWorld: new(true)}},
		mcp.PermissionWrite: {mcp.Destructive(), mcp.Additive(), {Destructive: new(false)}, {OpenWorld: new(false)}, {ReadOnly: new(false), OpenWorld: new(false)}},
		mcp.PermissionRun:   {nil, {}, {Title: "Run"}, {Destructive: new(true), OpenWorld: new(true)}, {Idempotent: new(true)}},
	} {
		for _, a := range all {
			if got := (mcp.Tool{Annotations: a}).DefaultPermission(); got != want {
				t.Errorf("a tool with the annotations %+v needs %s, want %s", a, got, want)
			}
		}
	}
}

func TestServer_Permissions(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
	tool := func(name string, permissions ...string) mcp.ServerTool {
		return mcp.NewTool(mcp.Tool{Name: name}, func(context.Context, struct{}) (string, error) { return "", nil }).With(mcp.ToolOptions{Permissions: permissions})
	}
	if got := srv.Permissions(); len(got) != 0 {
		t.Errorf("a server without tools needs %q", got)
	}
	for owner, tools := range map[string][]mcp.ServerTool{
		"a": {tool("one", "write", "read"), tool("two").With(mcp.ToolOptions{Unlisted: true})},
		"b": {tool("three", "read"), tool("four", "run").With(mcp.ToolOptions{Unlisted: true})},
	} {
		if err := srv.Replace(owner, mcp.Features{Tools: tools}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := srv.Permissions(), []string{"read", "run", "write"}; !slices.Equal(got, want) {
		t.Errorf("the permissions are %q, want %q", got, want)
	}
}
