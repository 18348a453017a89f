package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

type OpenArgs struct {
	Project string `json:"project"`
}

// buildTool returns the tool that builds one project.
func buildTool(project string) mcp.ServerTool {
	return mcp.NewTool(mcp.Tool{Name: "build", Description: "Builds " + project + "."},
		func(context.Context, struct{}) (string, error) { return project + " is built", nil })
}

// A call gives its session a tool. Other sessions neither list nor call it, and clients of revision
// 2026-07-28, which has no sessions, get an error that says so.
func ExampleSession_AddTools() {
	ctx := context.Background()
	srv := mcp.NewServer(mcp.Implementation{Name: "projects", Version: "1.0.0"}, nil)
	err := mcp.AddTool(srv, mcp.Tool{Name: "open_project", Description: "Opens a project, whose tools are listed then."},
		func(ctx context.Context, in OpenArgs) (string, error) {
			session := mcp.SessionFrom(ctx)
			if err := session.AddTools(buildTool(in.Project)); err != nil {
				return "", err
			}
			return "opened", nil
		})
	if err != nil {
		log.Fatal(err)
	}
	for _, rev := range []protocol.Revision{protocol.Rev20251125, protocol.Latest} {
		client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, exampleClient, &mcp.ClientOptions{Revision: rev})
		if err != nil {
			log.Fatal(err)
		}
		defer client.Close()
		_, err = mcp.Call[string](ctx, client, "open_project", OpenArgs{Project: "site"})
		fmt.Println(rev, "opened:", err == nil)
		for tool, err := range client.Tools(ctx) {
			fmt.Println(tool.Name, err)
		}
	}
	// Output:
	// 2025-11-25 opened: true
	// open_project <nil>
	// build <nil>
	// 2026-07-28 opened: false
	// open_project <nil>
}

// A server gives each principal tools of its own, in every revision.
func ExampleServerOptions_senderTools() {
	projects := map[string][]mcp.ServerTool{"ada": {buildTool("site")}} // made once
	srv := mcp.NewServer(mcp.Implementation{Name: "projects", Version: "1.0.0"}, &mcp.ServerOptions{
		SenderTools: func(_ context.Context, req *protocol.Request) ([]mcp.ServerTool, error) {
			if req.Peer.Principal == "" {
				return nil, errors.New("log in first")
			}
			return projects[req.Peer.Principal], nil
		},
	})
	for _, principal := range []string{"ada", "eve", ""} {
		req := &protocol.Request{Method: "tools/call", Params: []byte(`{"name":"build"}`), Peer: protocol.Peer{Principal: principal}}
		result, err := srv.Dispatch(context.Background(), req)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(result.(*mcp.ToolResult).Content[0].(mcp.TextContent).Text)
	}
	// Output:
	// site is built
	// Unknown tool: "build"; see tools/list
	// log in first
}
