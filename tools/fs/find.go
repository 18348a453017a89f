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
	// maxVisited and maxDepth bound what is held of a walk: how many entries it looks at, and how many directories deep.
	maxVisited = 200_000
	maxDepth   = 64
	// maxProblemText bounds what is told about directories that could not be read, in bytes.
	maxProblemText = 1024
	maxResults     = 1000
	maxWorkers     = 8
)

// workers is the number of goroutines of a walk without order.
func workers() int { return min(runtime.GOMAXPROCS(0), maxWorkers) }

// room is how many bytes of an answer the entries may take: what is said around them counts too.
func (f *Files) room(path string) int {
	return max(f.limits.Answer-min(f.limits.Answer/4, 512+maxProblemText+len(path)), minBudget)
}

// names are the ways to write the path of a start, for patterns that begin with it.
func (f *Files) names(start security.FileInfo) []string {
	names := []string{start.Path}
	if start.Dir == 0 {
		names = append(names, joinPath(f.rootPath(), start.Rel))
	}
	return names
}

func joinPath(dir, rel string) string {
	if rel == "." {
		return dir
	}
	return strings.TrimSuffix(dir, "/") + "/" + rel
}

// few keeps what is told about problems short.
func few(problems []string) []string {
	told := 0
	for i, p := range problems {
		if told += len(p); told > maxProblemText {
			return problems[:i]
		}
	}
	return problems
}

// atMost checks how many results are asked for; 0 is a default.
func atMost(asked, otherwise int) (int, error) {
	switch {
	case asked == 0:
		return otherwise, nil
	case asked < 0 || asked > maxResults:
		return 0, invalid("give a maxResults of 1 to 1000", "maxResults %d is out of bounds", asked)
	}
	return asked, nil
}

// hurry gives a search a context that ends a moment before the caller's, so that there is time to answer with what was found.
func hurry(ctx context.Context) (context.Context, context.CancelFunc) {
	const moment = 250 * time.Millisecond
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-min(time.Until(deadline)/8, moment)))
}

// ended is the error for a context that has ended.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &security.Error{Code: security.CodeOf(err), Err: err}
	}
	return nil
}

// outOfTime reports whether a context has ended by itself, and not because nobody waits for the answer any more.
func outOfTime(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.Canceled)
}

// found is an entry that a search has found.
type found struct {
	path     string // names it in another call
	kind     security.Kind
	size     int64
	modified time.Time
	matches  int     // lines, of a file whose content was searched
	reading  reading // how they are found again
}

// compareFound orders by time, the newest first, and then by path.
func compareFound(a, b found) int {
	if c := b.modified.Compare(a.modified); c != 0 {
		return c
	}
	return comparePaths(a.path, b.path)
}

// newest keeps the first of all that were found, in the order of compareFound, and counts the others. It holds no more
// than twice its limit. It may be used by several goroutines at once.
type newest struct {
	limit int

	mu    sync.Mutex
	all   []found
	full  bool // as many as the limit come before all that is added at last's place or later
	last  found
	total int
}

func (n *newest) add(f found) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.total++
	if n.full && compareFound(f, n.last) >= 0 {
		return
	}
	if n.all = append(n.all, f); len(n.all) >= 2*n.limit {
		n.cut()
		n.full, n.last = true, n.all[n.limit-1]
	}
}

func (n *newest) cut() {
	slices.SortFunc(n.all, compareFound)
	n.all = n.all[:min(len(n.all), n.limit)]
}

// first are the entries that were kept, in order.
func (n *newest) first() []found {
	n.cut()
	return n.all
}

// walkChosen walks without order, and leaves out what the patterns leave out. left counts the entries that they alone have left
// out.
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

func (f *Files) rootPath() string { return slashed(f.root.Dirs()[0]) }

func slashed(name string) string { return filepath.ToSlash(name) }
