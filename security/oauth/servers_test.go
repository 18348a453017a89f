package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// resource is a server that wants tokens of an authorization server.
type resource struct {
	by        *server
	metadata  map[string]any // merged into the metadata
	place     string         // of its metadata; default the well-known one with the path
	challenge string         // beside Bearer; "-" for no challenge at all
	scopes    []string       // that it needs
	extra     func(w http.ResponseWriter, r *http.Request, token string) (done bool)
}

func (s *resource) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	place := s.place
	if place == "" {
		place = "/.well-known/oauth-protected-resource/mcp"
	}
	switch r.URL.Path {
	case place:
		about := map[string]any{"resource": resourceURL, "authorization_servers": []string{s.by.issuer}}
		maps.Copy(about, s.metadata)
		reply(w, 200, about)
		return
	case "/mcp":
	default:
		http.NotFound(w, r)
		return
	}
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	body, _ := io.ReadAll(r.Body)
	given, ok := s.by.valid(token)
	switch {
	case s.extra != nil && s.extra(w, r, token):
	case !ok && s.challenge == "-":
		w.WriteHeader(401)
	case !ok:
		w.Header().Set("WWW-Authenticate", strings.TrimSpace("Bearer "+s.challenge))
		w.WriteHeader(401)
	case slices.ContainsFunc(s.scopes, func(scope string) bool { return !slices.Contains(given, scope) }):
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+strings.Join(s.scopes, " ")+`"`)
		w.WriteHeader(403)
	default:
		fmt.Fprintf(w, "%s with %s", body, strings.Join(given, " "))
	}
}

// server is an authorization server.
type server struct {
	issuer   string
	metadata map[string]any // merged into the metadata
	token    func(form url.Values, r *http.Request) (status int, body map[string]any)
	register func(map[string]any) (status int, body map[string]any)

	mu            sync.Mutex
	made          int
	tokens        map[string][]string // with their scopes
	codes         map[string]url.Values
	refresh       map[string][]string
	forms         []url.Values // that the token endpoint got
	authorized    []url.Values // that the authorization endpoint got
	registrations []map[string]any
}

func newServer(issuer string) *server {
	return &server{issuer: issuer, tokens: map[string][]string{}, codes: map[string]url.Values{}, refresh: map[string][]string{}}
}

// standard is a world with a resource and its authorization server.
func standard(t testing.TB) (*world, *resource, *server) {
	t.Helper()
	w, as := newWorld(t), newServer(issuerURL)
	rs := &resource{by: as}
	w.hosts["https://mcp.example.com"], w.hosts[issuerURL] = rs, as
	return w, rs, as
}

func (s *server) valid(token string) ([]string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	scopes, ok := s.tokens[token]
	return scopes, ok
}

// revoke makes all tokens worthless.
func (s *server) revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		about := map[string]any{
			"issuer": s.issuer, "authorization_endpoint": s.issuer + "/authorize", "token_endpoint": s.issuer + "/token",
			"registration_endpoint": s.issuer + "/register", "code_challenge_methods_supported": []string{"plain", "S256"},
			"authorization_response_iss_parameter_supported": true,
		}
		maps.Copy(about, s.metadata)
		reply(w, 200, about)
	case "/register":
		s.serveRegister(w, r)
	case "/authorize":
		s.serveAuthorize(w, r)
	case "/token":
		s.serveToken(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *server) serveRegister(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		reply(w, 400, map[string]any{"error": "invalid_client_metadata"})
		return
	}
	s.registrations = append(s.registrations, body)
	status, answer := 201, map[string]any{"client_id": fmt.Sprintf("client-%d", len(s.registrations))}
	if s.register != nil {
		status, answer = s.register(body)
	}
	reply(w, status, answer)
}

func (s *server) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.authorized = append(s.authorized, q)
	s.made++
	code := fmt.Sprintf("secret-code-%d", s.made)
	s.codes[code] = q
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {s.issuer}}.Encode(), http.StatusFound)
}

func (s *server) serveToken(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		reply(w, 400, map[string]any{"error": "invalid_request"})
		return
	}
	s.forms = append(s.forms, r.PostForm)
	if s.token != nil {
		if status, body := s.token(r.PostForm, r); status != 0 {
			reply(w, status, body)
			return
		}
	}
	scopes, err := s.redeem(r.PostForm)
	if err != nil {
		reply(w, 400, map[string]any{"error": "invalid_grant", "error_description": err.Error() + ": " + r.PostForm.Encode()})
		return
	}
	reply(w, 200, s.issue(scopes))
}

// issue makes a token, with a refresh token.
func (s *server) issue(scopes []string) map[string]any {
	s.made++
	access, again := fmt.Sprintf("secret-access-%d", s.made), fmt.Sprintf("secret-refresh-%d", s.made)
	s.tokens[access], s.refresh[again] = scopes, scopes
	return map[string]any{
		"access_token": access, "refresh_token": again, "token_type": "bearer", "expires_in": 3600, "scope": strings.Join(scopes, " "),
	}
}

// redeem validates the authorization code request strictly.
func (s *server) redeem(form url.Values) ([]string, error) {
	switch form.Get("grant_type") {
	case "authorization_code":
		asked, ok := s.codes[form.Get("code")]
		delete(s.codes, form.Get("code"))
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		switch {
		case !ok:
			return nil, errors.New("unknown code")
		case asked.Get("code_challenge_method") != "S256" || asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]):
			return nil, errors.New("wrong verifier")
		case asked.Get("resource") != form.Get("resource") || form.Get("resource") == "":
			return nil, errors.New("wrong resource")
		case asked.Get("redirect_uri") != form.Get("redirect_uri"):
			return nil, errors.New("wrong redirect URL")
		}
		return strings.Fields(asked.Get("scope")), nil
	case "refresh_token":
		scopes, ok := s.refresh[form.Get("refresh_token")]
		if !ok {
			return nil, errors.New("unknown refresh token")
		}
		delete(s.refresh, form.Get("refresh_token"))
		return scopes, nil
	case "client_credentials", "urn:ietf:params:oauth:grant-type:jwt-bearer":
		return strings.Fields(form.Get("scope")), nil
	}
	return nil, errors.New("unknown grant")
}

func reply(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
