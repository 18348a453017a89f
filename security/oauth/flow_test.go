package oauth_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testdiff"

	"github.com/dougu-go/dougu/security/oauth"
)

// The whole way, as the specification draws it (2026-07-28, basic/authorization, "Authorization Flow Steps").
func TestTransport_FirstRequest(t *testing.T) {
	w, rs, as := standard(t)
	rs.challenge = `resource_metadata="https://mcp.example.com/about", scope="files:read"`
	rs.place = "/about"
	transport := w.client().Transport(resourceURL, w)
	if status, body := get(t, transport); status != 200 || body != "the body with files:read" {
		t.Fatalf("%d: %s", status, body)
	}
	want := []string{
		"POST https://mcp.example.com/mcp",
		"GET https://mcp.example.com/about",
		"GET https://as.example.com/.well-known/oauth-authorization-server",
		"POST https://as.example.com/register",
		"GET https://as.example.com/authorize",
		"POST https://as.example.com/token",
		"POST https://mcp.example.com/mcp",
	}
	if diff := testdiff.Diff(want, w.requests()); diff != "" {
		t.Errorf("requests, want - got +:\n%s", diff)
	}
	registered := map[string]any{
		"client_name": "A test", "redirect_uris": []any{redirectURL}, "application_type": "native", "token_endpoint_auth_method": "none",
		"grant_types": []any{"authorization_code", "refresh_token"}, "response_types": []any{"code"},
	}
	if diff := testdiff.Diff(registered, as.registrations[0]); diff != "" {
		t.Errorf("registration, want - got +:\n%s", diff)
	}
	asked := as.authorized[0]
	for name, want := range map[string]string{"response_type": "code", "client_id": "client-1", "resource": resourceURL, "scope": "files:read", "redirect_uri": redirectURL} {
		if asked.Get(name) != want {
			t.Errorf("authorization with %s=%q, want %q", name, asked.Get(name), want)
		}
	}
	if len(asked.Get("state")) < 20 {
		t.Errorf("the state is %q", asked.Get("state"))
	}

	// The next ones need nothing but the token.
	if status, body := get(t, transport); status != 200 {
		t.Errorf("%d: %s", status, body)
	}
	if got := w.requests(); !slices.Equal(got, want[:1]) {
		t.Errorf("the second request needs %q", got)
	}
}

