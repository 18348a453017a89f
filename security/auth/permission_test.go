package auth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testdiff"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
)

const third = "a-third-token-that-is-long"

func TestPermits_Patterns(t *testing.T) {
	for given, tc := range map[string]struct{ has, lacks string }{
		"":                         {"", "a issues:write *"},
		"issues:write":             {"issues:write", "issues issues:read issues:write:all * issues:*"},
		"issues:*":                 {"issues:write issues: issues:a:b", "issues docs:read *"},
		"docs:read issues:write":   {"docs:read issues:write", "docs:write"},
		"*":                        {"a issues:write *", ""},
		"iss*":                     {"iss*", "issues:write"}, // no pattern: it is not after a colon
		"issues:write issues:read": {"issues:read", "issues:rea"},
	} {
		for needed, want := range map[string]bool{tc.has: true, tc.lacks: false} {
			for p := range strings.FieldsSeq(needed) {
				if got := auth.Permits(strings.Fields(given), p); got != want {
					t.Errorf("%q permits %q: %v, want %v", given, p, got, want)
				}
			}
		}
	}
}

func TestTokens_Permissions(t *testing.T) {
	set, err := auth.ParseTokens("alice=" + alice + "[issues:write, docs:read\tdocs:read],bob=" + bob + "[]\n" + third + "[issues:*] carol=carols-token-has-no-limit")
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]struct {
		principal   string
		limited     bool
		permissions []string
	}{
		alice: {"alice", true, []string{"docs:read", "issues:write"}}, bob: {"bob", true, nil}, third: {"client", true, []string{"issues:*"}},
		"carols-token-has-no-limit": {"carol", false, nil}, "unknown-unknown-unknown": {"", false, nil},
		alice + "[issues:write]": {"", false, nil}, "": {"", false, nil},
	} {
		principal, _ := set.Verify(token)
		permissions, limited := set.Permissions(token)
		if principal != want.principal || limited != want.limited || !slices.Equal(permissions, want.permissions) {
			t.Errorf("%q is %q with %v, limited %v; want %+v", token, principal, permissions, limited, want)
		}
	}
	want := map[string][]string{"alice": {"docs:read", "issues:write"}, "bob": {}, "client": {"issues:*"}, "carol": {"*"}}
	if diff := testdiff.Diff(want, set.Grants()); diff != "" {
		t.Errorf("grants, want - got +:\n%s", diff)
	}
	for name, none := range map[string]*auth.Tokens{"zero": {}, "nil": nil} {
		if _, limited := none.Permissions(alice); limited || len(none.Grants()) != 0 {
			t.Errorf("the %s value has grants", name)
		}
	}
}

// A principal without a token has the permissions that all of its tokens have.
func TestTokens_GrantsOfSeveralTokens(t *testing.T) {
	for permissions, want := range map[[2]string][]string{
		{"[a,b]", "[b,c]"}:                     {"b"},
		{"[a]", ""}:                            {"a"},
		{"", "[a]"}:                            {"a"},
		{"", ""}:                               {"*"},
		{"[]", ""}:                             {},
		{"[a]", "[b]"}:                         {},
		{"[issues:*]", "[issues:write,other]"}: {"issues:write"},
		{"[issues:a:*]", "[issues:*]"}:         {"issues:a:*"},
		{"[*]", "[a:*]"}:                       {"a:*"},
	} {
		set, err := auth.ParseTokens("a=" + alice + permissions[0] + " a=" + third + permissions[1])
		if err != nil {
			t.Fatal(err)
		}
		if got := set.Grants()["a"]; !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", permissions, got, want)
		}
	}
}

func TestParseTokens_InvalidPermissions(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"no end":                  {"alice=" + alice + "[issues:write", "end with ]"},
		"an end too early":        {"alice=" + alice + "[issues:write]x", "end with ]"},
		"two lists":               {"alice=" + alice + "[a][b]", "alone"},
		"over the end of a line":  {"alice=" + alice + "[issues:write,\ndocs:read]", "end with ]"},
		"what is no name":         {"alice=" + alice + "[issues=write]", "letters"},
		"another pattern":         {"alice=" + alice + "[issues*]", "after a colon"},
		"a pattern in the middle": {"alice=" + alice + "[a:*:b]", "letters"},
		"an endless one":          {"alice=" + alice + "[" + strings.Repeat("x", 200) + "]", "1 to 128"},
		"too many":                {"alice=" + alice + "[" + strings.Repeat("x,", 100) + "]", "more than 64"},
		"no token":                {"alice=[issues:write]", "at least 16"},
		"a bracket alone":         {"[a]", "at least 16"},
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

func FuzzParseTokens(f *testing.F) {
	for _, seed := range []string{"alice=" + alice, "a=" + alice + "[x],b=" + bob + "[]", "[", "]", "a=[[]]", "# x\n" + third + "[*]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set, err := auth.ParseTokens(text)
		if (set == nil) != (err != nil) {
			t.Fatalf("%v, %v", set, err)
		}
		for principal, permissions := range set.Grants() {
			for _, p := range permissions {
				if err := auth.CheckPermission(p); err != nil {
					t.Errorf("%q was given %q: %v", principal, p, err)
				}
			}
		}
	})
}

func ExampleTokens_Permissions() {
	set, err := auth.ParseTokens("alice=a-token-that-nobody-guesses[issues:write]")
	if err != nil {
		fmt.Println(err)
		return
	}
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		permissions, _ := protocol.PermissionsFrom(r.Context())
		fmt.Fprint(w, protocol.PrincipalFrom(r.Context()), " may ", permissions)
	})
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer a-token-that-nobody-guesses")
	w := httptest.NewRecorder()
	set.Wrap(hello).ServeHTTP(w, r)
	fmt.Println(w.Body)
	// Output: alice may [issues:write]
}
