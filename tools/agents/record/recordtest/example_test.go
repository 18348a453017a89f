package recordtest_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/record/recordtest"
)

func ExampleTestStore() {
	// The test of a package that keeps records in its own way:
	test := func(t *testing.T) {
		recordtest.TestStore(t, func(*testing.T) record.Store {
			return record.NewMemory(record.MemoryOptions{}) // or what is to be tested
		})
	}
	_ = test
	// Output:
}
