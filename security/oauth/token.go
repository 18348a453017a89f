package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/dougu-go/dougu/internal/retryafter"
)

const (
	// maxToken is the maximum length of a token, in bytes. A token must fit into a header.
	maxToken = 32 << 10
	// maxLifetime is the upper limit of a token's lifetime; longer values are reduced to it.
	maxLifetime = 10 * 365 * 24 * time.Hour
)

// issuedToken is a token with its issuer, client and resource, as the Store keeps it.
type issuedToken struct {
	Issuer     string        `json:"issuer"`
	ClientID   string        `json:"clientId"`
	Resource   string        `json:"resource"`
	Token      *oauth2.Token `json:"token"`
	Obtained   time.Time     `json:"obtained"`
	Requested  []string      `json:"requested"` // all scopes that were requested, including earlier logins
	Granted    []string      `json:"granted"`
	Assumed    bool          `json:"assumed,omitempty"` // Granted is copied from the old token, because the refresh response names no scopes
	Key        string        `json:"key,omitempty"`     // thumbprint of the DPoP key; empty for a bearer token
	NoMetadata bool          `json:"old,omitempty"`     // the authorization server has no metadata (revision 2025-03-26)

	refreshed bool // obtained with a refresh token
	fresh     bool // obtained by a login or Grant in this process
}

// bound reports whether each use of the token requires a DPoP proof.
func (h *issuedToken) bound() bool { return h.Key != "" }

// expired reports whether the token is no longer valid.
func (h *issuedToken) expired() bool {
	return !h.Token.Expiry.IsZero() && !time.Now().Before(h.Token.Expiry)
}

// aging reports whether the token should be renewed: 30 s before its expiry, or in the last quarter
// of a shorter lifetime.
func (h *issuedToken) aging() bool {
	early := min(30*time.Second, h.Token.Expiry.Sub(h.Obtained)/4)
	return !h.Token.Expiry.IsZero() && time.Now().After(h.Token.Expiry.Add(-early))
}

// tokenRequest is a request to a token endpoint.
type tokenRequest struct {
	server      *Server
	credentials *Credentials
	form        url.Values
	prover      *prover // nil without DPoP
}

// tokenResponse is the response of a token endpoint (RFC 6749 §5.1, RFC 8693 §2.2.1).
type tokenResponse struct {
	AccessToken  string   `json:"access_token"`
	TokenType    string   `json:"token_type"`
	RefreshToken string   `json:"refresh_token"`
	IssuedType   string   `json:"issued_token_type"`
	Scope        *string  `json:"scope"`
	ExpiresIn    lifetime `json:"expires_in"`
}

// lifetime is a JSON number of seconds. Some servers send it as a string.
type lifetime time.Duration

// UnmarshalJSON implements json.Unmarshaler.
func (l *lifetime) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	if err != nil || n < 0 || n != n {
		return nil // an invalid value means no expiry time
	}
	*l = lifetime(min(n, maxLifetime.Seconds()) * float64(time.Second))
	return nil
}

// send sends the request. It repeats the request once if the server requires a nonce in the DPoP
// proof (RFC 9449 §8).
func (r *tokenRequest) send(ctx context.Context, f *fetcher) (*tokenResponse, error) {
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	if err := r.credentials.apply(r.server, r.form, header); err != nil {
		return nil, err
	}
	body := r.form.Encode()
	for again := false; ; again = true {
		if err := r.prover.prove(header, http.MethodPost, r.server.TokenEndpoint, ""); err != nil {
			return nil, err
		}
		a, err := f.post(ctx, r.server.TokenEndpoint, body, header)
		if err != nil {
			return nil, err
		}
		news := r.prover.recordNonce(r.server.TokenEndpoint, a.header)
		if a.status == http.StatusOK {
			return r.read(a)
		}
		if err := r.readError(a); !news || again || !isCode(err, "use_dpop_nonce") {
			return nil, err
		}
	}
}

func (r *tokenRequest) read(a *response) (*tokenResponse, error) {
	var t tokenResponse
	if err := a.decode(&t); err != nil {
		return nil, fmt.Errorf("the token endpoint of %s: %w", r.server.Issuer, err)
	}
	if t.AccessToken == "" && strings.Contains(string(a.body), `"error"`) { // some servers send errors with status 200
		return nil, r.readError(a) // some servers answer so with 200
	}
	if !isTokenText(t.AccessToken) || t.RefreshToken != "" && !isTokenText(t.RefreshToken) {
		return nil, fmt.Errorf("the token endpoint of %s answers with no token that can be used", r.server.Issuer)
	}
	return &t, nil
}

// readError returns the error of a response without a token (RFC 6749 §5.2).
func (r *tokenRequest) readError(a *response) error {
	var body struct {
		Error       json.RawMessage `json:"error"`
		Description string          `json:"error_description"`
	}
	refusal := &ResponseError{Issuer: r.server.Issuer, Status: a.status}
	refusal.after, _ = retryafter.After(a.header)
	if a.decode(&body) == nil {
		var code string
		if json.Unmarshal(body.Error, &code) == nil {
			refusal.Code = printable(code, r.secrets()...)
		}
		refusal.Description = printable(body.Description, r.secrets()...)
	}
	return refusal
}

// secrets returns the secret parameters of the request, which errors must not contain.
func (r *tokenRequest) secrets() []string {
	all := []string{r.credentials.Secret, url.QueryEscape(r.credentials.Secret)}
	for _, name := range []string{"refresh_token", "code", "code_verifier", "client_assertion", "assertion", "subject_token", "client_secret"} {
		all = append(all, r.form.Get(name), url.QueryEscape(r.form.Get(name)))
	}
	return all
}

// isTokenText reports whether a token is valid as a header value.
func isTokenText(text string) bool {
	if text == "" || len(text) > maxToken {
		return false
	}
	for i := range len(text) {
		if text[i] <= ' ' || text[i] >= 0x7f {
			return false
		}
	}
	return true
}

// errUnbound reports a bearer token where a DPoP-bound token is required.
var errUnbound = errors.New("the authorization server gives tokens that are not bound to the client's key (DPoP), which is required")

// issue converts a response to the token that the Store keeps.
func (r *tokenRequest) issue(t *tokenResponse, resource string, requested, granted []string, mustBind bool) (*issuedToken, error) {
	h := &issuedToken{
		Issuer: r.server.Issuer, ClientID: r.credentials.ClientID, Resource: resource, Obtained: time.Now(),
		Requested: requested, Granted: slices.Clone(granted),
		Token: &oauth2.Token{AccessToken: t.AccessToken, RefreshToken: t.RefreshToken},
	}
	if t.Scope != nil {
		h.Granted = splitScopes(*t.Scope)
	} else {
		h.Assumed = r.form.Get("grant_type") == "refresh_token"
	}
	if t.ExpiresIn > 0 {
		h.Token.Expiry = h.Obtained.Add(time.Duration(t.ExpiresIn))
	}
	switch kind := strings.ToLower(t.TokenType); {
	case kind == "dpop" && r.prover != nil:
		h.Token.TokenType, h.Key = "DPoP", r.prover.Thumbprint()
	case kind == "bearer" || kind == "":
		h.Token.TokenType = "Bearer"
	default:
		return nil, fmt.Errorf("the authorization server %s gives tokens of the type %q, which is not known here", r.server.Issuer, printable(t.TokenType))
	}
	if mustBind && !h.bound() {
		return nil, errUnbound
	}
	return h, nil
}
