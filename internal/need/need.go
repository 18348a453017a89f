// Package need says what a test cannot do without.
package need

import (
	"os"
	"testing"
)

// Thing skips a test that lacks something, and says how to get it. Where
// everything has to be there, DOUGU_REQUIRE_ALL=1, it fails the test.
func Thing(t testing.TB, there bool, what, remedy string) {
	t.Helper()
	switch {
	case there:
	case os.Getenv("DOUGU_REQUIRE_ALL") == "1":
		t.Fatalf("%s is missing and DOUGU_REQUIRE_ALL is 1: %s", what, remedy)
	default:
		t.Skipf("%s is missing: %s", what, remedy)
	}
}
