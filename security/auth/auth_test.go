package auth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
)

const (
	alice = "alice-has-a-long-token"
	bob   = "Ym9iLWhhcy1hLWxvbmctdG9rZW4=="
)

func tokens(t testing.TB) *auth.Tokens {
	t.Helper()
	set, err := auth.ParseTokens("# who may\nalice=" + alice + "\n bob=" + bob + ", bob=another-token-of-bobs\n")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestTokens_Verify(t *testing.T) {
	set := tokens(t)
	for token, want := range map[string]string{
		alice: "alice", bob: "bob", "another-token-of-bobs": "bob",
		"": "", "alice": "", alice + "x": "", alice[:len(alice)-1]: "", strings.ToUpper(alice): "", strings.Repeat("x", 1<<20): "",
	} {
		if got, ok := set.Verify(token); got != want || ok != (want != "") {
			t.Errorf("%.40q is %q, %v; want %q", token, got, ok, want)
		}
	}
	for _, text := range []string{alice, bob} {
		if set, err := auth.ParseTokens(text); err != nil {
			t.Error(err)
		} else if who, ok := set.Verify(text); who != "client" || !ok {
			t.Errorf("a token without a name is of %q, %v", who, ok)
		}
	}
	for name, none := range map[string]*auth.Tokens{"zero": {}, "nil": nil} {
		if who, ok := none.Verify(alice); ok || who != "" {
			t.Errorf("the %s value accepts a token of %q", name, who)
		}
	}
}

func TestParseTokens_Errors(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"nothing":                {"", "no token"},
		"a comment alone":        {"# alice=" + alice, "no token"},
		"a short one, no name":   {"secret==", "at least 16"},
		"an empty name":          {"=" + alice, "name of a principal"},
		"a short token":          {"alice=secret", "at least 16"},
		"one that is no token":   {"alice=" + alice + "é", "character other than"},
		"one of padding":         {"alice=================", "character other than"},
		"an endless one":         {"alice=" + strings.Repeat("x", 5000), "too long"},
		"the same for two":       {"alice=" + alice + ",bob=" + alice, "same token"},
		"too many":               {many(5000), "more than 4096"},
		"an error after a token": {"alice=" + alice + ",bob=x", `"bob"`},
	} {
		set, err := auth.ParseTokens(tc.text)
		if err == nil || !strings.Contains(err.Error(), tc.want) || set != nil {
			t.Errorf("%s: %v, %v; want an error with %q", name, set, err, tc.want)
		}
		if err != nil && strings.Contains(err.Error(), alice) {
			t.Errorf("%s: the error shows a token: %v", name, err)
		}
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "user=token-number-%08d\n", i)
	}
	return b.String()
}

func TestTokens_Wrap(t *testing.T) {
	var seen *http.Request
	handler := tokens(t).Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r
		w.WriteHeader(http.StatusNoContent)
	}))
	for name, tc := range map[string]struct {
		headers   []string
		url       string
		principal string
		challenge string
	}{
		"a token":                 {headers: []string{"Bearer " + alice}, principal: "alice"},
		"in any case":             {headers: []string{"bEARER  " + bob + " "}, principal: "bob"},
		"none":                    {challenge: `Bearer realm="mcp"`},
		"an unknown one":          {headers: []string{"Bearer unknown-unknown-unknown"}, challenge: `Bearer realm="mcp", error="invalid_token"`},
		"another scheme":          {headers: []string{"Basic " + alice}, challenge: `Bearer realm="mcp", error="invalid_token"`},
		"no scheme":               {headers: []string{alice}, challenge: `Bearer realm="mcp", error="invalid_token"`},
		"two, both right":         {headers: []string{"Bearer " + alice, "Bearer " + alice}, challenge: `Bearer realm="mcp", error="invalid_token"`},
		"two in one":              {headers: []string{"Bearer " + alice + " " + bob}, challenge: `Bearer realm="mcp", error="invalid_token"`},
		"an empty one":            {headers: []string{"Bearer "}, challenge: `Bearer realm="mcp", error="invalid_token"`},
		"an endless one":          {headers: []string{"Bearer " + strings.Repeat("x", 60<<10)}, challenge: `Bearer realm="mcp", error="invalid_token"`},
		"in the query of the URL": {url: "?access_token=" + alice, challenge: `Bearer realm="mcp"`},
	} {
		t.Run(name, func(t *testing.T) {
			seen = nil
			r := httptest.NewRequest(http.MethodPost, "/mcp"+tc.url, nil)
			for _, h := range tc.headers {
				r.Header.Add("Authorization", h)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if tc.challenge != "" {
				if w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") != tc.challenge || seen != nil {
					t.Errorf("status %d, challenge %q, passed %v; want 401 and %q", w.Code, w.Header().Get("WWW-Authenticate"), seen != nil, tc.challenge)
				}
				return
			}
			if w.Code != http.StatusNoContent || protocol.PrincipalFrom(seen.Context()) != tc.principal {
				t.Fatalf("status %d, principal %q; want %q", w.Code, protocol.PrincipalFrom(seen.Context()), tc.principal)
			}
			if seen.Header.Get("Authorization") != "" || r.Header.Get("Authorization") == "" {
				t.Error("the token reaches the handler, or was taken from the caller's request")
			}
		})
	}
}

func ExampleTokens_Wrap() {
	set, err := auth.NewTokens("alice", "a-token-that-nobody-guesses")
	if err != nil {
		fmt.Println(err)
		return
	}
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "Hello, ", protocol.PrincipalFrom(r.Context()))
	})
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer a-token-that-nobody-guesses")
	w := httptest.NewRecorder()
	set.Wrap(hello).ServeHTTP(w, r)
	fmt.Println(w.Code, w.Body)
	// Output: 200 Hello, alice
}
