package introspect_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/dougu-go/dougu/security/auth/introspect"
)

// A Verifier asks an authorization server about a token.
func ExampleVerifier() {
	login := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.PostFormValue("token") == "opaque-token" {
			fmt.Fprint(w, `{"active":true,"sub":"alice","scope":"docs:read","aud":"https://mcp.example.com/mcp"}`)
			return
		}
		fmt.Fprint(w, `{"active":false}`)
	}))
	defer login.Close()
	verifier := &introspect.Verifier{
		URL: login.URL, Issuer: login.URL, Audiences: []string{"https://mcp.example.com/mcp"},
		ClientID: "mcp-server", ClientSecret: "secret",
	}
	grant, err := verifier.Verify(context.Background(), "opaque-token")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(grant.Principal == login.URL+"#alice", grant.Permissions)
	_, err = verifier.Verify(context.Background(), "another")
	fmt.Println(err)
	// Output:
	// true [docs:read]
	// the access token is not valid: its authorization server reports it as not active
}
