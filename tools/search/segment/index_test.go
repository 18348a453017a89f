package segment_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/index/indextest"
	"github.com/dougu-go/dougu/tools/search/segment"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func closeAtEnd(t *testing.T, ix index.Index) index.Index {
	t.Cleanup(func() {
		if err := ix.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return ix
}

func open(t *testing.T, dir string, o segment.Options) *segment.Index {
	t.Helper()
	ix, err := segment.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, ix)
	return ix
}

func TestMemory(t *testing.T) {
	indextest.Run(t, func(t *testing.T) index.Index { return closeAtEnd(t, segment.NewMemory()) })
}

func TestDisk(t *testing.T) {
	indextest.Run(t, func(t *testing.T) index.Index { return open(t, t.TempDir(), segment.Options{}) })
}

// With a minimal memory limit, every file is a segment of its own, and all data is read
// from files.
func TestDisk_SmallMemory(t *testing.T) {
	indextest.Run(t, func(t *testing.T) index.Index {
		return open(t, t.TempDir(), segment.Options{Buffer: 1, Memory: 1})
	})
}
