package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/jwt"
	"github.com/dougu-go/dougu/security/oauth"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/app/mcpjson"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// guarded returns the URL of a server that requires tokens of an issuer. Its tool returns
// the principal.
func guarded(t *testing.T, issuer *authtest.Server) (url string) {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "guarded", Version: "1"}, nil)
	apptest.Must(t, mcp.AddTool(srv, mcp.Tool{Name: "whoami"}, func(ctx context.Context, _ struct{}) (string, error) {
		return strings.TrimPrefix(protocol.PrincipalFrom(ctx), issuer.URL+"#"), nil
	}))
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	url = web.URL + "/mcp"
	handler := httpserver.NewHandler(srv, nil)
	t.Cleanup(func() { apptest.Must(t, handler.Shutdown(context.Background())) })
	resource := &auth.Resource{
		URL: url, AuthorizationServers: []string{issuer.URL}, Log: discard(),
		Verifier: &jwt.Verifier{Issuers: []string{issuer.URL}, Audiences: []string{url}},
	}
	apptest.Must(t, resource.Err())
	mux.Handle("/", resource.Wrap(handler))
	return url
}

// visit opens the page of a login in the simulated browser of a user, who agrees to
// everything.
func visit(t *testing.T, page, user string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page, nil)
	apptest.Must(t, err)
	req.Header.Set(authtest.UserHeader, user)
	resp, err := http.DefaultClient.Do(req)
	apptest.Must(t, err)
	defer http.DefaultClient.CloseIdleConnections()
	apptest.Must(t, resp.Body.Close())
	return resp.StatusCode, resp.Request.URL.String()
}

// person connects a client to a gateway; its user logs in as user. rev is "" for the latest
// revision.
func person(t *testing.T, url, token, user string, rev protocol.Revision) *mcp.Client {
	t.Helper()
	opts := &mcp.ClientOptions{Revision: rev}
	if user != "" {
		opts.ElicitURL = func(_ context.Context, _, page string) (mcp.Action, error) {
			if code, at := visit(t, page, user); code != http.StatusOK {
				t.Errorf("the login of %s ends with %d at %s", user, code, at)
			}
			return mcp.Accept, nil
		}
	}
	way := &httpclient.Client{URL: url, Token: func(context.Context, *httpclient.StatusError) (string, error) { return token, nil }}
	c, err := mcp.Connect(t.Context(), way, mcp.Implementation{Name: "test", Version: "1"}, opts)
	apptest.Must(t, err)
	t.Cleanup(func() { apptest.Must(t, c.Close()) })
	return c
}

func whoami(t *testing.T, c *mcp.Client) (string, error) {
	t.Helper()
	return mcp.Call[string](t.Context(), c, "web_whoami", nil)
}

func wantNeedsLogin(t *testing.T, got string, err error) (page string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "NEEDS_LOGIN") {
		t.Fatalf("the call answers %q, %v; want NEEDS_LOGIN", got, err)
	}
	return regexp.MustCompile(`https?://\S+`).FindString(err.Error()[strings.Index(err.Error(), "Next step"):])
}

// tokens writes the tokens of users of the gateway: NAME has the token NAME-token-1234567890.
func tokens(t *testing.T, names ...string) (file string) {
	t.Helper()
	var text strings.Builder
	for _, name := range names {
		fmt.Fprintf(&text, "%s=%s\n", name, tokenOf(name))
	}
	file = filepath.Join(t.TempDir(), "tokens")
	apptest.Must(t, os.WriteFile(file, []byte(text.String()), 0o600))
	return file
}

func tokenOf(name string) string { return name + "-token-1234567890" }

func webServer(url, oauth string) string {
	return fmt.Sprintf(`"web":{"url":%q,"gateway":{"oauth":%s}}`, url, oauth)
}

