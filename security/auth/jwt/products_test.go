package jwt_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
	authjwt "github.com/dougu-go/dougu/security/auth/jwt"
)

// product is the documented form of an authorization server's tokens, and the settings that accept its access tokens. In
// texts HOST is the URL of the authorization server's host.
type product struct {
	path        string // of the issuer
	audiences   []string
	groupClaims []string
	names       map[string]string // scopes by permission
	header      map[string]any    // of access tokens
	claims      map[string]any    // of an access token
	permissions []string          // of that token
	groups      []string
	refused     map[string]variant // neighbouring tokens
}

// variant is a token that differs from an access token: in its type, and in claims, of which nil leaves one out.
type variant struct {
	typ    string
	claims map[string]any
	says   string
}

const (
	tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"
	api    = "6e74172b-be56-4843-9ff4-e66a39bb12e3" // the application of the server at Entra
)

// products are from the documentation of each product.
func products() map[string]product {
	return map[string]product{
		// Without an audience mapper the audience is "account", whatever resource was asked for. The mapper adds the resource.
		"Keycloak": {
			path:      "/realms/main",
			audiences: []string{resource}, groupClaims: []string{"realm_access.roles", "groups"},
			header: map[string]any{"typ": "JWT"},
			claims: map[string]any{
				"typ": "Bearer", "azp": "editor", "client_id": nil, "aud": []string{resource, "account"}, "scope": "openid read profile", "sid": "s", "acr": "1",
				"preferred_username": "alice", "email_verified": true,
				"realm_access":    map[string]any{"roles": []string{"offline_access", "staff"}},
				"resource_access": map[string]any{"account": map[string]any{"roles": []string{"view-profile"}}},
			},
			permissions: []string{"openid", "read", "profile"}, groups: []string{"offline_access", "staff"},
			refused: map[string]variant{
				"without an audience mapper": {"JWT", map[string]any{"aud": "account"}, "another server"},
				"without an audience":        {"JWT", map[string]any{"aud": nil}, "another server"},
				"an ID token":                {"JWT", map[string]any{"typ": "ID", "aud": "editor", "at_hash": "h", "scope": nil}, "another server"},
				"an ID token for the server": {"JWT", map[string]any{"typ": "ID", "scope": nil}, "ID token"},
				"a refresh token":            {"JWT", map[string]any{"typ": "Refresh", "aud": "HOST"}, "another server"},
				"an offline token":           {"JWT", map[string]any{"typ": "Offline"}, "refresh token"},
				"of another realm":           {"JWT", map[string]any{"iss": "HOST/realms/other"}, "issuer is not accepted"},
			},
		},
		// In version 2 the audience is the ID of the server's application, and scp has the scopes without the name of the resource.
		"Entra v2": {
			path:      "/" + tenant + "/v2.0",
			audiences: []string{api}, names: map[string]string{"read": "api://" + api + "/Files.Read"},
			header: map[string]any{"typ": "JWT"},
			claims: map[string]any{
				"aud": api, "azp": "f0b1c2d3-0000-4000-8000-000000000001", "azpacr": "0", "client_id": nil, "scope": nil, "scp": "Files.Read", "tid": tenant, "oid": "o",
				"ver": "2.0", "roles": []string{"staff"}, "uti": "u", "rh": "r", "name": "Alice", "preferred_username": "alice@example.com",
			},
			permissions: []string{"read"}, groups: []string{"staff"},
			refused: map[string]variant{
				"an ID token of the client":  {"JWT", map[string]any{"aud": "f0b1c2d3-0000-4000-8000-000000000001", "azp": nil, "scp": nil, "nonce": "n"}, "another server"},
				"for Microsoft Graph":        {"JWT", map[string]any{"aud": "00000003-0000-0000-c000-000000000000"}, "another server"},
				"for the URI of version 1":   {"JWT", map[string]any{"aud": "api://" + api}, "another server"},
				"of another tenant":          {"JWT", map[string]any{"iss": "HOST/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"}, "issuer is not accepted"},
				"of version 1 of the tenant": {"JWT", map[string]any{"iss": "HOST/" + tenant + "/"}, "issuer is not accepted"},
			},
		},
		// In version 1, which applications have by default, the audience is the URI of the application.
		"Entra v1": {
			path:      "/" + tenant + "/",
			audiences: []string{"api://" + api}, names: map[string]string{"read": "api://" + api + "/Files.Read"},
			header: map[string]any{"typ": "JWT"},
			claims: map[string]any{
				"aud": "api://" + api, "appid": "f0b1c2d3-0000-4000-8000-000000000001", "appidacr": "0", "client_id": nil, "scope": nil, "scp": "Files.Read", "tid": tenant,
				"oid": "o", "ver": "1.0", "roles": []string{"staff"}, "unique_name": "alice@example.com", "upn": "alice@example.com",
			},
			permissions: []string{"read"}, groups: []string{"staff"},
			refused: map[string]variant{
				"for Microsoft Graph":   {"JWT", map[string]any{"aud": "https://graph.microsoft.com"}, "another server"},
				"for the ID of the API": {"JWT", map[string]any{"aud": api}, "another server"},
				"of another tenant":     {"JWT", map[string]any{"iss": "HOST/9188040d-6c67-4c5b-b112-36a304b66dad/"}, "issuer is not accepted"},
			},
		},
		// The audience is the identifier of the API, and the endpoint of user information if the scope has openid.
		"Auth0": {
			path:      "/",
			audiences: []string{resource}, groupClaims: []string{"permissions", "https://example.com/roles"},
			header: map[string]any{"typ": "JWT"},
			claims: map[string]any{
				"sub": "auth0|42", "aud": []string{resource, "HOST/userinfo"}, "azp": "editor", "scope": "openid profile read",
				"permissions": []string{"read", "write"}, "https://example.com/roles": []string{"staff"}, "client_id": nil, "jti": nil,
			},
			permissions: []string{"openid", "profile", "read"}, groups: []string{"read", "write", "staff"},
			refused: map[string]variant{
				"an ID token":                {"JWT", map[string]any{"aud": "editor", "azp": nil, "scope": nil, "nonce": "n", "sid": "s"}, "another server"},
				"for user information alone": {"JWT", map[string]any{"aud": "HOST/userinfo"}, "another server"},
				"for the Management API":     {"JWT", map[string]any{"aud": "HOST/api/v2/"}, "another server"},
				"of a tenant without slash":  {"JWT", map[string]any{"iss": "HOST"}, "issuer is not accepted"},
			},
		},
		"Auth0 with the profile of RFC 9068": {
			path:      "/",
			audiences: []string{resource}, groupClaims: []string{"permissions"},
			header: map[string]any{"typ": "at+jwt"},
			claims: map[string]any{
				"sub": "auth0|42", "aud": []string{resource, "HOST/userinfo"}, "client_id": "editor", "scope": "openid read", "jti": "j",
				"permissions": []string{"read"},
			},
			permissions: []string{"openid", "read"}, groups: []string{"read"},
			refused: map[string]variant{
				"an ID token":                  {"JWT", map[string]any{"aud": "editor", "client_id": nil, "scope": nil, "nonce": "n"}, "another server"},
				"of another type for the same": {"JWT", nil, "at+jwt"},
			},
		},
		"oidc-provider": {
			audiences: []string{resource},
			header:    map[string]any{"typ": "at+jwt"},
			claims:    map[string]any{"aud": resource, "client_id": "editor", "scope": "read", "groups": []string{"staff"}, "jti": "j"},
			groups:    []string{"staff"}, permissions: []string{"read"},
			refused: map[string]variant{
				"an ID token":          {"JWT", map[string]any{"aud": "editor", "client_id": nil, "scope": nil, "at_hash": "h"}, "another server"},
				"for another resource": {"at+jwt", map[string]any{"aud": "https://other.example.com/mcp"}, "another server"},
			},
		},
		// Access tokens of Google are opaque, and only ID tokens are signed: neither is an access token for this server.
		"Google": {
			audiences: []string{resource},
			refused: map[string]variant{
				"an ID token": {"JWT", map[string]any{
					"aud": "1234.apps.googleusercontent.com", "azp": "1234.apps.googleusercontent.com", "at_hash": "h", "client_id": nil, "scope": nil,
					"email": "alice@example.com", "email_verified": true, "hd": "example.com",
				}, "another server"},
				"an ID token for the server": {"JWT", map[string]any{"azp": "1234.apps.googleusercontent.com", "at_hash": "h", "client_id": nil, "scope": nil}, "ID token"},
			},
		},
	}
}

