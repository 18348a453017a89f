package oauth_test

import (
	"context"
	"log"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security/auth/dpop"
	"github.com/dougu-go/dougu/security/oauth"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// A program on the user's machine: the browser opens when the server wants it, once.
func ExampleClient_Transport() {
	ctx, settings := context.Background(), filepath.Join("my-editor", "tokens.json")
	const server = "https://mcp.example.com/mcp"

	tokens := &oauth.Client{Name: "My editor", Store: &oauth.File{Path: settings}}
	defer tokens.Close()
	if err := tokens.Authorize(ctx, server); err != nil { // the first time; a request would not wait as long as a user takes
		log.Fatal(err)
	}
	client, err := mcp.Connect(ctx, &httpclient.Client{
		URL:        server,
		HTTPClient: &http.Client{Transport: tokens.Transport(server, nil)},
	}, mcp.Implementation{Name: "my-editor", Version: "1.0.0"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
}

// A program without a user, that was registered by hand, with a key instead of a secret. Its tokens are of no use to others.
func ExampleClientCredentials() {
	text, err := os.ReadFile("client-key.pem")
	if err != nil {
		log.Fatal(err)
	}
	key, err := oauth.ParseKey(text)
	if err != nil {
		log.Fatal(err)
	}
	bound, err := dpop.NewKey()
	if err != nil {
		log.Fatal(err)
	}
	tokens := &oauth.Client{
		Grant:      oauth.ClientCredentials{},
		Registered: map[string]oauth.Credentials{"https://as.example.com": {ClientID: "nightly-build", Key: key}},
		DPoP:       bound, RequireDPoP: true,
	}
	defer tokens.Close()
}

// A pod of Kubernetes, whose projected token names the authorization server as its audience.
func ExampleWorkload() {
	tokens := &oauth.Client{Grant: oauth.Workload{Assertion: oauth.AssertionFile("/var/run/secrets/tokens/as-token")}}
	defer tokens.Close()
}

// A user with a login at the company's identity provider needs no second login.
func ExampleEnterprise() {
	tokens := &oauth.Client{
		Registered: map[string]oauth.Credentials{"https://as.example.com": {ClientID: "my-editor", Secret: os.Getenv("MY_EDITOR_SECRET")}},
		Grant: &oauth.Enterprise{
			Issuer:      "https://login.example.com",
			Credentials: oauth.Credentials{ClientID: "my-editor-at-the-company"},
			Subject:     func(context.Context) (string, error) { return "the ID token of the login", nil },
		},
	}
	defer tokens.Close()
}

// website sends its user to the authorization server by a page of its own.
type website struct {
	show    chan string     // the page to send the user's browser to
	answers chan url.Values // query parameters of the redirect
}

func (w *website) Begin(context.Context, string) (oauth.Login, error) { return w, nil }
func (w *website) RedirectURL() string                                { return "https://app.example.com/oauth/callback" }
func (w *website) Close() error                                       { return nil }

func (w *website) Authorize(ctx context.Context, page string) (url.Values, error) {
	w.show <- page
	select {
	case answer := <-w.answers:
		return answer, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// A web application has a Client for each of its users, and one Store.
func ExampleAuthorizer() {
	store := new(oauth.Memory)
	tokens := &oauth.Client{
		Name: "My application", MetadataURL: "https://app.example.com/client.json", Store: store, Account: "alice",
		Authorizer: &website{show: make(chan string, 1), answers: make(chan url.Values)},
	}
	defer tokens.Close()
}
