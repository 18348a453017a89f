package testdiff_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testdiff"
)

func TestDiff(t *testing.T) {
	type hidden struct{ a, b int }
	for _, tc := range []struct {
		want, got any
		shown     string
	}{
		{[]string{"a"}, []string{"a"}, ""},
		{[]string{}, []string(nil), "null"},
		{1, int64(1), "int64 1"},
		{&hidden{1, 2}, &hidden{1, 2}, ""},
		{hidden{1, 2}, hidden{1, 3}, "b:3"},
		{map[string]int{"a": 1}, map[string]int{"a": 2}, `"a": 2`},
	} {
		got := testdiff.Diff(tc.want, tc.got)
		if (got == "") != (tc.shown == "") || !strings.Contains(got, tc.shown) {
			t.Errorf("%#v and %#v: %q", tc.want, tc.got, got)
		}
	}
}
