package auth_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
)

const loginURL = "https://login.example.com"

// userResource returns a resource whose tokens all stand for the same grant.
func userResource(g auth.Grant, change func(*auth.Resource)) *auth.Resource {
	r := &auth.Resource{
		URL: "https://mcp.example.com/mcp", AuthorizationServers: []string{loginURL}, Scopes: []string{"read", "write", "run"},
		Verifier: says{grant: &g}, Log: new(waittest.Log).Logger(),
	}
	change(r)
	return r
}

// enter sends a request through a resource. The result has the context in which it was served, or nil.
func enter(r *auth.Resource) (ctx context.Context, status int, challenge string) {
	req := httptest.NewRequest("POST", "/mcp", nil)
	req.Header.Set("Authorization", "Bearer x")
	w := httptest.NewRecorder()
	r.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { ctx = req.Context() })).ServeHTTP(w, req)
	return ctx, w.Code, w.Header().Get("WWW-Authenticate")
}

func TestResource_Allow(t *testing.T) {
	alice := auth.Grant{Principal: loginURL + "#alice", Issuer: loginURL, Groups: []string{"staff", "alice"}, Limited: true}
	for _, tc := range []struct {
		allow string
		want  int
	}{
		{"alice", 200}, {loginURL + "#alice", 200}, {"group:staff", 200}, {"group:" + loginURL + "#staff", 200}, {"bob group:staff", 200}, {"*", 200},
		{"bob", 403}, {"staff", 403}, {"group:admins", 403}, {"Alice", 403}, {"group:Staff", 403}, {"https://evil.example.com#alice", 403}, {"", 403},
	} {
		r := userResource(alice, func(r *auth.Resource) { r.Allow = append([]string{}, strings.Fields(tc.allow)...) })
		ctx, status, challenge := enter(r)
		if status != tc.want || (ctx != nil) != (tc.want == 200) || challenge != "" {
			t.Errorf("with Allow %q, alice gets status %d and the challenge %q", tc.allow, status, challenge)
		}
	}
	own := auth.Grant{Principal: "robot", Fixed: true}
	if _, status, _ := enter(userResource(own, func(r *auth.Resource) { r.Allow = []string{"alice"} })); status != 200 {
		t.Errorf("a token of a file is no user, and gets status %d", status)
	}
}

func TestResource_Roles(t *testing.T) {
	roles := map[string][]string{"*": {"read"}, "group:staff": {"write"}, "group:admins": {"*"}, "bob": {"run"}}
	for name, tc := range map[string]struct {
		grant      auth.Grant
		ignore     bool
		want       string // permissions
		obtainable string
	}{
		"no role of its own":       {auth.Grant{Permissions: []string{"read", "write"}, Limited: true}, false, "read", ""},
		"a group":                  {auth.Grant{Permissions: []string{"read", "write"}, Groups: []string{"staff"}, Limited: true}, false, "read write", ""},
		"a group and few scopes":   {auth.Grant{Permissions: []string{"read"}, Groups: []string{"staff"}, Limited: true}, false, "read", "write"},
		"no scopes":                {auth.Grant{Groups: []string{"staff"}, Limited: true}, false, "", "read write"},
		"no scopes, as ignored":    {auth.Grant{Groups: []string{"staff"}, Limited: true}, true, "read write", ""},
		"all of an administrator":  {auth.Grant{Groups: []string{"admins"}, Limited: true}, true, "* read", ""},
		"few of an administrator":  {auth.Grant{Permissions: []string{"run"}, Groups: []string{"admins"}, Limited: true}, false, "run", "read write"},
		"a subject of this name":   {auth.Grant{Principal: loginURL + "#bob", Permissions: []string{"run"}, Limited: true}, false, "run", "read"},
		"a group named like bob":   {auth.Grant{Permissions: []string{"run"}, Groups: []string{"bob"}, Limited: true}, false, "", "read"},
		"a token without a limit":  {auth.Grant{Groups: []string{"staff"}}, false, "read write", ""},
		"a token of a file":        {auth.Grant{Permissions: []string{"run"}, Limited: true, Fixed: true}, false, "run", ""},
		"a hostile scope":          {auth.Grant{Permissions: []string{"*"}, Limited: true}, false, "read", ""},
		"a scope of several":       {auth.Grant{Permissions: []string{"*"}, Groups: []string{"staff"}, Limited: true}, false, "read write", ""},
		"an issuer's odd group":    {auth.Grant{Permissions: []string{"run"}, Groups: []string{"", "*", "group:admins"}, Limited: true}, false, "", "read"},
		"a group beside its claim": {auth.Grant{Permissions: []string{"read"}, Groups: []string{"staffs", "sta"}, Limited: true}, false, "read", ""},
	} {
		tc.grant.Issuer = loginURL
		if tc.grant.Principal == "" {
			tc.grant.Principal = loginURL + "#alice"
		}
		r := userResource(tc.grant, func(r *auth.Resource) { r.Roles, r.IgnoreScopes = roles, tc.ignore })
		if err := r.Err(); err != nil {
			t.Fatal(err)
		}
		ctx, status, _ := enter(r)
		if status != 200 {
			t.Fatalf("%s: status %d", name, status)
		}
		given, limited := protocol.PermissionsFrom(ctx)
		if got := strings.Join(given, " "); got != tc.want || !limited {
			t.Errorf("%s: the user has the permissions %q (limited: %v), want %q", name, got, limited, tc.want)
		}
		var obtainable []string
		for _, p := range r.Scopes {
			if auth.Obtainable(ctx, []string{p}) {
				obtainable = append(obtainable, p)
			}
		}
		if got := strings.Join(obtainable, " "); got != tc.obtainable {
			t.Errorf("%s: another token could add %q, want %q", name, got, tc.obtainable)
		}
	}
}

