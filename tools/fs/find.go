package fs

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/glob"
)

const (
	// maxVisited and maxDepth bound a walk: the number of entries and the depth of directories.
	maxVisited = 200_000
	maxDepth   = 64
	// maxProblemText is the most bytes of messages about directories that could not be read.
	maxProblemText = 1024
	maxResults     = 1000 // upper limit of the argument maxResults
	maxWorkers     = 8    // goroutines of one walk
)

// workers returns the number of goroutines of an unordered walk.
func workers() int { return min(runtime.GOMAXPROCS(0), maxWorkers) }

// room returns the budget in bytes for the entries of an answer. It subtracts the surrounding text.
func (f *Files) room(path string) int {
	return max(f.limits.Answer-min(f.limits.Answer/4, 512+maxProblemText+len(path)), minBudget)
}

// names returns the spellings of a start directory with which a pattern may begin.
func (f *Files) names(start security.FileInfo) []string {
	names := []string{start.Path}
	if start.Dir == 0 {
		names = append(names, joinPath(f.rootPath(), start.Rel))
	}
	return names
}

// joinPath joins a directory and a relative path.
func joinPath(dir, rel string) string {
	if rel == "." {
		return dir
	}
	return strings.TrimSuffix(dir, "/") + "/" + rel
}

// limitProblems returns the first problems, at most maxProblemText bytes of them.
func limitProblems(problems []string) []string {
	told := 0
	for i, p := range problems {
		if told += len(p); told > maxProblemText {
			return problems[:i]
		}
	}
	return problems
}

// checkMaxResults validates the argument maxResults. 0 is the default.
func checkMaxResults(asked, otherwise int) (int, error) {
	switch {
	case asked == 0:
		return otherwise, nil
	case asked < 0 || asked > maxResults:
		return 0, invalid("give a maxResults of 1 to 1000", "maxResults %d is out of bounds", asked)
	}
	return asked, nil
}

// shortenDeadline returns a context that ends up to 250 ms before ctx, so that time is left to return the results found until then.
func shortenDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	const moment = 250 * time.Millisecond
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-min(time.Until(deadline)/8, moment)))
}

// contextError returns the error of a context that has ended, or nil.
func contextError(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &security.Error{Code: security.CodeOf(err), Err: err}
	}
	return nil
}

// deadlinePassed reports whether the deadline of a context has passed. A cancellation by the caller is not counted.
func deadlinePassed(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.Canceled)
}

// found is a search result.
type found struct {
	path     string // path for other calls
	kind     security.Kind
	size     int64
	modified time.Time
	matches  int     // matching lines of a file, in a content search
	reading  reading // how the file was decoded
	unsaved  string  // editor whose unsaved text was searched; "" for the disk
}

// compareFound orders results by modification time, newest first, and then by path.
func compareFound(a, b found) int {
	if c := b.modified.Compare(a.modified); c != 0 {
		return c
	}
	return comparePaths(a.path, b.path)
}

// newestHits collects the first limit results in the order of compareFound and counts all. It holds at most twice the limit. add is
// safe for concurrent use.
type newestHits struct {
	limit int

	mu      sync.Mutex
	all     []found
	bounded bool // limit results are before last, so results at or after last are dropped
	last    found
	// number of all results
	total int
}

// add counts a result and keeps it if it can be among the first.
func (n *newestHits) add(f found) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.total++
	if n.bounded && compareFound(f, n.last) >= 0 {
		return
	}
	if n.all = append(n.all, f); len(n.all) >= 2*n.limit {
		n.trim()
		n.bounded, n.last = true, n.all[n.limit-1]
	}
}

// trim sorts the results and keeps the first limit.
func (n *newestHits) trim() {
	slices.SortFunc(n.all, compareFound)
	n.all = n.all[:min(len(n.all), n.limit)]
}

// sorted returns the kept results in order. No add may run at the same time.
func (n *newestHits) sorted() []found {
	n.trim()
	return n.all
}

// walkChosen walks without order and skips the entries that the patterns exclude. left counts the entries that only the
// patterns excluded.
func (f *Files) walkChosen(ctx context.Context, start string, chosen *glob.List, o security.WalkOptions, visit func(e *security.WalkEntry) error) (stats security.WalkStats, left int, err error) {
	var skipped atomic.Int64
	o.MaxDepth, o.Workers = maxDepth, workers()
	if chosen.Excludes() {
		o.Skip = func(rel string, _ security.Kind) bool {
			out := chosen.LeavesOut(rel)
			if out {
				skipped.Add(1)
			}
			return out
		}
	}
	stats, err = f.root.Walk(ctx, start, o, visit)
	return stats, int(skipped.Load()), err
}

// rootPath returns the first directory of the Root, with slashes.
func (f *Files) rootPath() string { return slashed(f.root.Dirs()[0]) }

// slashed replaces the separators of the system by slashes.
func slashed(name string) string { return filepath.ToSlash(name) }
