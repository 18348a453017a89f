package jwt_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	gojwt "github.com/golang-jwt/jwt/v5"

	"github.com/dougu-go/dougu/security/auth/jwt"
)

// An authorization server shows its keys, and a Verifier looks at its tokens with them.
func ExampleVerifier() {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var login *httptest.Server
	login = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var page any = map[string]string{"issuer": login.URL, "jwks_uri": login.URL + "/keys"}
		if r.URL.Path == "/keys" {
			page = map[string]any{"keys": []any{map[string]string{"kty": "OKP", "crv": "Ed25519", "x": base64.RawURLEncoding.EncodeToString(public)}}}
		}
		_ = json.NewEncoder(w).Encode(page)
	}))
	defer login.Close()
	token, err := gojwt.NewWithClaims(gojwt.SigningMethodEdDSA, gojwt.MapClaims{
		"iss": login.URL, "sub": "alice", "aud": "https://mcp.example.com/mcp", "scope": "docs:read", "exp": time.Now().Add(time.Hour).Unix(),
	}).SignedString(private)
	if err != nil {
		fmt.Println(err)
		return
	}

	verifier := &jwt.Verifier{Issuers: []string{login.URL}, Audiences: []string{"https://mcp.example.com/mcp"}}
	grant, err := verifier.Verify(context.Background(), token)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(grant.Principal == login.URL+"#alice", grant.Permissions)

	other := &jwt.Verifier{Issuers: []string{login.URL}, Audiences: []string{"https://other.example.com/mcp"}}
	_, err = other.Verify(context.Background(), token)
	fmt.Println(err)
	// Output:
	// true [docs:read]
	// the access token is not valid: it is for another server: ask for one with the resource of this one
}