// Where the metadata may be (RFC 9728 §3.1, RFC 8414 §3.1, OpenID Connect Discovery §4).
func TestDiscover_Locations(t *testing.T) {
	const rs, as = "https://mcp.example.com", "https://as.example.com"
	document := func(v map[string]any) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, v) })
	}
	for name, tc := range map[string]struct {
		at, resource, issuer string // URLs and identifiers of the documents
		server               string
		asked                []string
		wantErr              string
	}{
		"with the path, and the root": {
			at: rs + "/.well-known/oauth-protected-resource/mcp", resource: resourceURL, issuer: as, server: as + "/.well-known/oauth-authorization-server",
			asked: []string{rs + "/.well-known/oauth-protected-resource/mcp", as + "/.well-known/oauth-authorization-server"},
		},
		"the root stands for all below": {
			at: rs + "/.well-known/oauth-protected-resource", resource: rs, issuer: as, server: as + "/.well-known/openid-configuration",
			asked: []string{
				rs + "/.well-known/oauth-protected-resource/mcp", rs + "/.well-known/oauth-protected-resource",
				as + "/.well-known/oauth-authorization-server", as + "/.well-known/openid-configuration",
			},
		},
		"an issuer with a path": {
			at: rs + "/.well-known/oauth-protected-resource/mcp", resource: resourceURL, issuer: as + "/tenant", server: as + "/tenant/.well-known/openid-configuration",
			asked: []string{
				rs + "/.well-known/oauth-protected-resource/mcp", as + "/.well-known/oauth-authorization-server/tenant",
				as + "/.well-known/openid-configuration/tenant", as + "/tenant/.well-known/openid-configuration",
			},
		},
		"a resource in other letters": {
			at: rs + "/.well-known/oauth-protected-resource/mcp", resource: "HTTPS://MCP.example.com:443/mcp/", issuer: as, server: as + "/.well-known/oauth-authorization-server",
			asked: []string{rs + "/.well-known/oauth-protected-resource/mcp", as + "/.well-known/oauth-authorization-server"},
		},
		"another resource":             {at: rs + "/.well-known/oauth-protected-resource/mcp", resource: rs + "/other", issuer: as, wantErr: "not about https://mcp.example.com/mcp"},
		"another host":                 {at: rs + "/.well-known/oauth-protected-resource/mcp", resource: "https://evil.example.com/mcp", issuer: as, wantErr: "evil.example.com"},
		"a name that begins the same":  {at: rs + "/.well-known/oauth-protected-resource/mcp", resource: rs + "/m", issuer: as, wantErr: "not about"},
		"another scheme":               {at: rs + "/.well-known/oauth-protected-resource/mcp", resource: "http://mcp.example.com/mcp", issuer: as, wantErr: "not about"},
		"a resource with a fragment":   {at: rs + "/.well-known/oauth-protected-resource/mcp", resource: resourceURL + "#x", issuer: as, wantErr: "names no resource"},
		"no resource":                  {at: rs + "/.well-known/oauth-protected-resource/mcp", issuer: as, wantErr: "not about"},
		"an issuer that says another":  {at: rs + "/.well-known/oauth-protected-resource/mcp", resource: resourceURL, issuer: as + "/", server: as + "/.well-known/oauth-authorization-server", wantErr: "not from the expected authorization server"},
		"an issuer without encryption": {at: rs + "/.well-known/oauth-protected-resource/mcp", resource: resourceURL, issuer: "http://as.example.com", wantErr: "not encrypted"},
		"an issuer with a query":       {at: rs + "/.well-known/oauth-protected-resource/mcp", resource: resourceURL, issuer: as + "?x", wantErr: "query"},
		"an issuer that is a file":     {at: rs + "/.well-known/oauth-protected-resource/mcp", resource: resourceURL, issuer: "file:///etc/passwd", wantErr: "https://"},
		"an issuer with a password":    {at: rs + "/.well-known/oauth-protected-resource/mcp", resource: resourceURL, issuer: "https://a:b@as.example.com", wantErr: "user in it"},
		"no server":                    {at: rs + "/.well-known/oauth-protected-resource/mcp", resource: resourceURL, issuer: as, wantErr: "has no metadata of an authorization server"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			documents := map[string]http.Handler{tc.at: document(map[string]any{"resource": tc.resource, "authorization_servers": []string{tc.issuer}})}
			if tc.server != "" {
				documents[tc.server] = document(map[string]any{"issuer": strings.TrimSuffix(tc.issuer, "/"), "token_endpoint": as + "/token"})
			}
			serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if h := documents["https://"+r.Host+r.URL.Path]; h != nil {
					h.ServeHTTP(w, r)
				} else if r.URL.Path == "/mcp" {
					w.WriteHeader(401)
				} else {
					http.NotFound(w, r)
				}
			})
			w.hosts[rs], w.hosts[as] = serve, serve
			client := w.client(func(c *oauth.Client) {
				c.Grant = oauth.ClientCredentials{}
				c.Registered = map[string]oauth.Credentials{tc.issuer: {ClientID: "x"}}
			})
			_, said := get(t, client.Transport(resourceURL, w))
			if tc.wantErr != "" {
				if !strings.Contains(said, tc.wantErr) {
					t.Errorf("%s; want %q", said, tc.wantErr)
				}
				return
			}
			want := []string{"POST " + resourceURL}
			for _, asked := range tc.asked {
				want = append(want, "GET "+asked)
			}
			if diff := testdiff.Diff(append(want, "POST "+as+"/token"), w.requests()); diff != "" {
				t.Errorf("requests, want - got +:\n%s", diff)
			}
		})
	}
}

// Servers of 2025-03-26 have no metadata of the resource, and need have none of the authorization server.
func TestDiscover_ServerWithoutMetadata(t *testing.T) {
	for name, metadata := range map[string]bool{"with metadata": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			w, as := newWorld(t), newServer("https://mcp.example.com")
			if metadata { // the issuer is derived, so its spelling is free
				as.metadata = map[string]any{"issuer": "https://mcp.example.com/"}
			}
			user := &person{world: w, answer: func(_ context.Context, v url.Values) error {
				if metadata {
					v.Set("iss", "https://mcp.example.com/")
				}
				return nil
			}}
			rs := &resource{by: as, place: "/nowhere", challenge: "-"}
			versions := make(map[string]bool)
			w.hosts["https://mcp.example.com"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/.well-known/") {
					versions[r.Header.Get("MCP-Protocol-Version")] = true
					if !metadata {
						http.NotFound(w, r)
						return
					}
				}
				if r.URL.Path == "/mcp" {
					rs.ServeHTTP(w, r)
				} else {
					as.ServeHTTP(w, r)
				}
			})
			status, body := get(t, w.client(func(c *oauth.Client) { c.Authorizer = user }).Transport(resourceURL, w), func(r *http.Request) { r.Header.Set("MCP-Protocol-Version", "2025-03-26") })
			if status != 200 {
				t.Fatalf("%d: %s", status, body)
			}
			if got := as.authorized[0].Get("resource"); got != resourceURL {
				t.Errorf("the resource is %q", got)
			}
			if diff := testdiff.Diff(map[string]bool{"2025-03-26": true}, versions); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Which scopes are asked for (2026-07-28, basic/authorization, "Scope Selection Strategy").
