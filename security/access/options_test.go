package access_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security/access"
)

func TestOptions_Check(t *testing.T) {
	for name, tc := range map[string]struct {
		options access.Options
		want    string // lines
	}{
		"nothing": {access.Options{}, ""},
		"everything": {access.Options{
			Allowed: []string{"cursor", "*"}, Tools: map[string]int{"a": 1}, Grants: map[string][]string{"ann": {"issues:*"}, "*": nil}, Default: []string{"*"},
		}, ""},
		"everything wrong": {access.Options{
			Allowed: []string{"cursor", " "}, Tools: map[string]int{"a": 0, "": 1}, Grants: map[string][]string{"bob": {"issues*"}, "ann": {"", "a b"}}, Default: []string{"é"},
		}, `the allowed client 2 has no name
the tool "" may be called 1 times
the tool "a" may be called 0 times
the permission "é" of clients without authentication
the permission "" of "ann"
the permission "a b" of "ann"
the permission "issues*" of "bob"`},
	} {
		err := tc.options.Check()
		if tc.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		got := strings.Split(err.Error(), "\n")
		want := strings.Split(tc.want, "\n")
		if len(got) != len(want) {
			t.Fatalf("%s: %q", name, got)
		}
		for i := range want {
			if !strings.HasPrefix(got[i], want[i]) {
				t.Errorf("%s: %s, want %s", name, got[i], want[i])
			}
		}
	}
}
