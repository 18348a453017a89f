package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/dougu-go/dougu/security/auth/dpop"
	"github.com/dougu-go/dougu/security/oauth"
)

const (
	// redirectURL is an unused address: the fake user reads the result from the redirect.
	redirectURL = "http://localhost:3000/callback"
	// metadataURL is the client ID registered in the suite.
	metadataURL = "https://conformance-test.local/client-metadata.json"
)

// suiteContext is the suite's context of an authorization scenario.
type suiteContext struct {
	ClientID         string `json:"client_id"`
	ClientSecret     string `json:"client_secret"`
	PrivateKey       string `json:"private_key_pem"`
	IDPClientID      string `json:"idp_client_id"`
	IDPToken         string `json:"idp_id_token"`
	IDPIssuer        string `json:"idp_issuer"`
	IDPTokenEndpoint string `json:"idp_token_endpoint"`
	WorkloadJWT      string `json:"valid_jwt"`
}

// authorizing returns the OAuth client of a scenario.
func authorizing(ctx context.Context, scenario, server string, given json.RawMessage) (*oauth.Client, error) {
	c := &oauth.Client{Name: "Dougu conformance client", MetadataURL: metadataURL, Authorizer: obedient{}}
	var said suiteContext
	if len(given) > 0 {
		if err := json.Unmarshal(given, &said); err != nil {
			return nil, fmt.Errorf("reading the context %q: %w", given, err)
		}
	}
	switch strings.TrimPrefix(scenario, "auth/") {
	case "dpop", "dpop-nonce":
		key, err := dpop.NewKey()
		if err != nil {
			return nil, err
		}
		c.DPoP, c.RequireDPoP = key, true
	case "client-credentials-jwt", "client-credentials-basic":
		c.Grant = oauth.ClientCredentials{}
	case "wif-jwt-bearer":
		c.Grant = oauth.Workload{Assertion: func(context.Context, string) (string, error) { return said.WorkloadJWT, nil }}
	case "enterprise-managed-authorization":
		c.Grant = &oauth.Enterprise{
			Issuer: said.IDPIssuer, TokenEndpoint: said.IDPTokenEndpoint, Credentials: oauth.Credentials{ClientID: said.IDPClientID},
			Subject: func(context.Context) (string, error) { return said.IDPToken, nil },
		}
	}
	return c, said.register(ctx, c, server)
}

// register stores the client credentials of the suite. They are for the scenario's only authorization server, which the suite does
// not name.
func (said suiteContext) register(ctx context.Context, c *oauth.Client, server string) error {
	if said.ClientID == "" {
		return nil
	}
	_, at, err := c.Discover(ctx, server)
	if err != nil {
		return err
	}
	own := oauth.Credentials{ClientID: said.ClientID, Secret: said.ClientSecret}
	if said.PrivateKey != "" {
		if own.Key, err = oauth.ParseKey([]byte(said.PrivateKey)); err != nil {
			return err
		}
	}
	c.Registered = map[string]oauth.Credentials{at.Issuer: own}
	return nil
}

// obedient is a fake user without a browser who agrees to everything.
type obedient struct{}

func (obedient) Begin(context.Context, string) (oauth.Login, error) { return obedient{}, nil }
func (obedient) RedirectURL() string                                { return redirectURL }
func (obedient) Close() error                                       { return nil }

func (obedient) Authorize(ctx context.Context, page string) (url.Values, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // does not follow redirects
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	back, err := resp.Location()
	if err != nil {
		return nil, fmt.Errorf("the authorization server does not send the user back (HTTP status %d): %w", resp.StatusCode, err)
	}
	return back.Query(), nil
}