func TestSelectScopes_Login(t *testing.T) {
	for name, tc := range map[string]struct {
		challenge            string
		supported, as, wants []string
		want                 string
	}{
		"what the challenge says":             {`scope="a b"`, []string{"c"}, nil, nil, "a b"},
		"else all that there are":             {"", []string{"c", "d"}, nil, nil, "c d"},
		"else none":                           {"", nil, nil, nil, ""},
		"none, as the challenge says":         {`scope=""`, []string{"c"}, nil, nil, ""},
		"what the program wants besides":      {`scope="a"`, nil, nil, []string{"z", "a"}, "a z"},
		"a refresh token, where there is one": {`scope="a"`, nil, []string{"a", "offline_access"}, nil, "a offline_access"},
		"nothing instead of the default":      {"", nil, []string{"offline_access"}, nil, ""},
		"no name that is none":                {`scope="a \"b"`, []string{"c"}, nil, nil, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			w, rs, as := standard(t)
			rs.challenge = tc.challenge
			rs.metadata, as.metadata = map[string]any{"scopes_supported": tc.supported}, map[string]any{"scopes_supported": tc.as}
			if status, body := get(t, w.client(func(c *oauth.Client) { c.Scopes = tc.wants }).Transport(resourceURL, w)); status != 200 {
				t.Fatalf("%d: %s", status, body)
			}
			if got := as.authorized[0].Get("scope"); got != tc.want || as.authorized[0].Has("scope") != (tc.want != "") {
				t.Errorf("asked for %q, want %q", got, tc.want)
			}
		})
	}
}

// A status 403 with scopes adds them to the earlier scopes (2026-07-28, basic/authorization,
// "Step-Up Authorization Flow").
func TestStepUp_ScopesAdded(t *testing.T) {
	w, rs, as := standard(t)
	rs.challenge = `scope="read"`
	transport := w.client().Transport(resourceURL, w)
	get(t, transport)
	rs.scopes = []string{"write"}
	if status, body := get(t, transport); status != 200 || body != "the body with read write" {
		t.Errorf("%d: %s", status, body)
	}

	// A server that grants fewer scopes than requested is asked three times for an operation.
	as.token = func(form url.Values, _ *http.Request) (int, map[string]any) { return 200, as.issue([]string{"read"}) }
	rs.scopes = []string{"admin"}
	as.authorized = nil
	for range 5 {
		if status, body := get(t, transport); status != 403 {
			t.Errorf("%d: %s", status, body)
		}
	}
	if len(as.authorized) != 3 {
		t.Errorf("asked %d times", len(as.authorized))
	}

	// A challenge with scopes that the token already has causes no request.
	as.token = nil
	rs.extra = func(w http.ResponseWriter, _ *http.Request, token string) bool {
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="read"`)
		w.WriteHeader(403)
		return true
	}
	as.authorized = nil
	if status, _ := get(t, transport); status != 403 || len(as.authorized) != 0 {
		t.Errorf("%d, asked %d times", status, len(as.authorized))
	}
}

// The authorization server can change. The client registers at the new one and sends it no
// credentials of the old one (2026-07-28, basic/authorization, "Authorization Server Binding").
func TestDiscover_AuthorizationServerReplaced(t *testing.T) {
	w, rs, first := standard(t)
	transport := w.client().Transport(resourceURL, w)
	get(t, transport)
	second := newServer("https://other.example.com")
	w.hosts[second.issuer] = second
	first.revoke()
	rs.by = second
	if status, body := get(t, transport); status != 200 {
		t.Fatalf("%d: %s", status, body)
	}
	if len(second.registrations) != 1 || len(first.forms) != 1 {
		t.Errorf("%d registrations there; %d requests for a token here", len(second.registrations), len(first.forms))
	}
	for _, form := range second.forms {
		if strings.Contains(form.Encode(), "refresh") {
			t.Errorf("the new server gets %v", form)
		}
	}
}
