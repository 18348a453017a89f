package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/chunking/graph/graphtest"
)

func TestGraph(t *testing.T) {
	graphtest.Run(t, func(t *testing.T) graph.Graph { return openDB(t, filepath.Join(t.TempDir(), "chunks.db")).Graph() })
}
