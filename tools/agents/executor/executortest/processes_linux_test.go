package executortest_test

import "testing"

// A process of an agent that is alive after the run fails the test.
func TestRun_ProcessLeft(t *testing.T) {
	expectFailure(t, "process", "Cancel", `processes of the agent are alive after Run has returned: ["sleep 3 "`)
}
