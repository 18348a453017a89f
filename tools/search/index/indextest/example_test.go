package indextest_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/index/indextest"
	"github.com/dougu-go/dougu/tools/search/segment"
)

func ExampleRun() {
	// The test of a package with its own implementation:
	test := func(t *testing.T) {
		indextest.Run(t, func(*testing.T) index.Index {
			return segment.NewMemory() // or the tested implementation
		})
	}
	_ = test
	// Output:
}
