package adaptertest_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/adapter/adaptertest"
)

func ExampleRun() {
	// The test of a package with an adapter. The editor of the test knows the language of main.x.
	test := func(t *testing.T) {
		adaptertest.Run(t, adaptertest.Harness{
			New:    func(*testing.T, string) adapter.Adapter { return newMemory("", true) },
			Open:   func(t *testing.T, a adapter.Adapter, path string) { a.(*memory).open(t, path) },
			Files:  map[string]string{"main.x": "let count FIXME count\n"},
			Code:   "main.x",
			Symbol: "count", Diagnostic: "FIXME is left",
		})
	}
	_ = test
	// Output:
}
