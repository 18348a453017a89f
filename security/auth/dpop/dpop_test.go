package dpop_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/dougu-go/dougu/security/auth/dpop"
	"github.com/dougu-go/dougu/security/auth/internal/jwk"
)

const (
	target = "https://mcp.example.com/mcp"
	access = "an-access-token"
)

func newKey(t testing.TB) *dpop.Key {
	t.Helper()
	key, err := dpop.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func proofOf(t testing.TB, key *dpop.Key, method, url, token, nonce string) string {
	t.Helper()
	proof, err := key.Proof(method, url, token, nonce)
	if err != nil {
		t.Fatal(err)
	}
	return proof
}

// with is a request that has these proofs.
func with(proofs ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, target, nil)
	for _, p := range proofs {
		r.Header.Add("DPoP", p)
	}
	return r
}

// forge signs any claims and header.
func forge(t testing.TB, method jwt.SigningMethod, key any, header, said map[string]any) string {
	t.Helper()
	proof := jwt.NewWithClaims(method, jwt.MapClaims(said))
	proof.Header["typ"] = "dpop+jwt"
	for name, value := range header {
		proof.Header[name] = value
	}
	text, err := proof.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestChecker_InvalidProofs(t *testing.T) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	second, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	good := func() map[string]any {
		return map[string]any{
			"jti": rand.Text(), "htm": "POST", "htu": target, "iat": time.Now().Unix(),
			"ath": "YiHPD2T9DaX5B837XJXto32BKkT6ZcpVAT6si9f5KiY",
		}
	}
	but := func(name string, value any) map[string]any {
		said := good()
		if said[name] = value; value == nil {
			delete(said, name)
		}
		return said
	}
	own := map[string]any{"jwk": jwk.Members(&private.PublicKey)}
	leaked := map[string]any{"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "d": "AA"}
	es := func(said map[string]any) string { return forge(t, jwt.SigningMethodES256, private, own, said) }
	now := time.Now().Unix()
	for name, tc := range map[string]struct {
		proofs []string
		want   string // in the error; empty: it counts
	}{
		"in order":                {[]string{es(good())}, ""},
		"without":                 {nil, "one header DPoP"},
		"two":                     {[]string{es(good()), es(good())}, "one header DPoP"},
		"endless":                 {[]string{es(but("x", strings.Repeat("y", 9000)))}, "at most 8192 bytes"},
		"no JWT":                  {[]string{"a.b"}, "cannot be read"},
		"padded":                  {[]string{es(good()) + "="}, "cannot be read"},
		"of another type":         {[]string{forge(t, jwt.SigningMethodES256, private, map[string]any{"typ": "JWT", "jwk": own["jwk"]}, good())}, "dpop+jwt"},
		"without a signature":     {[]string{forge(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, own, good())}, "cannot be read"},
		"with a secret":           {[]string{forge(t, jwt.SigningMethodHS256, []byte("secret"), map[string]any{"jwk": map[string]string{"kty": "oct", "k": "c2VjcmV0"}}, good())}, "cannot be read"},
		"without a key":           {[]string{forge(t, jwt.SigningMethodES256, private, nil, good())}, "not known"},
		"with a private key":      {[]string{forge(t, jwt.SigningMethodES256, private, map[string]any{"jwk": leaked}, good())}, "secret part"},
		"with a key elsewhere":    {[]string{forge(t, jwt.SigningMethodES256, private, map[string]any{"jku": "https://h/keys", "kid": "1"}, good())}, "not known"},
		"of another key":          {[]string{forge(t, jwt.SigningMethodES256, second, own, good())}, "signature is invalid"},
		"of a weak key":           {[]string{forge(t, jwt.SigningMethodRS256, weak, map[string]any{"jwk": jwk.Members(&weak.PublicKey)}, good())}, "at least 2048 bits"},
		"of a key for another":    {[]string{forge(t, jwt.SigningMethodRS256, weak, own, good())}, "not one for the algorithm"},
		"with a critical header":  {[]string{forge(t, jwt.SigningMethodES256, private, map[string]any{"jwk": own["jwk"], "crit": []string{"b64"}, "b64": false}, good())}, "critical"},
		"for another method":      {[]string{es(but("htm", "GET"))}, "another method"},
		"for the method in small": {[]string{es(but("htm", "post"))}, "another method"},
		"for another URL":         {[]string{es(but("htu", "https://evil.example.com/mcp"))}, "another URL"},
		"for no URL":              {[]string{es(but("htu", nil))}, "another URL"},
		"without a time":          {[]string{es(but("iat", nil))}, "when it was made"},
		"with a text for a time":  {[]string{es(but("iat", "now"))}, "cannot be read"},
		"with a time without end": {[]string{es(but("iat", 1e300))}, "within 1m0s"},
		"of last year":            {[]string{es(but("iat", now-31536000))}, "within 1m0s"},
		"of the future":           {[]string{es(but("iat", now+120))}, "within 1m0s"},
		"for another token":       {[]string{es(but("ath", "AAAA"))}, "another access token"},
		"for no token":            {[]string{es(but("ath", nil))}, "another access token"},
		"without an id":           {[]string{es(but("jti", nil))}, "jti"},
		"with an endless id":      {[]string{es(but("jti", strings.Repeat("x", 257)))}, "jti"},
	} {
		t.Run(name, func(t *testing.T) {
			var checker dpop.Checker
			thumbprint, err := checker.Check(with(tc.proofs...), target, access)
			if tc.want == "" {
				if err != nil || thumbprint != jwk.Thumbprint(&private.PublicKey) {
					t.Errorf("%q, %v", thumbprint, err)
				}
				return
			}
			wrong, ok := errors.AsType[*dpop.Error](err)
			if !ok || wrong.Code != dpop.InvalidProof || !strings.Contains(err.Error(), tc.want) || thumbprint != "" {
				t.Errorf("%q, %v; want an error with %q", thumbprint, err, tc.want)
			}
		})
	}
}

// A proof is good for one request while its time is near, and not at all after that.
func TestChecker_Replay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key, checker := newKey(t), &dpop.Checker{Window: 30 * time.Second}
		proof := proofOf(t, key, "POST", target, access, "")
		for i, tc := range []struct {
			after time.Duration
			want  string
		}{{0, ""}, {0, "used before"}, {29 * time.Second, "used before"}, {2 * time.Second, "within 30s"}, {time.Hour, "within 30s"}} {
			time.Sleep(tc.after)
			_, err := checker.Check(with(proof), target, access)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%d: %v, want %q", i, err, tc.want)
			}
		}
	})
}

