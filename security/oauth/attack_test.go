package oauth_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/security/oauth"
)

// Another page can send a forged response to the redirect URL (2026-07-28, basic/authorization,
// "Authorization Response Validation"; RFC 9207 §2.4).
func TestLogin_ForgedResponse(t *testing.T) {
	for name, tc := range map[string]struct {
		advertised any
		change     url.Values // a nil value is left out
		wantErr    string     // empty for a token
		hidden     string     // text that the error must not contain
	}{
		"the right issuer":                    {advertised: true},
		"the right issuer, unannounced":       {advertised: false},
		"none, and none announced":            {advertised: false, change: url.Values{"iss": nil}},
		"none, where one was announced":       {advertised: true, change: url.Values{"iss": nil}, wantErr: "does not say who answers"},
		"another issuer":                      {advertised: true, change: url.Values{"iss": {"https://evil.example.com"}}, wantErr: "not from the expected authorization server", hidden: "evil"},
		"another issuer, unannounced":         {advertised: false, change: url.Values{"iss": {"https://evil.example.com"}}, wantErr: "not from the expected authorization server"},
		"one that is only nearly the same":    {advertised: true, change: url.Values{"iss": {issuerURL + "/"}}, wantErr: "not from the expected authorization server"},
		"one with another port, the same":     {advertised: true, change: url.Values{"iss": {issuerURL + ":443"}}, wantErr: "not from the expected authorization server"},
		"one in other letters":                {advertised: true, change: url.Values{"iss": {"https://AS.example.com"}}, wantErr: "not from the expected authorization server"},
		"an empty one":                        {advertised: false, change: url.Values{"iss": {""}}, wantErr: "not from the expected authorization server"},
		"two":                                 {advertised: true, change: url.Values{"iss": {issuerURL, "https://evil.example.com"}}, wantErr: "several values"},
		"an error of another":                 {advertised: true, change: url.Values{"iss": {"https://evil.example.com"}, "error": {"access_denied"}, "error_description": {"Call 555"}}, wantErr: "not from the expected authorization server", hidden: "555"},
		"an error of nobody":                  {advertised: true, change: url.Values{"iss": nil, "code": nil, "error": {"access_denied"}, "error_description": {"Call 555"}}, wantErr: "does not say who answers", hidden: "555"},
		"its own error":                       {advertised: true, change: url.Values{"code": nil, "error": {"access_denied"}, "error_description": {"No\x1b[2J\nthanks"}}, wantErr: `"access_denied": No [2J thanks`, hidden: "\x1b"},
		"another state":                       {advertised: true, change: url.Values{"state": {"guessed"}}, wantErr: "does not belong"},
		"no state":                            {advertised: true, change: url.Values{"state": nil}, wantErr: "does not belong"},
		"the code of another login":           {advertised: true, change: url.Values{"code": {"secret-stolen"}}, wantErr: "invalid_grant"},
		"two codes":                           {advertised: true, change: url.Values{"code": {"secret-1", "secret-2"}}, wantErr: "several values"},
		"no code":                             {advertised: true, change: url.Values{"code": nil}, wantErr: "has no code"},
		"nothing":                             {advertised: true, change: url.Values{"code": nil, "state": nil, "iss": nil}, wantErr: "does not belong"},
		"the right one, as nobody announced ": {advertised: nil},
	} {
		t.Run(name, func(t *testing.T) {
			w, _, as := standard(t)
			as.metadata = map[string]any{"authorization_response_iss_parameter_supported": tc.advertised}
			user := &person{world: w, answer: func(_ context.Context, v url.Values) error {
				for name, values := range tc.change {
					if v[name] = values; values == nil {
						delete(v, name)
					}
				}
				return nil
			}}
			status, body := get(t, w.client(func(c *oauth.Client) { c.Authorizer = user }).Transport(resourceURL, w))
			redeemed := w.count("POST " + issuerURL + "/token")
			switch {
			case tc.wantErr == "" && status != 200:
				t.Errorf("%d: %s", status, body)
			case !strings.Contains(body, tc.wantErr) || tc.hidden != "" && strings.Contains(body+w.logged(), tc.hidden):
				t.Errorf("%s; want %q without %q\n%s", body, tc.wantErr, tc.hidden, w.logged())
			case tc.wantErr != "" && tc.wantErr != "invalid_grant" && redeemed != 0:
				t.Error("the code was redeemed")
			}
		})
	}
}

