package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/dpop"
)

// proofFor is one for a request of the world.
func (w *world) proofFor(t *testing.T, key *dpop.Key, method, url, token string) string {
	t.Helper()
	proof, err := key.Proof(method, url, token, "")
	if err != nil {
		t.Fatal(err)
	}
	return proof
}

func newKey(t *testing.T) *dpop.Key {
	t.Helper()
	key, err := dpop.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Invalid and missing tokens are refused with a challenge, and no secret appears in the log.
func TestResource_ForgedCredentials(t *testing.T) {
	w := newWorld(t, nil)
	other := authtest.New(t)
	key, kid := w.issuer.Key()
	stolen := newKey(t)
	good, bound := w.issuer.Token(w.url, nil), w.issuer.Token(w.url, map[string]any{"cnf": map[string]any{"jkt": stolen.Thumbprint()}})
	public, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	forged := func(method jwt.SigningMethod, with any, header map[string]any) string {
		return authtest.Sign(t, method, with, header, w.issuer.Claims(w.url, nil))
	}
	but := func(name string, value any) string { return w.issuer.Token(w.url, map[string]any{name: value}) }
	bearer := func(token string) []string { return []string{"Authorization", "Bearer " + token} }
	proven := func(proof string) []string { return []string{"Authorization", "DPoP " + bound, "DPoP", proof} }
	used := w.proofFor(t, stolen, "POST", w.url, bound)
	if a := send(t, w.call(t, "plain", proven(used)...)); a.status != http.StatusOK {
		t.Fatalf("a token with its proof: %+v", a)
	}
	now := time.Now().Unix()
	metadata := fmt.Sprintf(`resource_metadata="%s/.well-known/oauth-protected-resource/mcp"`, w.server.URL)
	for name, tc := range map[string]struct {
		headers []string
		query   string
		status  int
		want    string // in the first challenge
	}{
		"a good token":                  {bearer(good), "", 200, ""},
		"a bound token with its proof":  {proven(w.proofFor(t, stolen, "POST", w.url, bound)), "", 200, ""},
		"none":                          {nil, "", 401, "Bearer " + metadata},
		"a password":                    {[]string{"Authorization", "Basic YTpi"}, "", 401, "Bearer " + metadata},
		"for another audience":          {bearer(but("aud", "https://other.example.com/mcp")), "", 401, `error="invalid_token", error_description="the access token is not valid: it is for another server`},
		"expired":                       {bearer(but("exp", now-3600)), "", 401, "it has expired"},
		"not yet valid":                 {bearer(but("nbf", now+3600)), "", 401, "it is not valid yet"},
		"of a wrong issuer":             {bearer(other.Token(w.url, nil)), "", 401, "its issuer is not accepted by this server"},
		"in the name of the right one":  {bearer(other.Token(w.url, map[string]any{"iss": w.issuer.URL})), "", 401, "signature is invalid"},
		"without a signature":           {bearer(forged(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil)), "", 401, "signing method none is invalid"},
		"HS256 with the public key":     {bearer(forged(jwt.SigningMethodHS256, public, map[string]any{"kid": kid})), "", 401, "signing method HS256 is invalid"},
		"a key that is a file":          {bearer(forged(jwt.SigningMethodES256, own, map[string]any{"kid": "../../etc/passwd"})), "", 401, "a key that its issuer does not have"},
		"a key that is a URL":           {bearer(forged(jwt.SigningMethodES256, own, map[string]any{"kid": other.URL, "jku": other.URL + "/keys", "x5u": other.URL})), "", 401, "a key that its issuer does not have"},
		"a key in the token":            {bearer(forged(jwt.SigningMethodES256, own, map[string]any{"jwk": authtest.PublicKey(&own.PublicKey, kid)})), "", 401, "signature is invalid"},
		"an algorithm with a line end":  {bearer(forged(jwt.SigningMethodES256, own, map[string]any{"alg": "x\", scope=\"*\r\nX: y"})), "", 401, "signing method"},
		"in the query":                  {nil, "?access_token=" + good, 400, `error="invalid_request", error_description="an access token is shown in the header Authorization`},
		"in the query, disguised":       {nil, "?%61ccess_token=" + good, 400, "never in a URL"},
		"in the query as well":          {bearer(good), "?access_token=" + good, 400, "never in a URL"},
		"in two headers":                {append(bearer(good), bearer(good)...), "", 400, "more than one header Authorization"},
		"two in one header":             {bearer(good + " " + good), "", 400, "has no access token"},
		"after a comma":                 {bearer(good + ", Bearer " + good), "", 400, "has no access token"},
		"an empty one":                  {bearer(""), "", 400, "has no access token"},
		"a huge one":                    {bearer(strings.Repeat("a", 17<<10)), "", 400, "at most 16384 bytes"},
		"a bound one without its proof": {bearer(bound), "", 401, `DPoP error="invalid_token", error_description="the access token is bound to a key; show it with a proof"`},
		"a bound one, the header empty": {[]string{"Authorization", "DPoP " + bound}, "", 401, `DPoP error="invalid_dpop_proof"`},
		"a proof that was used":         {proven(used), "", 401, "the proof was used before"},
		"a proof of another key":        {proven(w.proofFor(t, newKey(t), "POST", w.url, bound)), "", 401, "the proof is of another key"},
		"a proof for another method":    {proven(w.proofFor(t, stolen, "GET", w.url, bound)), "", 401, "the proof is for another method"},
		"a proof for another URL":       {proven(w.proofFor(t, stolen, "POST", "https://mcp.example.com/mcp", bound)), "", 401, "the proof is for another URL"},
		"a proof for another path":      {proven(w.proofFor(t, stolen, "POST", w.server.URL+"/other", bound)), "", 401, "the proof is for another URL"},
		"a proof for another token":     {proven(w.proofFor(t, stolen, "POST", w.url, good)), "", 401, "the proof is for another access token"},
		"a proof for a plain token":     {[]string{"Authorization", "DPoP " + good, "DPoP", w.proofFor(t, stolen, "POST", w.url, good)}, "", 401, "is not bound to a key"},
		"two proofs":                    {append(proven(w.proofFor(t, stolen, "POST", w.url, bound)), "DPoP", w.proofFor(t, stolen, "POST", w.url, bound)), "", 401, "one header DPoP"},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.call(t, "plain", tc.headers...)
			r.URL.RawQuery = strings.TrimPrefix(tc.query, "?")
			a := send(t, r)
			first := strings.Join(a.challenges[:min(len(a.challenges), 1)], "")
			if a.status != tc.status || !strings.Contains(first, tc.want) || (first == "") != (tc.status == 200) {
				t.Fatalf("status %d, challenges %q; want %d and %q\n%s", a.status, a.challenges, tc.status, tc.want, a.body)
			}
			for _, c := range a.challenges {
				if !strings.Contains(c, metadata) {
					t.Errorf("the challenge does not say where the metadata is: %s", c)
				}
			}
			if a.header.Get("X") != "" {
				t.Error("a header was put in")
			}
		})
	}
	log := w.log.String()
	for _, secret := range []string{good, bound, used, strings.Split(good, ".")[2], strings.Split(bound, ".")[2]} {
		if strings.Contains(log, secret) {
			t.Error("the log shows a secret")
		}
	}
	if !strings.Contains(log, `"kind":"invalid_token"`) || !strings.Contains(log, `"kind":"invalid_request"`) {
		t.Errorf("the log does not say that requests were refused: %s", log)
	}
	if n := other.Requests("/keys") + other.Requests(authtest.MetadataPath); n != 0 {
		t.Errorf("%d requests to where tokens said", n)
	}
}

