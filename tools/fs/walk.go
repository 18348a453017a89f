package fs

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
)

// listing is a directory that is being listed.
type listing struct {
	ListArgs
	match   func(name, path string) bool
	after   string // entries up to this path belong to earlier answers
	room    int    // bytes that are left of the budget
	told    int    // bytes of problems
	visited int
	full    bool   // an entry had no room
	last    string // path of the last entry that had
	result  ListResult
}

// entryMembers is what the JSON of an entry takes beside its name and path; its text takes less.
const entryMembers = 128

// walk lists a directory. path is its own below the one that was asked for, and empty for that. The error is the end of
// the context, or the failure of that first directory.
func (l *listing) walk(ctx context.Context, dir *security.Dir, path string, depth int) error {
	entries, err := l.entries(ctx, dir)
	if err != nil {
		return l.forgive(ctx, dir.Info().Path, path != "", err)
	}
	for _, e := range entries {
		if !l.IncludeHidden && strings.HasPrefix(e.Name, ".") {
			l.result.Hidden++
			continue
		}
		below := e.Name
		if path != "" {
			below = path + "/" + e.Name
		}
		if l.match(e.Name, below) {
			l.add(ctx, dir, e, below)
		}
		if l.Recursive && e.Kind == security.Directory {
			if err := l.descend(ctx, dir, e.Name, below, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// descend lists a directory in a directory.
func (l *listing) descend(ctx context.Context, dir *security.Dir, name, path string, depth int) error {
	if depth == maxDepth || l.visited == maxVisited {
		l.result.Incomplete = true
		return nil
	}
	child, err := dir.OpenDir(ctx, name)
	if err != nil {
		return l.forgive(ctx, dir.Path(name), true, err)
	}
	defer child.Close()
	return l.walk(ctx, child, path, depth+1)
}

// forgive notes the failure of a part of the listing, and returns what ends it.
func (l *listing) forgive(ctx context.Context, path string, part bool, err error) error {
	switch {
	case !part || ctx.Err() != nil:
		return err
	case security.CodeOf(err) == security.FileNotFound:
		return nil // it has just been removed
	}
	problem := path + ": " + string(security.CodeOf(err))
	if l.told += len(problem); len(l.result.Problems) < maxProblems && l.told <= maxProblemText {
		l.result.Problems = append(l.result.Problems, problem)
	}
	return nil
}

// entries reads and sorts a directory, as much of it as the walk may still look at.
func (l *listing) entries(ctx context.Context, dir *security.Dir) ([]security.Entry, error) {
	const batch = 512
	var all []security.Entry
	for {
		left := maxVisited - l.visited
		some, err := dir.Next(ctx, batch)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(some) > left {
			some = some[:left]
			l.result.Incomplete = true
		}
		all = append(all, some...)
		l.visited += len(some)
		if l.result.Incomplete {
			break
		}
	}
	slices.SortFunc(all, func(a, b security.Entry) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// add counts an entry that matches, and describes it if it belongs into the answer.
func (l *listing) add(ctx context.Context, dir *security.Dir, e security.Entry, path string) {
	l.result.TotalCount++
	if l.after != "" && comparePaths(path, l.after) <= 0 {
		l.result.skipped++
		return
	}
	if l.full {
		return
	}
	entry := FileEntry{Name: e.Name, Path: dir.Path(e.Name), Type: e.Kind.String()}
	l.room -= entryMembers + len(entry.Name) + len(entry.Path)
	// A cursor holds the path in base64.
	if len(l.result.Entries) == l.MaxEntries || l.room < 2*len(path) && len(l.result.Entries) > 0 {
		l.full = true
		return
	}
	if info, err := dir.Lstat(ctx, e.Name); err == nil {
		entry.Type = info.Kind.String()
		entry.Size = info.Size
		entry.LastModified = info.ModTime.UTC().Truncate(time.Second)
		entry.Permissions = info.Mode.Perm().String()[1:]
	}
	l.result.Entries = append(l.result.Entries, entry)
	l.last = path
}

// comparePaths orders paths as walk meets them: a directory before what is in it, and that before its next neighbour.
func comparePaths(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			switch {
			case a[i] == '/':
				return -1
			case b[i] == '/':
				return 1
			}
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}
