package jwt_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/security/auth"
	authjwt "github.com/dougu-go/dougu/security/auth/jwt"
)

const issuerURL = "https://login.example.com/tenant"

// pages answers requests without a network: by URL, with JSON or with a status.
type pages struct {
	mu    sync.Mutex
	byURL map[string]any
	asked map[string]int
	hold  chan struct{} // blocks each request until it is closed
}

func (p *pages) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	p.asked[r.URL.String()]++
	answer, hold := p.byURL[r.URL.String()], p.hold
	p.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-r.Context().Done():
			return nil, context.Cause(r.Context())
		}
	}
	status, body := http.StatusOK, ""
	switch answer := answer.(type) {
	case nil:
		status = http.StatusNotFound
	case int:
		status = answer
	case string:
		body = answer
	case error:
		return nil, answer
	default:
		raw, err := json.Marshal(answer)
		if err != nil {
			return nil, err
		}
		body = string(raw)
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func (p *pages) set(url string, answer any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byURL[url] = answer
}

func (p *pages) count(url string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[url]
}

const (
	oauthPage = "https://login.example.com/.well-known/oauth-authorization-server/tenant"
	openID1   = "https://login.example.com/.well-known/openid-configuration/tenant"
	openID2   = "https://login.example.com/tenant/.well-known/openid-configuration"
	keysPage  = "https://keys.example.com/keys"
)

// offline is a verifier for an issuer that is made of pages.
func offline() (*authjwt.Verifier, *pages) {
	p := &pages{byURL: make(map[string]any), asked: make(map[string]int)}
	p.byURL[oauthPage] = map[string]string{"issuer": issuerURL, "jwks_uri": keysPage}
	return &authjwt.Verifier{Issuers: []string{issuerURL}, Audiences: []string{resource}, HTTP: &http.Client{Transport: p}}, p
}

// pair is a key with its name.
type pair struct {
	key *ecdsa.PrivateKey
	kid string
}

func newPair(t *testing.T, kid string) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return pair{key, kid}
}

func setOf(pairs ...pair) map[string]any {
	all := []any{}
	for _, p := range pairs {
		all = append(all, authtest.PublicKey(&p.key.PublicKey, p.kid))
	}
	return map[string]any{"keys": all}
}

func (p pair) token(t *testing.T, kid any) string {
	t.Helper()
	return authtest.Sign(t, jwt.SigningMethodES256, p.key, map[string]any{"kid": kid}, map[string]any{
		"iss": issuerURL, "sub": "alice", "aud": resource, "scope": "docs:read", "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	})
}

// A new key is found at once, and made-up names of keys do not make the issuer be asked
// for each of them.
func TestKeySet_Rotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, p := offline()
		old, next := newPair(t, "old"), newPair(t, "next")
		p.set(keysPage, setOf(old))
		check := func(token string, want error, asked int) {
			t.Helper()
			if _, err := v.Verify(t.Context(), token); !errors.Is(err, want) || p.count(keysPage) != asked {
				t.Errorf("%v, want %v; asked %d times, want %d", err, want, p.count(keysPage), asked)
			}
		}
		check(old.token(t, "old"), nil, 1)
		check(old.token(t, "old"), nil, 1)
		for range 100 {
			check(next.token(t, rand.Text()), auth.ErrInvalidToken, 1) // it was asked just now
		}
		p.set(keysPage, setOf(old, next))
		time.Sleep(61 * time.Second)
		check(next.token(t, "next"), nil, 2)
		check(old.token(t, "old"), nil, 2)
		for range 100 {
			check(next.token(t, rand.Text()), auth.ErrInvalidToken, 2)
		}
		p.set(keysPage, setOf(next)) // the old one is withdrawn
		check(old.token(t, "old"), nil, 2)
		time.Sleep(11 * time.Minute)
		check(old.token(t, "old"), auth.ErrInvalidToken, 3)
	})
}

// A token that counts is believed for a minute, until it expires, and by itself alone.
func TestVerifier_Cache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, p := offline()
		key := newPair(t, "1")
		p.set(keysPage, setOf(key))
		token := key.token(t, "1")
		for range 2 {
			g, err := v.Verify(t.Context(), token)
			if err != nil || g.Principal != issuerURL+"#alice" || g.Permissions[0] != "docs:read" {
				t.Fatalf("%+v, %v", g, err)
			}
			g.Principal, g.Permissions[0] = "root", "*" // it is the caller's own
		}
		if _, err := v.Verify(t.Context(), token[:len(token)-4]+"AAAA"); err == nil {
			t.Error("one that looks like it counts")
		}
		short := authtest.Sign(t, jwt.SigningMethodES256, key.key, map[string]any{"kid": "1"}, map[string]any{
			"iss": issuerURL, "sub": "alice", "client_id": "c", "aud": resource, "exp": time.Now().Add(10 * time.Second).Unix(),
		})
		for after, good := range []bool{true, true, true, true, false} { // 10 s, and 30 s between clocks
			if _, err := v.Verify(t.Context(), short); (err == nil) != good {
				t.Errorf("after %d s: %v", 10*after, err)
			}
			time.Sleep(10 * time.Second)
		}
		time.Sleep(11 * time.Minute)
		if _, err := v.Verify(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		p.set(keysPage, setOf(newPair(t, "2")))
		time.Sleep(12 * time.Minute)
		if _, err := v.Verify(t.Context(), token); !errors.Is(err, auth.ErrInvalidToken) {
			t.Errorf("its key was withdrawn: %v", err)
		}
	})
}