// A legacy session belongs to the principal that opened it, and each of its requests needs a token.
func TestResource_SessionOfOtherPrincipal(t *testing.T) {
	w := newWorld(t, nil)
	as := func(who string) string {
		return "Bearer " + w.issuer.Token(w.url, map[string]any{"sub": who})
	}
	older := func(id, token, text string) answer {
		r := w.post(t, text)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		r.Header.Set("Mcp-Session-Id", id)
		if r.Header.Set("Authorization", token); token == "" {
			r.Header.Del("Authorization")
		}
		if id == "" {
			r.Header.Del("Mcp-Session-Id")
		}
		return send(t, r)
	}
	opened := older("", as("alice"), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	id := opened.header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatalf("no session: %+v", opened)
	}
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plain"}}`
	for name, tc := range map[string]struct {
		token  string
		status int
	}{
		"its owner": {as("alice"), 200}, "its owner with another token": {as("alice"), 200}, "somebody else": {as("bob"), 404},
		"nobody": {"", 401}, "its owner with an old token": {"Bearer " + w.issuer.Token(w.url, map[string]any{"exp": 1000}), 401},
	} {
		if a := older(id, tc.token, call); a.status != tc.status {
			t.Errorf("%s: %+v, want status %d", name, a, tc.status)
		}
	}
}

// Scopes are compared exactly, and a challenge contains all needed scopes.
func TestResource_ScopeForms(t *testing.T) {
	w := newWorld(t, nil)
	for name, tc := range map[string]struct {
		scope any
		tool  string
		want  int
	}{
		"the scope":                      {"docs:read", "read", 200},
		"a broader one":                  {"docs:*", "read", 200},
		"all":                            {"*", "write", 200},
		"none":                           {nil, "read", 403},
		"another one":                    {"issues:read", "read", 403},
		"one of two":                     {"issues:read", "write", 403},
		"in capitals":                    {"DOCS:READ", "read", 403},
		"a prefix of it":                 {"docs", "read", 403},
		"a pattern that is none":         {"docs*", "read", 403},
		"with a comma between":           {"docs:read,issues:read", "read", 403},
		"with something that is a space": {"docs:read\u200bx", "read", 403},
		"one that cannot be had":         {"docs:read", "hidden", 200}, // and is an error that a model reads
	} {
		token := w.issuer.Token(w.url, map[string]any{"scope": tc.scope})
		a := send(t, w.call(t, tc.tool, "Authorization", "Bearer "+token))
		if a.status != tc.want || tc.tool == "hidden" && !strings.Contains(a.body, "PERMISSION_REQUIRED") {
			t.Errorf("%s: %+v, want status %d", name, a, tc.want)
		}
	}
}

// Streams and connections end when their token expires.
func TestResource_StreamEndsWithToken(t *testing.T) {
	w := newWorld(t, func(r *auth.Resource) { r.Verifier = new(short) })
	r := w.post(t, body("subscriptions/listen", `"notifications":{"toolsListChanged":true}`), "Mcp-Method", "subscriptions/listen", "Authorization", "Bearer short")
	if a := send(t, r); a.status != http.StatusOK || !strings.Contains(a.body, "acknowledged") {
		t.Errorf("%+v", a)
	}
}
