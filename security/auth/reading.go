package auth

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

// RequireRead is a middleware that answers requests for resources, prompts and completions only if their sender has the
// permission mcp.PermissionRead, as these change nothing. A subscription of a sender without it names no resources. Authorize
// does the same for tools, by the permissions of each.
func RequireRead(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *mcp.Request) (mcp.Result, error) {
		switch kind, _, _ := strings.Cut(req.Method, "/"); kind {
		case "resources", "prompts", "completion":
			err := Require(ctx, mcp.PermissionRead)
			if lacking, ok := errors.AsType[*mcp.ToolError](err); ok {
				err = protocolError(lacking)
			}
			if err != nil {
				return nil, err
			}
		case "subscriptions":
			if lacks(ctx, []string{mcp.PermissionRead}) != nil {
				var err error
				if req, err = withoutResources(req); err != nil {
					return nil, err
				}
			}
		}
		return next(ctx, req)
	}
}

// withoutResources returns a request for changes that asks for no changes of resources and prompts.
func withoutResources(req *mcp.Request) (*mcp.Request, error) {
	var params, wanted map[string]json.RawMessage
	if json.Unmarshal(req.Params, &params) != nil || params["notifications"] != nil && json.Unmarshal(params["notifications"], &wanted) != nil {
		return nil, mcp.Errorf(mcp.CodeInvalidParams, "Invalid params: notifications must be an object")
	}
	for name := range wanted {
		if kind := strings.ToLower(name); strings.HasPrefix(kind, "resource") || strings.HasPrefix(kind, "prompt") {
			delete(wanted, name)
		}
	}
	var err error
	if params["notifications"], err = json.Marshal(wanted); err != nil {
		return nil, err
	}
	own := *req
	own.Params, err = json.Marshal(params)
	return &own, err
}
