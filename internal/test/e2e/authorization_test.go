package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/dpop"
	"github.com/dougu-go/dougu/security/auth/jwt"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// scoped starts a server with one tool without a scope and two tools with scopes, and returns its URL. issuer issues the tokens.
func scoped(t *testing.T, issuer *authtest.Server) string {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "scoped", Version: "1"}, &mcp.ServerOptions{Authorize: auth.Authorize})
	tool := func(name string, permissions ...string) mcp.ServerTool {
		return mcp.NewTool(mcp.Tool{Name: name}, func(ctx context.Context, _ struct{}) (string, error) {
			return name + " for " + protocol.PrincipalFrom(ctx), nil
		}).With(mcp.ToolOptions{Permissions: permissions})
	}
	if err := srv.Replace("t", mcp.Features{Tools: []mcp.ServerTool{tool("plain"), tool("read", "docs:read"), tool("write", "issues:read", "issues:write")}}); err != nil {
		t.Fatal(err)
	}
	handler := httpserver.NewHandler(srv, nil)
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	url := server.URL + "/mcp"
	resource := &auth.Resource{
		URL: url, AuthorizationServers: []string{issuer.URL}, Scopes: []string{"docs:read", "issues:read", "issues:write"}, Initial: []string{"docs:read"},
		Verifier: &jwt.Verifier{Issuers: []string{issuer.URL}, Audiences: []string{url}}, DPoP: new(dpop.Checker), Log: new(waittest.Log).Logger(),
	}
	mux.Handle("/mcp", resource.Wrap(handler))
	resource.Mount(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if err := handler.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return url
}

// Foreign clients discover the authorization server, get a token, and get another one when a tool needs more scopes.
func TestAuthorization_ForeignClients(t *testing.T) {
	node := needNode(t)
	for _, client := range [][2]string{{"v1", "legacy"}, {"v2", "legacy"}, {"v2", "auto"}, {"v2", "2026-07-28"}} {
		t.Run(client[0]+" "+client[1], func(t *testing.T) {
			t.Parallel()
			issuer := authtest.New(t)
			url := scoped(t, issuer)
			cmd := exec.CommandContext(t.Context(), node, "authorization.mjs", "--sdk="+client[0], "--mode="+client[1], url, "plain", "read", "write", "read")
			cmd.Dir = "node"
			stderr := new(strings.Builder)
			cmd.Stderr = stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s%s", err, out, stderr)
			}
			type found struct{ Listed, Answers, Asked []string }
			var got found
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			who := " for " + issuer.URL + "#alice"
			want := found{
				Listed:  []string{"plain", "read", "write"},
				Answers: []string{"plain" + who, "read" + who, "write" + who, "read" + who},
				Asked:   []string{"docs:read", "docs:read issues:read issues:write"},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("want - got +:\n%s", diff)
			}
		})
	}
}
