package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/safehttp"
)

// registration is the result of a dynamic registration (RFC 7591 §3.2.1). It is valid only at its
// issuer.
type registration struct {
	Issuer      string    `json:"issuer"`
	ClientID    string    `json:"clientId"`
	Secret      string    `json:"secret,omitempty"`
	Method      string    `json:"method,omitempty"`
	RedirectURL string    `json:"redirectUrl"`
	Expires     time.Time `json:"expires,omitzero"`
}

// credentials returns the registration as Credentials.
func (r *registration) credentials() *Credentials {
	return &Credentials{ClientID: r.ClientID, Secret: r.Secret, Method: r.Method}
}

// registrationKey returns the Store key of the latest registration at an issuer.
func registrationKey(issuer string) string { return "client " + issuer }

// clientKey returns the Store key of the registration of a client ID. Tokens of an earlier
// registration remain usable after a new registration with another redirect URL.
func clientKey(issuer, id string) string { return "client " + issuer + " " + url.QueryEscape(id) }

// loadRegistration returns the latest registration at an issuer, or nil if there is none or it has
// expired.
func (c *Client) loadRegistration(ctx context.Context, issuer string) *registration {
	return c.readRegistration(ctx, registrationKey(issuer), issuer)
}

func (c *Client) readRegistration(ctx context.Context, key, issuer string) *registration {
	var r registration
	if !c.load(ctx, key, &r) || r.Issuer != issuer || r.ClientID == "" {
		return nil
	}
	if !r.Expires.IsZero() && time.Now().After(r.Expires) {
		return nil
	}
	return &r
}

// unregister removes the registration of a client ID that the issuer rejected. The next login
// registers again.
func (c *Client) unregister(ctx context.Context, issuer, id string) {
	if r := c.loadRegistration(ctx, issuer); r != nil && r.ClientID == id {
		c.forget(ctx, registrationKey(issuer))
	}
	c.forget(ctx, clientKey(issuer, id))
}

// presetCredentials returns the credentials that need no dynamic registration, or nil: an entry of
// Client.Registered, otherwise the Client ID Metadata Document (2026-07-28, basic/authorization,
// "Client Registration Approaches").
func (c *Client) presetCredentials(s *Server) *Credentials {
	if given, ok := c.Registered[s.Issuer]; ok {
		return &given
	}
	if c.MetadataURL != "" && s.MetadataDocuments {
		return &Credentials{ClientID: c.MetadataURL, Method: methodNone}
	}
	return nil
}

// errUnregistered reports that the client needs a manual registration.
var errUnregistered = errors.New("this client is not registered there, and the server registers none by itself; register it, and add what you get to Client.Registered")

// register registers the client dynamically and saves the registration (RFC 7591).
func (c *Client) register(ctx context.Context, f *fetcher, s *Server, redirect string) (*registration, error) {
	if s.RegistrationEndpoint == "" {
		return nil, fmt.Errorf("%s: %w", s.Issuer, errUnregistered)
	}
	body, err := json.Marshal(c.clientMetadata(s, redirect))
	if err != nil {
		return nil, err
	}
	a, err := f.post(ctx, s.RegistrationEndpoint, string(body), http.Header{"Content-Type": {"application/json"}})
	if err != nil {
		return nil, fmt.Errorf("registering at %s: %w", s.Issuer, err)
	}
	if a.status != http.StatusCreated && a.status != http.StatusOK {
		refusal := (&tokenRequest{server: s, credentials: &Credentials{}}).readError(a)
		return nil, fmt.Errorf("registering with the redirect URL %s: %w; register the client there, and add what you get to Client.Registered", redirect, refusal)
	}
	var got struct {
		ClientID  string `json:"client_id"`
		Secret    string `json:"client_secret"`
		Method    string `json:"token_endpoint_auth_method"`
		ExpiresAt int64  `json:"client_secret_expires_at"`
	}
	if err := a.decode(&got); err != nil {
		return nil, fmt.Errorf("registering at %s: %w", s.Issuer, err)
	}
	r := &registration{Issuer: s.Issuer, ClientID: got.ClientID, Secret: got.Secret, RedirectURL: redirect}
	if r.ClientID == "" || len(r.ClientID)+len(r.Secret) > maxToken {
		return nil, fmt.Errorf("registering at %s: the answer has no client_id that can be used", s.Issuer)
	}
	if slices.Contains([]string{methodNone, methodBasic, methodPost}, got.Method) {
		r.Method = got.Method
	}
	if got.ExpiresAt > 0 {
		r.Expires = time.Unix(got.ExpiresAt, 0)
	}
	c.save(context.WithoutCancel(ctx), registrationKey(s.Issuer), r)
	c.save(context.WithoutCancel(ctx), clientKey(s.Issuer, r.ClientID), r)
	return r, nil
}

// clientMetadata returns the client metadata of a registration request (RFC 7591 §2).
func (c *Client) clientMetadata(s *Server, redirect string) map[string]any {
	method := methodNone
	for _, m := range []string{methodNone, methodBasic, methodPost} {
		if len(s.AuthMethods) == 0 || slices.Contains(s.AuthMethods, m) {
			method = m
			break
		}
	}
	about := map[string]any{
		"client_name": c.name(), "redirect_uris": []string{redirect}, "application_type": applicationType(redirect),
		"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"},
		"token_endpoint_auth_method": method,
	}
	if c.Homepage != "" {
		about["client_uri"] = c.Homepage
	}
	return about
}

// applicationType returns "native" for a redirect URL on the user's machine and "web" otherwise
// (OpenID Connect Registration §2; 2026-07-28, basic/authorization, "Dynamic Client Registration").
func applicationType(redirect string) string {
	u, err := url.Parse(redirect)
	if err == nil && u.Scheme == "https" && !safehttp.IsLocalName(u.Hostname()) {
		return "web"
	}
	return "native"
}
