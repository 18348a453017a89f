package authtest

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// The paths at which clients get tokens.
const (
	registerPath  = "/register"
	authorizePath = "/authorize"
	tokenPath     = "/token"
)

// request is the consent of a user, by the code that was issued for it.
type request struct{ challenge, redirect, resource, scope, user string }

// flows is the state of the authorization requests of a Server.
type flows struct {
	codes   map[string]request
	granted []string // scopes, in order
	life    time.Duration
	refresh map[string]request // by refresh token; nil if there are none
}

// UserHeader names the user of a browser, for the page of a login. Default alice.
const UserHeader = "X-User"

// Refresh has it give refresh tokens from now on, which are good once.
func (s *Server) Refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flows.refresh = make(map[string]request)
}

// Revoke makes all refresh tokens worthless.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.flows.refresh)
}

// Life is how long tokens are good. Default an hour.
func (s *Server) Life(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flows.life = d
}

// Granted are the scopes of the tokens that were given to clients, in order.
func (s *Server) Granted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.flows.granted...)
}

// flow serves clients that want tokens: its users agree to everything. The lock is
// held.
func (s *Server) flow(w http.ResponseWriter, r *http.Request) (served bool) {
	switch r.URL.Path {
	case registerPath:
		s.register(w, r)
	case authorizePath:
		s.authorize(w, r)
	case tokenPath:
		s.token(w, r)
	default:
		return false
	}
	return true
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var said map[string]any
	if err := json.NewDecoder(r.Body).Decode(&said); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	said["client_id"], said["token_endpoint_auth_method"] = rand.Text(), "none"
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(said)
}

func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("code_challenge_method") != "S256" || q.Get("resource") == "" {
		http.Error(w, "a redirect_uri, a challenge of S256 and a resource are needed", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	s.flows.codes[code] = request{q.Get("code_challenge"), q.Get("redirect_uri"), q.Get("resource"), q.Get("scope"), cmp.Or(r.Header.Get(UserHeader), "alice")}
	back.RawQuery = url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {s.URL}}.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	asked, ok := s.redeem(r)
	if !ok {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	claims := s.Claims(asked.resource, map[string]any{"sub": asked.user, "scope": asked.scope, "exp": time.Now().Add(s.flows.life).Unix()})
	answer := map[string]any{"token_type": "Bearer", "expires_in": int(s.flows.life.Seconds()), "scope": asked.scope}
	if proof := r.Header.Get("DPoP"); proof != "" {
		claims["cnf"], answer["token_type"] = map[string]string{"jkt": thumbprint(proof)}, "DPoP"
	}
	if s.flows.refresh != nil {
		again := rand.Text()
		s.flows.refresh[again], answer["refresh_token"] = asked, again
	}
	answer["access_token"] = Sign(s.t, jwt.SigningMethodES256, s.key, map[string]any{"kid": s.kid, "typ": "at+jwt"}, claims)
	s.flows.granted = append(s.flows.granted, asked.scope)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// redeem returns the consent for a code or a refresh token.
func (s *Server) redeem(r *http.Request) (asked request, ok bool) {
	if r.PostFormValue("grant_type") == "refresh_token" {
		asked, ok = s.flows.refresh[r.PostFormValue("refresh_token")]
		delete(s.flows.refresh, r.PostFormValue("refresh_token"))
		return asked, ok && r.PostFormValue("resource") == asked.resource
	}
	if r.PostFormValue("grant_type") == "urn:ietf:params:oauth:grant-type:token-exchange" {
		return s.exchange(r)
	}
	asked, ok = s.flows.codes[r.PostFormValue("code")]
	delete(s.flows.codes, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	return asked, ok && base64.RawURLEncoding.EncodeToString(sum[:]) == asked.challenge &&
		r.PostFormValue("resource") == asked.resource && r.PostFormValue("redirect_uri") == asked.redirect
}

// exchange returns the request of a client that exchanges the access token of a user (RFC 8693). The token must come
// from this server.
func (s *Server) exchange(r *http.Request) (asked request, ok bool) {
	token, err := jwt.Parse(r.PostFormValue("subject_token"), func(*jwt.Token) (any, error) { return &s.key.PublicKey, nil }, jwt.WithIssuer(s.URL))
	if err != nil || r.PostFormValue("resource") == "" {
		return request{}, false
	}
	user, err := token.Claims.GetSubject()
	return request{resource: r.PostFormValue("resource"), scope: r.PostFormValue("scope"), user: user}, err == nil
}

// thumbprint is that of the key of a proof, which is not checked (RFC 7638).
func thumbprint(proof string) string {
	head, _, _ := strings.Cut(proof, ".")
	raw, err := base64.RawURLEncoding.DecodeString(head)
	var header struct {
		Key struct{ Crv, Kty, X, Y string } `json:"jwk"`
	}
	if err != nil || json.Unmarshal(raw, &header) != nil {
		return ""
	}
	text, err := json.Marshal(map[string]string{"crv": header.Key.Crv, "kty": header.Key.Kty, "x": header.Key.X, "y": header.Key.Y})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
