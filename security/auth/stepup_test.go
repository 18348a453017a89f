package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/errorclass"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/access"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/websocket"
)

// bearing sends a token with every request.
type bearing struct {
	token string
	base  http.RoundTripper
}

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.base.RoundTrip(r)
}

// session opens a session of an older revision.
func (w *world) session(t *testing.T, revision, token string) (id string) {
	t.Helper()
	r := w.post(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	r.Header.Set("Mcp-Protocol-Version", revision)
	r.Header.Set("Authorization", "Bearer "+token)
	return send(t, r).header.Get("Mcp-Session-Id")
}

// Whose token lacks a scope is told all scopes that the call needs, before anything else
// is said, in every revision, whatever the client accepts.
func TestStepUp_Challenge(t *testing.T) {
	w := newWorld(t, func(r *auth.Resource) { r.Required = []string{"docs:read"} })
	metadata := `resource_metadata="` + w.server.URL + `/.well-known/oauth-protected-resource/mcp"`
	token := w.issuer.Token(w.url, map[string]any{"scope": "docs:read profile"})
	ids := map[string]string{"2026-07-28": ""}
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		ids[revision] = w.session(t, revision, token)
	}
	for revision, id := range ids {
		for _, accept := range []string{"application/json, text/event-stream", "application/json", "text/event-stream"} {
			for name, tc := range map[string]struct{ tool, arguments, want string }{
				"a tool":                    {"write", `{}`, `scope="docs:read issues:read issues:write"`},
				"a tool for some arguments": {"asks", `{"Scope":"issues:write"}`, `scope="docs:read issues:write"`},
				"one that needs none":       {"plain", `{}`, ""},
				"arguments that need none":  {"asks", `{}`, ""},
				"one that has what it does": {"read", `{}`, ""},
			} {
				params := `"name":"` + tc.tool + `","arguments":` + tc.arguments
				text := body("tools/call", params)
				if id != "" {
					text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + params + `}}`
				}
				r := w.post(t, text, "Authorization", "Bearer "+token)
				r.Header.Set("Accept", accept)
				r.Header.Set("Mcp-Protocol-Version", revision)
				if id != "" {
					r.Header.Set("Mcp-Session-Id", id)
				} else {
					r.Header.Set("Mcp-Method", "tools/call")
					r.Header.Set("Mcp-Name", tc.tool)
				}
				a := send(t, r)
				if tc.want == "" {
					if a.status != http.StatusOK || a.challenges != nil || strings.Contains(a.body, "isError") {
						t.Errorf("%s, %s, %s: %+v", revision, accept, name, a)
					}
					continue
				}
				challenge := strings.Join(a.challenges, "; ")
				if a.status != http.StatusForbidden || !strings.HasPrefix(challenge, `Bearer error="insufficient_scope", error_description="PERMISSION_REQUIRED: `) || !strings.HasSuffix(challenge, metadata+", "+tc.want) {
					t.Errorf("%s, %s, %s: status %d, %s; want %s", revision, accept, name, a.status, challenge, tc.want)
				}
				var failed struct {
					ID    int
					Error struct {
						Code    int
						Message string
						Data    struct{ Code string }
					}
				}
				if err := json.Unmarshal([]byte(a.body), &failed); err != nil || failed.ID != 1 || failed.Error.Data.Code != "PERMISSION_REQUIRED" || a.header.Get("Content-Type") != "application/json" {
					t.Errorf("%s, %s, %s: %v, %+v", revision, accept, name, err, a)
				}
			}
		}
	}
}

// Lists contain tools that another token allows, and no others.
func TestAuthorize_ListedTools(t *testing.T) {
	w := newWorld(t, nil)
	for scope, want := range map[string]string{
		"":                  "asks plain read write",
		"docs:read":         "asks plain read write",
		"*":                 "asks hidden plain read write",
		"admin issues:*":    "asks hidden plain read write",
		"something:x other": "asks plain read write",
	} {
		token := w.issuer.Token(w.url, map[string]any{"scope": scope})
		client := connect(t, w.url, token)
		var names []string
		for tool, err := range client.Tools(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, tool.Name)
		}
		if got := strings.Join(sorted(names), " "); got != want {
			t.Errorf("with %q: %s; want %s", scope, got, want)
		}
	}
}

