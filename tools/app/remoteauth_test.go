package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/introspect"
	"github.com/dougu-go/dougu/security/auth/jwt"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/websocket"
)

// guarded is a program that accepts access tokens.
func guarded(stderr io.Writer, seen *app.Resource) *app.App {
	server := program(strings.NewReader(""), io.Discard, stderr)
	server.Authenticate = func(o app.Resource) (app.Authenticator, error) {
		if *seen = o; o.Name == "" || o.Log == nil {
			return nil, errors.New("there is no name, or no log")
		}
		var v auth.Verifier = &jwt.Verifier{Issuers: o.Issuers, Audiences: []string{o.URL}}
		if o.Introspect != "" {
			v = &introspect.Verifier{URL: o.Introspect, Issuer: o.Issuers[0], Audiences: []string{o.URL}, ClientID: o.ClientID, ClientSecret: o.ClientSecret}
		}
		if o.Tokens != "" {
			tokens, err := auth.ParseTokens(o.Tokens)
			if err != nil {
				return nil, err
			}
			v = auth.AnyOf(tokens.Verifier(), v)
		}
		r := &auth.Resource{URL: o.URL, AuthorizationServers: o.Issuers, Scopes: o.Scopes, Name: o.Name, Verifier: v, Log: o.Log}
		return r, r.Err()
	}
	return server
}

// guard runs a protected program until the test ends, and returns its URLs.
func guard(t *testing.T, seen *app.Resource, args ...string) (urls []string, stderr *waittest.Log) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stderr = new(waittest.Log)
	ended := make(chan int, 1)
	go func() { ended <- guarded(stderr, seen).Run(ctx, args) }()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != 0 {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
	pattern := regexp.MustCompile(`serves (\S+)\n`)
	want := strings.Count(" "+strings.Join(args, " "), " -http ") + strings.Count(strings.Join(args, " "), " -ws ")
	waittest.Until(t, "it serves", func() bool { return len(pattern.FindAllString(stderr.String(), -1)) >= want })
	for _, match := range pattern.FindAllStringSubmatch(stderr.String(), -1) {
		urls = append(urls, match[1])
	}
	return urls, stderr
}

// A request with a token of the authorization server is served. Other requests get a
// challenge that names the authorization server.
func TestServe_AccessToken(t *testing.T) {
	issuer, seen := authtest.New(t), new(app.Resource)
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte("robot="+token), 0o600); err != nil {
		t.Fatal(err)
	}
	urls, stderr := guard(t, seen, "-http", "127.0.0.1:0", "-auth-issuer", issuer.URL, "-auth-scopes", "docs:read, issues:write", "-token-file", file)
	url := urls[0]
	if seen.URL != url || seen.Name != "prog" || strings.Join(seen.Scopes, " ") != "docs:read issues:write" {
		t.Errorf("the resource is %+v; the server is at %s", seen, url)
	}
	if strings.Contains(stderr.String(), "Bearer TOKEN") {
		t.Errorf("clients are told to have a token in their settings: %s", stderr)
	}
	for name, tc := range map[string]struct{ token, want string }{
		"of the issuer":  {issuer.Token(url, nil), "you are " + issuer.URL + "#alice"},
		"of the file":    {token, "you are robot"},
		"for another":    {issuer.Token("https://other.example.com/mcp", nil), ""},
		"of nobody":      {"a-token-that-nobody-knows", ""},
		"that is no one": {"", ""},
	} {
		got, err := whoami(t, &httpclient.Client{URL: url, Header: http.Header{"Authorization": {"Bearer " + tc.token}}})
		if got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("a token %s: %q, %v", name, got, err)
		}
	}
	response, err := http.Get(strings.TrimSuffix(url, "/mcp") + "/.well-known/oauth-protected-resource/mcp")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var said struct {
		Resource string
		Servers  []string `json:"authorization_servers"`
	}
	if err := json.NewDecoder(response.Body).Decode(&said); err != nil || said.Resource != url || len(said.Servers) != 1 || said.Servers[0] != issuer.URL {
		t.Errorf("the metadata are %+v, %v", said, err)
	}
}

