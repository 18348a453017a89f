package gateway

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp/protocol"
)

const gatewayURL = "http://127.0.0.1:4711/mcp" // as tokens name the gateway

// exchanging is a gateway whose clients have tokens of an issuer, in front of a server that wants tokens of another, or the same.
func exchanging(t *testing.T, issuer, upstream *authtest.Server) (url string) {
	t.Helper()
	file := servers(t, webServer(guarded(t, upstream), fmt.Sprintf(`{"exchange":true,"issuer":%q,"clientId":"gateway"}`, upstream.URL)))
	url, _ = served(t, "-config", file, "-auth-issuer", issuer.URL, "-auth-resource", gatewayURL, "-auth-scopes", "web:*", "-per-minute", "0")
	return url
}

func tokenFor(issuer *authtest.Server, subject string) string {
	return issuer.Token(gatewayURL, map[string]any{"sub": subject, "scope": "read write run web:*"})
}

const exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"

// Users whose tokens are of the same issuer act as themselves without a login.
func TestExchange_TwoUsers(t *testing.T) {
	issuer := authtest.New(t)
	issuer.SetMetadata("grant_types_supported", []string{exchangeGrant})
	url := exchanging(t, issuer, issuer)
	var calls group.Group
	for _, rev := range []protocol.Revision{protocol.Latest, protocol.Rev20251125} {
		for _, user := range []string{"alice", "bob"} {
			c := person(t, url, tokenFor(issuer, user), "", rev)
			calls.Go(func() {
				for range 50 {
					if got, err := whoami(t, c); got != user || err != nil {
						t.Errorf("%s is %q, %v", user, got, err)
						return
					}
				}
			})
		}
	}
	calls.Wait()
	if n := len(issuer.Granted()); n != 2 {
		t.Errorf("%d tokens were issued", n)
	}
}

// A token is shown to the issuer that has issued it alone, and only if that knows the grant.
func TestExchange_Refused(t *testing.T) {
	issuer, other := authtest.New(t), authtest.New(t)
	other.SetMetadata("grant_types_supported", []string{exchangeGrant})
	got, err := whoami(t, person(t, exchanging(t, issuer, other), tokenFor(issuer, "alice"), "", ""))
	wantNeedsLogin(t, got, err)
	if !strings.Contains(err.Error(), "access token of "+other.URL) || other.Requests("/token") != 0 {
		t.Errorf("%d requests for a token: %v", other.Requests("/token"), err)
	}
	if got, err := whoami(t, person(t, exchanging(t, issuer, issuer), tokenFor(issuer, "alice"), "", "")); err == nil || !strings.Contains(err.Error(), "does not offer the grant") || issuer.Requests("/token") != 0 {
		t.Errorf("an issuer without the grant: %q, %v", got, err)
	}
}