// TestVerifier_IDTokenForServer refuses an ID token without claims of ID tokens alone, as Entra issues it if a client and the
// server are the same application.
func TestVerifier_IDTokenForServer(t *testing.T) {
	issuer := authtest.New(t)
	key, kid := issuer.Key()
	claims := issuer.Claims(resource, map[string]any{
		"client_id": nil, "scope": nil, "jti": nil, "nonce": "n", "tid": tenant, "ver": "2.0", "roles": []string{"staff"},
	})
	for typ, want := range map[string]bool{"JWT": false, "": false, "at+jwt": true} {
		token := authtest.Sign(t, jwt.SigningMethodES256, key, map[string]any{"kid": kid, "typ": typ}, claims)
		if _, err := verifier(t, issuer).Verify(t.Context(), token); (err == nil) != want {
			t.Errorf("with the type %q: %v", typ, err)
		}
	}
}

// TestVerifier_Products verifies the tokens of products in their documented forms.
func TestVerifier_Products(t *testing.T) {
	for name, p := range products() {
		t.Run(name, func(t *testing.T) {
			keys, mux := authtest.New(t), http.NewServeMux()
			host := httptest.NewServer(mux)
			t.Cleanup(host.Close)
			issuer := host.URL + p.path
			mux.HandleFunc(strings.TrimSuffix(p.path, "/")+"/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
				_ = json.NewEncoder(w).Encode(map[string]string{"issuer": issuer, "jwks_uri": keys.URL + authtest.KeysPath})
			})
			sign := func(typ any, changed map[string]any) string {
				key, kid := keys.Key()
				said := keys.Claims(resource, p.claims)
				said["iss"] = issuer
				maps.Copy(said, changed)
				for claim, value := range said {
					said[claim] = withHost(value, host.URL)
				}
				maps.DeleteFunc(said, func(_ string, value any) bool { return value == nil })
				return authtest.Sign(t, jwt.SigningMethodES256, key, map[string]any{"kid": kid, "typ": typ}, said)
			}
			v := &authjwt.Verifier{Issuers: []string{issuer}, Audiences: p.audiences, GroupClaims: p.groupClaims, HTTP: client(t)}
			r := &auth.Resource{URL: resource, AuthorizationServers: v.Issuers, Verifier: v, ScopeNames: p.names}
			if err := r.Err(); err != nil {
				t.Fatal(err)
			}
			if p.claims != nil {
				got, err := v.Verify(t.Context(), sign(p.header["typ"], nil))
				if err != nil {
					t.Fatal(err)
				}
				if permissions := permitted(t, r, sign(p.header["typ"], nil)); !slices.Equal(permissions, p.permissions) {
					t.Errorf("permissions %q, want %q", permissions, p.permissions)
				}
				if !slices.Equal(got.Groups, p.groups) {
					t.Errorf("groups %q, want %q", got.Groups, p.groups)
				}
				if got.ClientID == "" {
					t.Error("the client is not known")
				}
			}
			for kind, other := range p.refused {
				if _, err := v.Verify(t.Context(), sign(other.typ, other.claims)); err == nil || !strings.Contains(err.Error(), other.says) {
					t.Errorf("%s: %v, want an error with %q", kind, err, other.says)
				}
			}
			if _, err := v.Verify(t.Context(), "ya29.a0AfH6SMBx"); err == nil {
				t.Error("an opaque token is accepted")
			}
		})
	}
}

// withHost returns the value of a claim with the URL of the host in it.
func withHost(value any, host string) any {
	switch value := value.(type) {
	case string:
		return strings.ReplaceAll(value, "HOST", host)
	case []string:
		all := make([]string, len(value))
		for i, text := range value {
			all[i] = strings.ReplaceAll(text, "HOST", host)
		}
		return all
	}
	return value
}

// permitted returns the permissions of a token for a resource.
func permitted(t *testing.T, r *auth.Resource, token string) (permissions []string) {
	t.Helper()
	req := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	req.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	r.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		permissions, _ = protocol.PermissionsFrom(req.Context())
	})).ServeHTTP(w, req)
	if w.Code != http.StatusOK {
		t.Errorf("the resource answers %d: %s", w.Code, w.Header().Get("WWW-Authenticate"))
	}
	return permissions
}
