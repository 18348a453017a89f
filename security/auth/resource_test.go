package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testdiff"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/dpop"
)

// says is a Verifier that answers the same of every token.
type says struct {
	grant *auth.Grant
	err   error
}

func (v says) Verify(context.Context, string) (*auth.Grant, error) { return v.grant, v.err }

func TestResource_Err(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*auth.Resource)
		want   string
	}{
		"no URL":                        {func(r *auth.Resource) { r.URL = "" }, "is not a URL"},
		"a path":                        {func(r *auth.Resource) { r.URL = "/mcp" }, "is not a URL"},
		"a plain URL":                   {func(r *auth.Resource) { r.URL = "http://mcp.example.com/mcp" }, "not encrypted"},
		"a fragment":                    {func(r *auth.Resource) { r.URL = "https://mcp.example.com/mcp#x" }, "fragment"},
		"a query":                       {func(r *auth.Resource) { r.URL = "https://mcp.example.com/mcp?x" }, "query"},
		"a user":                        {func(r *auth.Resource) { r.URL = "https://u:secret@mcp.example.com/mcp" }, "user"},
		"capital letters":               {func(r *auth.Resource) { r.URL = "https://MCP.example.com/mcp" }, "capital letters"},
		"no issuer":                     {func(r *auth.Resource) { r.AuthorizationServers = nil }, "no authorization server"},
		"an issuer that is none":        {func(r *auth.Resource) { r.AuthorizationServers = []string{"login"} }, "is not a URL"},
		"no verifier":                   {func(r *auth.Resource) { r.Verifier = nil }, "no Verifier"},
		"no checker":                    {func(r *auth.Resource) { r.RequireDPoP = true }, "no Checker"},
		"an initial scope that is none": {func(r *auth.Resource) { r.Initial = []string{"a,b\\"} }, "character"},
		"an empty scope":                {func(r *auth.Resource) { r.Scopes = []string{""} }, "scope"},
		"a scope of two words":          {func(r *auth.Resource) { r.Required = []string{"a b"} }, `"a b"`},
		"a scope with a quote":          {func(r *auth.Resource) { r.Scopes = []string{`a"b`} }, "character"},
		"offline access":                {func(r *auth.Resource) { r.Scopes = []string{"offline_access"} }, "offline_access"},
		"many scopes":                   {func(r *auth.Resource) { r.Scopes = make([]string, 300) }, "more than 256"},
	} {
		log := new(waittest.Log)
		r := &auth.Resource{URL: "https://mcp.example.com/mcp", AuthorizationServers: []string{"https://login.example.com"}, Verifier: says{}, Log: log.Logger()}
		if err := r.Err(); err != nil {
			t.Fatal(err)
		}
		tc.change(r)
		err := r.Err()
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
		for what, h := range map[string]http.Handler{"Wrap": r.Wrap(http.NotFoundHandler()), "Metadata": r.Metadata()} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/mcp", nil))
			if w.Code != http.StatusInternalServerError || !strings.Contains(log.String(), "misconfigured") {
				t.Errorf("%s: %s answers with status %d: %s", name, what, w.Code, log)
			}
		}
	}
}