// Two users log in through the gateway to one server and act under their own names. A third
// client without a login has no identity there.
func TestLogin_TwoUsers(t *testing.T) {
	issuer := authtest.New(t)
	url, _ := served(t, "-config", servers(t, webServer(guarded(t, issuer), `{}`)), "-token-file", tokens(t, "ann", "ben", "mallory"), "-per-minute", "0")
	ann, ben := person(t, url, tokenOf("ann"), "alice", ""), person(t, url, tokenOf("ben"), "bob", protocol.Rev20251125)
	mallory := person(t, url, tokenOf("mallory"), "", "")
	var calls group.Group
	for c, want := range map[*mcp.Client]string{ann: "alice", ben: "bob"} {
		if got, err := whoami(t, c); got != want || err != nil {
			t.Fatalf("%s is %q, %v", want, got, err)
		}
		for range 4 {
			calls.Go(func() {
				for range 125 {
					if got, err := whoami(t, c); got != want || err != nil {
						t.Errorf("%s is %q, %v", want, got, err)
						return
					}
				}
			})
		}
	}
	calls.Go(func() {
		for range 20 {
			if got, err := whoami(t, mallory); err == nil || !strings.Contains(err.Error(), "NEEDS_LOGIN") || strings.Contains(err.Error(), "alice") {
				t.Errorf("mallory is %q, %v", got, err)
			}
		}
	})
	calls.Wait()
	if n := len(issuer.Granted()); n != 2 {
		t.Errorf("%d tokens were issued", n)
	}
	health := strings.TrimSuffix(url, "/mcp") + "/healthz"
	for name, want := range map[string]string{"ann": "ready", "ben": "ready", "mallory": "needs_login"} {
		apptest.Contains(t, get(t, health, tokenOf(name)), `"name":"web","state":"`+want+`"`, `"login":"own"`)
	}
	report, err := mcp.Call[Report](t.Context(), mallory, "gateway_servers", nil)
	if err != nil || len(report.Servers) != 1 || report.Servers[0].State != "needs_login" || report.Servers[0].Next == "" {
		t.Errorf("mallory sees %+v, %v", report, err)
	}
	code, body := probe(t, strings.TrimSuffix(url, "/mcp")+"/readyz", tokenOf("mallory"))
	if code != http.StatusOK {
		t.Errorf("the readiness depends on a login: %d %s", code, body)
	}
}

// Principals with unusual or similar names have separate logins. The same name at another
// server or issuer has a separate login, too.
func TestBroker_OddPrincipals(t *testing.T) {
	issuer := authtest.New(t)
	store := &oauth.Sealed{Dir: filepath.Join(t.TempDir(), "logins"), Key: make([]byte, 32)}
	b := newBroker(discard(), func(context.Context) (oauth.Store, error) { return store, nil })
	t.Cleanup(func() { apptest.Must(t, b.close()) })
	server := mcpjson.Server{Name: "web", Kind: mcpjson.HTTP, URL: guarded(t, issuer), Digest: "1", Rules: mcpjson.Rules{OAuth: &mcpjson.OAuth{}}}
	other := server
	other.Name, other.Digest = "web2", "2"
	principals := []string{
		"", "..", "../../x", "a\nb", "a", "a ", "A", "a\x00", "\u202eb", "\xff\xfe", "true", "1:a", strings.Repeat("x", 100_000), strings.Repeat("x", 100_001),
		"https://one.example#a", "https://two.example#a", "https://one.example", "#a",
	}
	identities := make(map[string]bool)
	for round, visiting := range []bool{true, false} {
		for i, principal := range principals {
			for at, s := range []mcpjson.Server{server, other} {
				user := fmt.Sprint("user", i, "-", at)
				identities[identity(s, principal, false)] = true
				if visiting {
					if got, err := asks(t, b, s, principal); !errors.Is(err, gateway.ErrLoginNeeded) {
						t.Fatalf("%.20q is %q before the login, %v", principal, got, err)
					}
					l, err := b.login(t.Context(), s, principal)
					apptest.Must(t, err)
					visit(t, l.Page, user)
					<-l.Ended
				}
				if got, err := asks(t, b, s, principal); got != user || err != nil {
					t.Errorf("round %d: %.20q is %q, %v; want %s", round, principal, got, err, user)
				}
			}
		}
	}
	if len(identities) != 2*len(principals) {
		t.Errorf("%d identities of %d accounts", len(identities), 2*len(principals))
	}
	moved := server
	moved.Rules.OAuth = &mcpjson.OAuth{Issuer: "https://elsewhere.example"}
	if identity(moved, "a", false) == identity(server, "a", false) || identity(server, "", true) == identity(server, "", false) {
		t.Error("another issuer, or the shared login, has the same identity")
	}
}

// asks returns the name under which the server sees the principal.
func asks(t *testing.T, b *broker, s mcpjson.Server, principal string) (string, error) {
	t.Helper()
	way, err := b.transport(s, principal)
	apptest.Must(t, err)
	c, err := mcp.Connect(t.Context(), &httpclient.Client{URL: s.URL, HTTPClient: &http.Client{Transport: way}}, mcp.Implementation{Name: "test", Version: "1"}, nil)
	if err != nil {
		return "", err
	}
	defer c.Close()
	return mcp.Call[string](t.Context(), c, "whoami", nil)
}

