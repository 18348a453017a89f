package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	wellKnownResource = "/.well-known/oauth-protected-resource"
	wellKnownServer   = "/.well-known/oauth-authorization-server"
	wellKnownOpenID   = "/.well-known/openid-configuration"
	// maxServers bounds how many authorization servers of a resource are looked at.
	maxServers = 32
)

// Resource is what a protected resource says about itself (RFC 9728 §2).
type Resource struct {
	// Resource is the identifier that tokens are asked for with, byte for byte.
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	Scopes               []string `json:"scopes_supported"`
	DPoPRequired         bool     `json:"dpop_bound_access_tokens_required"`

	// old says that the resource says nothing, as in revision 2025-03-26: its origin is the authorization server.
	old bool
}

// Server is what an authorization server says about itself (RFC 8414 §2).
type Server struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	Scopes                []string `json:"scopes_supported"`
	Grants                []string `json:"grant_types_supported"`
	AuthMethods           []string `json:"token_endpoint_auth_methods_supported"`
	AuthAlgorithms        []string `json:"token_endpoint_auth_signing_alg_values_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	DPoPAlgorithms        []string `json:"dpop_signing_alg_values_supported"`
	IssParameter          bool     `json:"authorization_response_iss_parameter_supported"` // RFC 9207
	MetadataDocuments     bool     `json:"client_id_metadata_document_supported"`

	// old says that the server has no metadata, as was allowed in revision 2025-03-26.
	old bool
}

// discoverer finds out who gives tokens for a resource.
type discoverer struct {
	*fetcher
	resource *url.URL
	version  string // of the protocol, for servers of 2025-03-26; may be empty
}

// discoverResource finds what the resource says: where its challenge points to, else at the well-known places (2026-07-28,
// basic/authorization, "Protected Resource Metadata Discovery Requirements"). Where there is nothing, its origin gives the tokens, as
// in revision 2025-03-26.
func (d *discoverer) discoverResource(ctx context.Context, said string) (*Resource, error) {
	if said != "" {
		r, err := d.readResource(ctx, said)
		if err != nil {
			return nil, fmt.Errorf("the metadata that the server points to: %w", err)
		}
		return r, nil
	}
	base, path := origin(d.resource), strings.TrimSuffix(d.resource.EscapedPath(), "/")
	places := []string{base + wellKnownResource}
	if path != "" {
		places = []string{base + wellKnownResource + path, base + wellKnownResource}
	}
	for _, at := range places {
		r, err := d.readResource(ctx, at)
		if err == nil || !errors.Is(err, errNoDocument) {
			return r, err
		}
	}
	return &Resource{Resource: d.resource.String(), AuthorizationServers: []string{base}, old: true}, nil
}

// errNoDocument is a place where there is no document.
var errNoDocument = errors.New("there is no document")

func (d *discoverer) readResource(ctx context.Context, at string) (*Resource, error) {
	var r Resource
	if err := d.read(ctx, at, &r); err != nil {
		return nil, err
	}
	if err := d.checkIdentity(r.Resource); err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	if len(r.AuthorizationServers) == 0 {
		return nil, fmt.Errorf("%s names no authorization server", at)
	}
	r.AuthorizationServers = r.AuthorizationServers[:min(len(r.AuthorizationServers), maxServers)]
	return &r, nil
}

// checkIdentity refuses the metadata of another resource: who uses a token of another's would hand it over (RFC 9728 §3.3). A
// server may stand for all that is below it.
func (d *discoverer) checkIdentity(said string) error {
	u, err := url.Parse(said)
	if err != nil || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("it is about %q, which names no resource", printable(said))
	}
	path, below := strings.TrimSuffix(u.EscapedPath(), "/"), strings.TrimSuffix(d.resource.EscapedPath(), "/")
	same := origin(u) == origin(d.resource) && (path == below && (u.RawQuery == d.resource.RawQuery || u.RawQuery == "") ||
		u.RawQuery == "" && strings.HasPrefix(below, path+"/"))
	if !same {
		return fmt.Errorf("it is about %q, not about %s", printable(said), d.resource.Redacted())
	}
	return nil
}

// read fetches a JSON document. errNoDocument says that there is none.
func (d *discoverer) read(ctx context.Context, at string, into any) error {
	header := make(http.Header)
	if d.version != "" {
		header.Set("MCP-Protocol-Version", d.version)
	}
	a, err := d.get(ctx, at, header)
	switch {
	case err != nil:
		return err
	case a.status >= 400 && a.status <= 499 && a.status != http.StatusTooManyRequests:
		return fmt.Errorf("%s: %w (HTTP status %d)", at, errNoDocument, a.status)
	case a.status != http.StatusOK:
		return fmt.Errorf("%s answers with HTTP status %d", at, a.status)
	}
	if err := a.decode(into); err != nil {
		return fmt.Errorf("%s: %w", at, errors.Join(errNoDocument, err))
	}
	return nil
}

// discoverServer finds the metadata of an issuer, in all the places where it may be (2026-07-28, basic/authorization,
// "Authorization Server Metadata Discovery").
func (d *discoverer) discoverServer(ctx context.Context, issuer string, old bool) (*Server, error) {
	u, err := checkURL(issuer)
	if err == nil && (u.RawQuery != "" || u.Fragment != "") {
		err = errors.New("it has a query or a fragment")
	}
	if err != nil {
		return nil, fmt.Errorf("the issuer %q: %w", printable(issuer), err)
	}
	var failed error
	for _, at := range serverPlaces(u, old) {
		var s Server
		if err := d.read(ctx, at, &s); err != nil {
			if !errors.Is(err, errNoDocument) {
				return nil, err
			}
			failed = errors.Join(failed, err)
			continue
		}
		if s.Issuer != issuer && !(old && s.Issuer == issuer+"/") { // which was not said, but made of the resource's origin
			failed = errors.Join(failed, fmt.Errorf("%s is of the issuer %q: %w", at, printable(s.Issuer), ErrIssuer))
			continue
		}
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("the metadata of %s: %w", issuer, err)
		}
		return &s, nil
	}
	if old && !errors.Is(failed, ErrIssuer) {
		return oldServer(issuer), nil
	}
	return nil, fmt.Errorf("%s has no metadata of an authorization server: %w", issuer, failed)
}

// serverPlaces are the places for the metadata of an issuer, the likeliest first.
func serverPlaces(issuer *url.URL, old bool) []string {
	base, path := origin(issuer), strings.TrimSuffix(issuer.EscapedPath(), "/")
	switch {
	case old: // that revision knew one place
		return []string{base + wellKnownServer}
	case path == "":
		return []string{base + wellKnownServer, base + wellKnownOpenID}
	}
	return []string{base + wellKnownServer + path, base + wellKnownOpenID + path, base + path + wellKnownOpenID}
}

// oldServer has its endpoints where revision 2025-03-26 says that they are without metadata (basic/authorization, "Fallbacks for
// Servers without Metadata Discovery").
func oldServer(issuer string) *Server {
	return &Server{
		Issuer: issuer, AuthorizationEndpoint: issuer + "/authorize", TokenEndpoint: issuer + "/token",
		RegistrationEndpoint: issuer + "/register", AuthMethods: []string{methodNone, methodPost, methodBasic}, old: true,
	}
}

// check refuses endpoints to which nothing should be sent.
func (s *Server) check() error {
	if s.TokenEndpoint == "" {
		return errors.New("it has no token endpoint")
	}
	for name, at := range map[string]string{
		"authorization": s.AuthorizationEndpoint, "token": s.TokenEndpoint, "registration": s.RegistrationEndpoint,
	} {
		if at == "" {
			continue
		}
		if _, err := checkURL(at); err != nil {
			return fmt.Errorf("its %s endpoint: %w", name, err)
		}
	}
	return nil
}

// offers reports whether the server says that it knows a grant. One that says nothing is asked.
func (s *Server) offers(grant string) bool {
	return len(s.Grants) == 0 || slices.Contains(s.Grants, grant)
}