// Metadata and responses of an authorization server are validated.
func TestAuthorize_InvalidServerMetadata(t *testing.T) {
	token := func(body map[string]any) func(url.Values, *http.Request) (int, map[string]any) {
		return func(url.Values, *http.Request) (int, map[string]any) { return 200, body }
	}
	for name, tc := range map[string]struct {
		metadata map[string]any
		token    func(url.Values, *http.Request) (int, map[string]any)
		register map[string]any
		wantErr  string
	}{
		"no PKCE":                            {metadata: map[string]any{"code_challenge_methods_supported": nil}, wantErr: "PKCE with S256"},
		"plain PKCE":                         {metadata: map[string]any{"code_challenge_methods_supported": []string{"plain"}}, wantErr: "PKCE with S256"},
		"another issuer":                     {metadata: map[string]any{"issuer": "https://evil.example.com"}, wantErr: "not from the expected authorization server"},
		"a token endpoint in the clear":      {metadata: map[string]any{"token_endpoint": "http://as.example.com/token"}, wantErr: "not encrypted"},
		"no token endpoint":                  {metadata: map[string]any{"token_endpoint": nil}, wantErr: "no token endpoint"},
		"a login page that is a program":     {metadata: map[string]any{"authorization_endpoint": "file:///bin/sh"}, wantErr: "does not begin with https://"},
		"a login page of scripts":            {metadata: map[string]any{"authorization_endpoint": "javascript:alert(1)"}, wantErr: "does not begin with https://"},
		"a registration in the clear":        {metadata: map[string]any{"registration_endpoint": "http://as.example.com/register"}, wantErr: "not encrypted"},
		"no registration":                    {metadata: map[string]any{"registration_endpoint": nil}, wantErr: "Client.Registered"},
		"no users":                           {metadata: map[string]any{"grant_types_supported": []string{"client_credentials"}}, wantErr: "asks no users"},
		"an endless document":                {metadata: map[string]any{"x": strings.Repeat("x", 1<<20)}, wantErr: "more than 262144 bytes"},
		"no document":                        {metadata: map[string]any{"issuer": 5}, wantErr: "not the JSON"},
		"a client without a name":            {register: map[string]any{"client_id": ""}, wantErr: "no client_id"},
		"a refused registration":             {register: map[string]any{"error": "invalid_redirect_uri", "error_description": "not yours"}, wantErr: `"invalid_redirect_uri": not yours`},
		"a token with a line break":          {token: token(map[string]any{"access_token": "secret-a\r\nX: y", "token_type": "bearer"}), wantErr: "no token that can be used"},
		"no token":                           {token: token(map[string]any{"token_type": "bearer"}), wantErr: "no token that can be used"},
		"an endless token":                   {token: token(map[string]any{"access_token": strings.Repeat("x", 40<<10), "token_type": "bearer"}), wantErr: "no token that can be used"},
		"a token of an unknown type":         {token: token(map[string]any{"access_token": "secret-x", "token_type": "mac"}), wantErr: `type "mac"`},
		"a bound token that nobody asked of": {token: token(map[string]any{"access_token": "secret-x", "token_type": "DPoP"}), wantErr: `type "DPoP"`},
		"an error with 200":                  {token: token(map[string]any{"error": "slow_down"}), wantErr: `"slow_down"`},
		"an error that repeats secrets": {token: func(form url.Values, _ *http.Request) (int, map[string]any) {
			return 400, map[string]any{"error": form.Get("code_verifier"), "error_description": form.Encode()}
		}, wantErr: "[secret]"},
		"an error that is none":   {token: func(url.Values, *http.Request) (int, map[string]any) { return 503, map[string]any{"error": []int{1}} }, wantErr: "HTTP status 503"},
		"a redirect of the token": {token: func(_ url.Values, r *http.Request) (int, map[string]any) { return 307, nil }, wantErr: "HTTP status 307"},
	} {
		t.Run(name, func(t *testing.T) {
			w, _, as := standard(t)
			as.metadata, as.token = tc.metadata, tc.token
			if tc.register != nil {
				as.register = func(map[string]any) (int, map[string]any) {
					if tc.register["error"] != nil {
						return 400, tc.register
					}
					return 201, tc.register
				}
			}
			status, body := get(t, w.client().Transport(resourceURL, w))
			if status != 0 || !strings.Contains(body, tc.wantErr) {
				t.Errorf("%d: %s; want %q", status, body, tc.wantErr)
			}
			if len(as.forms) > 0 {
				for _, secret := range []string{as.forms[0].Get("code"), as.forms[0].Get("code_verifier")} {
					if strings.Contains(body+w.logged(), secret) {
						t.Errorf("%q is shown: %s\n%s", secret, body, w.logged())
					}
				}
			}
		})
	}
}

