package gateway

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

// browser is that of a user. It follows no redirects by itself.
type browser struct {
	http.Client
	t    *testing.T
	user string
}

func newBrowser(t *testing.T, user string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	apptest.Must(t, err)
	b := &browser{t: t, user: user}
	b.Jar, b.Transport = jar, new(http.Transport)
	b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.Cleanup(b.CloseIdleConnections)
	return b
}

// open sends a request, and returns the status, the page and where it leads.
func (b *browser) open(method, page string, header ...string) (status int, body, next string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, page, nil)
	apptest.Must(b.t, err)
	req.Header.Set(authtest.UserHeader, b.user)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := b.Do(req)
	apptest.Must(b.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	apptest.Must(b.t, err)
	return resp.StatusCode, string(text), resp.Header.Get("Location")
}

// public is a gateway behind a proxy that browsers reach.
func public(t *testing.T, args ...string) (mcpURL, publicURL string) {
	t.Helper()
	var to atomic.Pointer[httputil.ReverseProxy]
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { to.Load().ServeHTTP(w, r) }))
	t.Cleanup(front.Close)
	mcpURL, _ = served(t, append(args, "-public-url", front.URL)...)
	target, err := url.Parse(strings.TrimSuffix(mcpURL, "/mcp"))
	apptest.Must(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	way := new(http.Transport)
	t.Cleanup(way.CloseIdleConnections)
	proxy.Transport = way
	to.Store(proxy)
	return mcpURL, front.URL
}

// The browser that goes on with a login is the only one that can bring the answer, and can do so once.
func TestCallback_OneBrowser(t *testing.T) {
	issuer := authtest.New(t)
	mcpURL, front := public(t, "-config", servers(t, webServer(guarded(t, issuer), `{}`)), "-token-file", tokens(t, "ann", "mallory"))
	ann := person(t, mcpURL, tokenOf("ann"), "", "")
	got, err := whoami(t, ann)
	page := wantNeedsLogin(t, got, err)
	if !strings.HasPrefix(page, front+loginPath) {
		t.Fatalf("the page of the login is %s", page)
	}
	own, other := newBrowser(t, "alice"), newBrowser(t, "mallory")
	status, body, _ := own.open("GET", page)
	if status != http.StatusOK || !strings.Contains(body, "<b>ann</b>") || !strings.Contains(body, "<b>web</b>") {
		t.Errorf("%d: %s", status, body)
	}
	if status, _, _ := other.open("POST", page, "Sec-Fetch-Site", "cross-site"); status != http.StatusForbidden {
		t.Errorf("a form of another site is answered with %d", status)
	}
	status, _, next := own.open("POST", page)
	if status != http.StatusSeeOther || !strings.HasPrefix(next, issuer.URL) {
		t.Fatalf("%d: to %q", status, next)
	}
	if status, _, _ := other.open("POST", page); status != http.StatusForbidden {
		t.Errorf("a second browser goes on: %d", status)
	}
	_, _, back := own.open("GET", next)
	if !strings.HasPrefix(back, front+callbackPath+"?") {
		t.Fatalf("the authorization server sends back to %q", back)
	}
	for name, tc := range map[string]struct {
		browser *browser
		at      string
		want    int
	}{
		"the answer in another browser": {other, back, http.StatusForbidden},
		"a forged state":                {own, front + callbackPath + "?code=1&state=guessed", http.StatusBadRequest},
		"no state":                      {own, front + callbackPath, http.StatusBadRequest},
		"a guessed page":                {own, front + loginPath + "guessed", http.StatusNotFound},
		"something else":                {own, front + "/healthz", http.StatusUnauthorized},
		"a path that looks alike":       {own, front + "/oauth/callback/../../healthz", http.StatusUnauthorized},
	} {
		if status, _, _ := tc.browser.open("GET", tc.at); status != tc.want {
			t.Errorf("%s: %d, want %d", name, status, tc.want)
		}
	}
	got, err = whoami(t, ann)
	wantNeedsLogin(t, got, err)
	if status, body, _ := own.open("GET", back); status != http.StatusOK {
		t.Errorf("%d: %s", status, body)
	}
	waittest.Until(t, "ann is logged in", func() bool { got, err := whoami(t, ann); return err == nil && got == "alice" })
	for _, at := range []string{back, page} {
		if status, _, _ := own.open("GET", at); status != http.StatusBadRequest && status != http.StatusNotFound {
			t.Errorf("%s is answered a second time with %d", at, status)
		}
	}
	got, err = whoami(t, person(t, mcpURL, tokenOf("mallory"), "", ""))
	if mine := wantNeedsLogin(t, got, err); mine == page {
		t.Error("two principals have the same page")
	}
}

func TestCallback_PublicURL(t *testing.T) {
	for _, wrong := range []string{"gateway.example.com", "http://gateway.example.com", "https://u:p@gateway.example.com", "https://gateway.example.com?x=1", "ftp://gateway.example.com", "https://"} {
		if _, err := newCallbacks(wrong); err == nil || !strings.Contains(err.Error(), "-public-url") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	c, err := newCallbacks("https://gateway.example.com/tools/")
	apptest.Must(t, err)
	if got := (&webLogin{at: c}).RedirectURL(); got != "https://gateway.example.com/tools/oauth/callback" {
		t.Error(got)
	}
}

// The tool login serves clients of both eras, whether they can open pages or not.
func TestLoginTool(t *testing.T) {
	for _, rev := range []protocol.Revision{protocol.Latest, protocol.Rev20251125, protocol.Rev20250618} {
		t.Run(string(rev), func(t *testing.T) {
			issuer := authtest.New(t)
			name := "user-" + string(rev)
			url, _ := served(t, "-config", servers(t, webServer(guarded(t, issuer), `{}`), "a"), "-token-file", tokens(t, name))
			login := func(c *mcp.Client, server string) (string, error) {
				return mcp.Call[string](t.Context(), c, "gateway_login", map[string]string{"server": server})
			}
			plain := person(t, url, tokenOf(name), "", rev)
			got, err := login(plain, "web")
			page := wantNeedsLogin(t, got, err)
			if _, err := login(plain, "none"); err == nil || !strings.Contains(err.Error(), "UNKNOWN_SERVER") {
				t.Errorf("an unknown server: %v", err)
			}
			if got, err := login(plain, "a"); err != nil {
				t.Errorf("a server without a login: %q, %v", got, err)
			}
			if rev == protocol.Rev20250618 { // has no questions of mode url
				visit(t, page, "alice")
			} else if got, err := login(person(t, url, tokenOf(name), "alice", rev), "web"); err != nil {
				t.Fatalf("%q, %v", got, err)
			}
			waittest.Until(t, "the login counts", func() bool { got, err := login(plain, "web"); return err == nil && got != "" })
			if got, err := whoami(t, plain); got != "alice" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