func TestResource_Metadata(t *testing.T) {
	full := &auth.Resource{
		URL: "https://mcp.example.com/tools/mcp", AuthorizationServers: []string{"https://a.example.com", "https://b.example.com/t"}, Verifier: says{err: auth.ErrInvalidToken},
		Scopes: []string{"docs:read"}, Name: "Tools", Documentation: "https://mcp.example.com/docs", DPoP: new(dpop.Checker), RequireDPoP: true,
	}
	least := &auth.Resource{URL: "https://mcp.example.com", AuthorizationServers: []string{"https://a.example.com"}, Verifier: says{err: auth.ErrInvalidToken}}
	for name, tc := range map[string]struct {
		r     *auth.Resource
		paths []string
		want  string
	}{
		"all": {full, []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/tools/mcp"}, `{
			"resource":"https://mcp.example.com/tools/mcp","authorization_servers":["https://a.example.com","https://b.example.com/t"],"scopes_supported":["docs:read"],
			"bearer_methods_supported":["header"],"resource_name":"Tools","resource_documentation":"https://mcp.example.com/docs",
			"dpop_signing_alg_values_supported":["ES256","ES384","ES512","EdDSA","PS256","PS384","PS512","RS256","RS384","RS512"],"dpop_bound_access_tokens_required":true}`},
		"the least": {least, []string{"/.well-known/oauth-protected-resource"},
			`{"resource":"https://mcp.example.com","authorization_servers":["https://a.example.com"],"bearer_methods_supported":["header"]}`},
	} {
		mux := http.NewServeMux()
		tc.r.Mount(mux)
		for what, h := range map[string]http.Handler{"Mount": mux, "Wrap": tc.r.Wrap(http.NotFoundHandler())} {
			for _, path := range tc.paths {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
				var got, want any
				if err := errors.Join(json.Unmarshal(w.Body.Bytes(), &got), json.Unmarshal([]byte(tc.want), &want)); err != nil {
					t.Fatalf("%s, %s, %s: %v", name, what, path, err)
				}
				if diff := testdiff.Diff(want, got); diff != "" || w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Content-Type") != "application/json" {
					t.Errorf("%s, %s, %s: %v\n%s", name, what, path, w.Header(), diff)
				}
			}
			for method, want := range map[string]int{"HEAD": 200, "OPTIONS": 204, "POST": 405, "DELETE": 405} {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest(method, tc.paths[0], nil))
				if w.Code != want {
					t.Errorf("%s, %s: %s is answered with status %d", name, what, method, w.Code)
				}
			}
			for _, path := range []string{"/.well-known/oauth-protected-resource/other", "/.well-known/oauth-protected-resource/", "/.well-known/oauth-protected-resource/tools/mcp/"} {
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, httptest.NewRequest("GET", path, nil)); w.Code != 404 && w.Code != 401 {
					t.Errorf("%s, %s: %s is answered with status %d", name, what, path, w.Code)
				}
			}
		}
	}
}

// Status and challenge of each kind of refusal (RFC 6750 §3, RFC 9449 §7).
func TestResource_Challenge(t *testing.T) {
	const metadata = `resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"`
	const algs = `algs="ES256 ES384 ES512 EdDSA PS256 PS384 PS512 RS256 RS384 RS512"`
	limited := says{grant: &auth.Grant{Principal: "alice", Permissions: []string{"a"}, Limited: true}}
	for name, tc := range map[string]struct {
		change  func(*auth.Resource)
		headers []string
		status  int
		want    []string
	}{
		"nothing was shown":           {nil, nil, 401, []string{`Bearer ` + metadata}},
		"nothing, with scopes":        {func(r *auth.Resource) { r.Required = []string{"a", "b"} }, nil, 401, []string{`Bearer ` + metadata + `, scope="a b"`}},
		"nothing, with some at first": {func(r *auth.Resource) { r.Required, r.Initial = []string{"b"}, []string{"a", "b"} }, nil, 401, []string{`Bearer ` + metadata + `, scope="a b"`}},
		"nothing, proofs allowed":     {func(r *auth.Resource) { r.DPoP = new(dpop.Checker) }, nil, 401, []string{`Bearer ` + metadata, `DPoP ` + metadata + `, ` + algs}},
		"nothing, proofs needed":      {func(r *auth.Resource) { r.DPoP, r.RequireDPoP = new(dpop.Checker), true }, nil, 401, []string{`DPoP ` + metadata + `, ` + algs}},
		"a plain one, proofs needed":  {func(r *auth.Resource) { r.DPoP, r.RequireDPoP = new(dpop.Checker), true }, []string{"Bearer x"}, 401, []string{`DPoP error="invalid_token", error_description="only access tokens that are bound to a key are accepted", ` + metadata + `, ` + algs}},
		"a token that does not count": {func(r *auth.Resource) { r.Verifier = says{err: auth.ErrInvalidToken} }, []string{"bearer x"}, 401, []string{`Bearer error="invalid_token", error_description="the access token is not valid", ` + metadata}},
		"one with a lower scope":      {func(r *auth.Resource) { r.Required = []string{"a", "b"} }, []string{"Bearer x"}, 403, []string{`Bearer error="insufficient_scope", error_description="the access token lacks b", ` + metadata + `, scope="a b"`}},
		"a proof where none is known": {nil, []string{"DPoP x"}, 401, []string{`Bearer error="invalid_token", error_description="the access token is not bound to a key; show it as a bearer token", ` + metadata}},
		"a bound one where none is":   {func(r *auth.Resource) { r.Verifier = says{grant: &auth.Grant{Principal: "a", Confirmation: "x"}} }, []string{"DPoP x"}, 401, []string{`Bearer error="invalid_token", error_description="the access token is bound to a key, and proofs are not accepted here", ` + metadata}},
		"one that is malformed":       {nil, []string{"Bearer \x7f"}, 400, []string{`Bearer error="invalid_request", error_description="the header Authorization has no access token of at most 16384 bytes after Bearer", ` + metadata}},
		"one of nobody":               {func(r *auth.Resource) { r.Verifier = says{grant: &auth.Grant{}} }, []string{"Bearer x"}, 401, []string{`Bearer error="invalid_token", error_description="the access token has no principal", ` + metadata}},
		"one of a broken verifier":    {func(r *auth.Resource) { r.Verifier = says{} }, []string{"Bearer x"}, 401, []string{`Bearer error="invalid_token", error_description="the access token has no principal", ` + metadata}},
		"one that has expired": {func(r *auth.Resource) {
			r.Verifier = says{grant: &auth.Grant{Principal: "a", Expires: time.Unix(1, 0)}}
		}, []string{"Bearer x"}, 401, []string{`Bearer error="invalid_token", error_description="the access token has expired", ` + metadata}},
		"a text that breaks out": {func(r *auth.Resource) { r.Verifier = says{err: fmt.Errorf("%w: \"\\\r\nX: é", auth.ErrInvalidToken)} }, []string{"Bearer x"}, 401, []string{`Bearer error="invalid_token", error_description="the access token is not valid: '???X: ?", ` + metadata}},
		"an outage":              {func(r *auth.Resource) { r.Verifier = says{err: fmt.Errorf("%w: db:5432", auth.ErrUnavailable)} }, []string{"Bearer x"}, 503, nil},
		"a failure of its own":   {func(r *auth.Resource) { r.Verifier = says{err: errors.New("db:5432 is gone")} }, []string{"Bearer x"}, 503, nil},
	} {
		t.Run(name, func(t *testing.T) {
			log := new(waittest.Log)
			r := &auth.Resource{URL: "https://mcp.example.com/mcp", AuthorizationServers: []string{"https://login.example.com"}, Verifier: limited, Log: log.Logger()}
			if tc.change != nil {
				tc.change(r)
			}
			passed := false
			h := r.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { passed = true }))
			req, w := httptest.NewRequest("POST", "/mcp", nil), httptest.NewRecorder()
			for _, value := range tc.headers {
				req.Header.Add("Authorization", value)
			}
			h.ServeHTTP(w, req)
			if diff := testdiff.Diff(tc.want, w.Header().Values("WWW-Authenticate")); w.Code != tc.status || passed || diff != "" {
				t.Errorf("status %d, passed %v; challenges, want - got +:\n%s", w.Code, passed, diff)
			}
			if tc.status == 503 && (w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "db:") || !strings.Contains(log.String(), "db:5432")) {
				t.Errorf("%v %s; log: %s", w.Header(), w.Body, log)
			}
		})
	}
}

