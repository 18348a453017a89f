package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/security/oauth"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// oidcUser is a fake browser of a user. It keeps the cookies of the authorization server.
type oidcUser struct {
	http   http.Client
	mu     sync.Mutex
	client string   // client whose page was opened
	scopes []string // scopes requested by the pages
}

// open opens a page as the user and agrees to it.
func (u *oidcUser) open(ctx context.Context, page string) error {
	at, err := url.Parse(page)
	if err != nil {
		return err
	}
	query := at.Query()
	u.mu.Lock()
	u.client, u.scopes = query.Get("client_id"), append(u.scopes, query.Get("scope"))
	u.mu.Unlock()
	query.Set("login_hint", "alice")
	at.RawQuery = query.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return err
	}
	response, err := u.http.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, body)
	}
	return err
}

// TestOIDC_OwnClient logs in at oidc-provider with this module's client. The provider issues refresh tokens only for the scope
// offline_access. A tool that needs another scope starts a second login. A later refresh keeps both scopes.
func TestOIDC_OwnClient(t *testing.T) {
	t.Parallel()
	provider, p := startOIDC(t, "--life=6", "--offline"), permittedCalls[0]
	g := startFor(t, provider.url, p.program, nil)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	connections := &http.Transport{}
	t.Cleanup(connections.CloseIdleConnections)
	user := &oidcUser{http: http.Client{Jar: jar, Transport: connections}}
	tokens := &oauth.Client{Name: "own", Authorizer: &oauth.Loopback{Open: user.open, Prompt: func(string, error) {}}, Log: new(waittest.Log).Logger()}
	t.Cleanup(func() { _ = tokens.Close() })
	base := &http.Transport{}
	t.Cleanup(base.CloseIdleConnections)
	c := connect(t, &httpclient.Client{URL: g.url, HTTPClient: &http.Client{Transport: tokens.Transport(g.url, base)}}, nil)
	call := func(text string) {
		t.Helper()
		name, arguments, _ := strings.Cut(text, "=")
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		result, err := c.CallTool(ctx, name, json.RawMessage(arguments), nil)
		if err != nil || result.IsError {
			t.Fatalf("%s: %+v, %v", name, result, err)
		}
	}
	call(p.read)
	call(p.change)
	waittest.Until(t, "the access token is replaced", func() bool {
		call(p.read)
		counts := provider.counts(t, user.client)
		return counts.Codes+counts.Refreshes > 2
	})
	call(p.change)
	if got, want := provider.counts(t, user.client), (oidcCounts{Logins: 1, Consents: 2, Codes: 2, Refreshes: 1}); got != want {
		t.Errorf("%+v, want %+v; the scopes are %q", got, want, user.scopes)
	}
}
