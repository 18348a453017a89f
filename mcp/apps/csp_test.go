package apps_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/apps"
)

const nothing = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; media-src 'self' data:; " +
	"connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'; form-action 'none'"

func TestCSP_Policy(t *testing.T) {
	for want, csp := range map[string]apps.CSP{
		nothing: {},
		"default-src 'none'; script-src 'self' 'unsafe-inline' https://cdn.example.com https://*.example.org; style-src 'self' 'unsafe-inline' https://cdn.example.com https://*.example.org; " +
			"img-src 'self' data: https://cdn.example.com https://*.example.org; font-src 'self' https://cdn.example.com https://*.example.org; media-src 'self' data: https://cdn.example.com https://*.example.org; " +
			"connect-src https://api.example.com wss://live.example.com:8443; frame-src https://video.example; object-src 'none'; base-uri https://base.example; form-action 'none'": {
			Resource: []string{"https://CDN.example.com/", "https://*.example.org", "https://cdn.example.com"},
			Connect:  []string{"https://api.example.com", "wss://live.example.com:8443"},
			Frame:    []string{"https://video.example"}, BaseURI: []string{"https://base.example"},
		},
	} {
		if got := csp.Policy(); got != want {
			t.Errorf("the policy is\n%s, want\n%s", got, want)
		}
	}
}

func TestCSP_Origins(t *testing.T) {
	for _, source := range []string{
		"https://example.com", "http://localhost:3000", "https://127.0.0.1", "http://[::1]:80", "https://*.a.example", "wss://a", "https://xn--wgv71a.example", "https://a-b.c1",
	} {
		if granted, refused := (apps.CSP{Connect: []string{source}}).Granted(); len(refused) > 0 || !slices.Equal(granted.Connect, []string{source}) {
			t.Errorf("%q: %v, %v", source, granted.Connect, refused)
		}
	}
	for _, source := range []string{
		"", "*", "https:", "https://", "https://*", "https://*.com", "https://a.*", "example.com", "'self'", "'unsafe-eval'", "data:", "blob:", "ftp://a", "javascript://a", "https://a b", "https://a;script-src *",
		"https://a,https://b", "https://a/path", "https://a?x", "https://a#x", "https://u@a", "https://a:", "https://a:0", "https://a:65536", "https://a:*", "https://-a", "https://a..b", "https://日本", "https://a\n", "https://a'",
		"https://[::1", "https://[:]", "https://[127.0.0.1]", "https://[fe80::1%eth0]", "https://[a]", "https://[::1]x", "https://" + strings.Repeat("a", 300), "https://a//", "https://é.example",
	} {
		csp := apps.CSP{Connect: []string{source}, Resource: []string{source}, Frame: []string{source}, BaseURI: []string{source}}
		if granted, refused := csp.Granted(); len(refused) != 4 || csp.Policy() != nothing {
			t.Errorf("%q is granted: %v, %v", source, granted, refused)
		}
	}
	if _, refused := (apps.CSP{Frame: []string{"wss://a.example"}}).Granted(); len(refused) != 1 {
		t.Errorf("a frame may be at %v", refused)
	}
	many := slices.Repeat([]string{"https://a.example"}, 150)
	if granted, refused := (apps.CSP{Resource: many}).Granted(); len(refused) != 1 || len(granted.Resource) != 1 {
		t.Errorf("%d origins, %v", len(granted.Resource), refused)
	}
}

// directive matches the permitted directives of a policy.
var directive = regexp.MustCompile(`^[a-z-]+( ('none'|'self'|'unsafe-inline'|data:|(https?|wss?)://[^\s;,'"?#@/]+))+$`)

func FuzzPolicy(f *testing.F) {
	for _, seed := range []string{"https://a.example", "*", "https://a; script-src *", "https://[::1]:1", "http://[:]", "HTTPS://*.B.example/"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		csp := apps.CSP{Connect: []string{a}, Resource: []string{b}, Frame: []string{a, b}, BaseURI: []string{b, a}}
		policy := csp.Policy()
		parts := strings.Split(policy, "; ")
		for _, part := range parts {
			if !directive.MatchString(part) {
				t.Fatalf("%q and %q give the directive %q", a, b, part)
			}
		}
		if len(parts) != 11 || strings.Count(policy, "script-src") != 1 {
			t.Fatalf("%q and %q give %q", a, b, policy)
		}
		granted, _ := csp.Granted()
		for _, origin := range slices.Concat(granted.Connect, granted.Resource) {
			u, err := url.Parse(strings.Replace(origin, "*.", "", 1))
			if err != nil || u.Host == "" || u.Path != "" || u.User != nil {
				t.Fatalf("%q is no origin: %v", origin, err)
			}
		}
		if again, refused := granted.Granted(); len(refused) > 0 || again.Policy() != policy {
			t.Fatalf("what was granted is refused: %v", refused)
		}
	})
}
