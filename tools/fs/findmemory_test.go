package fs_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/fs"
)

// peak runs f and returns the growth of the heap.
func peak(f func()) (bytes int64) {
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	var done atomic.Bool
	sampled := make(chan int64)
	go func() {
		most := int64(0)
		for range time.Tick(5 * time.Millisecond) {
			runtime.ReadMemStats(&now)
			if most = max(most, int64(now.HeapAlloc)); done.Load() {
				break
			}
		}
		sampled <- most
	}()
	f()
	done.Store(true)
	return <-sampled - int64(before.HeapAlloc)
}

// The memory of a search does not depend on the number of files.
func TestSearch_MemoryBound(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 100,000 files")
	}
	p := newProject(t, setup{}, nil)
	largeTree(t, p.dir, 100_000, strings.Repeat("a needle in a line of text\n", 4))
	for name, tt := range map[string]struct {
		most   int64
		search func()
	}{
		"search_content": {48 << 20, func() {
			if got := p.grep(t, fs.SearchContentArgs{Pattern: "needle", MaxResults: 1000, Context: 20}); got.TotalMatches != 400_000 || got.TotalFiles != 100_000 {
				t.Errorf("%d matches in %d files", got.TotalMatches, got.TotalFiles)
			}
		}},
		"search_files": {48 << 20, func() {
			if got := p.find(t, fs.SearchFilesArgs{Pattern: "f", MaxResults: 1000}); got.TotalCount != 100_000 {
				t.Errorf("%d files", got.TotalCount)
			}
		}},
		"get_workspace_structure": {96 << 20, func() {
			if got := p.structure(t, fs.WorkspaceStructureArgs{}); got.TotalFiles != 100_000 || got.TotalDirectories != 1100 {
				t.Errorf("%d files in %d directories", got.TotalFiles, got.TotalDirectories)
			}
		}},
		"get_project_info": {48 << 20, func() { p.info(t) }},
		"list_directory": {48 << 20, func() {
			if got := p.list(t, fs.ListArgs{Recursive: true}); got.TotalCount != 101_100 {
				t.Errorf("%d entries", got.TotalCount)
			}
		}},
	} {
		if grown := peak(tt.search); grown > tt.most {
			t.Errorf("%s took %d MB", name, grown>>20)
		}
	}
}

// A search reuses the memory that it reads files into.
func TestSearchContent_ReusesMemory(t *testing.T) {
	const files, size = 100, 64 << 10
	content := map[string]string{}
	for i := range files {
		content[fmt.Sprintf("d%d/f%d", i%10, i)] = strings.Repeat("x", size-8) + "\nneedle"
	}
	p := newProject(t, setup{}, content)
	search := func() {
		if got := p.grep(t, fs.SearchContentArgs{Pattern: "needle", OutputMode: "count", MaxResults: 1}); got.TotalMatches != files {
			t.Fatalf("%d matches", got.TotalMatches)
		}
	}
	search()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	search()
	runtime.ReadMemStats(&after)
	// The race detector makes a pool lose a quarter of what is put into it.
	if each := (after.TotalAlloc - before.TotalAlloc) / files; each > size/2 {
		t.Errorf("%d bytes are allocated for each file of %d", each, size)
	}
}
