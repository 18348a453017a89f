package oauth_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testdiff"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/access"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/dpop"
	"github.com/dougu-go/dougu/security/oauth"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// verifier knows the tokens of a server, all of which are bound to one key, if there is one.
type verifier struct {
	*server
	key string
}

func (v verifier) Verify(_ context.Context, token string) (*auth.Grant, error) {
	scopes, ok := v.valid(token)
	if !ok {
		return nil, auth.ErrInvalidToken
	}
	return &auth.Grant{Principal: "alice", Permissions: scopes, Limited: true, Confirmation: v.key}, nil
}

// The two halves fit together: a server behind package auth, with a tool that needs a scope of its own.
func TestClient_AuthServer(t *testing.T) {
	for name, bound := range map[string]bool{"bearer tokens": false, "tokens bound to a key, with nonces": true} {
		t.Run(name, func(t *testing.T) {
			w, as := newWorld(t), newServer("")
			at := httptest.NewServer(as)
			t.Cleanup(at.Close)
			as.issuer, w.hosts[at.URL] = at.URL, as
			key, err := dpop.NewKey()
			if err != nil {
				t.Fatal(err)
			}

			control := access.New(access.Options{MaxConnections: -1, PerMinute: -1, PerHour: -1, Log: slog.New(slog.DiscardHandler)})
			srv := mcp.NewServer(mcp.Implementation{Name: "issues", Version: "1.0.0"}, &mcp.ServerOptions{Authorize: control.Authorize})
			srv.Use(control.Middleware())
			tool := mcp.NewTool(mcp.Tool{Name: "write"}, func(ctx context.Context, _ struct{}) (string, error) {
				return "written by " + protocol.PrincipalFrom(ctx), nil
			})
			if err := srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{tool.With(mcp.ToolOptions{Permissions: []string{"issues:write"}})}}); err != nil {
				t.Fatal(err)
			}
			handler := httpserver.NewHandler(srv, nil)
			mux := http.NewServeMux()
			server := httptest.NewServer(mux)
			t.Cleanup(func() {
				if err := handler.Shutdown(context.Background()); err != nil {
					t.Error(err)
				}
				server.Close()
			})
			resource := &auth.Resource{
				URL: server.URL + "/mcp", AuthorizationServers: []string{at.URL}, Scopes: []string{"docs:read", "issues:write"}, Initial: []string{"docs:read"},
				Verifier: verifier{server: as}, Log: slog.New(slog.DiscardHandler),
			}
			if bound {
				resource.DPoP, resource.RequireDPoP, resource.Verifier = &dpop.Checker{Nonces: new(dpop.Nonces)}, true, verifier{as, key.Thumbprint()}
				as.metadata = map[string]any{"dpop_signing_alg_values_supported": []string{"ES256"}}
				as.token = func(form url.Values, r *http.Request) (int, map[string]any) {
					scopes, err := as.redeem(form)
					if err != nil || r.Header.Get("DPoP") == "" {
						return 400, map[string]any{"error": "invalid_dpop_proof"}
					}
					body := as.issue(scopes)
					body["token_type"] = "DPoP"
					return 200, body
				}
			}
			mux.Handle("/", resource.Wrap(handler))

			network := &http.Transport{}
			defer network.CloseIdleConnections()
			tokens := w.client(func(c *oauth.Client) { c.HTTP, c.DPoP = nil, key })
			client, err := mcp.Connect(t.Context(), &httpclient.Client{
				URL: resource.URL, HTTPClient: &http.Client{Transport: tokens.Transport(resource.URL, network)},
			}, mcp.Implementation{Name: "test", Version: "1.0.0"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			for range 2 {
				if text, err := mcp.Call[string](t.Context(), client, "write", struct{}{}); err != nil || text != "written by alice" {
					t.Errorf("%q, %v", text, err)
				}
			}
			var asked []string
			for _, page := range as.authorized {
				asked = append(asked, page.Get("scope"))
			}
			if diff := testdiff.Diff([]string{"docs:read", "docs:read issues:write"}, asked); diff != "" {
				t.Errorf("scopes, want - got +:\n%s", diff)
			}
			if strings.Contains(w.logged(), "level=WARN") {
				t.Error(w.logged())
			}
		})
	}
}
