package fs

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/security"
)

// matchCounter counts the matches in all files and keeps the files that can be part of the answer. Each goroutine holds only the file
// that it searches.
type matchCounter struct {
	search    *contentSearch
	hits      newestHits // limit is one more than the lines of an answer, because earlier answers can contain all lines of the first file
	scratches sync.Pool

	matches  atomic.Int64
	files    atomic.Int64
	binary   atomic.Int64
	tooLarge atomic.Int64

	stats security.WalkStats
	left  int // entries that only the patterns excluded

	mu       sync.Mutex
	problems []string // messages for at most maxProblems files that could not be read
	unread   bool     // a file could not be read
}

// maxProblems is the most files that Problems describes.
const maxProblems = 8

// run searches the files. It fails if the start cannot be read or the caller has cancelled the call.
func (c *matchCounter) run(ctx context.Context) error {
	s := c.search
	if s.start.Kind == security.RegularFile {
		return c.countFile(ctx)
	}
	o := security.WalkOptions{Ignored: s.IncludeIgnored, Hidden: s.IncludeIgnored || s.chosen.Hidden()}
	var err error
	c.stats, c.left, err = s.files.walkChosen(ctx, s.start.Path, &s.chosen, o, func(e *security.WalkEntry) error { return c.visit(ctx, e) })
	if err != nil && (c.stats.Entries == 0 || !deadlinePassed(ctx)) {
		return err
	}
	c.stats.Incomplete = c.stats.Incomplete || err != nil
	return nil
}

// countFile searches the single file that the call names.
func (c *matchCounter) countFile(ctx context.Context) error {
	file, err := c.search.files.root.Open(ctx, c.search.start.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	t, err := c.search.tallyLarge(ctx, file, new(scratch))
	if err != nil && !deadlinePassed(ctx) {
		return wrapPath("searching", c.search.Path, err)
	}
	c.stats = security.WalkStats{Entries: 1, Incomplete: err != nil}
	c.add(c.search.start, t)
	return nil
}

// visit searches one file of a walk.
func (c *matchCounter) visit(ctx context.Context, e *security.WalkEntry) error {
	if e.Kind != security.RegularFile || !c.search.chosen.Takes(e.Name, e.Rel()) {
		return nil
	}
	b, _ := c.scratches.Get().(*scratch)
	if b == nil {
		b = new(scratch)
	}
	defer c.scratches.Put(b)
	t, err := c.search.tally(ctx, e, b)
	var info security.FileInfo
	if err == nil && t.lines > 0 {
		info, err = e.Info(ctx)
	}
	if err := contextError(ctx); err != nil {
		return err
	}
	if err != nil {
		c.problem(e.Path(), err)
		return nil
	}
	c.add(info, t)
	return nil
}

// add adds the counts of a file.
func (c *matchCounter) add(info security.FileInfo, t fileTally) {
	if t.binary {
		c.binary.Add(1)
	}
	if t.cut {
		c.tooLarge.Add(1)
	}
	if t.lines == 0 {
		return
	}
	c.matches.Add(int64(t.lines))
	c.files.Add(1)
	hit := found{path: info.Path, modified: info.ModTime, matches: t.lines, reading: t.reading, unsaved: info.Unsaved}
	switch c.search.after.lastShownLine(hit) {
	case math.MaxInt:
		return
	case 0:
	default:
		hit.modified = c.search.after.file.modified
	}
	c.hits.add(hit)
}

// problem records a file that could not be read, unless another program has removed it.
func (c *matchCounter) problem(path string, err error) {
	code := security.CodeOf(err)
	if code == security.FileNotFound {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unread = true
	if len(c.problems) < maxProblems {
		c.problems = append(c.problems, fmt.Sprintf("%s: %s", path, code))
	}
}

// result returns the result without the matches.
func (c *matchCounter) result() SearchContentResult {
	s := c.search
	slices.Sort(c.problems)
	r := SearchContentResult{
		Files: []FileMatches{}, TotalMatches: int(c.matches.Load()), TotalFiles: int(c.files.Load()), Incomplete: c.stats.Incomplete || c.unread,
		LeftOut: leftOut(c.stats, c.left), Binary: int(c.binary.Load()), TooLarge: int(c.tooLarge.Load()), Problems: limitProblems(append(c.problems, c.stats.Problems...)),
		mode: s.OutputMode, context: s.Context > 0,
	}
	if r.TotalMatches == 0 {
		r.Note = "nothing found in " + s.start.Path
		if s.start.Kind == security.Directory {
			r.Note = nothingFound(s.start.Path, c.stats, r.LeftOut)
		}
		if hint := s.matcher.Hint(); hint != "" {
			r.Note += "; " + hint
		}
	}
	return r
}
