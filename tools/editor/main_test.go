package editor_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets a test run this program again as another process.
func TestMain(m *testing.M) {
	if dir := os.Getenv("DOUGU_TEST_EDITOR"); dir != "" {
		fmt.Fprintln(os.Stderr, editUntilKilled(dir, os.Getenv("DOUGU_TEST_STATE")))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}
