package access_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/access"
	"github.com/dougu-go/dougu/transport"
)

func Example() {
	control := access.New(access.Options{
		Allowed: []string{access.Cursor, access.ClaudeDesktop},
		Tools:   map[string]int{"createIssue": 1}, // a minute
		Log:     quiet,
	})
	srv := mcp.NewServer(mcp.Implementation{Name: "demo"}, &mcp.ServerOptions{Authorize: control.Authorize})
	srv.Use(control.Middleware())
	err := mcp.AddTool(srv, mcp.Tool{Name: "createIssue"}, func(context.Context, struct{}) (string, error) { return "made", nil })
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	for _, name := range []string{"some-script", "cursor-vscode"} {
		client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, mcp.Implementation{Name: name, Version: "1"}, nil)
		var refused *protocol.Error
		if errors.As(err, &refused) {
			fmt.Println(refused.Message)
			continue
		} else if err != nil {
			fmt.Println(err)
			return
		}
		for range 2 {
			result, err := client.CallTool(ctx, "createIssue", nil, nil)
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Printf("%v %q\n", result.IsError, result.ErrorCode())
		}
		fmt.Println(control.Stats().ByClient)
		_ = client.Close()
	}
	// Output:
	// CLIENT_NOT_ALLOWED: the client "some-script" is not one that may use this server. Next step: use another client, or ask the operator of the server to allow this one
	// false ""
	// true "RATE_LIMITED"
	// map[cursor:1]
}
