// Package testrequire skips or fails tests that lack a program, a permission or a feature of the system.
//
// The environment variable DOUGU_LEVEL says which level of .ci/run the tests belong to:
//
//   - unset: a test that lacks something is skipped and says how to get it.
//   - fast: [Thing] fails a test that lacks something; [Deep] skips every test that calls it.
//   - deep: [Thing] and [Deep] fail a test that lacks something.
package testrequire

import (
	"os"
	"testing"
)

const levelVariable = "DOUGU_LEVEL"

// Thing skips a test if a requirement is missing, with the remedy as a message. In the levels fast and deep it fails
// the test instead. The message begins with the name of the requirement and "is missing".
func Thing(t testing.TB, there bool, what, remedy string) {
	t.Helper()
	switch level := os.Getenv(levelVariable); {
	case there:
	case level != "":
		t.Fatalf("%s is missing and %s is %s: %s", what, levelVariable, level, remedy)
	default:
		t.Skipf("%s is missing: %s", what, remedy)
	}
}

// Deep is like [Thing] for things that only the deep level installs, like editors and language servers. The fast level skips
// the test even if they are there.
func Deep(t testing.TB, there bool, what, remedy string) {
	t.Helper()
	if os.Getenv(levelVariable) == "fast" {
		t.Skipf("%s belongs to the deep level", what)
	}
	Thing(t, there, what, remedy)
}