// While the issuer does not answer its keys are good for an hour; then nothing can be
// said of any token, which is another thing than that it does not count.
func TestKeySet_IssuerUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, p := offline()
		key := newPair(t, "1")
		verify := func() error { _, err := v.Verify(t.Context(), key.token(t, "1")); return err }
		for range 50 {
			if err := verify(); !errors.Is(err, auth.ErrUnavailable) || errors.Is(err, auth.ErrInvalidToken) {
				t.Fatalf("before it ever answered: %v", err)
			}
		}
		if n := p.count(keysPage); n != 1 {
			t.Errorf("it is asked %d times at once", n)
		}
		p.set(keysPage, setOf(key))
		time.Sleep(6 * time.Second)
		if err := verify(); err != nil {
			t.Fatal(err)
		}
		p.set(oauthPage, http.StatusServiceUnavailable)
		for minute := range 59 {
			time.Sleep(time.Minute)
			if err := verify(); err != nil {
				t.Fatalf("after %d minutes: %v", minute, err)
			}
		}
		time.Sleep(2 * time.Minute)
		if err := verify(); !errors.Is(err, auth.ErrUnavailable) {
			t.Errorf("after an hour: %v", err)
		}
		other := newPair(t, "2")
		if _, err := v.Verify(t.Context(), other.token(t, "2")); !errors.Is(err, auth.ErrUnavailable) {
			t.Errorf("a key that may be new: %v", err)
		}
	})
}

// Many that come at once make one request, and whoever gives up goes alone.
func TestKeySet_SharedFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, p := offline()
		key := newPair(t, "1")
		p.set(keysPage, setOf(key))
		p.hold = make(chan struct{})
		token := key.token(t, "1")
		errs := make(chan error, 21)
		first, leave := context.WithCancel(t.Context())
		for i := range 20 {
			ctx := t.Context()
			if i == 0 {
				ctx = first
			}
			go func() { _, err := v.Verify(ctx, token); errs <- err }()
			synctest.Wait()
		}
		leave() // one caller's cancellation does not end the fetch for others
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := v.Verify(impatient, token); !errors.Is(err, auth.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("who gives up: %v", err)
		}
		close(p.hold)
		for range 20 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if n := p.count(keysPage); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestKeySet_Timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, p := offline()
		p.hold = make(chan struct{})
		begin := time.Now()
		if _, err := v.Verify(t.Context(), newPair(t, "1").token(t, "1")); !errors.Is(err, auth.ErrUnavailable) || time.Since(begin) > time.Minute {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
	})
}

func TestKeySet_TokenWithoutKeyID(t *testing.T) {
	keys := []pair{newPair(t, "1"), newPair(t, "2"), newPair(t, "3"), newPair(t, "4"), newPair(t, "5")}
	for n, want := range map[int]string{1: "", 4: "", 5: "its issuer has many"} {
		v, p := offline()
		p.set(keysPage, setOf(keys[:n]...))
		if _, err := v.Verify(t.Context(), keys[n-1].token(t, nil)); (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("of %d keys: %v, want %q", n, err, want)
		}
	}
	// Of two keys of the same name the right one counts.
	v, p := offline()
	p.set(keysPage, setOf(pair{keys[0].key, "x"}, pair{keys[1].key, "x"}))
	if _, err := v.Verify(t.Context(), keys[1].token(t, "x")); err != nil {
		t.Errorf("the second of a name: %v", err)
	}
}

