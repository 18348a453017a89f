package testrequire_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
)

// recorder is a test that keeps how it ended.
type recorder struct {
	testing.TB
	end string
}

func (r *recorder) Helper() {}
func (r *recorder) Fatalf(format string, args ...any) {
	r.end = "failed: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}
func (r *recorder) Skipf(format string, args ...any) {
	r.end = "skipped: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// end returns how a test ends that calls f.
func end(t *testing.T, f func(testing.TB)) string {
	r := &recorder{TB: t}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f(r)
	}()
	<-ended
	return r.end
}

func TestThingAndDeep_ByLevel(t *testing.T) {
	for _, tc := range []struct {
		level       string
		there       bool
		thing, deep string
	}{
		{"", true, "", ""},
		{"", false, "skipped: tea is missing: boil some", "skipped: tea is missing: boil some"},
		{"fast", true, "", "skipped: tea belongs to the deep level"},
		{"fast", false, "failed: tea is missing and DOUGU_LEVEL is fast: boil some", "skipped: tea belongs to the deep level"},
		{"deep", true, "", ""},
		{"deep", false, "failed: tea is missing and DOUGU_LEVEL is deep: boil some", "failed: tea is missing and DOUGU_LEVEL is deep: boil some"},
	} {
		t.Setenv("DOUGU_LEVEL", tc.level)
		if got := end(t, func(t testing.TB) { testrequire.Thing(t, tc.there, "tea", "boil some") }); got != tc.thing {
			t.Errorf("Thing, level %q, there %v: %q, want %q", tc.level, tc.there, got, tc.thing)
		}
		if got := end(t, func(t testing.TB) { testrequire.Deep(t, tc.there, "tea", "boil some") }); got != tc.deep {
			t.Errorf("Deep, level %q, there %v: %q, want %q", tc.level, tc.there, got, tc.deep)
		}
	}
}
