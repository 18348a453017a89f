package oauth_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/dougu-go/dougu/security/oauth"
)

// known gives a client credentials at the usual server.
func known(credentials oauth.Credentials) func(*oauth.Client) {
	return func(c *oauth.Client) { c.Registered = map[string]oauth.Credentials{issuerURL: credentials} }
}

// Client authentication methods (RFC 6749 §2.3.1, RFC 7591 §2).
func TestClientCredentials(t *testing.T) {
	const secret = "secret-: of the client"
	for name, tc := range map[string]struct {
		credentials oauth.Credentials
		methods     []string
		basic, post bool
		wantErr     string
	}{
		"by default":              {credentials: oauth.Credentials{ClientID: "a b", Secret: secret}, basic: true},
		"basic":                   {credentials: oauth.Credentials{ClientID: "a b", Secret: secret}, methods: []string{"client_secret_post", "client_secret_basic"}, basic: true},
		"post":                    {credentials: oauth.Credentials{ClientID: "a b", Secret: secret}, methods: []string{"client_secret_post"}, post: true},
		"as the program says":     {credentials: oauth.Credentials{ClientID: "a b", Secret: secret, Method: "client_secret_post"}, methods: []string{"client_secret_basic"}, post: true},
		"no secret":               {credentials: oauth.Credentials{ClientID: "a b"}},
		"a secret of no use":      {credentials: oauth.Credentials{ClientID: "a b", Secret: secret}, methods: []string{"none"}},
		"nothing else is known":   {credentials: oauth.Credentials{ClientID: "a b", Secret: secret}, methods: []string{"tls_client_auth"}, basic: true},
		"a way that is not known": {credentials: oauth.Credentials{ClientID: "a b", Method: "tls_client_auth"}, wantErr: "not known"},
		"a key that is none":      {credentials: oauth.Credentials{ClientID: "a b", Method: "private_key_jwt"}, wantErr: "signs no assertions"},
	} {
		t.Run(name, func(t *testing.T) {
			w, rs, as := standard(t)
			rs.challenge = `scope="a b"`
			as.metadata = map[string]any{"token_endpoint_auth_methods_supported": tc.methods}
			var header http.Header
			as.token = func(_ url.Values, r *http.Request) (int, map[string]any) {
				header = r.Header
				return 0, nil
			}
			client := w.client(known(tc.credentials), func(c *oauth.Client) { c.Grant = oauth.ClientCredentials{} })
			status, body := get(t, client.Transport(resourceURL, w))
			if tc.wantErr != "" {
				if !strings.Contains(body, tc.wantErr) {
					t.Error(body)
				}
				return
			}
			if status != 200 || body != "the body with a b" {
				t.Fatalf("%d: %s", status, body)
			}
			form, r := as.forms[0], http.Request{Header: header}
			id, password, basic := r.BasicAuth()
			if basic != tc.basic || basic && (id != "a+b" || password != url.QueryEscape(secret)) {
				t.Errorf("basic %v with %q, %q", basic, id, password)
			}
			if got := form.Get("client_secret") == secret; got != tc.post || form.Get("client_id") == "a b" == tc.basic {
				t.Errorf("the form is %v", form)
			}
			if form.Get("grant_type") != "client_credentials" || form.Get("resource") != resourceURL {
				t.Errorf("the form is %v", form)
			}
		})
	}
}

// Assertions are signed with the algorithm of the key, for the issuer, and each is another (RFC 7523 §3).
func TestCredentials_Assertion(t *testing.T) {
	p256, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	p384, err2 := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	p521, err3 := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	p224, err4 := ecdsa.GenerateKey(elliptic.P224(), rand.Reader)
	_, edwards, err5 := ed25519.GenerateKey(rand.Reader)
	rsaKey, err6 := rsa.GenerateKey(rand.Reader, 2048)
	if err := errors.Join(err, err2, err3, err4, err5, err6); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		key     crypto.Signer
		known   []string
		alg     string
		wantErr string
	}{
		"P-256": {key: p256, alg: "ES256"}, "P-384": {key: p384, alg: "ES384"}, "P-521": {key: p521, alg: "ES512"}, "Ed25519": {key: edwards, alg: "EdDSA"},
		"RSA": {key: rsaKey, alg: "RS256"}, "RSA PSS": {key: rsaKey, known: []string{"ES256", "PS256"}, alg: "PS256"},
		"another algorithm": {key: p256, known: []string{"RS256"}, wantErr: "accepts assertions with [RS256]"},
		"another curve":     {key: p224, wantErr: "signs no assertions"},
	} {
		t.Run(name, func(t *testing.T) {
			w, _, as := standard(t)
			as.metadata = map[string]any{"token_endpoint_auth_signing_alg_values_supported": tc.known}
			ids := make(map[string]bool)
			as.token = func(form url.Values, _ *http.Request) (int, map[string]any) {
				token, err := jwt.Parse(form.Get("client_assertion"), func(*jwt.Token) (any, error) { return tc.key.Public(), nil },
					jwt.WithAudience(issuerURL), jwt.WithIssuer("me"), jwt.WithSubject("me"), jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithValidMethods([]string{tc.alg}))
				if err != nil || token.Header["kid"] != "key-1" {
					t.Errorf("%v, %v", err, token)
					return 400, nil
				}
				ids[token.Claims.(jwt.MapClaims)["jti"].(string)] = true
				return 0, nil
			}
			transport := w.client(known(oauth.Credentials{ClientID: "me", Key: tc.key, KeyID: "key-1"}), func(c *oauth.Client) { c.Grant = oauth.ClientCredentials{} }).Transport(resourceURL, w)
			status, body := get(t, transport)
			if tc.wantErr != "" {
				if !strings.Contains(body, tc.wantErr) {
					t.Error(body)
				}
				return
			}
			as.revoke()
			get(t, transport)
			if status != 200 || len(ids) != 2 {
				t.Errorf("%d: %s; %d assertions", status, body, len(ids))
			}
		})
	}
}