// The metadata has three well-known URLs and must name the issuer.
func TestKeySet_Discovery(t *testing.T) {
	key := newPair(t, "1")
	said := func(issuer, keys string) map[string]string {
		return map[string]string{"issuer": issuer, "jwks_uri": keys}
	}
	for name, tc := range map[string]struct {
		pages map[string]any
		fixed string
		want  string // in the error; empty: they are found
	}{
		"OAuth":                          {pages: map[string]any{oauthPage: said(issuerURL, keysPage)}},
		"OpenID Connect":                 {pages: map[string]any{openID1: said(issuerURL, keysPage)}},
		"OpenID Connect, behind":         {pages: map[string]any{openID2: said(issuerURL, keysPage)}},
		"the second, after a wrong one":  {pages: map[string]any{oauthPage: said("https://evil.example.com", keysPage), openID2: said(issuerURL, keysPage)}},
		"after one that fails":           {pages: map[string]any{oauthPage: 500, openID1: errors.New("broken"), openID2: said(issuerURL, keysPage)}},
		"a setting":                      {fixed: keysPage},
		"none":                           {want: "status 404"},
		"of another issuer":              {pages: map[string]any{oauthPage: said("https://login.example.com", keysPage)}, want: "metadata of another issuer"},
		"of the issuer with a slash":     {pages: map[string]any{oauthPage: said(issuerURL+"/", keysPage)}, want: "metadata of another issuer"},
		"of no issuer":                   {pages: map[string]any{oauthPage: map[string]string{"jwks_uri": keysPage}}, want: "metadata of another issuer"},
		"without keys":                   {pages: map[string]any{oauthPage: said(issuerURL, "")}, want: "no jwks_uri"},
		"with plain keys":                {pages: map[string]any{oauthPage: said(issuerURL, "http://keys.example.com/keys")}, want: "not encrypted"},
		"with keys in a file":            {pages: map[string]any{oauthPage: said(issuerURL, "file:///etc/passwd")}, want: "is not a URL"},
		"with keys in the text":          {pages: map[string]any{oauthPage: said(issuerURL, "data:application/json,{}")}, want: "is not a URL"},
		"with keys of a user":            {pages: map[string]any{oauthPage: said(issuerURL, "https://u:p@keys.example.com/keys")}, want: "has a user"},
		"no JSON":                        {pages: map[string]any{oauthPage: "<html>"}, want: "invalid character"},
		"endless metadata":               {pages: map[string]any{oauthPage: `{"x":"` + strings.Repeat("y", 300<<10)}, want: "larger than 262144 bytes"},
		"keys of no known kind":          {pages: map[string]any{oauthPage: said(issuerURL, keysPage), keysPage: map[string]any{"keys": []any{map[string]string{"kty": "oct", "k": "AAAA", "kid": "1"}}}}, want: "no key that can be used"},
		"no keys":                        {pages: map[string]any{oauthPage: said(issuerURL, keysPage), keysPage: map[string]any{}}, want: "no key that can be used"},
		"keys behind a redirection":      {pages: map[string]any{oauthPage: said(issuerURL, keysPage), keysPage: 302}, want: "status 302"},
		"among others that are not read": {pages: map[string]any{keysPage: map[string]any{"keys": []any{1, map[string]string{"kty": "LMS"}, authtest.PublicKey(&key.key.PublicKey, "1")}}}, fixed: keysPage},
	} {
		t.Run(name, func(t *testing.T) {
			v, p := offline()
			p.set(oauthPage, nil)
			p.set(keysPage, setOf(key))
			for url, answer := range tc.pages {
				p.set(url, answer)
			}
			if tc.fixed != "" {
				v.KeySets = map[string]string{issuerURL: tc.fixed}
			}
			_, err := v.Verify(t.Context(), key.token(t, "1"))
			if tc.want == "" && err != nil || tc.want != "" && (!errors.Is(err, auth.ErrUnavailable) || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

func TestKeySet_ManyKeys(t *testing.T) {
	v, p := offline()
	key := newPair(t, "last")
	var all []pair
	for i := range 150 {
		all = append(all, pair{key.key, strconv.Itoa(i)})
	}
	p.set(keysPage, setOf(append(all, key)...))
	if _, err := v.Verify(t.Context(), key.token(t, "last")); !errors.Is(err, auth.ErrInvalidToken) {
		t.Errorf("a key behind the 100th: %v", err)
	}
}

// A key URL in the metadata must not be a private address.
func TestKeySet_PrivateAddress(t *testing.T) {
	issuer, inside := authtest.New(t), authtest.New(t)
	v := &authjwt.Verifier{Issuers: []string{issuer.URL}, Audiences: []string{resource}}
	issuer.SetMetadata("jwks_uri", inside.URL+authtest.KeysPath)
	_, err := v.Verify(t.Context(), issuer.Token(resource, nil))
	if !errors.Is(err, auth.ErrUnavailable) || !strings.Contains(err.Error(), "not a public one") || inside.Requests(authtest.KeysPath) != 0 {
		t.Errorf("%v; %d requests", err, inside.Requests(authtest.KeysPath))
	}
	for _, address := range []string{"https://169.254.169.254/latest/meta-data", "https://[::ffff:10.0.0.1]/keys", "https://[64:ff9b::a00:1]/"} {
		other := authtest.New(t)
		other.SetMetadata("jwks_uri", address)
		v := &authjwt.Verifier{Issuers: []string{other.URL}, Audiences: []string{resource}}
		if _, err := v.Verify(t.Context(), other.Token(resource, nil)); !errors.Is(err, auth.ErrUnavailable) {
			t.Errorf("%s: %v", address, err)
		}
	}
	known := &authjwt.Verifier{Issuers: []string{issuer.URL}, Audiences: []string{resource}, KeySets: map[string]string{issuer.URL: issuer.URL + authtest.KeysPath}}
	if _, err := known.Verify(t.Context(), issuer.Token(resource, nil)); err != nil {
		t.Errorf("an issuer of this machine that was named: %v", err)
	}
}
