package jwt_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testdiff"
	"github.com/dougu-go/dougu/internal/testleak"
	"github.com/golang-jwt/jwt/v5"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/security/auth"
	authjwt "github.com/dougu-go/dougu/security/auth/jwt"
)

func TestMain(m *testing.M) { testleak.Main(m) }

const resource = "https://mcp.example.com/mcp"

// verifier accepts tokens of an issuer.
func verifier(t *testing.T, issuers ...*authtest.Server) *authjwt.Verifier {
	t.Helper()
	v := &authjwt.Verifier{Audiences: []string{resource}, HTTP: client(t)}
	for _, s := range issuers {
		v.Issuers = append(v.Issuers, s.URL)
	}
	return v
}

// client keeps no connection when the test ends.
func client(t *testing.T) *http.Client {
	transport := new(http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestVerifier_Grant(t *testing.T) {
	issuer := authtest.New(t)
	v := verifier(t, issuer)
	expires := time.Now().Add(time.Hour).Truncate(time.Second)
	for name, tc := range map[string]struct {
		changed map[string]any
		want    auth.Grant
	}{
		"as RFC 9068 has it":      {nil, auth.Grant{Principal: issuer.URL + "#alice", Permissions: []string{"docs:read"}, Limited: true, Issuer: issuer.URL, ClientID: "editor"}},
		"with several scopes":     {map[string]any{"scope": "docs:read issues:*"}, auth.Grant{Principal: issuer.URL + "#alice", Permissions: []string{"docs:read", "issues:*"}, Limited: true, Issuer: issuer.URL, ClientID: "editor"}},
		"with scopes in a list":   {map[string]any{"scope": nil, "scp": []string{"a", "b"}, "client_id": nil, "azp": "web"}, auth.Grant{Principal: issuer.URL + "#alice", Permissions: []string{"a", "b"}, Limited: true, Issuer: issuer.URL, ClientID: "web"}},
		"without scopes":          {map[string]any{"scope": nil}, auth.Grant{Principal: issuer.URL + "#alice", Limited: true, Issuer: issuer.URL, ClientID: "editor"}},
		"for several servers":     {map[string]any{"aud": []string{"https://other.example.com", resource}, "sub": "bob"}, auth.Grant{Principal: issuer.URL + "#bob", Permissions: []string{"docs:read"}, Limited: true, Issuer: issuer.URL, ClientID: "editor"}},
		"bound to a key":          {map[string]any{"cnf": map[string]string{"jkt": "thumbprint"}}, auth.Grant{Principal: issuer.URL + "#alice", Permissions: []string{"docs:read"}, Limited: true, Issuer: issuer.URL, ClientID: "editor", Confirmation: "thumbprint"}},
		"with names of their own": {map[string]any{"SUB": "root", "Scope": "admin", "Aud": "x", "CNF": 1}, auth.Grant{Principal: issuer.URL + "#alice", Permissions: []string{"docs:read"}, Limited: true, Issuer: issuer.URL, ClientID: "editor"}},
	} {
		t.Run(name, func(t *testing.T) {
			changed := map[string]any{"exp": expires.Unix()}
			for k, value := range tc.changed {
				changed[k] = value
			}
			got, err := v.Verify(t.Context(), issuer.Token(resource, changed))
			if err != nil {
				t.Fatal(err)
			}
			tc.want.Expires = expires.Add(30 * time.Second)
			if diff := testdiff.Diff(&tc.want, got); diff != "" {
				t.Errorf("want - got +:\n%s", diff)
			}
		})
	}
}

// No token is accepted that its issuer has not signed for this server and for now.
func TestVerifier_InvalidTokens(t *testing.T) {
	issuer, stranger := authtest.New(t), authtest.New(t)
	key, kid := issuer.Key()
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	raw, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]any{"kid": kid, "typ": "at+jwt"}
	good := func() map[string]any { return issuer.Claims(resource, nil) }
	but := func(name string, value any) string { return issuer.Token(resource, map[string]any{name: value}) }
	header := func(name string, value any) string {
		return authtest.Sign(t, jwt.SigningMethodES256, key, map[string]any{"kid": kid, "typ": "at+jwt", name: value}, good())
	}
	sign := func(method jwt.SigningMethod, key any) string { return authtest.Sign(t, method, key, at, good()) }
	signed := but("x", "y")
	parts := strings.Split(signed, ".")
	now := time.Now().Unix()
	for name, tc := range map[string]struct{ token, want string }{
		"nothing":                            {"", "malformed"},
		"no token":                           {"a.b.c", "malformed"},
		"an opaque one":                      {"2YotnFZFEjr1zCsicMWpAA", "malformed"},
		"a huge one":                         {but("x", strings.Repeat("y", 20000)), "longer than"},
		"an encrypted one":                   {"e30.e30.e30.e30.e30", "malformed"},
		"one without a signature":            {sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType), "signing method none is invalid"},
		"one whose signature was cut off":    {parts[0] + "." + parts[1] + ".", "signature is invalid"},
		"one with a changed payload":         {parts[0] + "." + strings.Split(but("sub", "root"), ".")[1] + "." + parts[2], "signature is invalid"},
		"HS256 with the public key in PEM":   {sign(jwt.SigningMethodHS256, public), "signing method HS256 is invalid"},
		"HS256 with the point of the key":    {sign(jwt.SigningMethodHS256, raw), "signing method HS256 is invalid"},
		"HS256 with nothing":                 {sign(jwt.SigningMethodHS256, []byte{}), "signing method HS256 is invalid"},
		"another key of the same name":       {sign(jwt.SigningMethodES256, other), "signature is invalid"},
		"RSA under the name of an EC key":    {sign(jwt.SigningMethodRS256, rsaKey), "a key that its issuer does not have"},
		"Ed25519 under the name of an EC":    {sign(jwt.SigningMethodEdDSA, edKey), "a key that its issuer does not have"},
		"a key that is a path":               {header("kid", "../../../../dev/null"), "a key that its issuer does not have"},
		"a key that is a URL":                {header("kid", stranger.URL+"/keys"), "a key that its issuer does not have"},
		"a key that is SQL":                  {header("kid", "' UNION SELECT 'secret"), "a key that its issuer does not have"},
		"a key that is a number":             {header("kid", 1), "is not a string"},
		"a key in the token":                 {authtest.Sign(t, jwt.SigningMethodES256, other, map[string]any{"kid": kid, "jwk": authtest.PublicKey(&other.PublicKey, kid)}, good()), "signature is invalid"},
		"a key set elsewhere":                {authtest.Sign(t, jwt.SigningMethodES256, other, map[string]any{"kid": "9", "jku": stranger.URL + "/keys", "x5u": stranger.URL + "/cert"}, good()), "a key that its issuer does not have"},
		"a critical parameter":               {header("crit", []string{"exp"}), "critical"},
		"a proof of DPoP":                    {header("typ", "dpop+jwt"), "of a type other than"},
		"a token for logging out":            {header("typ", "logout+jwt"), "of a type other than"},
		"one of another issuer":              {stranger.Token(resource, nil), "its issuer is not accepted"},
		"one in another's name":              {stranger.Token(resource, map[string]any{"iss": issuer.URL}), "signature is invalid"},
		"an issuer with a slash":             {but("iss", issuer.URL+"/"), "its issuer is not accepted"},
		"an issuer in capitals":              {but("iss", strings.ToUpper(issuer.URL)), "its issuer is not accepted"},
		"no issuer":                          {but("iss", nil), "its issuer is not accepted"},
		"an issuer that is a list":           {but("iss", []string{issuer.URL}), "iss is no text"},
		"one for another server":             {but("aud", "https://other.example.com/mcp"), "another server"},
		"one for a server with its name":     {but("aud", resource+".evil.example.com"), "another server"},
		"one for another path":               {but("aud", "https://mcp.example.com/other"), "another server"},
		"one for the path with a slash":      {but("aud", resource+"/"), "another server"},
		"one for the host alone":             {but("aud", "https://mcp.example.com"), "another server"},
		"one for its client, an ID token":    {but("aud", "editor"), "another server"},
		"one for nobody":                     {but("aud", nil), "another server"},
		"one for an empty list":              {but("aud", []string{}), "another server"},
		"one for a number":                   {but("aud", 1), "neither a text nor a list"},
		"an expired one":                     {but("exp", now-31), "expired"},
		"one that never expires":             {but("exp", nil), "has no expiry time"},
		"one that expires after all times":   {but("exp", 1e300), "no time"},
		"one that expires before all times":  {but("exp", -1), "no time"},
		"one that expires some day":          {but("exp", "tomorrow"), "no time"},
		"one for tomorrow":                   {but("nbf", now+86400), "not valid yet"},
		"one from tomorrow":                  {but("iat", now+86400), "not valid yet"},
		"one of nobody":                      {but("sub", nil), "no subject"},
		"one of an empty name":               {issuer.Token(resource, map[string]any{"sub": "", "client_id": nil}), "neither a subject nor a client"},
		"one of a list":                      {but("sub", []string{"alice"}), "sub is no text"},
		"a name with a line end":             {but("sub", "alice\nadmin"), "character"},
		"a name with a zero byte":            {but("sub", "alice\x00"), "character"},
		"an endless name":                    {but("sub", strings.Repeat("a", 2000)), "too long"},
		"scopes that are a number":           {but("scope", 5), "scope is neither"},
		"one bound to a certificate":         {but("cnf", map[string]string{"x5t#S256": "x"}), "bound to something other"},
		"one bound to a key and more":        {but("cnf", map[string]string{"jkt": "x", "x5t#S256": "x"}), "bound to something other"},
		"one bound to an empty text":         {but("cnf", map[string]string{"jkt": ""}), "bound to something other"},
		"one bound to a text":                {but("cnf", "x"), "no object"},
		"claims that are no object":          {authtest.Sign(t, jwt.SigningMethodES256, key, at, nil), "its issuer is not accepted"},
		"one with a space before it":         {" " + signed, "malformed"},
		"one with padding":                   {signed + "==", "malformed"},
		"one with a second signature behind": {signed + "." + parts[2], "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			grant, err := verifier(t, issuer).Verify(t.Context(), tc.token)
			if !errors.Is(err, auth.ErrInvalidToken) || errors.Is(err, auth.ErrUnavailable) || !strings.Contains(err.Error(), tc.want) || grant != nil {
				t.Errorf("%+v, %v; want an error with %q", grant, err, tc.want)
			}
			if err != nil && tc.token != "" && strings.Contains(err.Error(), tc.token) {
				t.Error("the error shows the token")
			}
		})
	}
	if n := stranger.Requests("/keys") + stranger.Requests("/cert") + stranger.Requests(authtest.MetadataPath); n != 0 {
		t.Errorf("%d requests were made to where tokens said", n)
	}
}