// The wrapped handler receives the principal and permissions, not the token.
func TestResource_WrappedRequest(t *testing.T) {
	expires := time.Now().Add(time.Hour)
	given := &auth.Grant{Principal: "alice", Permissions: []string{"admin", "x"}, Limited: true, Expires: expires, Issuer: "https://login.example.com", ClientID: "web"}
	var seen *http.Request
	r := &auth.Resource{
		URL: "https://mcp.example.com/mcp", AuthorizationServers: []string{"https://login.example.com"}, Verifier: says{grant: given}, Required: []string{"docs:read"},
		Permissions: func(scopes []string) (all []string) {
			for _, s := range scopes {
				if all = append(all, s); s == "admin" {
					all = append(all, "docs:*", "issues:*")
				}
			}
			return all
		},
	}
	h := r.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r }))
	for _, tc := range []struct {
		method, mcpMethod string
		ends              bool // with the token
	}{{"POST", "tools/call", false}, {"POST", "subscriptions/listen", true}, {"GET", "", true}, {"DELETE", "", false}} {
		req := httptest.NewRequest(tc.method, "/mcp", nil)
		req.Header.Set("Authorization", "Bearer secret")
		req.Header.Set("Mcp-Method", tc.mcpMethod)
		req.Header.Set("DPoP", "proof")
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, req); seen == nil {
			t.Fatalf("%+v: status %d: %s", tc, w.Code, w.Body)
		}
		ctx := seen.Context()
		permissions, limited := protocol.PermissionsFrom(ctx)
		grant, ok := auth.GrantFrom(ctx)
		want := *given
		want.Permissions = []string{"admin", "docs:*", "issues:*", "x"}
		if diff := testdiff.Diff(want, grant); diff != "" || !ok || protocol.PrincipalFrom(ctx) != "alice" || !limited || !reflect.DeepEqual(permissions, want.Permissions) {
			t.Errorf("%v, %v, %q:\n%s", permissions, limited, protocol.PrincipalFrom(ctx), diff)
		}
		if seen.Header.Get("Authorization") != "" || seen.Header.Get("DPoP") != "" || req.Header.Get("Authorization") == "" {
			t.Error("the token reaches the handler, or was taken from the caller's request")
		}
		deadline, ends := ctx.Deadline()
		if ends != tc.ends || ends && !deadline.Equal(expires) {
			t.Errorf("%+v ends: %v, at %v", tc, ends, deadline)
		}
		seen = nil
	}
	if len(given.Permissions) != 2 {
		t.Error("what the Verifier has given was changed")
	}
	if _, ok := auth.GrantFrom(t.Context()); ok {
		t.Error("who came by no Resource has a grant")
	}
}

