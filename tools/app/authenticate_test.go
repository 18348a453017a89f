package app_test

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/dpop"
	"github.com/dougu-go/dougu/security/oauth"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/websocket"
)

// withPermissions returns a program with a public tool and tools that need scopes.
func withPermissions(stderr io.Writer) *app.App {
	return &app.App{
		Name: "prog", Version: "1",
		Build: func(context.Context, app.Start) (*app.Program, error) {
			srv := mcp.NewServer(mcp.Implementation{Name: "prog", Version: "1"}, &mcp.ServerOptions{Authorize: auth.Authorize})
			tool := func(name string, permissions ...string) mcp.ServerTool {
				return mcp.NewTool(mcp.Tool{Name: name}, func(ctx context.Context, _ struct{}) (string, error) {
					return name + " for " + protocol.PrincipalFrom(ctx), nil
				}).With(mcp.ToolOptions{Permissions: permissions})
			}
			return &app.Program{Server: srv}, srv.Replace("t", mcp.Features{Tools: []mcp.ServerTool{
				tool("plain"), tool("read", "docs:read"), tool("write", "issues:read", "issues:write"),
			}})
		},
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: stderr,
	}
}

// serveWithPermissions runs that program until the test ends, and returns its URL and log.
func serveWithPermissions(t *testing.T, args ...string) (url string, stderr *waittest.Log) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stderr = new(waittest.Log)
	ended := make(chan int, 1)
	go func() { ended <- withPermissions(stderr).Run(ctx, args) }()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != 0 {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
	pattern := regexp.MustCompile(`serves (\S+)\n`)
	waittest.Until(t, "it serves", func() bool { return pattern.MatchString(stderr.String()) })
	return pattern.FindStringSubmatch(stderr.String())[1], stderr
}

// user returns an OAuth client whose simulated browser follows every page.
func user(t *testing.T, key oauth.Prover) (*oauth.Client, *http.Transport) {
	t.Helper()
	base := new(http.Transport)
	client := &oauth.Client{Name: "test", DPoP: key, HTTP: base, Log: new(waittest.Log).Logger(), Authorizer: &oauth.Loopback{
		Prompt: func(string, error) {},
		Open: func(ctx context.Context, page string) error {
			r, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, page, nil)
			if err != nil {
				return err
			}
			response, err := (&http.Client{Transport: base}).Do(r)
			if err != nil {
				return err
			}
			return response.Body.Close()
		},
	}}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		base.CloseIdleConnections()
	})
	return client, base
}

// A client that has only the URL of the server discovers the authorization server, gets a
// token, and gets a token with more scopes when a tool needs them.
func TestAuthenticate_OAuthClient(t *testing.T) {
	key, err := dpop.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		revision  protocol.Revision
		key       oauth.Prover
		webSocket bool
	}{
		"2026-07-28": {}, "2025-11-25": {revision: protocol.Rev20251125}, "2025-06-18": {revision: protocol.Rev20250618}, "2025-03-26": {revision: protocol.Rev20250326},
		"2026-07-28 with DPoP": {key: key}, "2025-11-25 with DPoP": {revision: protocol.Rev20251125, key: key},
		"WebSocket": {webSocket: true}, "WebSocket with DPoP": {key: key, webSocket: true},
	} {
		t.Run(name, func(t *testing.T) {
			issuer := authtest.New(t)
			flag := "-http"
			if tc.webSocket {
				flag = "-ws"
			}
			url, stderr := serveWithPermissions(t, flag, "127.0.0.1:0", "-auth-issuer", issuer.URL, "-auth-scopes", "docs:read,issues:read,issues:write", "-auth-initial", "docs:read")
			with, base := user(t, tc.key)
			http := &http.Client{Transport: with.Transport(url, base)}
			var to protocol.Transport = &httpclient.Client{URL: url, HTTPClient: http}
			if tc.webSocket {
				to = &websocket.Client{URL: url, HTTPClient: http}
			}
			client, err := mcp.Connect(t.Context(), to, mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{Revision: tc.revision})
			if err != nil {
				t.Fatal(err, stderr)
			}
			defer client.Close()
			for _, tool := range []string{"plain", "read", "write", "read", "write"} {
				got, err := mcp.Call[string](t.Context(), client, tool, nil)
				if tc.webSocket && tool == "write" {
					if err == nil || !strings.Contains(err.Error(), "issues:write") {
						t.Errorf("where there is no challenge: %q, %v", got, err)
					}
				} else if err != nil || got != tool+" for "+issuer.URL+"#alice" {
					t.Errorf("%s: %q, %v\n%s", tool, got, err, stderr)
				}
			}
			want := "docs:read; docs:read issues:read issues:write"
			if tc.webSocket {
				want = "docs:read"
			}
			if got := strings.Join(issuer.Granted(), "; "); got != want {
				t.Errorf("the client got tokens for %q, want %q", got, want)
			}
		})
	}
}

func TestAuthenticate_InvalidResource(t *testing.T) {
	good := app.Resource{Name: "prog", URL: "https://mcp.example.com/mcp", Issuers: []string{"https://login.example.com"}}
	for name, tc := range map[string]struct {
		change func(*app.Resource)
		want   string
	}{
		"nothing":                 {func(*app.Resource) {}, ""},
		"tokens of its own":       {func(o *app.Resource) { o.Tokens = "alice=a-token-that-nobody-guesses" }, ""},
		"questions":               {func(o *app.Resource) { o.Introspect, o.ClientID = "https://login.example.com/i", "prog" }, ""},
		"tokens that are short":   {func(o *app.Resource) { o.Tokens = "alice=x" }, "at least 16"},
		"a plain issuer":          {func(o *app.Resource) { o.Issuers = []string{"http://login.example.com"} }, "not encrypted"},
		"a plain URL":             {func(o *app.Resource) { o.URL = "http://mcp.example.com" }, "not encrypted"},
		"questions to two":        {func(o *app.Resource) { o.Introspect, o.Issuers = "https://login.example.com/i", []string{"a", "b"} }, "one authorization server"},
		"questions in plain text": {func(o *app.Resource) { o.Introspect, o.ClientID = "http://login.example.com/i", "prog" }, "not encrypted"},
	} {
		o := good
		tc.change(&o)
		if _, err := app.Authenticate(o); (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	if _, err := app.Authenticate(app.Resource{Tokens: "alice=x"}); err == nil {
		t.Error("a short token is accepted")
	}
}

// TestAuthenticate_UnknownPermissions checks that a permission that no tool needs is found in each of several tokens.
func TestAuthenticate_UnknownPermissions(t *testing.T) {
	const first, second = "0123456789abcdef-1", "0123456789abcdef-2"
	for tokens, want := range map[string]bool{
		"alice=" + first + "[read] alice=" + second + "[raed]": false,
		"alice=" + first + "[docs:*]":                          true,
		"alice=" + first + "[docs:write admin *]":              true,
		"alice=" + first + "[docs:raed]":                       false,
		"\ufeffalice=" + first + "[read]":                      true,
	} {
		_, err := app.Authenticate(app.Resource{Tokens: tokens, KnownPermissions: []string{"read", "docs:write"}})
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "which no tool needs") {
			t.Errorf("%q: %v", tokens, err)
		}
	}
}
