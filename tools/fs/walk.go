package fs

import (
	"context"
	iofs "io/fs"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/internal/glob"
)

// listing is a directory that is being listed.
type listing struct {
	ListArgs
	glob     *glob.Glob // nil lists everything
	question cursor.Question
	after    string // entries up to this path belong to earlier answers
	room     int    // bytes that are left of the budget
	full     bool   // an entry had no room
	last     string // path of the last entry that had
	result   ListResult
}

// entryMembers is what the JSON of an entry takes beside its name and path; its text takes less.
const entryMembers = 128

// walk lists the directory.
func (l *listing) walk(ctx context.Context, root *security.Root) error {
	o := security.WalkOptions{Hidden: l.IncludeHidden, Ignored: l.IncludeIgnored, MaxDepth: maxDepth, MaxEntries: maxVisited}
	stats, err := root.Walk(ctx, l.result.Path, o, func(e *security.WalkEntry) error {
		if rel := e.Rel(); l.glob == nil || l.glob.Match(e.Name, rel) {
			l.add(ctx, e, rel)
		}
		if e.Kind == security.Directory && !l.Recursive {
			return iofs.SkipDir
		}
		return nil
	})
	if err != nil {
		return err
	}
	l.result.LeftOut = leftOut(stats, 0)
	l.result.Incomplete, l.result.Problems = stats.Incomplete, few(stats.Problems)
	if l.full {
		l.result.NextCursor = l.question.Cursor(l.last)
	}
	l.result.Truncated = l.full || l.result.Incomplete
	return nil
}

// add counts an entry that matches, and describes it if it belongs into the answer.
func (l *listing) add(ctx context.Context, e *security.WalkEntry, path string) {
	l.result.TotalCount++
	if l.after != "" && comparePaths(path, l.after) <= 0 {
		l.result.skipped++
		return
	}
	if l.full {
		return
	}
	entry := FileEntry{Name: e.Name, Path: e.Path(), Type: e.Kind.String()}
	l.room -= entryMembers + len(entry.Name) + len(entry.Path)
	// A cursor holds the path in base64.
	if len(l.result.Entries) == l.MaxEntries || l.room < 2*len(path) && len(l.result.Entries) > 0 {
		l.full = true
		return
	}
	if info, err := e.Info(ctx); err == nil {
		entry.Type = info.Kind.String()
		entry.Size = info.Size
		entry.LastModified = modified(info)
		entry.Permissions = info.Mode.Perm().String()[1:]
	}
	l.result.Entries = append(l.result.Entries, entry)
	l.last = path
}

// modified is the time of an entry as it is answered.
func modified(info security.FileInfo) time.Time { return info.ModTime.UTC().Truncate(time.Second) }

// comparePaths orders paths as a walk meets them: a directory before what is in it, and that before its next neighbour.
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
