package jwk_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security/auth/internal/jwk"
)

// Keys of every type that is known are read as they were written.
func TestParse_SupportedKeys(t *testing.T) {
	publics := map[string]any{}
	for alg, curve := range map[string]elliptic.Curve{"ES256": elliptic.P256(), "ES384": elliptic.P384(), "ES512": elliptic.P521()} {
		key, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		publics[alg] = &key.PublicKey
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	publics["PS512"] = &key.PublicKey
	if publics["EdDSA"], _, err = ed25519.GenerateKey(rand.Reader); err != nil {
		t.Fatal(err)
	}
	for alg, public := range publics {
		members := jwk.Members(public)
		members["kid"], members["alg"] = "one", alg
		raw, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		got, err := jwk.Parse(raw)
		if err != nil {
			t.Errorf("%s: %v", alg, err)
			continue
		}
		if got.ID != "one" || got.Thumbprint() != jwk.Thumbprint(public) || !public.(interface{ Equal(crypto.PublicKey) bool }).Equal(got.Public) {
			t.Errorf("%s: %s is read as %+v", alg, raw, got)
		}
		for _, other := range append(jwk.Algorithms(), "HS256", "none", "") {
			if got.Supports(other) != (other == alg) {
				t.Errorf("a key for %s fits %q: %v", alg, other, got.Supports(other))
			}
		}
		if got.Algorithm = ""; got.Supports("HS256") || got.Supports("none") || !got.Supports(alg) {
			t.Errorf("a key that is not bound to %s fits wrong ones", alg)
		}
		if got.Use = "enc"; got.Supports(alg) {
			t.Errorf("a key for encryption checks signatures of %s", alg)
		}
	}
	if jwk.Thumbprint("key") != "" || (&jwk.Key{Public: "key"}).Supports("ES256") {
		t.Error("a text is a key")
	}
}

func TestParse_Errors(t *testing.T) {
	b64 := func(b ...byte) string { return base64.RawURLEncoding.EncodeToString(b) }
	zeros := func(n int) string { return b64(make([]byte, n)...) }
	ones := func(n int) string { return b64([]byte(strings.Repeat("\xff", n))...) }
	for name, tc := range map[string]struct{ raw, want string }{
		"no JSON":                {`{`, "not a JSON Web Key"},
		"a list":                 {`[]`, "not a JSON Web Key"},
		"null":                   {`null`, "not known"},
		"a secret":               {`{"kty":"oct","k":"c2VjcmV0"}`, "secret part"},
		"a private one":          {`{"kty":"RSA","n":"AQAB","e":"AQAB","d":"AQAB"}`, "secret part"},
		"for encryption":         {`{"kty":"EC","key_ops":["deriveKey"]}`, "not for checking"},
		"a type that is not":     {`{"kty":"LMS"}`, "not known"},
		"a curve that is not":    {`{"kty":"EC","crv":"secp256k1"}`, "not known"},
		"a point elsewhere":      {`{"kty":"EC","crv":"P-256","x":"` + ones(32) + `","y":"` + ones(32) + `"}`, "not on its curve"},
		"no point":               {`{"kty":"EC","crv":"P-256","x":"` + zeros(32) + `","y":"` + zeros(32) + `"}`, "not on its curve"},
		"a short point":          {`{"kty":"EC","crv":"P-256","x":"AQAB","y":"AQAB"}`, "32"},
		"a long point":           {`{"kty":"EC","crv":"P-256","x":"` + zeros(33) + `","y":"` + zeros(33) + `"}`, "32"},
		"half a point":           {`{"kty":"EC","crv":"P-256","x":"` + zeros(32) + `"}`, `"y"`},
		"padded numbers":         {`{"kty":"RSA","n":"AQ==","e":"AQAB"}`, `"n"`},
		"another Edwards curve":  {`{"kty":"OKP","crv":"Ed448","x":"` + ones(57) + `"}`, "Ed25519"},
		"a short Edwards point":  {`{"kty":"OKP","crv":"Ed25519","x":"AQAB"}`, "32 bytes"},
		"a short modulus":        {`{"kty":"RSA","n":"` + ones(128) + `","e":"AQAB"}`, "at least 2048"},
		"a huge modulus":         {`{"kty":"RSA","n":"` + ones(1025) + `","e":"AQAB"}`, "at most 8192"},
		"a huge exponent":        {`{"kty":"RSA","n":"` + ones(256) + `","e":"` + ones(5) + `"}`, "at most"},
		"a large exponent":       {`{"kty":"RSA","n":"` + ones(256) + `","e":"` + ones(4) + `"}`, "at most 31"},
		"an even exponent":       {`{"kty":"RSA","n":"` + ones(256) + `","e":"Ag"}`, "odd"},
		"the exponent 1":         {`{"kty":"RSA","n":"` + ones(256) + `","e":"AQ"}`, "from 3"},
		"a modulus after zeros":  {`{"kty":"RSA","n":"` + b64(append(make([]byte, 1), strings.Repeat("\xff", 255)...)...) + `","e":"AQAB"}`, "another byte than 0"},
		"an exponent after them": {`{"kty":"RSA","n":"` + ones(256) + `","e":"AAEAAQ"}`, "another byte than 0"},
	} {
		if key, err := jwk.Parse([]byte(tc.raw)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %+v, %v; want an error with %q", name, key, err, tc.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`))
	f.Add([]byte(`{"kty":"RSA","n":"AQAB","e":"AQAB"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		key, err := jwk.Parse(raw)
		if err != nil {
			return
		}
		again, err := json.Marshal(jwk.Members(key.Public))
		if err != nil {
			t.Fatal(err)
		}
		if same, err := jwk.Parse(again); err != nil || same.Thumbprint() != key.Thumbprint() {
			t.Errorf("%s is written as %s: %v", raw, again, err)
		}
	})
}
