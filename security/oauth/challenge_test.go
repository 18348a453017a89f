package oauth

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestReadChallenge(t *testing.T) {
	for name, tc := range map[string]struct {
		headers  []string
		metadata string
		scopes   string // "-" for none said
		code     string
		foreign  bool
	}{
		"nothing":                    {nil, "", "-", "", false},
		"a scheme alone":             {[]string{"Bearer"}, "", "-", "", false},
		"all":                        {[]string{`Bearer realm="x", error="invalid_token", scope="a b", resource_metadata="https://h/x"`}, "https://h/x", "a b", "invalid_token", false},
		"without quotes":             {[]string{`Bearer resource_metadata=https://h/x?a=b, error=invalid_token`}, "https://h/x?a=b", "-", "invalid_token", false},
		"in any letters":             {[]string{`BEARER Resource_Metadata = "https://h/x"`}, "https://h/x", "-", "", false},
		"with escapes":               {[]string{`Bearer error_description="say \"hi\", bye", error="x"`}, "", "-", "x", false},
		"an empty scope":             {[]string{`Bearer scope=""`}, "", "", "", false},
		"DPoP":                       {[]string{`DPoP error="use_dpop_nonce", algs="ES256"`}, "", "-", "use_dpop_nonce", false},
		"several in one":             {[]string{`Basic realm="a", DPoP algs="ES256", Bearer scope="a", resource_metadata="https://h/x"`}, "https://h/x", "a", "", false},
		"several headers":            {[]string{`DPoP error="invalid_token"`, `Bearer error="other", scope="b"`}, "", "b", "invalid_token", false},
		"the same twice":             {[]string{`Bearer scope="a", scope="b"`}, "", "a", "", false},
		"others alone":               {[]string{`Basic realm="x"`, "Negotiate"}, "", "-", "", true},
		"a token of another":         {[]string{`Negotiate YWJj==, Bearer scope="a"`}, "", "a", "", false},
		"a quote that does not end":  {[]string{`Bearer scope="a b`}, "", "-", "", false},
		"something else":             {[]string{`,,, ;;`}, "", "-", "", false},
		"a parameter before schemes": {[]string{`scope="a"`}, "", "-", "", true},
		"too much":                   {[]string{"Bearer x=" + strings.Repeat("y", 20<<10)}, "", "-", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			c := readChallenge(http.Header{"Www-Authenticate": tc.headers})
			scopes := strings.Join(c.scopes, " ")
			if c.scopes == nil {
				scopes = "-"
			}
			if c.metadata != tc.metadata || scopes != tc.scopes || c.code != tc.code || c.otherSchemes != tc.foreign {
				t.Errorf("%+v", c)
			}
		})
	}
}

func FuzzReadChallenge(f *testing.F) {
	for _, seed := range []string{`Bearer scope="a b", error=x`, `Negotiate a==, DPoP algs="ES256"`, `,="`, `a=b c d=e`, `Bearer "\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := readChallenge(http.Header{"Www-Authenticate": {text}})
		if len(c.metadata)+len(c.code) > len(text) || len(c.scopes) > maxScopes {
			t.Errorf("%q is %+v", text, c)
		}
		if slices.ContainsFunc(c.scopes, func(s string) bool { return !isScope(s) }) {
			t.Errorf("%q has the scopes %q", text, c.scopes)
		}
	})
}
