package phrase_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

func TestToken_Short(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"": "nothing", `{"a":1}`: "an object", `[1]`: "an array", `1.50`: "1.50", `"a"`: `"a"`, "\"\xff\"": "\"\uFFFD\"",
		`"` + strings.Repeat("x", 50) + `"`: `"` + strings.Repeat("x", 35) + `…"`,
		strings.Repeat("1", 50):             strings.Repeat("1", 36) + "…",
		`"` + strings.Repeat("日", 50) + `"`: `"` + strings.Repeat("日", 11) + `…"`,
	} {
		if got := phrase.Token([]byte(raw)); got != want {
			t.Errorf("Token(%s) = %s, want %s", raw, got, want)
		}
	}
	if got := phrase.TokenWithin([]byte(`"`+strings.Repeat("x", 200)+`"`), 100); len(got) > 105 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

func TestOneOf(t *testing.T) {
	t.Parallel()
	many := slices.Repeat([][]byte{[]byte("1")}, 14)
	for _, tc := range []struct {
		raws [][]byte
		want string
	}{
		{many[:1], "1"},
		{[][]byte{[]byte(`"a"`), []byte(`{}`)}, `one of "a", an object`},
		{many, "one of " + strings.TrimSuffix(strings.Repeat("1, ", 12), ", ") + " or 2 others"},
	} {
		if got := phrase.OneOf(tc.raws); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}

func TestMember_Item(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ path, name, want string }{
		{"", "a", "a"}, {"a", "b", "a.b"}, {"a", "", `a[""]`}, {"", "b c", `["b c"]`}, {"a", "b.c", `a["b.c"]`}, {"a", `"`, `a["\""]`},
		{"a", strings.Repeat("x", 65), `a["` + strings.Repeat("x", 35) + `…"]`},
	} {
		if got := phrase.Member(tc.path, tc.name); got != tc.want {
			t.Errorf("Member(%q, %q) = %s, want %s", tc.path, tc.name, got, tc.want)
		}
	}
	if got := phrase.Item("a", 2); got != "a[2]" {
		t.Errorf("got %s", got)
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		n          int
		what, want string
	}{{1, "item", "1 item"}, {0, "item", "0 items"}, {2, "property", "2 properties"}, {1, "property", "1 property"}} {
		if got := phrase.Count(tc.n, tc.what); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"plain": "plain", "a\nb\x00c\u0085": "a b c "} {
		if got := phrase.OneLine(in); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestMustBe(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		types []string
		want  string
	}{
		{nil, "is not allowed"},
		{[]string{"integer"}, "must be an integer"},
		{[]string{"null", "number", "integer", "string"}, "must be a string or a number or null"},
		{[]string{"object", "array", "boolean"}, "must be true or false or an array or an object"},
	} {
		if got := phrase.MustBe(func(name string) bool { return slices.Contains(tc.types, name) }); got != tc.want {
			t.Errorf("%v: got %s, want %s", tc.types, got, tc.want)
		}
	}
}
