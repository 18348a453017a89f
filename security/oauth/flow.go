package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"
)

// refreshInterval is the minimum age of a refreshed token before it is refreshed again after a
// refusal.
const refreshInterval = time.Minute

// flow is one run of an authorization for a session. The fields discoverer, resource and server are
// set during the run.
type flow struct {
	*session
	request authRequest

	discoverer *discoverer
	resource   *Resource
	server     *Server
}

// run obtains a token with the refresh token if the authorization server has not changed, otherwise
// by a login or Client.Grant.
func (f *flow) run(ctx context.Context) (*issuedToken, error) {
	f.discoverer = &discoverer{fetcher: f.fetcher(f.request.base), resource: f.session.resource, version: f.request.version}
	if f.request.refresh {
		return f.refreshEarly(ctx)
	}
	if err := f.discover(ctx); err != nil {
		return nil, err
	}
	if used := f.request.tried; f.canRefresh(used) {
		held, err := f.refresh(ctx, used)
		if err == nil {
			return held, nil
		}
		if !isCode(err, "invalid_grant", "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_request", "invalid_scope", "invalid_target") {
			return nil, err
		}
		f.client.log().Info("a refresh token is no longer valid", "resource", f.session.resource.Redacted(), "reason", err)
	}
	held, err := f.authorize(ctx)
	if err != nil && f.server.noMetadata {
		return nil, fmt.Errorf("the server names no authorization server, and is none itself as in revision 2025-03-26: %w", err)
	}
	return held, err
}

// discover reads the metadata of the resource. It never uses a cached copy, because the
// authorization server can change (2026-07-28, basic/authorization, "Authorization Server
// Binding").
func (f *flow) discover(ctx context.Context) error {
	var err error
	if f.resource, err = f.discoverer.discoverResource(ctx, f.request.challenge.metadata); err != nil {
		return err
	}
	f.discoverer.fetcher = f.fetcher(f.request.base) // the requests may have changed the observed reach of the resource
	before := ""
	if f.request.tried != nil {
		before = f.request.tried.Issuer
	}
	return f.findServer(ctx, f.client.selectIssuer(f.resource, before), f.resource.noMetadata)
}

// findServer reads the metadata of the authorization server. A server with preset credentials may
// have any address.
func (f *flow) findServer(ctx context.Context, issuer string, old bool) error {
	f.discoverer = f.withTrustedIssuer(f.discoverer, issuer)
	var err error
	f.server, err = f.discoverer.discoverServer(ctx, issuer, old)
	return err
}

// canRefresh reports whether the refresh token can bring a token that the resource accepts.
func (f *flow) canRefresh(used *issuedToken) bool {
	switch {
	case used == nil, f.request.stepUp, f.isRefreshTokenInvalid(used.Token.RefreshToken):
		return false
	case used.Issuer != f.server.Issuer, used.Resource != f.resource.Resource:
		return false
	}
	return !used.refreshed || time.Since(used.Obtained) > refreshInterval
}

// refreshEarly replaces a token that expires soon, without a login.
func (f *flow) refreshEarly(ctx context.Context) (*issuedToken, error) {
	used := f.request.tried
	f.resource = &Resource{Resource: used.Resource, AuthorizationServers: []string{used.Issuer}, DPoPRequired: used.bound()}
	f.resource.noMetadata = used.NoMetadata
	if err := f.findServer(ctx, used.Issuer, used.NoMetadata); err != nil {
		return nil, err
	}
	if used.Token.RefreshToken == "" {
		return f.authorizeByGrant(ctx, used.Requested)
	}
	return f.refresh(ctx, used)
}

// refresh exchanges the refresh token for a new token (RFC 6749 §6). The old refresh token stays if
// the server returns none.
func (f *flow) refresh(ctx context.Context, used *issuedToken) (*issuedToken, error) {
	credentials, err := f.findCredentials(ctx, used.ClientID)
	if err != nil {
		return nil, err
	}
	held, err := f.requestToken(ctx, credentials, url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {used.Token.RefreshToken},
	}, used.Requested, used.Granted)
	if isCode(err, "invalid_grant") {
		f.markRefreshTokenInvalid(used.Token.RefreshToken)
	}
	if err != nil {
		return nil, err
	}
	held.refreshed, held.fresh = true, false
	if held.Token.RefreshToken == "" {
		held.Token.RefreshToken = used.Token.RefreshToken
	}
	return held, nil
}