func TestResource_ScopeNames(t *testing.T) {
	names := map[string]string{"read": "api://42/files.read", "write": "files-write"}
	for scopes, want := range map[string]string{
		"api://42/files.read": "read", "files.read": "read", "files-write run": "run write", "read write": "", "": "", "api://43/files.read": "api://43/files.read",
	} {
		g := auth.Grant{Principal: loginURL + "#alice", Issuer: loginURL, Permissions: strings.Fields(scopes), Limited: true}
		r := userResource(g, func(r *auth.Resource) { r.ScopeNames = names })
		ctx, _, _ := enter(r)
		given, _ := protocol.PermissionsFrom(ctx)
		if got := strings.Join(given, " "); got != want {
			t.Errorf("the scopes %q are the permissions %q, want %q", scopes, got, want)
		}
		failure := protocol.Errorf(protocol.CodeInvalidRequest, "no")
		step, ok := auth.StepUp(ctx, []string{"read"}, failure).(*auth.Challenge)
		if lacks := !slices.Contains(given, "read"); ok != lacks || ok && !slices.Contains(step.Scopes, "api://42/files.read") {
			t.Errorf("with the scopes %q, the challenge is %+v", scopes, step)
		}
	}
	w := httptest.NewRecorder()
	r := userResource(auth.Grant{}, func(r *auth.Resource) { r.ScopeNames, r.Initial = names, []string{"read"} })
	r.Metadata().ServeHTTP(w, httptest.NewRequest("GET", "/.well-known/oauth-protected-resource", nil))
	if !strings.Contains(w.Body.String(), `"scopes_supported":["api://42/files.read","files-write","run"]`) {
		t.Errorf("the metadata are %s", w.Body)
	}
	w = httptest.NewRecorder()
	r.Wrap(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("POST", "/mcp", nil))
	if got := w.Header().Get("WWW-Authenticate"); !strings.Contains(got, `scope="api://42/files.read"`) {
		t.Errorf("without a token the challenge is %s", got)
	}
}

func TestResource_UserErrors(t *testing.T) {
	for want, change := range map[string]func(*auth.Resource){
		"needs the issuer": func(r *auth.Resource) {
			r.AuthorizationServers = append(r.AuthorizationServers, loginURL+"/2")
			r.Allow = []string{"group:staff"}
		},
		"has no name":           func(r *auth.Resource) { r.Allow = []string{"group:"} },
		"the permission \"w":    func(r *auth.Resource) { r.Roles = map[string][]string{"*": {"w r"}} },
		"there are no roles":    func(r *auth.Resource) { r.IgnoreScopes = true },
		"stands for":            func(r *auth.Resource) { r.ScopeNames = map[string]string{"read": "api://a/x", "write": "api://b/x"} },
		"no single permission":  func(r *auth.Resource) { r.ScopeNames = map[string]string{"*": "x"} },
		"of another permission": func(r *auth.Resource) { r.ScopeNames = map[string]string{"write": "api://a/read"} },
		"scopes do not have":    func(r *auth.Resource) { r.ScopeNames = map[string]string{"read": "a b"} },
	} {
		if err := userResource(auth.Grant{}, change).Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

func TestRequireRead(t *testing.T) {
	served := false
	handler := auth.RequireRead(func(context.Context, *protocol.Request) (protocol.Result, error) {
		served = true
		return nil, nil
	})
	for _, tc := range []struct {
		method string
		given  []string
		want   bool
	}{
		{"resources/read", []string{"read"}, true}, {"resources/read", []string{"*"}, true}, {"resources/read", []string{}, false},
		{"resources/list", []string{"write"}, false}, {"prompts/get", []string{"write"}, false}, {"completion/complete", nil, false},
		{"tools/list", nil, true}, {"initialize", nil, true}, {"ping", nil, true},
	} {
		served = false
		_, err := handler(protocol.WithPermissions(t.Context(), tc.given), &protocol.Request{Method: tc.method})
		if served != tc.want || (err == nil) != tc.want || err != nil && !strings.Contains(err.Error(), "PERMISSION_REQUIRED") {
			t.Errorf("%s with %q: served %v, %v", tc.method, tc.given, served, err)
		}
	}
	var passed string
	listen := auth.RequireRead(func(_ context.Context, req *protocol.Request) (protocol.Result, error) {
		passed = string(req.Params)
		return nil, nil
	})
	const wanted = `{"_meta":{"a":1},"notifications":{"resourceSubscriptions":["a:b"],"resourcesListChanged":true,"taskIds":["t"],"toolsListChanged":true}}`
	for given, want := range map[string]string{"read": wanted, "write": `{"_meta":{"a":1},"notifications":{"taskIds":["t"],"toolsListChanged":true}}`} {
		_, err := listen(protocol.WithPermissions(t.Context(), []string{given}), &protocol.Request{Method: "subscriptions/listen", Params: []byte(wanted)})
		if err != nil || passed != want {
			t.Errorf("with %s the subscription is %s, %v, want %s", given, passed, err, want)
		}
	}
	served = false
	if _, err := handler(t.Context(), &protocol.Request{Method: "resources/read"}); err != nil || !served {
		t.Errorf("a caller without a limit is refused: %v", err)
	}
}
