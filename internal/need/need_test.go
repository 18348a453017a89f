package need_test

import (
	"fmt"
	"testing"

	"github.com/dougu-go/dougu/internal/need"
)

// listener is a test that goes on when it is told to end.
type listener struct {
	testing.TB
	said string
}

func (l *listener) Helper() {}
func (l *listener) Fatalf(format string, args ...any) {
	l.said = "failed: " + fmt.Sprintf(format, args...)
}
func (l *listener) Skipf(format string, args ...any) {
	l.said = "skipped: " + fmt.Sprintf(format, args...)
}

func TestThing(t *testing.T) {
	for _, tc := range []struct {
		there   bool
		require string
		want    string
	}{
		{true, "", ""},
		{true, "1", ""},
		{false, "", "skipped: tea is missing: boil some"},
		{false, "1", "failed: tea is missing and DOUGU_REQUIRE_ALL is 1: boil some"},
	} {
		t.Setenv("DOUGU_REQUIRE_ALL", tc.require)
		l := &listener{TB: t}
		need.Thing(l, tc.there, "tea", "boil some")
		if l.said != tc.want {
			t.Errorf("there %v, required %q: %q, want %q", tc.there, tc.require, l.said, tc.want)
		}
	}
}