// A request whose client has left gets no answer, and is not logged as an outage.
func TestResource_ClientDisconnect(t *testing.T) {
	log := new(waittest.Log)
	r := &auth.Resource{URL: "https://mcp.example.com/mcp", AuthorizationServers: []string{"https://login.example.com"}, Verifier: says{err: context.Canceled}, Log: log.Logger()}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req := httptest.NewRequest("POST", "/mcp", nil).WithContext(ctx)
	req.Header.Set("Authorization", "Bearer x")
	w := httptest.NewRecorder()
	if r.Wrap(http.NotFoundHandler()).ServeHTTP(w, req); w.Body.Len() != 0 || log.String() != "" {
		t.Errorf("%s; %s", w.Body, log)
	}
}

func TestAnyOf_Order(t *testing.T) {
	own, err := auth.ParseTokens("alice=" + alice + "[issues:write] bob=" + bob)
	if err != nil {
		t.Fatal(err)
	}
	invalid, down, knows := says{err: fmt.Errorf("%w: late", auth.ErrInvalidToken)}, says{err: auth.ErrUnavailable}, says{grant: &auth.Grant{Principal: "carol"}}
	for name, tc := range map[string]struct {
		v     auth.Verifier
		token string
		want  *auth.Grant
		err   error
	}{
		"a static one":             {auth.AnyOf(own.Verifier(), down), alice, &auth.Grant{Principal: "alice", Permissions: []string{"issues:write"}, Limited: true, Fixed: true}, nil},
		"one without a limit":      {auth.AnyOf(own.Verifier()), bob, &auth.Grant{Principal: "bob", Fixed: true}, nil},
		"the second's":             {auth.AnyOf(own.Verifier(), knows), "x", &auth.Grant{Principal: "carol"}, nil},
		"nobody's":                 {auth.AnyOf(own.Verifier(), invalid), "x", nil, auth.ErrInvalidToken},
		"perhaps the first's":      {auth.AnyOf(down, own.Verifier()), "x", nil, auth.ErrUnavailable},
		"perhaps the second's":     {auth.AnyOf(invalid, down, own.Verifier()), "x", nil, auth.ErrUnavailable},
		"of none":                  {auth.AnyOf(), "x", nil, auth.ErrInvalidToken},
		"of tokens that are not":   {(*auth.Tokens)(nil).Verifier(), "x", nil, auth.ErrInvalidToken},
		"found though one is down": {auth.AnyOf(down, knows), "x", &auth.Grant{Principal: "carol"}, nil},
	} {
		got, err := tc.v.Verify(t.Context(), tc.token)
		if diff := testdiff.Diff(tc.want, got); diff != "" || !errors.Is(err, tc.err) {
			t.Errorf("%s: %v, want %v\n%s", name, err, tc.err, diff)
		}
	}
}

// A server that gives nonces has them used (RFC 9449 §9), and takes no more proofs than
// it can remember.
func TestResource_ProofWithNonce(t *testing.T) {
	key := newKey(t)
	r := &auth.Resource{
		URL: "https://mcp.example.com/tools/mcp", AuthorizationServers: []string{"https://login.example.com"}, DPoP: &dpop.Checker{Nonces: new(dpop.Nonces), MaxProofs: 64},
		Verifier: says{grant: &auth.Grant{Principal: "alice", Confirmation: key.Thumbprint()}}, Log: new(waittest.Log).Logger(),
	}
	h := r.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	path := "/mcp"
	ask := func(nonce string) *httptest.ResponseRecorder {
		proof, err := key.Proof("POST", r.URL, "token", nonce)
		if err != nil {
			t.Fatal(err)
		}
		req := httptest.NewRequest("POST", path, nil) // behind a proxy that takes the beginning away
		req.Header.Set("Authorization", "DPoP token")
		req.Header.Set("DPoP", proof)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		return w
	}
	w := ask("")
	nonce := w.Header().Get("DPoP-Nonce")
	if w.Code != 401 || nonce == "" || !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), `DPoP error="use_dpop_nonce"`) {
		t.Fatalf("without a nonce: %d, %v", w.Code, w.Header())
	}
	for _, path = range []string{"/", "/mcp", "/tools/mcp", "/mcp"} {
		if w := ask(nonce); w.Code != 204 || w.Header().Get("DPoP-Nonce") != nonce {
			t.Errorf("with it: %d, %v", w.Code, w.Header())
		}
	}
	if w := ask(nonce); w.Code != 503 || w.Header().Get("Retry-After") == "" || w.Header().Get("WWW-Authenticate") != "" {
		t.Errorf("with too many: %d, %v", w.Code, w.Header())
	}
}
