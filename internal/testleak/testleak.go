// Package testleak fails tests that leave goroutines behind.
package testleak

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// patience is how long goroutines may take to end after a test.
const patience = 2 * time.Second

// Main runs the tests of a package and fails if goroutines are left after the last of them:
//
//	func TestMain(m *testing.M) { testleak.Main(m) }
func Main(m *testing.M) {
	code := m.Run()
	if left := await(nil); code == 0 && len(left) > 0 {
		fmt.Fprintf(os.Stderr, "%d goroutines are left after the tests:\n\n%s\n", len(left), strings.Join(left, "\n\n"))
		code = 1
	}
	os.Exit(code)
}

// Check fails a test if goroutines that did not run at the call of Check are left at the end of the test. A test that calls it does
// not run in parallel with others.
func Check(t testing.TB) {
	t.Helper()
	before := make(map[string]bool)
	for _, g := range goroutines() {
		before[identity(g)] = true
	}
	t.Cleanup(func() {
		if left := await(before); len(left) > 0 {
			t.Errorf("%d goroutines are left:\n\n%s", len(left), strings.Join(left, "\n\n"))
		}
	})
}

// await returns the goroutines that are not known before and do not end in time.
func await(before map[string]bool) []string {
	deadline := time.Now().Add(patience)
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		var left []string
		for _, g := range goroutines() {
			if !before[identity(g)] {
				left = append(left, g)
			}
		}
		if len(left) == 0 || time.Now().After(deadline) {
			return left
		}
		time.Sleep(pause)
	}
}

// identity returns the beginning of a stack up to the state: "goroutine 7".
func identity(stack string) string {
	name, _, _ := strings.Cut(stack, " [")
	return name
}

// goroutines returns the stacks of all goroutines but the calling one and the ones of the runtime and of package testing.
func goroutines() []string {
	buf := make([]byte, 1<<16)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	var all []string
	for i, stack := range strings.Split(strings.TrimSpace(string(buf)), "\n\n") {
		if i > 0 && !isOfRuntime(stack) {
			all = append(all, stack)
		}
	}
	return all
}

// kept are the beginnings of the stacks of goroutines that the runtime, package testing and package os/signal keep.
var kept = []string{
	"testing.RunTests(", "testing.runFuzzing(", "testing.runFuzzTests(", "testing.tRunner(", "testing.(*T).Run(", "testing.(*testState).waitParallel(", "testing.(*M).",
	"os/signal.", "runtime.ensureSigM(", "runtime.ReadTrace(",
}

// isOfRuntime reports whether the runtime, package testing or package os/signal keeps a goroutine.
func isOfRuntime(stack string) bool {
	header, frames, _ := strings.Cut(stack, "\n")
	return slices.ContainsFunc(kept, func(begin string) bool { return strings.HasPrefix(frames, begin) }) ||
		strings.HasPrefix(frames, "runtime.goexit") && strings.Contains(header, "syscall")
}
