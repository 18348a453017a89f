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

// census counts the matches in all files and keeps the files whose matches can be in the answer. It holds no text beyond the file that
// a goroutine has before it.
type census struct {
	search    *contentSearch
	hits      newest // the limit of which is one more than the lines of an answer: of the first file all may have been answered
	scratches sync.Pool

	matches  atomic.Int64
	files    atomic.Int64
	binary   atomic.Int64
	tooLarge atomic.Int64

	stats security.WalkStats
	left  int // entries that the patterns left out

	mu       sync.Mutex
	problems []string // files that could not be read, a few of them
	unread   bool     // there is one
}

const maxProblems = 8

// take searches the files. The error is that of the start, or that nobody waits for the answer any more.
func (c *census) take(ctx context.Context) error {
	s := c.search
	if s.start.Kind == security.RegularFile {
		return c.takeFile(ctx)
	}
	o := security.WalkOptions{Ignored: s.IncludeIgnored, Hidden: s.IncludeIgnored || s.chosen.Hidden()}
	var err error
	c.stats, c.left, err = s.files.walkChosen(ctx, s.start.Path, &s.chosen, o, func(e *security.WalkEntry) error { return c.visit(ctx, e) })
	if err != nil && (c.stats.Entries == 0 || !outOfTime(ctx)) {
		return err
	}
	c.stats.Incomplete = c.stats.Incomplete || err != nil
	return nil
}

// takeFile searches the one file that was named.
func (c *census) takeFile(ctx context.Context) error {
	file, err := c.search.files.root.Open(ctx, c.search.start.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	t, err := c.search.tallyLarge(ctx, file, new(scratch))
	if err != nil && !outOfTime(ctx) {
		return about("searching", c.search.Path, err)
	}
	c.stats = security.WalkStats{Entries: 1, Incomplete: err != nil}
	c.add(c.search.start, t)
	return nil
}

// visit searches one file of a walk.
func (c *census) visit(ctx context.Context, e *security.WalkEntry) error {
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
	if err := ended(ctx); err != nil {
		return err
	}
	if err != nil {
		c.problem(e.Path(), err)
		return nil
	}
	c.add(info, t)
	return nil
}

// add takes account of a file.
func (c *census) add(info security.FileInfo, t fileTally) {
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
	hit := found{path: info.Path, modified: info.ModTime, matches: t.lines, reading: t.reading}
	switch c.search.after.behind(hit) {
	case math.MaxInt:
		return
	case 0:
	default:
		hit.modified = c.search.after.file.modified
	}
	c.hits.add(hit)
}

// problem notes that something could not be read, unless somebody has just removed it.
func (c *census) problem(path string, err error) {
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

// result is the answer without the matches.
func (c *census) result() SearchContentResult {
	s := c.search
	slices.Sort(c.problems)
	r := SearchContentResult{
		Files: []FileMatches{}, TotalMatches: int(c.matches.Load()), TotalFiles: int(c.files.Load()), Incomplete: c.stats.Incomplete || c.unread,
		LeftOut: leftOut(c.stats, c.left), Binary: int(c.binary.Load()), TooLarge: int(c.tooLarge.Load()), Problems: few(append(c.problems, c.stats.Problems...)),
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
