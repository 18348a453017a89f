package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/safehttp"
)

// For any response of a token endpoint, a stored token is a valid header value and errors contain
// no secret.
func FuzzTokenAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"access_token":"a","token_type":"Bearer","expires_in":3600,"scope":"a b"}`, `{"access_token":"a","expires_in":"1e400"}`,
		`{"access_token":"a\n","token_type":"DPoP"}`, `{"error":"invalid_grant","error_description":"the-secret-code"}`, `{"error":[]}`, `[]`, `null`, "",
		`{"access_token":"a","expires_in":-5,"scope":null,"refresh_token":"é"}`, `{"access_token":"a","expires_in":9e99}`,
	} {
		f.Add(http.StatusOK, seed)
		f.Add(http.StatusBadRequest, seed)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		r := &tokenRequest{
			server: &Server{Issuer: "https://as.example.com"}, credentials: &Credentials{Secret: "the-secret-itself"}, form: url.Values{"code": {"the-secret-code"}},
		}
		a := &response{status, http.Header{}, []byte(body)}
		if err := r.readError(a); strings.Contains(err.Error(), "the-secret-code") || strings.Contains(err.Error(), "the-secret-itself") || strings.ContainsAny(err.Error(), "\x00\x1b\r\n") {
			t.Errorf("%q is refused with %q", body, err)
		}
		got, err := r.read(a)
		if err != nil {
			return
		}
		h, err := r.issue(got, "https://h/mcp", nil, nil, false)
		if err != nil {
			return
		}
		if !isTokenText(h.Token.AccessToken) || h.Token.RefreshToken != "" && !isTokenText(h.Token.RefreshToken) {
			t.Errorf("%q is kept as %+v", body, h.Token)
		}
		if left := time.Until(h.Token.Expiry); !h.Token.Expiry.IsZero() && (left < -time.Minute || left > maxLifetime+time.Minute) {
			t.Errorf("%q lasts %v", body, left)
		}
	})
}

// Whatever is said about a server, requests go to the web alone.
func FuzzServerMetadata(f *testing.F) {
	for _, seed := range []string{
		`{"token_endpoint":"https://h/t"}`, `{"token_endpoint":"http://localhost/t","authorization_endpoint":"javascript:x"}`,
		`{"token_endpoint":"https://u@h"}`, `{"token_endpoint":"http://[::1]:x/"}`, `{"token_endpoint":"//h/x"}`, `{"token_endpoint":5}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var s Server
		if (&response{200, nil, []byte(body)}).decode(&s) != nil || s.check() != nil {
			return
		}
		for _, at := range []string{s.TokenEndpoint, s.AuthorizationEndpoint, s.RegistrationEndpoint} {
			u, err := url.Parse(at)
			if err != nil || at != "" && u.Scheme != "https" && (u.Scheme != "http" || !safehttp.IsLocalName(u.Hostname())) {
				t.Errorf("%q leads to %s, %v", body, at, err)
			}
		}
	})
}
