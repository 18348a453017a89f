package storetest_test

import (
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/index/storetest"
)

func ExampleRun() {
	// The test of a package that keeps chunks in its own way:
	test := func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) storetest.Open {
			root, err := security.OpenRoot(security.RootOptions{Dirs: []string{t.TempDir()}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { root.Close() })
			return func() index.Store {
				store, err := index.NewJSONStore(root, index.JSONOptions{}) // or what is to be tested
				if err != nil {
					t.Fatal(err)
				}
				return store
			}
		})
	}
	_ = test
	// Output:
}
