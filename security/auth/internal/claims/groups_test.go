package claims_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSet_Groups(t *testing.T) {
	long := strings.Repeat("x", 257)
	for _, tc := range []struct {
		claims string
		paths  []string
		want   []string
	}{
		{`{"groups":["a","b"],"roles":"c"}`, nil, []string{"a", "b", "c"}},
		{`{"realm_access":{"roles":["a"]},"groups":["b"]}`, []string{"realm_access.roles"}, []string{"a"}},
		{`{"a":{"b":{"c":"d"}}}`, []string{"a.b.c"}, []string{"d"}},
		{`{"https://example.com/roles":["a"]}`, []string{"https://example.com/roles"}, []string{"a"}},
		{`{"a.b":["whole"],"a":{"b":["nested"]}}`, []string{"a.b"}, []string{"whole"}},
		{`{"groups":{"a":1},"roles":[1,"b"]}`, nil, nil},
		{`{"groups":["","` + long + `","a"]}`, nil, []string{"a"}},
		{`{"groups":null}`, nil, nil}, {`{}`, nil, nil}, {`{"groups":["a"]}`, []string{}, nil}, {`{"a":"b"}`, []string{"a.b", ".", ""}, nil},
	} {
		if got := set(t, tc.claims).Groups(tc.paths); !slices.Equal(got, tc.want) {
			t.Errorf("the groups of %.80s at %q are %q, want %q", tc.claims, tc.paths, got, tc.want)
		}
	}
	var many []string
	for i := range 2000 {
		many = append(many, fmt.Sprintf("%q", fmt.Sprint("group ", i)))
	}
	if got := len(set(t, `{"groups":[`+strings.Join(many, ",")+`]}`).Groups(nil)); got != 1024 {
		t.Errorf("%d groups of 2000 count, want 1024", got)
	}
}

func TestSet_NoAccessToken(t *testing.T) {
	for claims, want := range map[string]string{
		`{"at_hash":"x"}`: "an ID token", `{"c_hash":"x"}`: "an ID token", `{"typ":"ID"}`: "an ID token", `{"token_use":"id"}`: "an ID token",
		`{"typ":"Refresh"}`: "a refresh token", `{"typ":"Offline"}`: "a refresh token", `{"events":{}}`: "a logout token",
		`{"typ":"Bearer"}`: "", `{"token_use":"access"}`: "", `{"typ":5}`: "", `{}`: "",
	} {
		if got := set(t, claims).OtherKind(); got != want {
			t.Errorf("%s is %q, want %q", claims, got, want)
		}
	}
}
