package environ_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/environ"
)

func TestInherited(t *testing.T) {
	for name, value := range map[string]string{"APP_MODE": "a", "APP_TOKEN": "t", "OTHER": "o", "DOUGU_SECRET": "d"} {
		t.Setenv(name, value)
	}
	secret := func(name string) bool { return strings.HasSuffix(name, "_TOKEN") }
	for _, tc := range []struct {
		patterns  []string
		has, lack []string
	}{
		{[]string{"*"}, []string{"APP_MODE=a", "OTHER=o"}, []string{"APP_TOKEN=t", "DOUGU_SECRET=d"}},
		{[]string{"APP_*"}, []string{"APP_MODE=a"}, []string{"OTHER=o", "APP_TOKEN=t"}},
		{[]string{"APP_TOKEN", "DOUGU_SECRET"}, []string{"APP_TOKEN=t"}, []string{"APP_MODE=a", "DOUGU_SECRET=d"}},
		{[]string{}, nil, []string{"APP_MODE=a", "OTHER=o"}},
	} {
		got := environ.Inherited(tc.patterns, secret)
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