func connect(t *testing.T, url, token string) *mcp.Client {
	t.Helper()
	base := new(http.Transport)
	t.Cleanup(base.CloseIdleConnections)
	client, err := mcp.Connect(t.Context(), &httpclient.Client{URL: url, HTTPClient: &http.Client{Transport: bearing{token, base}}}, mcp.Implementation{Name: "c", Version: "1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// A batch has one status for all its messages: there the error says it.
func TestStepUp_Batch(t *testing.T) {
	w := newWorld(t, nil)
	token := w.issuer.Token(w.url, nil)
	id := w.session(t, "2025-03-26", token)
	r := w.post(t, `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write"}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"plain"}}]`,
		"Authorization", "Bearer "+token, "Mcp-Session-Id", id)
	r.Header.Set("Mcp-Protocol-Version", "2025-03-26")
	r.Header.Set("Accept", "application/json")
	if a := send(t, r); a.status != http.StatusOK || !strings.Contains(a.body, "PERMISSION_REQUIRED") || !strings.Contains(a.body, "plain for") || a.challenges != nil {
		t.Errorf("%+v", a)
	}
}

// There is no challenge for permissions that no token can give, and none without an HTTP response.
func TestStepUp_NotObtainable(t *testing.T) {
	grant := &auth.Grant{Principal: "alice", Permissions: []string{"docs:read"}, Limited: true}
	resource := &auth.Resource{URL: "https://mcp.example.com/mcp", AuthorizationServers: []string{"https://login.example.com"}, Verifier: says{grant: grant}, Scopes: []string{"docs:read", "issues:write"}}
	never := access.New(access.Options{Grants: map[string][]string{"alice": {"docs:read"}}, Log: slog.New(slog.DiscardHandler)})
	plain := access.New(access.Options{Log: slog.New(slog.DiscardHandler)})
	tool := mcp.NewTool(mcp.Tool{Name: "write"}, func(context.Context, struct{}) (string, error) { return "done", nil }).With(mcp.ToolOptions{Permissions: []string{"issues:write"}})
	missing := mcp.NewTool(mcp.Tool{Name: "admin"}, func(context.Context, struct{}) (string, error) { return "done", nil }).With(mcp.ToolOptions{Permissions: []string{"issues:write", "admin"}})
	type authorize = func(context.Context, *protocol.Request, mcp.ServerTool) error
	for name, tc := range map[string]struct {
		method     string
		authorize  authorize
		tool       mcp.ServerTool
		challenged bool
	}{
		"over HTTP":                          {"POST", plain.Authorize, tool, true},
		"over HTTP, without package access":  {"POST", auth.Authorize, tool, true},
		"a principal that must not":          {"POST", never.Authorize, tool, false},
		"a scope that cannot be had":         {"POST", plain.Authorize, missing, false},
		"the same without package access":    {"POST", auth.Authorize, missing, false},
		"a connection of WebSocket":          {"GET", plain.Authorize, tool, false},
		"a connection, without that package": {"GET", auth.Authorize, tool, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := resource.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ctx := r.Context()
				err := tc.authorize(ctx, &protocol.Request{Method: "tools/call", Peer: protocol.Peer{Principal: "alice"}}, tc.tool)
				challenge, challenged := errors.AsType[*auth.Challenge](err)
				if err == nil || challenged != tc.challenged {
					t.Errorf("the call: %v, %T", err, err)
				}
				if challenged && strings.Join(challenge.Scopes, " ") != "docs:read issues:write" {
					t.Errorf("it asks for %q", challenge.Scopes)
				}
				var refused *protocol.Error
				if errors.As(err, &refused) != tc.challenged {
					t.Errorf("a model does not read it: %v", err)
				}
				if err := tc.authorize(ctx, &protocol.Request{Method: "tools/list", Peer: protocol.Peer{Principal: "alice"}}, tc.tool); (err == nil) != tc.challenged {
					t.Errorf("the list: %v", err)
				}
			}))
			r := httptest.NewRequest(tc.method, "/mcp", nil)
			r.Header.Set("Authorization", "Bearer x")
			h.ServeHTTP(httptest.NewRecorder(), r)
		})
	}
	request := &protocol.Request{Method: "tools/call"}
	if err := auth.Authorize(t.Context(), request, tool); err != nil {
		t.Errorf("who is not limited, as on standard input: %v", err)
	}
	limited := protocol.WithPermissions(t.Context(), []string{"docs:read"})
	if err := auth.Authorize(limited, request, tool); err == nil || !strings.Contains(err.Error(), "issues:write") {
		t.Errorf("who came by no Resource: %v", err)
	}
	if err := auth.StepUp(limited, []string{"issues:write"}, protocol.Errorf(1, "x")); err != nil || auth.Obtainable(limited, []string{"issues:write"}) {
		t.Errorf("who came by no Resource is challenged: %v", err)
	}
}

