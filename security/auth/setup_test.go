package auth_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testleak"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/access"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/dpop"
	"github.com/dougu-go/dougu/security/auth/jwt"
	"github.com/dougu-go/dougu/transport/httpserver"
)

func TestMain(m *testing.M) { testleak.Main(m) }

// world is an MCP server with scopes and its authorization server.
type world struct {
	issuer   *authtest.Server
	server   *httptest.Server
	resource *auth.Resource
	url      string // of the server, and of the resource
	log      *waittest.Log
}

// newWorld starts both. change may be nil.
func newWorld(t *testing.T, change func(*auth.Resource)) *world {
	t.Helper()
	w := &world{issuer: authtest.New(t), log: new(waittest.Log)}
	mux := http.NewServeMux()
	w.server = httptest.NewServer(mux)
	w.url = w.server.URL + "/mcp"
	transport := new(http.Transport)
	w.resource = &auth.Resource{
		URL: w.url, AuthorizationServers: []string{w.issuer.URL}, Scopes: []string{"docs:read", "issues:read", "issues:write"},
		Verifier: &jwt.Verifier{Issuers: []string{w.issuer.URL}, Audiences: []string{w.url}, HTTP: &http.Client{Transport: transport}},
		DPoP:     new(dpop.Checker), Log: w.log.Logger(),
	}
	if change != nil {
		change(w.resource)
	}
	handler := httpserver.NewHandler(newServer(t), nil)
	mux.Handle("/", w.resource.Wrap(handler))
	t.Cleanup(func() {
		w.server.CloseClientConnections()
		w.server.Close()
		if err := handler.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		transport.CloseIdleConnections()
	})
	return w
}

// short is a Verifier of the token "short", which is good for two seconds from its first
// use on.
type short struct{ used atomic.Bool }

func (v *short) Verify(_ context.Context, token string) (*auth.Grant, error) {
	if token != "short" || v.used.Swap(true) {
		return nil, auth.ErrInvalidToken
	}
	return &auth.Grant{Principal: "alice", Expires: time.Now().Add(2 * time.Second)}, nil
}

// newServer has a tool that needs nothing, some that need scopes, and one that finds
// out when it runs.
func newServer(t *testing.T) *mcp.Server {
	t.Helper()
	control := access.New(access.Options{MaxConnections: -1, PerMinute: -1, PerHour: -1, Log: slog.New(slog.DiscardHandler)})
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Authorize: control.Authorize})
	srv.Use(control.Middleware())
	tool := func(name string, permissions ...string) mcp.ServerTool {
		return mcp.NewTool(mcp.Tool{Name: name}, func(ctx context.Context, _ struct{}) (string, error) {
			return name + " for " + protocol.PrincipalFrom(ctx), nil
		}).With(mcp.ToolOptions{Permissions: permissions})
	}
	type args struct {
		Scope string `json:",omitempty"`
	}
	err := srv.Replace("t", mcp.Features{Tools: []mcp.ServerTool{
		tool("plain"), tool("read", "docs:read"), tool("write", "issues:read", "issues:write"), tool("hidden", "admin"),
		mcp.NewTool(mcp.Tool{Name: "asks"}, func(ctx context.Context, in args) (string, error) {
			if in.Scope == "" {
				return "nothing", nil
			}
			return "it has " + in.Scope, auth.Require(ctx, strings.Fields(in.Scope)...)
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// body is a request of revision 2026-07-28.
func body(method, params string) string {
	if params != "" {
		params += ","
	}
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
}

// call is a request for a tool, with headers in pairs.
func (w *world) call(t *testing.T, tool string, headers ...string) *http.Request {
	t.Helper()
	r := w.post(t, body("tools/call", `"name":"`+tool+`"`), headers...)
	r.Header.Set("Mcp-Name", tool)
	r.Header.Set("Mcp-Method", "tools/call")
	return r
}

func (w *world) post(t *testing.T, text string, headers ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// answer is the response to a request.
type answer struct {
	status     int
	challenges []string
	header     http.Header
	body       string
}

func send(t *testing.T, r *http.Request) answer {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header.Values("WWW-Authenticate"), response.Header, string(text)}
}

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}
