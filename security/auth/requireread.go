package auth

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// RequireRead is middleware that requires the permission mcp.PermissionRead for resources, prompts
// and completions. For a client without it, a subscription omits changes of resources and prompts.
// Authorize checks the permissions of tools.
func RequireRead(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
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
			if missingPermissions(ctx, []string{mcp.PermissionRead}) != nil {
				var err error
				if req, err = withoutResources(req); err != nil {
					return nil, err
				}
			}
		}
		return next(ctx, req)
	}
}

// withoutResources returns a subscription request without the changes of resources and prompts.
func withoutResources(req *protocol.Request) (*protocol.Request, error) {
	var params, wanted map[string]json.RawMessage
	if json.Unmarshal(req.Params, &params) != nil || params["notifications"] != nil && json.Unmarshal(params["notifications"], &wanted) != nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: notifications must be an object")
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