// A server must not direct the client into a private network by an address, a name or a redirect
// (2026-07-28, basic/security_best_practices, "Server-Side Request Forgery").
func TestAuthorize_PrivateAddressRefused(t *testing.T) {
	var reached atomic.Int32
	inside := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer inside.Close()
	_, port, err := net.SplitHostPort(inside.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	const refused = "private, local or reserved"
	for name, tc := range map[string]struct{ metadata, issuer, redirect, wantErr string }{
		"the metadata of a cloud":          {issuer: "https://169.254.169.254", wantErr: refused},
		"the same in the clear":            {issuer: "http://169.254.169.254", wantErr: "not encrypted"},
		"a private network":                {issuer: "https://10.1.2.3", wantErr: refused},
		"another":                          {issuer: "https://192.168.0.1", wantErr: refused},
		"a carrier's network":              {issuer: "https://100.64.1.1", wantErr: refused},
		"this machine":                     {issuer: "https://127.0.0.1:" + port, wantErr: refused},
		"this machine in the clear":        {issuer: "http://127.0.0.1:" + port, wantErr: refused},
		"this machine by another notation": {issuer: "https://[::ffff:127.0.0.1]:" + port, wantErr: refused},
		"this machine by IPv6":             {issuer: "https://[::1]:" + port, wantErr: refused},
		"this machine by NAT64":            {issuer: "https://[64:ff9b::7f00:1]:" + port, wantErr: refused},
		"this machine by 6to4":             {issuer: "https://[2002:7f00:1::]:" + port, wantErr: refused},
		"any address":                      {issuer: "https://0.0.0.0:" + port, wantErr: refused},
		"no address":                       {issuer: "https://[::]:" + port, wantErr: refused},
		"a private network of IPv6":        {issuer: "https://[fd00::1]", wantErr: refused},
		"the link":                         {issuer: "https://[fe80::1]", wantErr: refused},
		"a name that leads here":           {issuer: "https://localhost:" + port, wantErr: refused},
		"metadata at a name":               {metadata: "https://localhost:" + port + "/x", wantErr: refused},
		"metadata at an address":           {metadata: "https://10.0.0.1/x", wantErr: refused},
		"metadata in the clear":            {metadata: "http://evil.example.com/x", wantErr: "not encrypted"},
		"metadata in a file":               {metadata: "file:///etc/passwd", wantErr: "https://"},
		"metadata that redirects":          {redirect: "https://127.0.0.1:" + port, wantErr: refused},
		"metadata that redirects in clear": {redirect: "http://10.0.0.1/", wantErr: "not encrypted"},
		"metadata that redirects for ever": {redirect: "https://mcp.example.com/.well-known/oauth-protected-resource/mcp", wantErr: "more than 3 times"},
		"metadata that redirects to files": {redirect: "file:///etc/passwd", wantErr: "https://"},
	} {
		t.Run(name, func(t *testing.T) {
			w, rs, _ := standard(t)
			rs.challenge = fmt.Sprintf("resource_metadata=%q", tc.metadata)
			rs.metadata = map[string]any{"authorization_servers": []string{tc.issuer}}
			if tc.redirect != "" {
				rs.extra = nil
				w.hosts["https://mcp.example.com"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/mcp" {
						w.WriteHeader(401)
						return
					}
					http.Redirect(w, r, tc.redirect, http.StatusFound)
				})
			}
			_, said := get(t, w.client(func(c *oauth.Client) { c.HTTP = nil }).Transport(resourceURL, w))
			if !strings.Contains(said, tc.wantErr) {
				t.Errorf("%s; want %q", said, tc.wantErr)
			}
		})
	}
	if reached.Load() != 0 {
		t.Errorf("%d requests came through", reached.Load())
	}
}

