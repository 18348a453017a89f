package auth

import (
	"context"
	"errors"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

// RequireRead is a middleware that answers requests for resources, prompts and completions only if their sender has the
// permission mcp.PermissionRead, as these change nothing. Authorize does the same for tools, by the permissions of each.
func RequireRead(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *mcp.Request) (mcp.Result, error) {
		switch kind, _, _ := strings.Cut(req.Method, "/"); kind {
		case "resources", "prompts", "completion":
			if err := Require(ctx, mcp.PermissionRead); err != nil {
				return nil, protocolError(err)
			}
		}
		return next(ctx, req)
	}
}

// protocolError returns an error of Require for a request that has no result to put it in.
func protocolError(err error) error {
	if lacking, ok := errors.AsType[*mcp.ToolError](err); ok {
		return mcp.Errorf(mcp.CodeInvalidRequest, "%s: %s. Next step: %s", lacking.Code, lacking.Message, lacking.Next)
	}
	return err
}
