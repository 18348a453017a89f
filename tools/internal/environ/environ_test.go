package environ_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/environ"
)

func TestInherited(t *testing.T) {
	for name, value := range map[string]string{"APP_MODE": "a", "APP_TOKEN": "t", "OTHER": "o", "DOUGU_SECRET": "d", "APP_KIND": "hidden"} {
		t.Setenv(name, value)
	}
	secret := func(name, value string) bool { return strings.HasSuffix(name, "_TOKEN") || value == "hidden" }
	for _, tc := range []struct {
		patterns  []string
		has, lack []string
	}{
		{[]string{"*"}, []string{"APP_MODE=a", "OTHER=o"}, []string{"APP_TOKEN=t", "DOUGU_SECRET=d", "APP_KIND=hidden"}},
		{[]string{"APP_*"}, []string{"APP_MODE=a"}, []string{"OTHER=o", "APP_TOKEN=t"}},
		{[]string{"APP_TOKEN", "DOUGU_SECRET"}, []string{"APP_TOKEN=t"}, []string{"APP_MODE=a", "DOUGU_SECRET=d"}},
		{[]string{}, nil, []string{"APP_MODE=a", "OTHER=o"}},
	} {
		got, _ := environ.Inherited(tc.patterns, secret)
		for _, variable := range tc.has {
			if !slices.Contains(got, variable) {
				t.Errorf("%q lacks %s", tc.patterns, variable)
			}
		}
		for _, variable := range tc.lack {
			if slices.Contains(got, variable) {
				t.Errorf("%q has %s", tc.patterns, variable)
			}
		}
	}
}

func TestInherited_URLsWithPasswords(t *testing.T) {
	kept := map[string]string{
		"APP_URL": "https://host/path?a=b@c:d", "APP_USER": "ssh://git@host:22/x", "APP_MAIL": "a:b@host", "HTTPS_PROXY": "http://user:pw@proxy:3128",
		"npm_config_https_proxy": "http://user:pw@proxy:3128", "APP_EMPTY": "redis://:@host",
	}
	removed := map[string]string{
		"APP_DATABASE": "postgres://user:pw@host/db", "APP_CACHE": "redis://:pw@host:6379", "APP_ARGS": "--db mysql://u:p%40@h/d --x", "APP_TWO": "https://host https://u:p@host",
	}
	for _, all := range []map[string]string{kept, removed} {
		for name, value := range all {
			t.Setenv(name, value)
		}
	}
	none := func(string, string) bool { return false }
	env, names := environ.Inherited([]string{"APP_*", "*_PROXY", "npm_*"}, none)
	for name, value := range kept {
		if !slices.Contains(env, name+"="+value) {
			t.Errorf("%s is left out", name)
		}
	}
	if want := slices.Sorted(maps.Keys(removed)); !slices.Equal(names, want) {
		t.Errorf("removed are %q, want %q", names, want)
	}
	if env, names := environ.Inherited([]string{"APP_DATABASE"}, none); !slices.Contains(env, "APP_DATABASE="+removed["APP_DATABASE"]) || names != nil {
		t.Errorf("a variable that is named is removed: %q, %q", env, names)
	}
}

func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		name, value string
		want        error
	}{
		{"A", "b", nil}, {"A", "", nil}, {"", "b", environ.ErrMalformed}, {"A=B", "c", environ.ErrMalformed},
		{"A\x00", "b", environ.ErrMalformed}, {"A", "b\x00", environ.ErrMalformed}, {"dougu_x", "1", environ.ErrOwn},
	} {
		if err := environ.Check(tc.name, tc.value); !errors.Is(err, tc.want) {
			t.Errorf("%q=%q: %v, want %v", tc.name, tc.value, err, tc.want)
		}
	}
}
