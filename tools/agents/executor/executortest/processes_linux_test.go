package executortest_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/testfault"
)

// A process of an agent that is alive after the run fails the test.
func TestRun_ProcessLeft(t *testing.T) {
	testfault.Expect(t, "process", "^TestFault$/^Cancel$", `processes of the agent are alive after Run has returned: ["sleep 3 "`)
}
