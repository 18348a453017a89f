// Package testfault tests a conformance kit with faulty implementations. The kit fails the test that runs it, so that each fault
// runs in a process of its own: the same test program with a fault in its environment.
package testfault

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// variable is the environment variable with the fault.
const variable = "DOUGU_TEST_FAULT"

// Selected returns the fault of this process. It skips the test in the process that the user has started.
func Selected(t *testing.T) string {
	t.Helper()
	fault := os.Getenv(variable)
	if fault == "" {
		t.Skip("another test runs this one in a process of its own")
	}
	return fault
}

// Expect runs the tests that pattern selects (the flag -test.run) in another process with a fault. They must fail with a message.
func Expect(t *testing.T, fault, pattern, message string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+pattern, "-test.timeout=5m")
	cmd.Env = append(os.Environ(), variable+"="+fault, "GORACE=atexit_sleep_ms=0")
	output, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(output), message) {
		t.Errorf("%v: %q is not in the output\n%s", err, message, output)
	}
}