// findCredentials returns the credentials of the client ID that obtained the token. A refresh token
// is valid only for its client.
func (f *flow) findCredentials(ctx context.Context, id string) (*Credentials, error) {
	if known := f.client.presetCredentials(f.server); known != nil && known.ClientID == id {
		return known, nil
	}
	for _, key := range []string{registrationKey(f.server.Issuer), clientKey(f.server.Issuer, id)} {
		if r := f.client.readRegistration(ctx, key, f.server.Issuer); r != nil && r.ClientID == id {
			return r.credentials(), nil
		}
	}
	if id == "" {
		return &Credentials{Method: methodNone}, nil
	}
	return nil, &ResponseError{Issuer: f.server.Issuer, Code: "invalid_client", Description: "the registration of the token no longer exists"}
}

// requestToken sends a request to the token endpoint. granted are the token's scopes if the
// response names none.
func (f *flow) requestToken(ctx context.Context, credentials *Credentials, form url.Values, requested, granted []string) (*issuedToken, error) {
	form.Set("resource", f.resource.Resource)
	proofs, err := f.selectProver()
	if err != nil {
		return nil, err
	}
	r := &tokenRequest{server: f.server, credentials: credentials, form: form, prover: proofs}
	answer, err := r.send(ctx, f.discoverer.fetcher)
	if isCode(err, "invalid_client") {
		f.client.unregister(ctx, f.server.Issuer, credentials.ClientID)
	}
	if err != nil {
		return nil, err
	}
	held, err := r.issue(answer, f.resource.Resource, requested, granted, f.client.RequireDPoP || f.resource.DPoPRequired)
	if err == nil {
		held.fresh, held.NoMetadata = true, f.resource.noMetadata
	}
	return held, err
}

// selectProver returns the prover for token requests, or nil if the server does not support DPoP.
func (f *flow) selectProver() (*prover, error) {
	switch c := f.client; {
	case c.proofs != nil && len(f.server.DPoPAlgorithms) > 0:
		return c.proofs, nil
	case c.RequireDPoP:
		return nil, errUnbound
	case f.resource.DPoPRequired && c.proofs == nil:
		return nil, errors.New("the server accepts only tokens that are bound to a key; set Client.DPoP")
	case f.resource.DPoPRequired:
		return nil, errUnbound
	}
	return nil, nil
}

// authorize obtains a token without a refresh token.
func (f *flow) authorize(ctx context.Context) (*issuedToken, error) {
	var before []string
	if used := f.request.tried; used != nil && used.Issuer == f.server.Issuer {
		before = used.Requested
	}
	scopes := selectScopes(f.request.challenge.scopes, f.resource.Scopes, f.client.Scopes, before)
	if f.client.Grant == nil {
		return f.authorizeByUser(ctx, withOffline(scopes, f.server.Scopes))
	}
	return f.authorizeByGrant(ctx, scopes)
}

// authorizeByGrant obtains a token with Client.Grant.
func (f *flow) authorizeByGrant(ctx context.Context, scopes []string) (*issuedToken, error) {
	form, err := f.client.Grant.Parameters(ctx, GrantRequest{
		Issuer: f.server.Issuer, Resource: f.resource.Resource, Scopes: scopes,
	})
	if err != nil {
		return nil, err
	}
	if kind := form.Get("grant_type"); !f.server.supportsGrant(kind) || kind == grantExchange && !slices.Contains(f.server.Grants, kind) {
		return nil, fmt.Errorf("the authorization server %s does not offer the grant %s", f.server.Issuer, kind)
	}
	if len(scopes) > 0 {
		form.Set("scope", joinScopes(scopes))
	}
	credentials := f.client.presetCredentials(f.server)
	if credentials == nil {
		if form.Get("assertion") == "" {
			return nil, fmt.Errorf("%s: %w", f.server.Issuer, errUnregistered)
		}
		credentials = &Credentials{Method: methodNone} // the assertion identifies the client
	}
	return f.requestToken(ctx, credentials, form, scopes, scopes)
}