// A login is kept, sealed, for the next start; a store that is damaged costs a login and nothing else.
func TestLogin_Store(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	t.Setenv("XDG_STATE_HOME", state)
	issuer := authtest.New(t)
	issuer.Refresh()
	file, users := servers(t, webServer(guarded(t, issuer), `{}`)), tokens(t, "ann", "ben")
	run := func(t *testing.T, wantLogins int) {
		url, _ := served(t, "-config", file, "-token-file", users)
		before := len(issuer.Granted())
		for name, user := range map[string]string{"ann": "alice", "ben": "bob"} {
			if got, err := whoami(t, person(t, url, tokenOf(name), user, "")); got != user || err != nil {
				t.Errorf("%s is %q, %v", name, got, err)
			}
		}
		if n := len(issuer.Granted()) - before; n != wantLogins {
			t.Errorf("%d logins, want %d", n, wantLogins)
		}
	}
	t.Run("first", func(t *testing.T) { run(t, 2) })
	t.Run("again", func(t *testing.T) { run(t, 0) })
	var files []string
	apptest.Must(t, filepath.Walk(state, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() && !strings.HasSuffix(path, ".lock") {
			content, errRead := os.ReadFile(path)
			apptest.Must(t, errRead)
			if strings.Contains(string(content), "access_token") || strings.Contains(path+string(content), "ann") {
				t.Errorf("%s can be read: %q", path, content)
			}
			files = append(files, path)
		}
		return err
	}))
	if len(files) != 4 { // two tokens, and the registration by two names
		t.Errorf("the store has %q", files)
	}
	for _, path := range files {
		apptest.Must(t, os.WriteFile(path, []byte("damaged"), 0o600))
	}
	t.Run("damaged", func(t *testing.T) { run(t, 2) })
}

// A token that has ended and cannot be refreshed needs a login again: a call says so, and asks the authorization server once.
func TestLogin_RefreshRefused(t *testing.T) {
	issuer := authtest.New(t)
	issuer.Refresh()
	issuer.Life(2 * time.Second)
	url, _ := served(t, "-config", servers(t, webServer(guarded(t, issuer), `{}`)), "-token-file", tokens(t, "ann"), "-per-minute", "0")
	ann := person(t, url, tokenOf("ann"), "alice", "")
	if got, err := whoami(t, ann); got != "alice" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	issuer.Revoke()
	plain := person(t, url, tokenOf("ann"), "", "")
	waittest.Until(t, "the token has ended", func() bool { _, err := whoami(t, plain); return err != nil })
	got, err := whoami(t, plain)
	wantNeedsLogin(t, got, err)
	before := issuer.Requests("/token")
	for range 5 {
		got, err = whoami(t, plain)
		wantNeedsLogin(t, got, err)
	}
	if n := issuer.Requests("/token") - before; n != 0 {
		t.Errorf("the token endpoint was asked %d times more", n)
	}
	if got, err := whoami(t, ann); got != "alice" || err != nil {
		t.Errorf("after another login: %q, %v", got, err)
	}
}

// Only the answer to the login that was begun counts, once.
func TestLogin_ForgedCallback(t *testing.T) {
	issuer := authtest.New(t)
	url, _ := served(t, "-config", servers(t, webServer(guarded(t, issuer), `{}`)), "-token-file", tokens(t, "ann"))
	ann := person(t, url, tokenOf("ann"), "", "")
	got, err := whoami(t, ann)
	page := wantNeedsLogin(t, got, err)
	at := regexp.MustCompile(`redirect_uri=([^&\s]+)`).FindStringSubmatch(page)[1]
	at = strings.NewReplacer("%3A", ":", "%2F", "/").Replace(at)
	if code, _ := visit(t, at+"?code=forged&state=guessed&iss="+issuer.URL, "mallory"); code != http.StatusBadRequest {
		t.Errorf("a forged state is answered with %d", code)
	}
	got, err = whoami(t, ann)
	if again := wantNeedsLogin(t, got, err); again != page {
		t.Errorf("the page of the login has changed to %s", again)
	}
	code, back := visit(t, page, "alice")
	if code != http.StatusOK {
		t.Fatalf("the login ends with %d", code)
	}
	waittest.Until(t, "ann is logged in", func() bool { got, err := whoami(t, ann); return err == nil && got == "alice" })
	if resp, err := http.Get(back); err == nil {
		apptest.Must(t, resp.Body.Close())
		t.Errorf("a second callback is answered with %d", resp.StatusCode)
	}
}

