package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Challenge is the error of a request that needs an access token with more scopes. Over HTTP it
// becomes status 403 with all needed scopes, if no part of the response was sent. The client then
// obtains a new token and tries again (2026-07-28, basic/authorization, "Scope Challenge
// Handling"). Other transports send the wrapped protocol error.
type Challenge struct {
	// Scopes are the scopes to request: the needed ones and the ones of the current token.
	Scopes []string

	failure *protocol.Error
	header  string
}

// Error implements error.
func (c *Challenge) Error() string { return c.failure.Message }

// Unwrap returns the *protocol.Error for transports without challenges.
func (c *Challenge) Unwrap() error { return c.failure }

// ProtocolError returns the protocol error, so that a tool that returns the Challenge fails with it and not
// with a result for the model.
func (c *Challenge) ProtocolError() *protocol.Error { return c.failure }

// HTTPStatus returns the status 403 and the challenge header for HTTP transports.
func (c *Challenge) HTTPStatus() (int, http.Header) {
	return http.StatusForbidden, http.Header{"Www-Authenticate": {c.header}}
}

// Obtainable reports whether the client can obtain the needed permissions with another access
// token. This requires that the request passed a Resource and has its own HTTP response. The
// missing permissions must be in Resource.Scopes and within the user's Roles. A challenge is
// useless otherwise.
func Obtainable(ctx context.Context, needed []string) bool {
	p, ok := ctx.Value(requestKey{}).(*authorizedRequest)
	if !ok || !p.canChallenge {
		return false
	}
	missing := p.grant.missing(needed)
	for _, m := range missing {
		if !slices.Contains(p.resource.Scopes, m) || p.limitedByRoles && !Permits(p.rolePermissions, m) {
			return false
		}
	}
	return missing != nil
}

// KeepsListed reports whether tool lists include a tool although the request lacks the needed
// permissions: the request is tools/list, and the permissions are obtainable; see Obtainable.
func KeepsListed(ctx context.Context, req *protocol.Request, needed []string) bool {
	return req.Method == "tools/list" && Obtainable(ctx, needed)
}

// StepUp returns a *Challenge around failure if the request lacks the needed permissions and can
// obtain them. Otherwise it returns nil; see Obtainable.
func StepUp(ctx context.Context, needed []string, failure *protocol.Error) error {
	if !Obtainable(ctx, needed) {
		return nil
	}
	p, _ := ctx.Value(requestKey{}).(*authorizedRequest)
	scopes := p.resource.scopesFor(p.grant, needed)
	scheme := bearerScheme
	if p.grant.Confirmation != "" {
		scheme = dpopScheme
	}
	refused := &refusal{code: "insufficient_scope", reason: failure}
	return &Challenge{Scopes: p.resource.scopeNames(scopes), failure: failure, header: p.resource.parameters(scheme, refused, scopes)}
}

// Require returns nil if the request has all of the permissions or is not limited. Otherwise it
// returns a *Challenge if the permissions are obtainable, or a tool error PERMISSION_REQUIRED for
// the model. A handler calls it before any effect, for permissions that depend on its arguments.
// Permissions that a tool always needs belong in mcp.ToolOptions.Permissions.
func Require(ctx context.Context, permissions ...string) error {
	missing := missingPermissions(ctx, permissions)
	if missing == nil {
		return nil
	}
	lacking := &mcp.ToolError{
		Code:    "PERMISSION_REQUIRED",
		Message: "this needs the permission " + strings.Join(missing, " and ") + ", which was not given to you",
		Next:    "continue without it, or ask the user for an access token that has it",
	}
	failure := protocolError(lacking)
	if data, err := json.Marshal(map[string]any{"code": lacking.Code, "permissions": missing}); err == nil {
		failure.Data = data
	}
	if err := StepUp(ctx, permissions, failure); err != nil {
		return err
	}
	return lacking
}

// missingPermissions returns the permissions that the request lacks.
func missingPermissions(ctx context.Context, permissions []string) []string {
	given, limited := protocol.PermissionsFrom(ctx)
	return (&Grant{Permissions: given, Limited: limited}).missing(permissions)
}

// protocolError converts a tool error to a protocol error, for requests without a tool result.
func protocolError(e *mcp.ToolError) *protocol.Error {
	return protocol.Errorf(protocol.CodeInvalidRequest, "%s: %s. Next step: %s", e.Code, e.Message, e.Next)
}

// Authorize allows a tool if the request has the permissions of mcp.ToolOptions.Permissions. Use it
// as mcp.ServerOptions.Authorize. Tool lists include tools whose permissions are obtainable; see
// KeepsListed. Package access includes this check and adds rules for principals.
func Authorize(ctx context.Context, req *protocol.Request, tool mcp.ServerTool) error {
	needed := tool.Permissions()
	if KeepsListed(ctx, req, needed) {
		return nil
	}
	if err := Require(ctx, needed...); err != nil {
		return fmt.Errorf("calling %s: %w", tool.Tool().Name, err)
	}
	return nil
}
