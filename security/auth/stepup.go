package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

// Challenge is the error of a request that would be served if its access token had
// more scopes. Over HTTP it is status 403 with all scopes that are needed, as long as
// nothing else was sent, and clients get a better token and try again (2026-07-28,
// basic/authorization, "Scope Challenge Handling"); elsewhere it is the protocol error
// in it.
type Challenge struct {
	// Scopes are those to ask for: what is needed, and what the token has already.
	Scopes []string

	failure *mcp.Error
	header  string
}

// Error implements error.
func (c *Challenge) Error() string { return c.failure.Message }

// Unwrap is the *mcp.Error of those who cannot be challenged.
func (c *Challenge) Unwrap() error { return c.failure }

// HTTPStatus is what a transport over HTTP answers with: the status and headers.
func (c *Challenge) HTTPStatus() (int, http.Header) {
	return http.StatusForbidden, http.Header{"Www-Authenticate": {c.header}}
}

// Obtainable reports whether the sender of a request could have more permissions by
// bringing another access token: the request has come through a Resource, what its
// token lacks of needed is among the Scopes of that and not beyond the user's Roles, and it has an HTTP response of
// its own to be told so in. Otherwise there is no use in a challenge.
func Obtainable(ctx context.Context, needed []string) bool {
	p, ok := ctx.Value(passKey{}).(*pass)
	if !ok || !p.answers {
		return false
	}
	missing := p.grant.lacks(needed)
	for _, m := range missing {
		if !slices.Contains(p.resource.Scopes, m) || p.bounded && !Permits(p.most, m) {
			return false
		}
	}
	return missing != nil
}

// StepUp returns the error for a request that needs permissions which its token
// lacks and could have: a *Challenge around failure. Where that is of no use it is
// nil; see Obtainable.
func StepUp(ctx context.Context, needed []string, failure *mcp.Error) error {
	if !Obtainable(ctx, needed) {
		return nil
	}
	p, _ := ctx.Value(passKey{}).(*pass)
	scopes := p.resource.scopesFor(p.grant, needed)
	scheme := bearerScheme
	if p.grant.Confirmation != "" {
		scheme = dpopScheme
	}
	refused := &refusal{code: "insufficient_scope", why: failure}
	return &Challenge{Scopes: p.resource.scopeNames(scopes), failure: failure, header: p.resource.parameters(scheme, refused, scopes)}
}

// Require returns nil if the sender of a request has all of these permissions, or was
// not limited to any. Otherwise it is a *Challenge where that is of use, and an error
// PERMISSION_REQUIRED that a model reads elsewhere. A tool asks it for what
// depends on its arguments, before it does anything; what it always needs is in its
// mcp.ToolOptions.Permissions.
func Require(ctx context.Context, permissions ...string) error {
	missing := lacks(ctx, permissions)
	if missing == nil {
		return nil
	}
	lacking := &mcp.ToolError{
		Code:    "PERMISSION_REQUIRED",
		Message: "this needs the permission " + strings.Join(missing, " and ") + ", which was not given to you",
		Next:    "go on without it, or ask the user for an access token that has it",
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

// lacks returns the permissions that the sender of a request lacks.
func lacks(ctx context.Context, permissions []string) []string {
	given, limited := mcp.PermissionsFrom(ctx)
	return (&Grant{Permissions: given, Limited: limited}).lacks(permissions)
}

// protocolError returns an error of a tool for a request that has no result to put it in.
func protocolError(e *mcp.ToolError) *mcp.Error {
	return mcp.Errorf(mcp.CodeInvalidRequest, "%s: %s. Next step: %s", e.Code, e.Message, e.Next)
}

// Authorize lets those use a tool who have the permissions that it needs
// (mcp.ToolOptions.Permissions), for mcp.ServerOptions.Authorize; see Require. A tool
// that somebody could use with another token stays in their lists. Package access
// does that too, by principals as well.
func Authorize(ctx context.Context, req *mcp.Request, tool mcp.ServerTool) error {
	needed := tool.Permissions()
	if req.Method == "tools/list" && Obtainable(ctx, needed) {
		return nil
	}
	if err := Require(ctx, needed...); err != nil {
		return fmt.Errorf("calling %s: %w", tool.Tool().Name, err)
	}
	return nil
}