// Of many that use the same proof at the same time one is let in.
func TestChecker_ConcurrentReplay(t *testing.T) {
	key, checker := newKey(t), new(dpop.Checker)
	proof := proofOf(t, key, "POST", target, access, "")
	var all sync.WaitGroup
	var passed atomic.Int64
	for range 50 {
		all.Go(func() {
			if checker.CheckKey(with(proof), target, access, key.Thumbprint()) == nil {
				passed.Add(1)
			}
		})
	}
	if all.Wait(); passed.Load() != 1 {
		t.Errorf("%d were let in", passed.Load())
	}
}

// One that was made by a clock that is ahead is not forgotten before it is over.
func TestChecker_ReplayOfFutureProof(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		checker := new(dpop.Checker)
		time.Sleep(119 * time.Second) // near the end of the recorded period
		proof := forge(t, jwt.SigningMethodES256, private, map[string]any{"jwk": jwk.Members(&private.PublicKey)},
			map[string]any{"jti": "0123456789", "htm": "POST", "htu": target, "iat": time.Now().Add(time.Minute).Unix()})
		if _, err := checker.Check(with(proof), target, ""); err != nil {
			t.Fatal(err)
		}
		for range 11 {
			time.Sleep(10 * time.Second)
			if _, err := checker.Check(with(proof), target, ""); err == nil || !strings.Contains(err.Error(), "used before") {
				t.Fatalf("the same proof again: %v", err)
			}
		}
	})
}

