package oauth_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/dougu-go/dougu/security/auth/dpop"
	"github.com/dougu-go/dougu/security/oauth"
)

var _ oauth.Prover = (*dpop.Key)(nil)

// bound is a world whose tokens are bound to keys. Both servers want nonces, if nonces is set.
func bound(t *testing.T, nonces bool) (*world, *resource, *server, map[string]int) {
	w, rs, as := standard(t)
	as.metadata = map[string]any{"dpop_signing_alg_values_supported": []string{"ES256"}}
	proofs := make(map[string]int) // by their jti
	claims := func(r *http.Request) jwt.MapClaims {
		token, _, err := jwt.NewParser().ParseUnverified(r.Header.Get("DPoP"), jwt.MapClaims{})
		if err != nil {
			return nil
		}
		c := token.Claims.(jwt.MapClaims)
		proofs[c["jti"].(string)]++
		return c
	}
	as.token = func(_ url.Values, r *http.Request) (int, map[string]any) {
		proof := claims(r)
		if proof == nil || proof["htu"] != issuerURL+"/token" || proof["htm"] != "POST" {
			return 400, map[string]any{"error": "invalid_dpop_proof"}
		}
		if nonces && proof["nonce"] != "of-the-server" {
			return 400, map[string]any{"error": "use_dpop_nonce"}
		}
		body := as.issue([]string{"read"})
		body["token_type"] = "DPoP"
		return 200, body
	}
	w.hosts[issuerURL] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if nonces && r.URL.Path == "/token" {
			w.Header().Set("DPoP-Nonce", "of-the-server")
		}
		as.ServeHTTP(w, r)
	})
	rs.extra = func(w http.ResponseWriter, r *http.Request, _ string) bool {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "DPoP ")
		_, known := as.valid(token)
		proof := claims(r)
		w.Header().Set("DPoP-Nonce", "of-the-resource")
		switch {
		case !ok || !known || proof == nil || proof["ath"] == nil || proof["htu"] != resourceURL:
			w.Header().Del("DPoP-Nonce")
			w.Header().Set("WWW-Authenticate", "DPoP")
			w.WriteHeader(401)
		case nonces && proof["nonce"] != "of-the-resource":
			w.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce"`)
			w.WriteHeader(401)
		default:
			w.WriteHeader(200)
		}
		return true
	}
	return w, rs, as, proofs
}

// Tokens are bound to the key, and each request has a proof of its own with the nonce that the server wants (RFC 9449 §5, §7, §8).
func TestDPoP(t *testing.T) {
	key, err := dpop.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	for name, nonces := range map[string]bool{"without nonces": false, "with nonces": true} {
		t.Run(name, func(t *testing.T) {
			w, _, as, proofs := bound(t, nonces)
			client := w.client(func(c *oauth.Client) { c.DPoP, c.RequireDPoP = key, true })
			transport := client.Transport(resourceURL, w)
			for range 3 {
				if status, body := get(t, transport); status != 200 {
					t.Fatalf("%d: %s", status, body)
				}
			}
			if as.authorized[0].Get("dpop_jkt") != key.Thumbprint() {
				t.Errorf("authorization with %v", as.authorized[0])
			}
			want := 4 // one for the token, three for requests
			if nonces {
				want += 2
			}
			if len(proofs) != want {
				t.Errorf("%d proofs, want %d", len(proofs), want)
			}
			for id, n := range proofs {
				if n != 1 {
					t.Errorf("%s was used %d times", id, n)
				}
			}
		})
	}
}

// A token for one key is of no use with another, and no token without a key replaces it where one is required.
func TestDPoP_BearerTokenRefused(t *testing.T) {
	first, err := dpop.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	second, err := dpop.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	w, _, as, _ := bound(t, false)
	store := new(oauth.Memory)
	for i, key := range []*dpop.Key{first, first, second} {
		client := w.client(func(c *oauth.Client) { c.DPoP, c.Store = key, store })
		if status, body := get(t, client.Transport(resourceURL, w)); status != 200 {
			t.Fatalf("%d: %d: %s", i, status, body)
		}
	}
	if len(as.authorized) != 2 {
		t.Errorf("%d logins", len(as.authorized))
	}
	for name, tc := range map[string]struct {
		metadata, resource map[string]any
		key                oauth.Prover
		require            bool
		wantErr            string
	}{
		"a server that knows nothing of it": {key: first, require: true, wantErr: "not bound to the client's key"},
		"a server that does not keep to it": {metadata: map[string]any{"dpop_signing_alg_values_supported": []string{"ES256"}}, key: first, require: true, wantErr: "not bound to the client's key"},
		"a resource that insists":           {resource: map[string]any{"dpop_bound_access_tokens_required": true}, key: first, wantErr: "not bound to the client's key"},
		"a resource that insists, no key":   {resource: map[string]any{"dpop_bound_access_tokens_required": true}, wantErr: "Client.DPoP"},
		"no key":                            {require: true, wantErr: "not bound to the client's key"},
		"where it may be had":               {key: first},
	} {
		t.Run(name, func(t *testing.T) {
			w, rs, as := standard(t)
			as.metadata, rs.metadata = tc.metadata, tc.resource
			client := w.client(func(c *oauth.Client) { c.DPoP, c.RequireDPoP = tc.key, tc.require })
			status, said := get(t, client.Transport(resourceURL, w))
			if (status == 200) != (tc.wantErr == "") || !strings.Contains(said, tc.wantErr) {
				t.Errorf("%d: %s", status, said)
			}
		})
	}
}
