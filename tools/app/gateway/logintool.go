package gateway

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
)

type loginArgs struct {
	Server string `json:"server" jsonschema:"description=Name from the tool servers"`
}

// loginTool has the user of the client log in, for servers that list no tools before.
func (s *status) loginTool() mcp.ServerTool {
	return mcp.NewTool(mcp.Tool{
		Name:        "login",
		Description: "Asks the user to log in, in the browser, to a server with the state needs_login. After that, its tools are listed.",
		Annotations: &mcp.ToolAnnotations{Destructive: new(false), Idempotent: new(true)},
	}, func(ctx context.Context, in loginArgs) (string, error) {
		err := s.gateway.LogIn(ctx, caller.PrincipalOf(ctx), in.Server, func(page string) error { return askToOpen(ctx, in.Server, page) })
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("The server %s can be used. List the tools again to see its own.", in.Server), nil
	})
}

// askToOpen sends the user to the page of a login.
func askToOpen(ctx context.Context, server, page string) error {
	needed := &mcp.ToolError{
		Code: "NEEDS_LOGIN", Message: "the server " + server + " needs a login",
		Next: "ask the user to open " + page + " in a browser and to log in there, then call login again",
	}
	if !mcp.Supports(ctx, mcp.CapElicitURL) {
		return needed
	}
	action, err := mcp.ElicitURL(ctx, "login", "The server "+server+" needs you to log in.", page)
	if err == nil && action != mcp.Accept {
		needed.Message += ": the user did not open the page for it"
		return needed
	}
	return err
}