// A server on this machine may have its authorization server here; one that the program has credentials of may be anywhere.
func TestAuthorize_LocalServers(t *testing.T) {
	as := newServer("")
	at := httptest.NewServer(as)
	defer at.Close()
	as.issuer = at.URL
	rs := &resource{by: as}
	here := httptest.NewServer(rs)
	defer here.Close()
	rs.metadata = map[string]any{"resource": here.URL + "/mcp"}
	w := newWorld(t)
	network := &http.Transport{}
	defer network.CloseIdleConnections()
	w.hosts[at.URL] = as // for the browser

	client := w.client(func(c *oauth.Client) { c.HTTP = nil })
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, here.URL+"/mcp", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Transport(here.URL+"/mcp", network).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 {
		t.Errorf("%d, %v", resp.StatusCode, err)
	}

	w, public, _ := standard(t)
	public.by, public.metadata = as, nil
	w.hosts[at.URL] = as
	known := w.client(func(c *oauth.Client) {
		c.HTTP, c.Registered = nil, map[string]oauth.Credentials{at.URL: {ClientID: "known"}}
	})
	if status, body := get(t, known.Transport(resourceURL, w)); status != 200 {
		t.Errorf("with credentials: %d: %s", status, body)
	}
}

// The token is for one origin. Whoever else a request goes to, by a redirect or by mistake, does not see it.
func TestTransport_TokenOnlyToOrigin(t *testing.T) {
	w, _, _ := standard(t)
	transport := w.client().Transport(resourceURL, w)
	if status, body := get(t, transport); status != 200 {
		t.Fatalf("%d: %s", status, body)
	}
	w.requests()
	var seen []string
	for _, host := range []string{"https://evil.example.com", "http://mcp.example.com", "https://mcp.example.com:8443"} {
		w.hosts[host] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen = append(seen, r.Header.Get("Authorization")+r.Header.Get("DPoP"))
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://evil.example.com/x"`)
			w.WriteHeader(401)
		})
		u, err := url.Parse(host + "/mcp")
		if err != nil {
			t.Fatal(err)
		}
		if status, _ := get(t, transport, func(r *http.Request) { r.URL = u }); status != 401 {
			t.Errorf("%s: %d", host, status)
		}
	}
	if strings.Join(seen, "") != "" || len(seen) != 3 || len(w.requests()) != 3 {
		t.Errorf("the others see %q", seen)
	}
	// A header of the program's own is left alone.
	status, _ := get(t, transport, func(r *http.Request) { r.Header.Set("Authorization", "Basic abc") })
	if got := w.requests(); status != 401 || len(got) != 1 {
		t.Errorf("%d after %q", status, got)
	}
	// A resource in the clear gets none.
	for _, at := range []string{"http://mcp.example.com/mcp", "ftp://mcp.example.com", "https://u:p@mcp.example.com/", "://", "mcp"} {
		status, said := get(t, w.client().Transport(at, w))
		if status != 0 || !strings.Contains(said, "no token for") {
			t.Errorf("%s: %d: %s", at, status, said)
		}
	}
}

// An authorization server that does not respond causes a timeout.
func TestAuthorize_ServerTimeout(t *testing.T) {
	for name, slow := range map[string]string{"the metadata": "/.well-known/oauth-authorization-server", "the token": "/token"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, _, as := standard(t)
				w.hosts[issuerURL] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == slow {
						<-r.Context().Done()
						return
					}
					as.ServeHTTP(w, r)
				})
				start := time.Now()
				status, said := get(t, w.client().Transport(resourceURL, w))
				if status != 0 || !strings.Contains(said, "did not answer within 30s") || time.Since(start) > time.Minute {
					t.Errorf("%d after %v: %s", status, time.Since(start), said)
				}
			})
		})
	}
}

// The error is of a kind that transports can tell from a broken connection.
func TestError_Unwrap(t *testing.T) {
	w, _, as := standard(t)
	as.metadata = map[string]any{"issuer": "https://evil.example.com"}
	req := httptest.NewRequest(http.MethodGet, resourceURL, nil).WithContext(t.Context())
	_, err := w.client().Transport(resourceURL, w).RoundTrip(req)
	var none *oauth.Error
	if !errors.As(err, &none) || !none.Unauthorized() || none.Resource != resourceURL || !errors.Is(err, oauth.ErrIssuer) {
		t.Errorf("%#v", err)
	}
}
