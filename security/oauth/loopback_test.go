package oauth_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/security/oauth"
)

const patience = time.Minute

// visit asks for a page as a browser does.
func visit(t *testing.T, method, page, host string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, page, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	network := &http.Transport{DisableKeepAlives: true}
	resp, err := network.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body), resp.Header
}

// The browser's way back is taken once, and nothing else is taken for it.
func TestLoopback(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	opened, prompted := make(chan string, 1), ""
	loopback := &oauth.Loopback{
		Open:   func(_ context.Context, page string) error { opened <- page; return nil },
		Prompt: func(page string, _ error) { prompted = page },
	}
	login, err := loopback.Begin(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	defer login.Close()
	back := login.RedirectURL()
	if !strings.HasPrefix(back, "http://127.0.0.1:") || !strings.HasSuffix(back, "/callback") {
		t.Errorf("comes back to %s", back)
	}
	if status, _, _ := visit(t, http.MethodGet, back+"?state=&code=early", ""); status != 400 {
		t.Errorf("before anything was opened: %d", status)
	}
	var waiting group.Group
	var answer url.Values
	waiting.Go(func() { answer, err = login.Authorize(ctx, "https://as.example.com/authorize?state=right") })
	if page := <-opened; page != "https://as.example.com/authorize?state=right" || prompted != page {
		t.Errorf("opened %s, prompted %s", page, prompted)
	}
	for name, tc := range map[string]struct {
		method, page, host string
		want               int
	}{
		"another state":  {"GET", back + "?state=wrong&code=x", "", 400},
		"no state":       {"GET", back + "?code=x", "", 400},
		"a broken query": {"GET", back + "?state=right;code=x", "", 400},
		"another method": {"POST", back + "?state=right&code=x", "", 405},
		"another path":   {"GET", strings.TrimSuffix(back, "/callback") + "/?state=right&code=x", "", 404},
		"another name":   {"GET", back + "?state=right&code=x", "evil.example.com", 403},
	} {
		if status, _, _ := visit(t, tc.method, tc.page, tc.host); status != tc.want {
			t.Errorf("%s: %d", name, status)
		}
	}
	for range 2 {
		status, body, header := visit(t, http.MethodGet, back+"?state=right&code=the+code&iss=x&error_description=%3Cb%3E", "")
		if status != 200 || !strings.Contains(body, "You may close this window") || strings.Contains(body, "<b>") {
			t.Errorf("%d: %s", status, body)
		}
		if !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") || header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers %v", header)
		}
	}
	waiting.Wait()
	if err != nil || answer.Get("code") != "the code" || answer.Get("iss") != "x" {
		t.Errorf("%v, %v", answer, err)
	}
}

// A login as it is on a user's machine: a browser that follows redirects, an authorization server, a server.
func TestLoopback_Login(t *testing.T) {
	as := newServer("")
	at := httptest.NewServer(as)
	defer at.Close()
	as.issuer = at.URL
	rs := &resource{by: as, challenge: `scope="read"`}
	here := httptest.NewServer(rs)
	defer here.Close()
	rs.metadata = map[string]any{"resource": here.URL + "/mcp"}
	network := &http.Transport{DisableKeepAlives: true}
	var browser group.Group
	defer browser.Wait()
	loopback := &oauth.Loopback{Prompt: func(string, error) {}, Open: func(_ context.Context, page string) error {
		browser.Go(func() {
			resp, err := (&http.Client{Transport: network, Timeout: patience}).Get(page)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil || !strings.Contains(string(body), "You may close this window") {
				t.Errorf("the user sees %s, %v", body, err)
			}
		})
		return nil
	}}
	w := newWorld(t)
	client := w.client(func(c *oauth.Client) { c.Authorizer, c.HTTP = loopback, nil })
	web := &http.Client{Transport: client.Transport(here.URL+"/mcp", network), Timeout: patience}
	for range 2 {
		resp, err := web.Post(here.URL+"/mcp", "text/plain", strings.NewReader("hello"))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || string(body) != "hello with read" {
			t.Errorf("%s, %v", body, err)
		}
	}
	if len(as.authorized) != 1 || !strings.HasPrefix(as.authorized[0].Get("redirect_uri"), "http://127.0.0.1:") {
		t.Errorf("authorized with %v", as.authorized)
	}
}

