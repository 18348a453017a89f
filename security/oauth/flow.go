package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"
)

// recently is how long a refreshed token that is refused says that refreshing does not help.
const recently = time.Minute

// flow is one authorization.
type flow struct {
	*session
	need need

	found    *discoverer
	resource *Resource
	server   *Server
}

// run gets a token: by the refresh token if there is one and the authorization server is still the same, else by a grant.
func (f *flow) run(ctx context.Context) (*issued, error) {
	f.found = &discoverer{fetcher: f.fetcher(f.need.base), resource: f.session.resource, version: f.need.version}
	if f.need.refresh {
		return f.refreshAhead(ctx)
	}
	if err := f.discover(ctx); err != nil {
		return nil, err
	}
	if used := f.need.used; f.refreshes(used) {
		held, err := f.refresh(ctx, used)
		if err == nil {
			return held, nil
		}
		if !isCode(err, "invalid_grant", "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_request", "invalid_scope", "invalid_target") {
			return nil, err
		}
		f.client.log().Info("a refresh token is of no use any more", "resource", f.session.resource.Redacted(), "reason", err)
	}
	held, err := f.grant(ctx)
	if err != nil && f.server.old {
		return nil, fmt.Errorf("the server does not say who gives tokens for it, and does not do so itself as in revision 2025-03-26: %w", err)
	}
	return held, err
}

// discover finds the resource's metadata, anew each time: an authorization server may have been replaced (2026-07-28,
// basic/authorization, "Authorization Server Binding").
func (f *flow) discover(ctx context.Context) error {
	var err error
	if f.resource, err = f.found.discoverResource(ctx, f.need.said.metadata); err != nil {
		return err
	}
	f.found.fetcher = f.fetcher(f.need.base) // the document may have come from elsewhere than the challenge
	before := ""
	if f.need.used != nil {
		before = f.need.used.Issuer
	}
	return f.find(ctx, f.client.choose(f.resource, before), f.resource.old)
}

// find finds the authorization server. What is asked of it from then on may go where it may be.
func (f *flow) find(ctx context.Context, issuer string, old bool) error {
	f.found = f.trusting(f.found, issuer)
	var err error
	f.server, err = f.found.discoverServer(ctx, issuer, old)
	return err
}

// refreshes reports whether the refresh token may bring a token that the resource accepts.
func (f *flow) refreshes(used *issued) bool {
	switch {
	case used == nil, f.need.stepUp, f.isUseless(used.Token.RefreshToken):
		return false
	case used.Issuer != f.server.Issuer, used.Resource != f.resource.Resource:
		return false
	}
	return !used.refreshed || time.Since(used.Obtained) > recently
}

// refreshAhead replaces a token that is about to expire, without a user.
func (f *flow) refreshAhead(ctx context.Context) (*issued, error) {
	used := f.need.used
	f.resource = &Resource{Resource: used.Resource, AuthorizationServers: []string{used.Issuer}, DPoPRequired: used.bound()}
	f.resource.old = used.Old
	if err := f.find(ctx, used.Issuer, used.Old); err != nil {
		return nil, err
	}
	if used.Token.RefreshToken == "" {
		return f.byProgram(ctx, used.Requested)
	}
	return f.refresh(ctx, used)
}

// refresh gets a token for the refresh token (RFC 6749 §6), which is replaced if the server gives another.
func (f *flow) refresh(ctx context.Context, used *issued) (*issued, error) {
	credentials, err := f.credentialsOf(ctx, used.ClientID)
	if err != nil {
		return nil, err
	}
	held, err := f.ask(ctx, credentials, url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {used.Token.RefreshToken},
	}, used.Requested, used.Granted)
	if isCode(err, "invalid_grant") {
		f.refuse(used.Token.RefreshToken)
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

// credentialsOf are those by which a client has got its token. Another client's refresh token is of no use.
func (f *flow) credentialsOf(ctx context.Context, id string) (*Credentials, error) {
	if known := f.client.known(f.server); known != nil && known.ClientID == id {
		return known, nil
	}
	for _, key := range []string{registrationKey(f.server.Issuer), clientKey(f.server.Issuer, id)} {
		if r := f.client.registration(ctx, key, f.server.Issuer); r != nil && r.ClientID == id {
			return r.credentials(), nil
		}
	}
	if id == "" {
		return &Credentials{Method: methodNone}, nil
	}
	return nil, &ResponseError{Issuer: f.server.Issuer, Code: "invalid_client", Description: "the registration that the token was made for is not known any more"}
}

// ask asks the token endpoint. granted are the scopes of the token if the answer does not say otherwise.
func (f *flow) ask(ctx context.Context, credentials *Credentials, form url.Values, requested, granted []string) (*issued, error) {
	form.Set("resource", f.resource.Resource)
	proofs, err := f.proofs()
	if err != nil {
		return nil, err
	}
	r := &tokenRequest{server: f.server, credentials: credentials, form: form, prover: proofs}
	answer, err := r.send(ctx, f.found.fetcher)
	if isCode(err, "invalid_client") {
		f.client.unregister(ctx, f.server.Issuer, credentials.ClientID)
	}
	if err != nil {
		return nil, err
	}
	held, err := r.issue(answer, f.resource.Resource, requested, granted, f.client.RequireDPoP || f.resource.DPoPRequired)
	if err == nil {
		held.fresh, held.Old = true, f.resource.old
	}
	return held, err
}

// proofs makes the proofs of token requests, nil where the server knows none.
func (f *flow) proofs() (*prover, error) {
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

// grant gets a token without one from before.
func (f *flow) grant(ctx context.Context) (*issued, error) {
	var before []string
	if used := f.need.used; used != nil && used.Issuer == f.server.Issuer {
		before = used.Requested
	}
	scopes := selectScopes(f.need.said.scopes, f.resource.Scopes, f.client.Scopes, before)
	if f.client.Grant == nil {
		return f.byUser(ctx, withOffline(scopes, f.server.Scopes))
	}
	return f.byProgram(ctx, scopes)
}

// byProgram uses the grant that the program was set up with.
func (f *flow) byProgram(ctx context.Context, scopes []string) (*issued, error) {
	form, err := f.client.Grant.Parameters(ctx, GrantRequest{
		Issuer: f.server.Issuer, Resource: f.resource.Resource, Scopes: scopes,
	})
	if err != nil {
		return nil, err
	}
	if kind := form.Get("grant_type"); !f.server.offers(kind) || kind == grantExchange && !slices.Contains(f.server.Grants, kind) {
		return nil, fmt.Errorf("the authorization server %s does not offer the grant %s", f.server.Issuer, kind)
	}
	if len(scopes) > 0 {
		form.Set("scope", joinScopes(scopes))
	}
	credentials := f.client.known(f.server)
	if credentials == nil {
		if form.Get("assertion") == "" {
			return nil, fmt.Errorf("%s: %w", f.server.Issuer, errUnregistered)
		}
		credentials = &Credentials{Method: methodNone} // the assertion says who asks
	}
	return f.ask(ctx, credentials, form, scopes, scopes)
}
