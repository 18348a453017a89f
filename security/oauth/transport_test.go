package oauth_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/oauth"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/websocket"
)

// protected is an MCP server on this machine that wants tokens, whose authorization server is here as well. The scope "write" is
// needed to call tools.
type protected struct {
	*world
	as  *server
	url string

	mu      sync.Mutex
	refused int
}

func newProtected(t *testing.T) *protected {
	t.Helper()
	p := &protected{world: newWorld(t), as: newServer("")}
	at := httptest.NewServer(p.as)
	t.Cleanup(at.Close)
	p.as.issuer = at.URL
	p.hosts[at.URL] = p.as // for the browser

	srv := mcp.NewServer(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	if err := mcp.AddTool(srv, mcp.Tool{Name: "greet", Description: "Greets."}, func(context.Context, struct{}) (string, error) { return "Hello", nil }); err != nil {
		t.Fatal(err)
	}
	http1, socket := httpserver.NewHandler(srv, nil), websocket.NewHandler(srv, nil)
	mux := http.NewServeMux()
	mux.Handle("/mcp", p.guard(http1))
	mux.Handle("/ws", p.guard(socket))
	server := httptest.NewServer(mux)
	p.url = server.URL
	mux.HandleFunc("/.well-known/oauth-protected-resource/", func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/.well-known/oauth-protected-resource")
		reply(w, 200, map[string]any{"resource": p.url + path, "authorization_servers": []string{p.as.issuer}, "scopes_supported": []string{"read"}})
	})
	t.Cleanup(func() {
		for _, h := range []interface{ Shutdown(context.Context) error }{http1, socket} {
			if err := h.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		}
		server.Close()
	})
	return p
}

func (p *protected) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scopes, ok := p.as.valid(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		write := strings.Contains(strings.Join(scopes, " "), "write")
		switch {
		case !ok:
			p.mu.Lock()
			p.refused++
			p.mu.Unlock()
			w.WriteHeader(401)
		case r.Header.Get("Mcp-Method") == "tools/call" && !write:
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="write"`)
			w.WriteHeader(403)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (p *protected) refusals() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

// The transports need to know nothing of it.
func TestTransport_MCPClients(t *testing.T) {
	for name, transportOf := range map[string]func(url string, c *http.Client) protocol.Transport{
		"Streamable HTTP": func(url string, c *http.Client) protocol.Transport {
			return &httpclient.Client{URL: url + "/mcp", HTTPClient: c}
		},
		"WebSocket": func(url string, c *http.Client) protocol.Transport {
			return websocket.Client{URL: "ws" + strings.TrimPrefix(url, "http") + "/ws", HTTPClient: c}
		},
	} {
		for _, rev := range []protocol.Revision{protocol.Rev20260728, protocol.Rev20251125} {
			t.Run(name+" "+string(rev), func(t *testing.T) {
				p := newProtected(t)
				path := map[string]string{"WebSocket": "/ws"}[name]
				if path == "" {
					path = "/mcp"
				}
				network := &http.Transport{}
				defer network.CloseIdleConnections()
				tokens := p.client(func(c *oauth.Client) { c.HTTP = nil })
				client, err := mcp.Connect(t.Context(), transportOf(p.url, &http.Client{Transport: tokens.Transport(p.url+path, network)}),
					mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{Revision: rev})
				if err != nil {
					t.Fatal(err)
				}
				defer client.Close()
				for range 2 {
					if text, err := mcp.Call[string](t.Context(), client, "greet", struct{}{}); err != nil || text != "Hello" {
						t.Errorf("%q, %v", text, err)
					}
				}
				logins := 1
				if name == "Streamable HTTP" && rev.Modern() {
					logins = 2 // with the scope for tools
					if got := p.as.authorized[1].Get("scope"); got != "read write" {
						t.Errorf("stepped up to %q", got)
					}
				}
				if len(p.as.authorized) != logins || p.refusals() != 1 || client.Revision() != rev {
					t.Errorf("%d logins, %d refusals, revision %s", len(p.as.authorized), p.refusals(), client.Revision())
				}
			})
		}
	}
}

// Without a token there is no connection: nothing is tried again, and nothing else.
func TestTransport_MCPFailsWithoutToken(t *testing.T) {
	p := newProtected(t)
	p.as.metadata = map[string]any{"code_challenge_methods_supported": []string{}}
	network := &http.Transport{}
	defer network.CloseIdleConnections()
	tokens := p.client(func(c *oauth.Client) { c.HTTP = nil })
	at := &httpclient.Client{URL: p.url + "/mcp", HTTPClient: &http.Client{Transport: tokens.Transport(p.url+"/mcp", network)}}
	_, err := mcp.Connect(t.Context(), at, mcp.Implementation{Name: "test", Version: "1"}, nil)
	if err == nil || !strings.Contains(err.Error(), "PKCE") || strings.Contains(err.Error(), transport.ErrRequestLost.Error()) {
		t.Errorf("connected: %v", err)
	}
	if p.refusals() != 1 {
		t.Errorf("tried %d times", p.refusals())
	}
}

func ExampleClient() {
	// An MCP server and an authorization server on this machine.
	tokens := newServer("")
	at := httptest.NewServer(tokens)
	defer at.Close()
	tokens.issuer = at.URL
	protected := &resource{by: tokens, challenge: `scope="files:read"`}
	server := httptest.NewServer(protected)
	defer server.Close()
	protected.metadata = map[string]any{"resource": server.URL + "/mcp"}

	client := &oauth.Client{
		Grant:      oauth.ClientCredentials{},
		Registered: map[string]oauth.Credentials{at.URL: {ClientID: "nightly-build", Secret: "from the vault"}},
	}
	defer client.Close()
	url := server.URL + "/mcp"
	web := &http.Client{Transport: client.Transport(url, nil)}
	resp, err := web.Post(url, "text/plain", strings.NewReader("hello"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	web.CloseIdleConnections()
	// Output: 200 OK
}