// Behind a proxy the server has another URL. Two paths share a common URL.
func TestServe_ResourceURL(t *testing.T) {
	issuer := authtest.New(t)
	t.Run("two paths at one address", func(t *testing.T) {
		seen := new(app.Resource)
		address := freeAddress(t)
		urls, _ := guard(t, seen, "-http", address, "-ws", address, "-auth-issuer", issuer.URL)
		if seen.URL != "http://"+address {
			t.Errorf("it is known as %q", seen.URL)
		}
		header := http.Header{"Authorization": {"Bearer " + issuer.Token(seen.URL+"/", nil)}}
		for _, to := range []protocol.Transport{&httpclient.Client{URL: "http://" + address + "/mcp", Header: header}, &websocket.Client{URL: "ws://" + address + "/ws", Header: header}} {
			if got, err := whoami(t, to); err != nil || got != "you are "+issuer.URL+"#alice" {
				t.Errorf("%T: %q, %v; it serves %v", to, got, err, urls)
			}
		}
	})
	t.Run("behind a proxy", func(t *testing.T) {
		seen := new(app.Resource)
		const public = "https://mcp.example.com/tools/mcp"
		urls, _ := guard(t, seen, "-http", "127.0.0.1:0", "-auth-issuer", issuer.URL, "-auth-resource", public)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, urls[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		for host, want := range map[string]int{"mcp.example.com": http.StatusMethodNotAllowed, "evil.example.com": http.StatusForbidden} {
			r.Host = host
			r.Header.Set("Authorization", "Bearer "+issuer.Token(public, nil))
			response, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if response.Body.Close(); response.StatusCode != want {
				t.Errorf("by the name %s: status %d, want %d", host, response.StatusCode, want)
			}
		}
	})
	t.Run("with questions", func(t *testing.T) {
		t.Setenv("DOUGU_INTROSPECT_CLIENT", authtest.ClientID+":"+issuer.Secret())
		seen := new(app.Resource)
		urls, _ := guard(t, seen, "-http", "127.0.0.1:0", "-auth-issuer", issuer.URL, "-auth-introspect", issuer.URL+authtest.IntrospectPath)
		issuer.Answer("opaque", map[string]any{"active": true, "sub": "bob", "aud": urls[0]})
		for text, want := range map[string]string{"opaque": "you are " + issuer.URL + "#bob", "other": ""} {
			if got, err := whoami(t, &httpclient.Client{URL: urls[0], Header: http.Header{"Authorization": {"Bearer " + text}}}); got != want {
				t.Errorf("%s: %q, %v", text, got, err)
			}
		}
	})
}

func TestServe_InvalidAuthFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(file, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const issuer = "https://login.example.com"
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an empty list of users":      {[]string{"-auth-issuer", issuer, "-auth-allow", ""}, "it is empty"},
		"an empty user":               {[]string{"-auth-issuer", issuer, "-auth-allow", "alice,"}, "it is empty"},
		"an empty issuer":             {[]string{"-auth-issuer", ""}, "it is empty"},
		"an empty file of tokens":     {[]string{"-token-file", ""}, "it is empty"},
		"an empty list of scopes":     {[]string{"-auth-issuer", issuer, "-auth-required", ","}, "it is empty"},
		"two scopes of a permission":  {[]string{"-auth-issuer", issuer, "-auth-scope-name", "read=a", "-auth-scope-name", "read=b"}, "has the scope"},
		"none beside scopes":          {[]string{"-auth-issuer", issuer, "-auth-resource", issuer + "/mcp", "-auth-scopes", "none,read"}, "write none alone"},
		"a URL without an issuer":     {[]string{"-auth-resource", "https://h.example/mcp"}, "belong to -auth-issuer"},
		"scopes without an issuer":    {[]string{"-auth-scopes", "a"}, "belong to -auth-issuer"},
		"questions without an issuer": {[]string{"-auth-introspect", issuer + "/i"}, "belong to -auth-issuer"},
		"questions to one of two":     {[]string{"-auth-issuer", issuer + "," + issuer + "/2", "-auth-introspect", issuer + "/i"}, "asks one authorization server"},
		"questions of nobody":         {[]string{"-auth-issuer", issuer, "-auth-introspect", issuer + "/i"}, "CLIENT_ID:SECRET"},
		"an issuer that is none":      {[]string{"-auth-issuer", "login"}, "is not a URL"},
		"a plain issuer":              {[]string{"-auth-issuer", "http://login.example.com"}, "not encrypted"},
		"a plain URL":                 {[]string{"-auth-issuer", issuer, "-auth-resource", "http://h.example/mcp"}, "not encrypted"},
		"two addresses":               {[]string{"-auth-issuer", issuer, "-ws", "localhost:0"}, "needs -auth-resource"},
		"all interfaces":              {[]string{"-auth-issuer", issuer, "-http", "0.0.0.0:0"}, "needs -auth-resource"},
		"a file without tokens":       {[]string{"-token-file", file}, "no token in"},
		"scopes that are none":        {[]string{"-auth-issuer", issuer, "-auth-scopes", "a\"b"}, "character that scopes do not have"},
	} {
		t.Run(name, func(t *testing.T) {
			stderr := new(waittest.Log)
			if code := guarded(stderr, new(app.Resource)).Run(t.Context(), append([]string{"-http", "127.0.0.1:0"}, tc.args...)); code == 0 || !strings.Contains(stderr.String(), tc.want) {
				t.Errorf("exit code %d, want a failure and %q: %s", code, tc.want, stderr)
			}
		})
	}
	stderr := new(waittest.Log)
	own := guarded(stderr, new(app.Resource))
	build := own.Build
	own.Build = func(ctx context.Context, start app.Start) (*app.Program, error) {
		p, err := build(ctx, start)
		p.Authenticated = true
		return p, err
	}
	if code := own.Run(t.Context(), []string{"-http", "127.0.0.1:0", "-auth-issuer", issuer}); code != 1 || !strings.Contains(stderr.String(), "leave out -auth-issuer") {
		t.Errorf("a program that asks for tokens itself: exit code %d: %s", code, stderr)
	}
	stderr = new(waittest.Log)
	if code := guarded(stderr, new(app.Resource)).Run(t.Context(), []string{"-auth-issuer", issuer}); code != 1 || !strings.Contains(stderr.String(), "belongs to -http or -ws") {
		t.Errorf("on standard input: exit code %d: %s", code, stderr)
	}
}
