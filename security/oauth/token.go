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
	// maxToken is the longest token that is accepted, in bytes: it must fit into a header.
	maxToken = 32 << 10
	// longestLife is what a longer life of a token is taken for.
	longestLife = 10 * 365 * 24 * time.Hour
)

// issued is a token, with what it is for.
type issued struct {
	Issuer    string        `json:"issuer"`
	ClientID  string        `json:"clientId"`
	Resource  string        `json:"resource"`
	Token     *oauth2.Token `json:"token"`
	Obtained  time.Time     `json:"obtained"`
	Requested []string      `json:"requested"` // the scopes, over time
	Granted   []string      `json:"granted"`
	Assumed   bool          `json:"assumed,omitempty"` // Granted has the scopes of the token before: the answer to the refresh does not say
	Key       string        `json:"key,omitempty"`     // the thumbprint of the DPoP key that it is bound to
	Old       bool          `json:"old,omitempty"`     // the server says nothing about itself, as in revision 2025-03-26

	refreshed bool // it came for a refresh token
	fresh     bool // it came from a grant of this process
}

// bound reports whether each use of the token needs a proof.
func (h *issued) bound() bool { return h.Key != "" }

// expired reports whether the token is of no use any more, and aging whether it should be replaced.
func (h *issued) expired() bool {
	return !h.Token.Expiry.IsZero() && !time.Now().Before(h.Token.Expiry)
}

func (h *issued) aging() bool {
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

// tokenAnswer is what a token endpoint gives (RFC 6749 §5.1, RFC 8693 §2.2.1).
type tokenAnswer struct {
	AccessToken  string   `json:"access_token"`
	TokenType    string   `json:"token_type"`
	RefreshToken string   `json:"refresh_token"`
	IssuedType   string   `json:"issued_token_type"`
	Scope        *string  `json:"scope"`
	ExpiresIn    lifetime `json:"expires_in"`
}

// lifetime is a number of seconds, which some servers put into a string.
type lifetime time.Duration

// UnmarshalJSON implements json.Unmarshaler.
func (l *lifetime) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	if err != nil || n < 0 || n != n {
		return nil // not said
	}
	*l = lifetime(min(n, longestLife.Seconds()) * float64(time.Second))
	return nil
}

// send sends the request, a second time if the server wants a nonce in the proof (RFC 9449 §8).
func (r *tokenRequest) send(ctx context.Context, f *fetcher) (*tokenAnswer, error) {
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
		news := r.prover.note(r.server.TokenEndpoint, a.header)
		if a.status == http.StatusOK {
			return r.read(a)
		}
		if err := r.refusal(a); !news || again || !isCode(err, "use_dpop_nonce") {
			return nil, err
		}
	}
}

func (r *tokenRequest) read(a *answer) (*tokenAnswer, error) {
	var t tokenAnswer
	if err := a.decode(&t); err != nil {
		return nil, fmt.Errorf("the token endpoint of %s: %w", r.server.Issuer, err)
	}
	if t.AccessToken == "" && strings.Contains(string(a.body), `"error"`) {
		return nil, r.refusal(a) // some servers answer so with 200
	}
	if !isTokenText(t.AccessToken) || t.RefreshToken != "" && !isTokenText(t.RefreshToken) {
		return nil, fmt.Errorf("the token endpoint of %s answers with no token that can be used", r.server.Issuer)
	}
	return &t, nil
}

// refusal is what the server answered instead of a token (RFC 6749 §5.2).
func (r *tokenRequest) refusal(a *answer) error {
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

// secrets are what the request has and an error must not show.
func (r *tokenRequest) secrets() []string {
	all := []string{r.credentials.Secret, url.QueryEscape(r.credentials.Secret)}
	for _, name := range []string{"refresh_token", "code", "code_verifier", "client_assertion", "assertion", "subject_token", "client_secret"} {
		all = append(all, r.form.Get(name), url.QueryEscape(r.form.Get(name)))
	}
	return all
}

// isTokenText reports whether a token can be the value of a header.
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

// errUnbound is a token that anybody could use, where one was wanted that nobody else can.
var errUnbound = errors.New("the authorization server gives tokens that are not bound to the client's key (DPoP), which is required")

// issue makes what is kept of an answer.
func (r *tokenRequest) issue(t *tokenAnswer, resource string, requested, granted []string, mustBind bool) (*issued, error) {
	h := &issued{
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
