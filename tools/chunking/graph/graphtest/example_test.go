package graphtest_test

import (
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/chunking/graph/graphtest"
	"github.com/dougu-go/dougu/tools/chunking/sqlite"
)

func ExampleRun() {
	// The test of another implementation of graph.Graph:
	test := func(t *testing.T) {
		graphtest.Run(t, func(t *testing.T) graph.Graph {
			db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "graph.db")) // or another implementation
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			return db.Graph()
		})
	}
	_ = test
	// Output:
}
