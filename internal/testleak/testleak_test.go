package testleak_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testleak"
)

// leaks is the variable with which the test binary leaves a goroutine behind.
const leaks = "DOUGU_TEST_LEAKS"

func TestMain(m *testing.M) {
	if os.Getenv(leaks) != "" {
		go func() { select {} }()
	}
	testleak.Main(m)
}

func TestMain_GoroutineLeft(t *testing.T) {
	for _, variable := range []string{"", "1"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestNothing$")
		cmd.Env = append(os.Environ(), leaks+"="+variable)
		out, err := cmd.CombinedOutput()
		if failed := err != nil; failed != (variable != "") || failed != strings.Contains(string(out), "1 goroutines are left") {
			t.Errorf("with %s=%q: %v\n%s", leaks, variable, err, out)
		}
	}
}

func TestNothing(*testing.T) {}

func TestCheck_GoroutineLeft(t *testing.T) {
	other := &recorder{TB: t}
	testleak.Check(other)
	end := make(chan struct{})
	go func() { <-end }()
	other.cleanup()
	if close(end); !other.failed {
		t.Error("a goroutine that waits was not reported")
	}

	other = &recorder{TB: t}
	testleak.Check(other)
	done := make(chan struct{})
	go func() { close(done) }()
	if other.cleanup(); other.failed {
		t.Error("a goroutine that has ended was reported")
	}
	<-done
}

// recorder records a failure instead of failing its test.
type recorder struct {
	testing.TB
	cleanup func()
	failed  bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Cleanup(f func())      { r.cleanup = f }
func (r *recorder) Errorf(string, ...any) { r.failed = true }
