// Package authtest is an authorization server for tests. It signs any claims, returns
// configured introspection results, and its users consent to every request.
package authtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Server is an authorization server on this machine.
type Server struct {
	*httptest.Server
	t testing.TB

	mu       sync.Mutex
	key      *ecdsa.PrivateKey
	kid      string
	requests map[string]int // by path
	metadata map[string]any
	answers  map[string]map[string]any // of introspection, by token
	down     bool
	wait     chan struct{}
	secret   string
	flows    flows
}

// Paths of a Server, and the credentials for introspection.
const (
	MetadataPath   = "/.well-known/oauth-authorization-server"
	KeysPath       = "/keys"
	IntrospectPath = "/introspect"
	ClientID       = "mcp-server"
)

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, requests: make(map[string]int), answers: make(map[string]map[string]any), secret: "s3cret:of the server"}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	s.metadata = map[string]any{
		"issuer": s.URL, "jwks_uri": s.URL + KeysPath, "introspection_endpoint": s.URL + IntrospectPath,
		"authorization_endpoint": s.URL + authorizePath, "token_endpoint": s.URL + tokenPath, "registration_endpoint": s.URL + registerPath,
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none"}, "authorization_response_iss_parameter_supported": true,
		"dpop_signing_alg_values_supported": []string{"ES256"},
	}
	s.flows = flows{codes: make(map[string]request), life: time.Hour}
	s.Rotate()
	return s
}

// Rotate replaces the key with which it signs, and shows.
func (s *Server) Rotate() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n, _ := strconv.Atoi(s.kid)
	s.key, s.kid = key, strconv.Itoa(n+1)
}

// Key returns the signing key and its id.
func (s *Server) Key() (*ecdsa.PrivateKey, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.key, s.kid
}

// Secret is that of ClientID.
func (s *Server) Secret() string { return s.secret }

// Requests is how many there were for a path.
func (s *Server) Requests(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[path]
}

// SetMetadata sets a member of the metadata; nil removes it.
func (s *Server) SetMetadata(name string, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.metadata[name] = value; value == nil {
		delete(s.metadata, name)
	}
}

// Answer sets the introspection result of a token.
func (s *Server) Answer(token string, answer map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[token] = answer
}

// Down has it answer everything with status 503, or not any more.
func (s *Server) Down(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// Hold has it answer nothing before the channel is closed.
func (s *Server) Hold(until chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait = until
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests[r.URL.Path]++
	down, wait := s.down, s.wait
	s.mu.Unlock()
	if wait != nil {
		select {
		case <-wait:
		case <-r.Context().Done():
			return
		}
	}
	if down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flow(w, r) {
		return
	}
	var answer any
	switch r.URL.Path {
	case MetadataPath:
		answer = s.metadata
	case KeysPath:
		answer = map[string]any{"keys": []any{PublicKey(&s.key.PublicKey, s.kid)}}
	case IntrospectPath:
		if id, secret, ok := r.BasicAuth(); !ok || id != ClientID || secret != "s3cret%3Aof+the+server" || r.Method != http.MethodPost {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer = map[string]any{"active": false}
		if known := s.answers[r.PostFormValue("token")]; known != nil {
			answer = known
		}
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// PublicKey is a key of P-256 as a JSON Web Key.
func PublicKey(key *ecdsa.PublicKey, id string) map[string]any {
	raw, err := key.Bytes()
	if err != nil {
		return nil
	}
	encode := base64.RawURLEncoding.EncodeToString
	return map[string]any{"kty": "EC", "crv": "P-256", "x": encode(raw[1:33]), "y": encode(raw[33:]), "kid": id, "use": "sig", "alg": "ES256"}
}

// Claims returns the claims of a valid token for a resource, with changes; nil removes a claim.
func (s *Server) Claims(resource string, changed map[string]any) map[string]any {
	all := map[string]any{
		"iss": s.URL, "sub": "alice", "aud": resource, "client_id": "editor", "scope": "docs:read",
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(), "jti": rand.Text(),
	}
	maps.Copy(all, changed)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	return all
}

// Token is a good one for a resource, with some claims changed.
func (s *Server) Token(resource string, changed map[string]any) string {
	key, kid := s.Key()
	return Sign(s.t, jwt.SigningMethodES256, key, map[string]any{"kid": kid, "typ": "at+jwt"}, s.Claims(resource, changed))
}

// Sign signs anything.
func Sign(t testing.TB, method jwt.SigningMethod, key any, header, claims map[string]any) string {
	t.Helper()
	token := jwt.NewWithClaims(method, jwt.MapClaims(claims))
	maps.Copy(token.Header, header)
	maps.DeleteFunc(token.Header, func(_ string, v any) bool { return v == nil })
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