// The number of recorded proofs is limited, in total and by key.
func TestChecker_MaxProofs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		checker := &dpop.Checker{MaxProofs: 64} // 32 in a while, 4 of a key
		use := func(key *dpop.Key) error {
			_, err := checker.Check(with(proofOf(t, key, "POST", target, "", "")), target, "")
			return err
		}
		greedy := newKey(t)
		for i := range 6 {
			if err := use(greedy); (err == nil) != (i < 4) || err != nil && !errors.Is(err, dpop.ErrBusy) {
				t.Errorf("proof %d: %v", i, err)
			}
		}
		for i := range 30 {
			if err := use(newKey(t)); (err == nil) != (i < 28) {
				t.Errorf("proof %d of another key: %v", i, err)
			}
		}
		time.Sleep(2 * time.Minute)
		if err := use(greedy); err != nil {
			t.Errorf("later: %v", err)
		}
	})
}

func TestChecker_OtherKeyNotRecorded(t *testing.T) {
	key, checker := newKey(t), &dpop.Checker{MaxProofs: 4}
	for range 50 {
		err := checker.CheckKey(with(proofOf(t, newKey(t), "POST", target, access, "")), target, access, key.Thumbprint())
		if err == nil || !strings.Contains(err.Error(), "another key") {
			t.Fatal(err)
		}
	}
	if err := checker.CheckKey(with(proofOf(t, key, "POST", target, access, "")), target, access, key.Thumbprint()); err != nil {
		t.Error(err)
	}
	if err := checker.CheckKey(with(proofOf(t, key, "POST", target, access, "")), target, access, ""); err == nil {
		t.Error("a token that is bound to nothing passes")
	}
}

func TestNonces_Lifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := newKey(t)
		shared := []byte("the key that several servers have")
		one, two := &dpop.Checker{Nonces: &dpop.Nonces{Key: shared}}, &dpop.Checker{Nonces: &dpop.Nonces{Key: shared}}
		use := func(c *dpop.Checker, nonce string) error {
			_, err := c.Check(with(proofOf(t, key, "POST", target, access, nonce)), target, access)
			return err
		}
		for _, nonce := range []string{"", "x", strings.Repeat("A", 32), new(dpop.Nonces).Now()} {
			wrong, ok := errors.AsType[*dpop.Error](use(one, nonce))
			if !ok || wrong.Code != dpop.UseNonce || wrong.Nonce != one.Nonces.Now() {
				t.Errorf("with the nonce %q: %v", nonce, wrong)
			}
		}
		nonce := one.Nonces.Now()
		for i, tc := range []struct {
			after time.Duration
			good  bool
		}{{0, true}, {5 * time.Minute, true}, {5 * time.Minute, false}} {
			time.Sleep(tc.after)
			for _, c := range []*dpop.Checker{one, two} {
				if err := use(c, nonce); (err == nil) != tc.good {
					t.Errorf("%d: %v", i, err)
				}
			}
		}
		if one.Nonces.Now() == nonce {
			t.Error("it never changes")
		}
	})
}

func TestThumbprint(t *testing.T) {
	// RFC 7638 §3.1
	const example = `{"kty":"RSA","alg":"RS256","kid":"2011-04-29","e":"AQAB","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"}`
	key, err := jwk.Parse([]byte(example))
	if err != nil || key.Thumbprint() != "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs" {
		t.Errorf("%v, %v", key, err)
	}
}

func FuzzCheck(f *testing.F) {
	key := newKey(f)
	f.Add(proofOf(f, key, "POST", target, access, ""), access)
	f.Add("e30.e30.", "")
	f.Add("eyJhbGciOiJFUzI1NiIsInR5cCI6ImRwb3Arand0IiwiandrIjp7fX0.e30.AA", "x")
	f.Fuzz(func(t *testing.T, proof, token string) {
		var checker dpop.Checker
		thumbprint, err := checker.Check(&http.Request{Method: "POST", Header: http.Header{"Dpop": {proof}}}, target, token)
		if (thumbprint == "") != (err != nil) {
			t.Errorf("%q, %v", thumbprint, err)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	key := newKey(b)
	checker := &dpop.Checker{MaxProofs: 1 << 30}
	for b.Loop() {
		b.StopTimer()
		r := with(proofOf(b, key, "POST", target, access, ""))
		b.StartTimer()
		if _, err := checker.Check(r, target, access); err != nil {
			b.Fatal(err)
		}
	}
}