func TestParseKey(t *testing.T) {
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	rsaKey, err2 := rsa.GenerateKey(rand.Reader, 2048)
	p224, err3 := ecdsa.GenerateKey(elliptic.P224(), rand.Reader)
	sec1, err4 := x509.MarshalECPrivateKey(ec)
	pkcs8, err5 := x509.MarshalPKCS8PrivateKey(ec)
	small, err6 := x509.MarshalPKCS8PrivateKey(p224)
	if err := errors.Join(err, err2, err3, err4, err5, err6); err != nil {
		t.Fatal(err)
	}
	text := func(kind string, der []byte) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	}
	for name, tc := range map[string]struct {
		text []byte
		ok   bool
	}{
		"PKCS #8": {text("PRIVATE KEY", pkcs8), true}, "SEC 1": {text("EC PRIVATE KEY", sec1), true},
		"PKCS #1": {text("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(rsaKey)), true},
		"nothing": {nil, false}, "no key": {text("PRIVATE KEY", []byte("x")), false}, "another curve": {text("PRIVATE KEY", small), false},
	} {
		key, err := oauth.ParseKey(tc.text)
		if (err == nil) != tc.ok || (key != nil) != tc.ok {
			t.Errorf("%s: %T, %v", name, key, err)
		}
	}
}

// A refused workload assertion is not sent again, nor is another method tried.
func TestWorkload(t *testing.T) {
	w, _, as := standard(t)
	as.metadata = map[string]any{"grant_types_supported": []string{"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "registration_endpoint": nil}
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(" a.b.c\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	transport := w.client(func(c *oauth.Client) { c.Grant = oauth.Workload{Assertion: oauth.AssertionFile(path)} }).Transport(resourceURL, w)
	if status, body := get(t, transport); status != 200 {
		t.Fatalf("%d: %s", status, body)
	}
	if form := as.forms[0]; form.Get("assertion") != "a.b.c" || form.Has("client_id") || len(as.authorized) != 0 {
		t.Errorf("the form is %v", form)
	}
	for _, code := range []string{"invalid_grant", "invalid_scope", "unauthorized_client"} {
		w, _, as := standard(t)
		as.token = func(url.Values, *http.Request) (int, map[string]any) { return 400, map[string]any{"error": code} }
		transport := w.client(func(c *oauth.Client) { c.Grant = oauth.Workload{Assertion: oauth.AssertionFile(path)} }).Transport(resourceURL, w)
		for range 3 {
			if _, said := get(t, transport); !strings.Contains(said, code) {
				t.Error(said)
			}
		}
		if len(as.forms) != 1 {
			t.Errorf("%s: asked %d times", code, len(as.forms))
		}
	}
}

// A program's token is replaced before it ends, as a user's is, though there is no refresh token.
func TestGrant_RepeatedBeforeExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, rs, as := standard(t)
		rs.challenge = `scope="read"`
		as.token = func(url.Values, *http.Request) (int, map[string]any) {
			body := as.issue([]string{"read"})
			delete(body, "refresh_token")
			return 200, body
		}
		client := w.client(known(oauth.Credentials{ClientID: "x"}), func(c *oauth.Client) { c.Grant = oauth.ClientCredentials{} })
		transport := client.Transport(resourceURL, w)
		for range 4 {
			if status, body := get(t, transport); status != 200 || body != "the body with read" {
				t.Errorf("%d: %s", status, body)
			}
			time.Sleep(2 * time.Hour)
		}
		if len(as.forms) != 4 || as.forms[3].Get("scope") != "read" || w.count("POST "+resourceURL) != 5 {
			t.Errorf("%d tokens, %d requests", len(as.forms), w.count("POST "+resourceURL))
		}
		as.token = func(url.Values, *http.Request) (int, map[string]any) {
			return 400, map[string]any{"error": "unauthorized_client"}
		}
		for range 3 {
			if _, said := get(t, transport); !strings.Contains(said, "unauthorized_client") {
				t.Error(said)
			}
		}
		if len(as.forms) != 5 {
			t.Errorf("a refusal is asked for again, %d times", len(as.forms)-5)
		}
	})
}

func TestGrant_Errors(t *testing.T) {
	failing := func(context.Context) (string, error) { return "", errors.New("nobody is logged in") }
	for name, tc := range map[string]struct {
		grant   oauth.Grant
		change  func(*oauth.Client)
		offers  []string
		wantErr string
	}{
		"a client that is not registered": {grant: oauth.ClientCredentials{}, wantErr: "Client.Registered"},
		"a grant that is not offered":     {grant: oauth.ClientCredentials{}, change: known(oauth.Credentials{ClientID: "x"}), offers: []string{"authorization_code"}, wantErr: "does not offer the grant client_credentials"},
		"no assertion":                    {grant: oauth.Workload{}, wantErr: "Workload.Assertion is not set"},
		"an assertion that cannot be had": {grant: oauth.Workload{Assertion: oauth.AssertionFile("/nowhere/token")}, wantErr: "getting the workload's assertion"},
		"an assertion that is none":       {grant: oauth.Workload{Assertion: func(context.Context, string) (string, error) { return "a b", nil }}, wantErr: "is no JWT"},
		"no subject":                      {grant: &oauth.Enterprise{}, wantErr: "Enterprise.Subject is not set"},
		"a subject that cannot be had":    {grant: &oauth.Enterprise{TokenEndpoint: "https://idp.example.com/token", Subject: failing}, wantErr: "nobody is logged in"},
		"a provider in the clear":         {grant: &oauth.Enterprise{Issuer: "http://idp.example.com", Subject: failing}, wantErr: "not encrypted"},
	} {
		t.Run(name, func(t *testing.T) {
			w, _, as := standard(t)
			as.metadata = map[string]any{"grant_types_supported": tc.offers, "registration_endpoint": nil}
			client := w.client(func(c *oauth.Client) {
				if c.Grant = tc.grant; tc.change != nil {
					tc.change(c)
				}
			})
			if status, said := get(t, client.Transport(resourceURL, w)); status != 0 || !strings.Contains(said, tc.wantErr) {
				t.Errorf("%d: %s", status, said)
			}
		})
	}
}

// The identity provider gives a grant for the authorization server, and that a token (ID-JAG).
func TestEnterprise(t *testing.T) {
	for name, kind := range map[string]string{"an ID-JAG": "urn:ietf:params:oauth:token-type:id-jag", "something else": "urn:ietf:params:oauth:token-type:access_token"} {
		t.Run(name, func(t *testing.T) {
			w, rs, as := standard(t)
			rs.challenge = `scope="read"`
			idp := newServer("https://idp.example.com")
			idp.token = func(url.Values, *http.Request) (int, map[string]any) {
				return 200, map[string]any{"access_token": "secret-id-jag", "issued_token_type": kind, "token_type": "N_A"}
			}
			w.hosts[idp.issuer] = idp
			grant := &oauth.Enterprise{
				Issuer: idp.issuer, Credentials: oauth.Credentials{ClientID: "at the provider"}, SubjectType: "urn:ietf:params:oauth:token-type:saml2", HTTP: w,
				Subject: func(context.Context) (string, error) { return "secret-login", nil },
			}
			client := w.client(known(oauth.Credentials{ClientID: "at the server", Secret: "secret-there"}), func(c *oauth.Client) { c.Grant = grant })
			status, body := get(t, client.Transport(resourceURL, w))
			if kind != "urn:ietf:params:oauth:token-type:id-jag" {
				if !strings.Contains(body, "not with an ID-JAG") || len(as.forms) != 0 {
					t.Error(body)
				}
				return
			}
			if status != 200 || body != "the body with read" {
				t.Fatalf("%d: %s", status, body)
			}
			for name, want := range map[string]string{
				"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "requested_token_type": kind, "audience": issuerURL, "resource": resourceURL,
				"subject_token": "secret-login", "subject_token_type": "urn:ietf:params:oauth:token-type:saml2", "scope": "read", "client_id": "at the provider",
			} {
				if got := idp.forms[0].Get(name); got != want {
					t.Errorf("%s=%q at the provider", name, got)
				}
			}
			if form := as.forms[0]; form.Get("assertion") != "secret-id-jag" || form.Get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
				t.Errorf("%v at the server", form)
			}
		})
	}
}