// The port of the last registration is used again if it is free.
func TestLoopback_Port(t *testing.T) {
	begin := func(l *oauth.Loopback, wish string) oauth.Login {
		t.Helper()
		login, err := l.Begin(t.Context(), wish)
		if err != nil {
			t.Fatal(err)
		}
		return login
	}
	first := begin(&oauth.Loopback{Host: "localhost"}, "")
	wish := first.RedirectURL()
	second := begin(&oauth.Loopback{Host: "localhost"}, wish)
	if second.RedirectURL() == wish {
		t.Error("two listen at the same port")
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	third := begin(&oauth.Loopback{Host: "localhost"}, wish)
	if third.RedirectURL() != wish {
		t.Errorf("%s instead of %s", third.RedirectURL(), wish)
	}
	if _, err := (&oauth.Loopback{Port: portOf(t, wish)}).Begin(t.Context(), ""); err == nil {
		t.Error("a port that is taken can be had")
	}
	if err := third.Close(); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"http://127.0.0.1:80/other", "https://example.com/callback", "://", "http://localhost:99999/callback"} {
		login := begin(&oauth.Loopback{}, other)
		if login.RedirectURL() == other {
			t.Errorf("comes back to %s", other)
		}
		if err := login.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := (&oauth.Loopback{Host: "example.com"}).Begin(t.Context(), ""); err == nil {
		t.Error("another machine is this one")
	}
}

func portOf(t *testing.T, raw string) int {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	port, err := net.LookupPort("tcp", u.Port())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// Without a browser, the user receives instructions; the login ends at its timeout.
func TestLoopback_NoBrowser(t *testing.T) {
	var told []error
	loopback := &oauth.Loopback{
		Open:   func(context.Context, string) error { return errors.New("no display") },
		Prompt: func(_ string, err error) { told = append(told, err) },
	}
	login, err := loopback.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer login.Close()
	gone := errors.New("gone")
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, gone)
	defer cancel()
	if _, err := login.Authorize(ctx, "https://as.example.com/?state=x"); !errors.Is(err, gone) {
		t.Error(err)
	}
	if len(told) != 2 || told[0] != nil || told[1] == nil {
		t.Errorf("told %v", told)
	}
	other, err := loopback.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Authorize(t.Context(), "file:///etc/passwd?state=x"); err == nil {
		t.Error("a file is a page for the login")
	}
}

// Pages are opened by a program that gets them as an argument.
func TestOpenBrowser(t *testing.T) {
	const page = "https://as.example.com/authorize?a=1&b=$(x)"
	for system, want := range map[string][]string{
		"linux": {"xdg-open", page}, "freebsd": {"xdg-open", page}, "darwin": {"open", page}, "windows": {"rundll32.exe", "url.dll,FileProtocolHandler", page},
	} {
		if got := oauth.BrowserCommand(system, page); !slices.Equal(got, want) {
			t.Errorf("%s: %q", system, got)
		}
	}
	for _, other := range []string{"file:///etc/passwd", "javascript:alert(1)", "-h", "https:", "http://%zz", "ftp://h/"} {
		if err := oauth.OpenBrowser(t.Context(), other); err == nil {
			t.Errorf("%s is opened", other)
		}
	}
	if runtime.GOOS != "linux" {
		t.Skip("what follows puts a program in the place of the browser's")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if err := oauth.OpenBrowser(t.Context(), page); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Error(err)
	}
	program := filepath.Join(dir, "xdg-open")
	seen := filepath.Join(dir, "seen")
	for script, wantErr := range map[string]string{
		"#!/bin/sh\nprintf %s \"$1\" > " + seen + "\n": "", "#!/bin/sh\nexit 3\n": "exit status 3", "no program": "exec format error",
	} {
		if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		err := oauth.OpenBrowser(t.Context(), page)
		if (err == nil) != (wantErr == "") || err != nil && !strings.Contains(err.Error(), wantErr) {
			t.Errorf("%q: %v", script, err)
		}
	}
	if got, err := os.ReadFile(seen); err != nil || string(got) != page {
		t.Errorf("opened %q, %v", got, err)
	}
}
