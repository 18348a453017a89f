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
	// maxServers limits the authorization servers of a resource; the rest of the list is ignored.
	maxServers = 32
)

// Resource is the metadata of a protected resource (RFC 9728 §2).
type Resource struct {
	// Resource is the identifier in token requests, copied byte for byte.
	Resource string `json:"resource"`
	// AuthorizationServers are the issuers of tokens for the resource. A Client keeps the first 32.
	AuthorizationServers []string `json:"authorization_servers"`
	// Scopes are the scopes that the resource supports. Optional.
	Scopes []string `json:"scopes_supported"`
	// DPoPRequired reports whether the resource accepts only tokens bound to a DPoP key.
	DPoPRequired bool `json:"dpop_bound_access_tokens_required"`

	// noMetadata reports that the resource has no metadata document, as in revision 2025-03-26. Its
	// origin is the authorization server.
	noMetadata bool
}

// Server is the metadata of an authorization server (RFC 8414 §2). An empty list means that the
// server does not publish the value.
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

	// noMetadata reports that the server has no metadata document, as revision 2025-03-26 allows.
	noMetadata bool
}

// discoverer reads the metadata of a resource and of its authorization server.
type discoverer struct {
	*fetcher
	resource *url.URL
	version  string // MCP-Protocol-Version header of the requests; may be empty
}

// discoverResource reads the metadata of the resource: from the URL of the challenge, otherwise
// from the well-known URLs (2026-07-28, basic/authorization, "Protected Resource Metadata Discovery
// Requirements"). Without a document, the origin of the resource is its authorization server, as in
// revision 2025-03-26.
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
	return &Resource{Resource: d.resource.String(), AuthorizationServers: []string{base}, noMetadata: true}, nil
}

// errNoDocument reports that the URL has no metadata document.
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

// checkIdentity rejects the metadata of another resource, because a token for it would be sent to
// the wrong server (RFC 9728 §3.3). Metadata may also describe a parent path of the resource.
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

// read fetches a JSON document. The error wraps errNoDocument if the URL has no document or no
// JSON.
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

// discoverServer reads the metadata of an issuer from the well-known URLs (2026-07-28,
// basic/authorization, "Authorization Server Metadata Discovery"). old reports that the issuer is
// the origin of a resource without metadata.
func (d *discoverer) discoverServer(ctx context.Context, issuer string, old bool) (*Server, error) {
	u, err := checkURL(issuer)
	if err == nil && (u.RawQuery != "" || u.Fragment != "") {
		err = errors.New("it has a query or a fragment")
	}
	if err != nil {
		return nil, fmt.Errorf("the issuer %q: %w", printable(issuer), err)
	}
	var failed error
	for _, at := range metadataURLs(u, old) {
		var s Server
		if err := d.read(ctx, at, &s); err != nil {
			if !errors.Is(err, errNoDocument) {
				return nil, err
			}
			failed = errors.Join(failed, err)
			continue
		}
		if s.Issuer != issuer && !(old && s.Issuer == issuer+"/") { // the issuer of an old server is derived from the resource's origin, without a trailing slash
			failed = errors.Join(failed, fmt.Errorf("%s is of the issuer %q: %w", at, printable(s.Issuer), ErrIssuer))
			continue
		}
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("the metadata of %s: %w", issuer, err)
		}
		return &s, nil
	}
	if old && !errors.Is(failed, ErrIssuer) {
		return defaultServer(issuer), nil
	}
	return nil, fmt.Errorf("%s has no metadata of an authorization server: %w", issuer, failed)
}

// metadataURLs returns the well-known URLs of an issuer's metadata, the most likely first.
func metadataURLs(issuer *url.URL, old bool) []string {
	base, path := origin(issuer), strings.TrimSuffix(issuer.EscapedPath(), "/")
	switch {
	case old: // revision 2025-03-26 defines one URL
		return []string{base + wellKnownServer}
	case path == "":
		return []string{base + wellKnownServer, base + wellKnownOpenID}
	}
	return []string{base + wellKnownServer + path, base + wellKnownOpenID + path, base + path + wellKnownOpenID}
}

// defaultServer returns the default endpoints of revision 2025-03-26 (basic/authorization,
// "Fallbacks for Servers without Metadata Discovery").
func defaultServer(issuer string) *Server {
	return &Server{
		Issuer: issuer, AuthorizationEndpoint: issuer + "/authorize", TokenEndpoint: issuer + "/token",
		RegistrationEndpoint: issuer + "/register", AuthMethods: []string{methodNone, methodPost, methodBasic}, noMetadata: true,
	}
}

// check rejects metadata without a token endpoint or with an endpoint at a refused URL.
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

// supportsGrant reports whether the server lists the grant type. A server without a list supports
// all.
func (s *Server) supportsGrant(grant string) bool {
	return len(s.Grants) == 0 || slices.Contains(s.Grants, grant)
}
