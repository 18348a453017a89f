package executortest_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/executortest"
)

func ExampleRun() {
	// The test of a package with an executor. The agent program of the test knows these prompts.
	test := func(t *testing.T) {
		executortest.Run(t, executortest.Harness{
			New:          func(*testing.T) executor.Executor { return new(echo) },
			Answers:      map[string]string{"one": "one", "two": "two"},
			Failure:      "fail",
			Endless:      "endless",
			UnknownModel: "crow",
		})
	}
	_ = test
	// Output:
}