// Resources and prompts can ask too, and middleware that tells more of errors keeps the
// challenge.
func TestStepUp_OtherMethods(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
	srv.Use(errorclass.Middleware(errorclass.Options{}))
	err := srv.Replace("o", mcp.Features{
		Resources: []mcp.ServerResource{mcp.NewResource(mcp.Resource{URI: "a:b", Name: "b"}, func(ctx context.Context, _ string) ([]mcp.ResourceContents, error) {
			return nil, auth.Require(ctx, "docs:read")
		})},
	})
	if err != nil {
		t.Fatal(err)
	}
	handler := httpserver.NewHandler(srv, nil)
	t.Cleanup(func() { _ = handler.Shutdown(context.Background()) })
	resource := &auth.Resource{
		URL: "https://mcp.example.com/mcp", AuthorizationServers: []string{"https://login.example.com"}, Scopes: []string{"docs:read"},
		Verifier: says{grant: &auth.Grant{Principal: "alice", Limited: true}},
	}
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body("resources/read", `"uri":"a:b"`)))
	for name, value := range map[string]string{
		"Authorization": "Bearer x", "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "resources/read", "Mcp-Name": "a:b",
	} {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	resource.Wrap(handler).ServeHTTP(w, r)
	if w.Code != http.StatusForbidden || !strings.Contains(w.Header().Get("WWW-Authenticate"), `scope="docs:read"`) || !strings.Contains(w.Body.String(), "userMessage") {
		t.Errorf("status %d, %v: %s", w.Code, w.Header(), w.Body)
	}
}

// A connection of WebSocket is let in by its handshake, and ends with its token.
func TestResource_WebSocket(t *testing.T) {
	w := newWorld(t, func(r *auth.Resource) { r.Verifier = auth.AnyOf(r.Verifier, new(short)) })
	handler := websocket.NewHandler(newServer(t), nil)
	server := httptest.NewServer(w.resource.Wrap(handler))
	t.Cleanup(func() {
		if err := handler.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	url := "ws" + strings.TrimPrefix(server.URL, "http") + "/mcp"
	dial := func(header http.Header) (*mcp.Client, error) {
		return mcp.Connect(t.Context(), &websocket.Client{URL: url, Header: header}, mcp.Implementation{Name: "c", Version: "1"}, nil)
	}
	if _, err := dial(nil); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("without a token: %v", err)
	}
	// Whoever opens a connection again needs another token.
	again := make(chan error, 100)
	ending, err := mcp.Connect(t.Context(), &websocket.Client{
		URL: url, Header: http.Header{"Authorization": {"Bearer short"}},
		Reconnect: transport.Reconnect{Attempts: 1, OnReconnect: func(r transport.Reconnection) { again <- r.Err }},
	}, mcp.Implementation{Name: "c", Version: "1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ending.Close()
	client, err := dial(http.Header{"Authorization": {"Bearer " + w.issuer.Token(w.url, nil)}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if text, err := mcp.Call[string](t.Context(), client, "plain", nil); err != nil || text != "plain for "+w.issuer.URL+"#alice" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := mcp.Call[string](t.Context(), client, "write", nil); err == nil || !strings.Contains(err.Error(), "issues:write") {
		t.Errorf("a scope that is missing: %v", err)
	}
	select {
	case err := <-again:
		if err == nil || !strings.Contains(err.Error(), "401") {
			t.Errorf("with an old token: %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the connection outlives its token")
	}
}