func TestVerifier_Leeway(t *testing.T) {
	issuer := authtest.New(t)
	v := verifier(t, issuer)
	v.Leeway = time.Minute
	now := time.Now().Unix()
	for name, tc := range map[string]struct {
		changed map[string]any
		good    bool
	}{
		"just expired":           {map[string]any{"exp": now - 50}, true},
		"expired a while ago":    {map[string]any{"exp": now - 61}, false},
		"made by a clock ahead":  {map[string]any{"iat": now + 50, "nbf": now + 50}, true},
		"made by one far ahead":  {map[string]any{"iat": now + 3600}, false},
		"with parts of a second": {map[string]any{"exp": float64(now) + 10.5}, true},
	} {
		if _, err := v.Verify(t.Context(), issuer.Token(resource, tc.changed)); (err == nil) != tc.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Types and algorithms that tokens may have can be fewer.
func TestVerifier_Strict(t *testing.T) {
	issuer := authtest.New(t)
	key, kid := issuer.Key()
	of := func(typ any) string {
		return authtest.Sign(t, jwt.SigningMethodES256, key, map[string]any{"kid": kid, "typ": typ}, issuer.Claims(resource, nil))
	}
	strict := verifier(t, issuer)
	strict.AccessTokensOnly = true
	for typ, want := range map[any][2]bool{"at+jwt": {true, true}, "application/AT+JWT": {true, true}, "JWT": {true, false}, nil: {true, false}, "": {true, false}, 5: {true, false}, "at+jwt;x": {}} {
		for i, v := range []*authjwt.Verifier{verifier(t, issuer), strict} {
			if _, err := v.Verify(t.Context(), of(typ)); (err == nil) != want[i] {
				t.Errorf("the type %v, strict %v: %v", typ, i == 1, err)
			}
		}
	}
	rsaOnly := verifier(t, issuer)
	rsaOnly.Algorithms = []string{"RS256", "PS256"}
	if _, err := rsaOnly.Verify(t.Context(), of("at+jwt")); err == nil || !strings.Contains(err.Error(), "ES256 is invalid") {
		t.Errorf("an algorithm that was left out: %v", err)
	}
}

// A resource without a path may be written with a slash or without.
func TestVerifier_AudienceTrailingSlash(t *testing.T) {
	issuer := authtest.New(t)
	for _, tc := range []struct {
		own, audience string
		good          bool
	}{
		{"https://h.example", "https://h.example/", true}, {"https://h.example/", "https://h.example", true},
		{"https://h.example//", "https://h.example", false}, {"https://h.example", "https://h.example/?", false},
		{"name", "name/", false}, {"https://h.example", "http://h.example/", false},
	} {
		v := verifier(t, issuer)
		v.Audiences = []string{tc.own}
		if _, err := v.Verify(t.Context(), issuer.Token(tc.audience, nil)); (err == nil) != tc.good {
			t.Errorf("%q for %q: %v", tc.audience, tc.own, err)
		}
	}
}

func TestVerifier_Err(t *testing.T) {
	for name, tc := range map[string]struct {
		v    *authjwt.Verifier
		want string
	}{
		"nothing":                {&authjwt.Verifier{}, "no trusted issuer"},
		"no audience":            {&authjwt.Verifier{Issuers: []string{"https://h.example"}}, "no audience"},
		"an empty audience":      {&authjwt.Verifier{Issuers: []string{"https://h.example"}, Audiences: []string{""}}, "no audience"},
		"a plain issuer":         {&authjwt.Verifier{Issuers: []string{"http://h.example"}, Audiences: []string{"x"}}, "not encrypted"},
		"an issuer that is none": {&authjwt.Verifier{Issuers: []string{"h.example"}, Audiences: []string{"x"}}, "is not a URL"},
		"plain keys":             {&authjwt.Verifier{Issuers: []string{"https://h.example"}, Audiences: []string{"x"}, KeySets: map[string]string{"https://h.example": "http://h.example/k"}}, "not encrypted"},
		"a shared secret":        {&authjwt.Verifier{Issuers: []string{"https://h.example"}, Audiences: []string{"x"}, Algorithms: []string{"HS256"}}, "cannot be signed with"},
		"none":                   {&authjwt.Verifier{Issuers: []string{"https://h.example"}, Audiences: []string{"x"}, Algorithms: []string{"none"}}, "cannot be signed with"},
		"an hour":                {&authjwt.Verifier{Issuers: []string{"https://h.example"}, Audiences: []string{"x"}, Leeway: time.Hour}, "at most 1m0s"},
	} {
		if err := tc.v.Err(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
		if _, err := tc.v.Verify(context.Background(), "a.b.c"); err == nil || errors.Is(err, auth.ErrInvalidToken) {
			t.Errorf("%s: a token is judged: %v", name, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	issuer := authtest.New(f)
	v := &authjwt.Verifier{Issuers: []string{issuer.URL}, Audiences: []string{resource}}
	good := issuer.Token(resource, nil)
	f.Add(good)
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Add("e30.bnVsbA.e30")
	f.Fuzz(func(t *testing.T, token string) {
		grant, err := v.Verify(t.Context(), token)
		if (grant == nil) != (err != nil) || err == nil && token != good {
			t.Errorf("%q is %+v, %v", token, grant, err)
		}
	})
}

// TestVerifier_TypeByClient checks that a client with tokens of the type at+jwt has no others, and that other clients have.
func TestVerifier_TypeByClient(t *testing.T) {
	issuer := authtest.New(t)
	key, kid := issuer.Key()
	v := verifier(t, issuer)
	of := func(typ, client string) error {
		claims := issuer.Claims(resource, map[string]any{"client_id": client})
		_, err := v.Verify(t.Context(), authtest.Sign(t, jwt.SigningMethodES256, key, map[string]any{"kid": kid, "typ": typ}, claims))
		return err
	}
	for _, tc := range []struct {
		typ, client string
		want        bool
	}{
		{"JWT", "a", true}, {"at+jwt", "a", true}, {"JWT", "a", false}, {"", "a", false}, {"at+jwt", "a", true}, {"JWT", "b", true}, {"at+jwt", "", true}, {"JWT", "", true},
	} {
		if err := of(tc.typ, tc.client); (err == nil) != tc.want {
			t.Errorf("a token of the type %q for the client %q: %v", tc.typ, tc.client, err)
		}
	}
	for name, changed := range map[string]map[string]any{"an ID token": {"at_hash": "x"}, "a refresh token": {"typ": "Refresh"}, "neither a client nor a scope": {"client_id": nil, "scope": nil}} {
		claims := issuer.Claims(resource, changed)
		_, err := v.Verify(t.Context(), authtest.Sign(t, jwt.SigningMethodES256, key, map[string]any{"kid": kid, "typ": "JWT"}, claims))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("a token with %v: %v, want %q", changed, err, name)
		}
	}
}
