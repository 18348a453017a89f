package auth_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/dpop"
	"github.com/dougu-go/dougu/security/auth/jwt"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// A server that accepts access tokens of an authorization server.
func ExampleResource() {
	const url, issuer = "https://mcp.example.com/mcp", "https://login.example.com"
	resource := &auth.Resource{
		URL:                  url,
		AuthorizationServers: []string{issuer},
		Scopes:               []string{"docs:read", "docs:write"},
		Initial:              []string{"docs:read"},
		Verifier:             &jwt.Verifier{Issuers: []string{issuer}, Audiences: []string{url}},
		DPoP:                 new(dpop.Checker), // tokens may be bound to a key
	}
	srv := mcp.NewServer(mcp.Implementation{Name: "docs", Version: "1.0.0"}, &mcp.ServerOptions{Authorize: auth.Authorize})
	endpoint := transport.HTTP{Address: "127.0.0.1:3000", Wrap: resource.Wrap, Routes: map[string]transport.Route{"/mcp": httpserver.Options{}}}
	_ = endpoint // transport.Serve(ctx, srv, endpoint)

	handler := httpserver.NewHandler(srv, nil)
	defer func() { _ = handler.Shutdown(context.Background()) }()
	w := httptest.NewRecorder()
	resource.Wrap(handler).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/mcp", nil))
	fmt.Println(w.Code, w.Header().Get("WWW-Authenticate"))
	// Output: 401 Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp", scope="docs:read"
}

// A tool that always needs one permission, and another one for some arguments.
func ExampleRequire() {
	type args struct {
		Path  string `json:"path"`
		Purge bool   `json:"purge,omitempty"`
	}
	remove := mcp.NewTool(mcp.Tool{Name: "remove_document"}, func(ctx context.Context, in args) (string, error) {
		if in.Purge {
			if err := auth.Require(ctx, "docs:purge"); err != nil {
				return "", err
			}
		}
		return "removed " + in.Path, nil
	}).With(mcp.ToolOptions{Permissions: []string{"docs:write"}})

	ctx := protocol.WithPermissions(context.Background(), []string{"docs:write"})
	for _, arguments := range []string{`{"path":"a"}`, `{"path":"a","purge":true}`} {
		result, err := remove.Call(ctx, []byte(arguments))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(result.Content[0].(mcp.TextContent).Text)
	}
	// Output:
	// removed a
	// PERMISSION_REQUIRED: this needs the permission docs:purge, which was not given to you
	// Next step: continue without it, or ask the user for an access token that has it
}

// Users of an authorization server are limited by their groups. The scopes of a token narrow that.
func ExampleResource_roles() {
	const url, issuer = "https://mcp.example.com/mcp", "https://login.example.com"
	resource := &auth.Resource{
		URL: url, AuthorizationServers: []string{issuer},
		Scopes: []string{mcp.PermissionRead, mcp.PermissionWrite}, Initial: []string{mcp.PermissionRead},
		Allow: []string{"group:staff", "group:authors"},
		Roles: map[string][]string{"*": {mcp.PermissionRead}, "group:authors": {mcp.PermissionWrite}},
		Verifier: &jwt.Verifier{
			Issuers: []string{issuer}, Audiences: []string{url}, GroupClaims: []string{"realm_access.roles"},
		},
	}
	fmt.Println(resource.Err())
	// Output: <nil>
}

// A handler behind Wrap finds the content of the token.
func ExampleGrantFrom() {
	tokens, err := auth.ParseTokens("alice=0123456789abcdef0123456789abcdef[docs:read]")
	if err != nil {
		fmt.Println(err)
		return
	}
	resource := &auth.Resource{
		URL: "https://mcp.example.com/mcp", AuthorizationServers: []string{"https://login.example.com"},
		Verifier: tokens.Verifier(), Scopes: []string{"docs:read"},
	}
	handler := resource.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		grant, ok := auth.GrantFrom(r.Context())
		fmt.Println(grant.Principal, grant.Permissions, ok)
	}))
	request := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	request.Header.Set("Authorization", "Bearer 0123456789abcdef0123456789abcdef")
	handler.ServeHTTP(httptest.NewRecorder(), request)
	// Output: alice [docs:read] true
}
