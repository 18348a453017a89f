package recordtest_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/record/recordtest"
)

func ExampleTestStore() {
	// The test of a package with its own store:
	test := func(t *testing.T) {
		recordtest.TestStore(t, func(*testing.T) record.Store {
			return record.NewMemory(record.MemoryOptions{}) // or the store under test
		})
	}
	_ = test
	// Output:
}
