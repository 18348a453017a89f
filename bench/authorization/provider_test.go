package authorization_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// Clients of the provider: two applications with the same users.
const (
	clientID     = "files"
	otherClient  = "calendar"
	clientSecret = "s3cret"
	callback     = "http://localhost:9/callback"
)

// provider is an authorization server of github.com/zitadel/oidc with the storage of its example. Access tokens are signed, are for
// the client that requested them, and have the scopes in a claim.
type provider struct {
	*storage.Storage
	url string

	mu   sync.Mutex
	keys []signingKey // the first signs; all are published
}

// client issues signed access tokens and allows the scopes of tools.
type client struct{ op.Client }

// AccessTokenType implements op.Client.
func (client) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }

// IsScopeAllowed implements op.Client.
func (client) IsScopeAllowed(scope string) bool { return strings.HasPrefix(scope, "tools.") }

// signingKey is a key of a provider.
type signingKey struct {
	id  string
	key *rsa.PrivateKey
}

// SignatureAlgorithm implements op.SigningKey.
func (signingKey) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.RS256 }

// Key implements op.SigningKey.
func (k signingKey) Key() any { return k.key }

// ID implements op.SigningKey and op.Key.
func (k signingKey) ID() string { return k.id }

// publicKey is the public part of a key.
type publicKey struct{ signingKey }

// Algorithm implements op.Key.
func (publicKey) Algorithm() jose.SignatureAlgorithm { return jose.RS256 }

// Use implements op.Key.
func (publicKey) Use() string { return "sig" }

// Key implements op.Key.
func (k publicKey) Key() any { return &k.key.PublicKey }

// startProvider starts a provider until the test ends.
func startProvider(t *testing.T) *provider {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p := &provider{url: server.URL}
	p.Storage = storage.NewStorageWithClients(storage.NewUserStore(p.url), map[string]*storage.Client{
		clientID:    storage.WebClient(clientID, clientSecret, callback),
		otherClient: storage.WebClient(otherClient, clientSecret, callback),
	})
	p.addKey(t, "first")
	mux.Handle("/", exampleop.SetupServer(p.url, p, slog.New(slog.DiscardHandler), false))
	return p
}

// addKey publishes another key.
func (p *provider) addKey(t *testing.T, id string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = append(p.keys, signingKey{id, key})
}

// rotate signs with the next key and withdraws the current one.
func (p *provider) rotate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = p.keys[1:]
}

// SigningKey implements op.Storage.
func (p *provider) SigningKey(context.Context) (op.SigningKey, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keys[0], nil
}

// KeySet implements op.Storage.
func (p *provider) KeySet(context.Context) ([]op.Key, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]op.Key, len(p.keys))
	for i, key := range p.keys {
		all[i] = publicKey{key}
	}
	return all, nil
}

// GetClientByClientID implements op.Storage.
func (p *provider) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := p.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, err
	}
	return client{c}, nil
}

// GetPrivateClaimsFromScopes implements op.Storage. The provider's default adds no scopes to access tokens.
func (p *provider) GetPrivateClaimsFromScopes(_ context.Context, _, _ string, scopes []string) (map[string]any, error) {
	return map[string]any{"scope": strings.Join(scopes, " ")}, nil
}

// tokens is the response to the exchange of an authorization code.
type tokens struct {
	Access  string `json:"access_token"`
	ID      string `json:"id_token"`
	Refresh string `json:"refresh_token"`
}

// login logs a user in and returns the tokens for a client.
func (p *provider) login(t *testing.T, id, scopes string) (got tokens) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	browser := &http.Client{Jar: jar, Transport: transport, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), callback) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	send := func(method, at string, form url.Values) *http.Response {
		t.Helper()
		body := ""
		if method == http.MethodPost {
			body = form.Encode()
		} else {
			at += "?" + form.Encode()
		}
		r, err := http.NewRequestWithContext(t.Context(), method, at, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if strings.HasSuffix(at, "/oauth/token") {
			r.SetBasicAuth(id, clientSecret)
		}
		response, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = response.Body.Close() })
		return response
	}
	page := send(http.MethodGet, p.url+"/auth", url.Values{
		"client_id": {id}, "redirect_uri": {callback}, "response_type": {"code"}, "scope": {"openid offline_access " + scopes}, "state": {"s"},
	})
	form := url.Values{"id": {page.Request.URL.Query().Get("authRequestID")}, "username": {"test-user2"}, "password": {"verysecure"}}
	back, err := send(http.MethodPost, p.url+"/login/username", form).Location()
	if err != nil {
		t.Fatal(err)
	}
	response := send(http.MethodPost, p.url+"/oauth/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "redirect_uri": {callback},
	})
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil || got.Access == "" || got.ID == "" || got.Refresh == "" {
		t.Fatalf("%s: %+v, %v", response.Status, got, err)
	}
	return got
}

// claims returns the header and the claims of a token.
func claims(t *testing.T, token string) (header, said map[string]any) {
	t.Helper()
	parts := strings.Split(token, ".")
	for i, to := range []*map[string]any{&header, &said} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err == nil {
			err = json.Unmarshal(text, to)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return header, said
}