// A shared login belongs to the operator of the gateway, and the status shows it as shared.
func TestLogin_Shared(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", filepath.Join(t.TempDir(), "state"))
	issuer := authtest.New(t)
	file := servers(t, webServer(guarded(t, issuer), `{"sharedLogin":true}`))
	url, _ := served(t, "-config", file, "-token-file", tokens(t, "ann", "ben"))
	ann, ben := person(t, url, tokenOf("ann"), "mallory", ""), person(t, url, tokenOf("ben"), "", "")
	for _, c := range []*mcp.Client{ann, ben} {
		got, err := whoami(t, c)
		if page := wantNeedsLogin(t, got, err); page != "" || !strings.Contains(err.Error(), "gateway login web") {
			t.Errorf("the page %q, %v", page, err)
		}
	}
	code, out, errs := loggingIn(t, "operator").Run(t, "login", "-config", file, "web")
	if code != 0 || !strings.Contains(out, "You are logged in to web") {
		t.Fatalf("%d: %s%s", code, out, errs)
	}
	for _, c := range []*mcp.Client{ann, ben} {
		waittest.Until(t, "the login counts", func() bool { got, err := whoami(t, c); return err == nil && got == "operator" })
	}
	apptest.Contains(t, get(t, strings.TrimSuffix(url, "/mcp")+"/healthz", tokenOf("ann")), `"login":"shared"`)
	_, out, _ = in().Run(t, "doctor", "-config", file)
	apptest.Contains(t, out, "all users share one login")
}

// loggingIn is the program whose browser is that of a user.
func loggingIn(t *testing.T, user string) apptest.Program {
	return programWith(nil, func(_ context.Context, page string) {
		if code, at := visit(t, page, user); code != http.StatusOK {
			t.Errorf("the login ends with %d at %s", code, at)
		}
	})
}

// A login from a terminal stays until it is removed, also in a running gateway.
func TestLogin_Commands(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", filepath.Join(t.TempDir(), "state"))
	issuer := authtest.New(t)
	file := servers(t, webServer(guarded(t, issuer), `{}`), "a")
	code, out, _ := in().Run(t, "servers", "-config", file)
	if code == 0 {
		t.Error("servers succeeds while a login is missing")
	}
	apptest.Contains(t, out, "needs_login", `run "gateway login web" in a terminal`)
	_, out, _ = in().Run(t, "doctor", "-config", file)
	apptest.Contains(t, out, "it needs a login", `run "gateway login web"`)
	code, out, errs := in().Run(t, "call", "-config", file, "web_whoami")
	if code == 0 || !strings.Contains(out+errs, `log in with "gateway login web"`) || strings.Contains(out+errs, "/authorize") {
		t.Errorf("a call from the terminal: %d %s%s", code, out, errs)
	}
	url, _ := served(t, "-config", file, "-token-file", tokens(t, "ann"), "-per-minute", "0")
	ann := person(t, url, tokenOf("ann"), "", "")
	for range 2 {
		for i, args := range [][]string{{"-principal", "ann"}, nil} {
			args = append(append([]string{"login", "-config", file}, args...), "web")
			apptest.Contains(t, loggingIn(t, []string{"alice", "local"}[i]).MustRun(t, args...), "You are logged in to web")
			apptest.Contains(t, in().MustRun(t, args...), "No login is needed")
		}
		apptest.Contains(t, in().MustRun(t, "call", "-config", file, "web_whoami"), "local")
		waittest.Until(t, "the gateway that runs uses the login", func() bool { got, err := whoami(t, ann); return err == nil && got == "alice" })
		apptest.Contains(t, in().MustRun(t, "logout", "-config", file, "-principal", "ann", "web"), "is deleted here")
		got, err := whoami(t, ann)
		wantNeedsLogin(t, got, err)
		apptest.Contains(t, in().MustRun(t, "call", "-config", file, "web_whoami"), "local")
		in().MustRun(t, "logout", "-config", file, "web")
	}
	own := servers(t, webServer("http://127.0.0.1:1/mcp", `{"issuer":"https://as.invalid","clientId":"me","clientSecret":"s"}`))
	apptest.Contains(t, in().MustRun(t, "login", "-config", own, "web"), "its own credentials")
	for says, args := range map[string][]string{"has no enabled server": {"none"}, `has no "oauth"`: {"a"}, "name one server": nil} {
		code, _, errs := in().Run(t, append([]string{"login", "-config", file}, args...)...)
		if code == 0 || !strings.Contains(errs, says) {
			t.Errorf("login %q: %d, %s", args, code, errs)
		}
	}
}

// The report has the members that monitoring of a gateway relies on.
func TestReport_JSON(t *testing.T) {
	var got map[string]any
	apptest.Must(t, json.Unmarshal(Report{Servers: []ServerReport{{Name: "a", State: "ready", Login: "own"}}}.json(), &got))
	if _, there := got["servers"]; !there {
		t.Errorf("%v", got)
	}
}
