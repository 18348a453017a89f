package fs

import (
	"context"
	iofs "io/fs"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/internal/glob"
)

// listing is the state of one list_directory call.
type listing struct {
	ListArgs
	glob       *glob.Glob // nil matches every entry
	question   cursor.ListID
	after      string // path of the last entry of earlier answers
	budgetLeft int    // bytes of the budget that are left
	full       bool   // an entry did not fit
	last       string // path of the last entry in the answer
	result     ListResult
}

// entryMembers is the number of bytes that the JSON of an entry takes beside its name and path. Its text takes less.
const entryMembers = 128

// walk lists the directory into the result.
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
	l.result.Incomplete, l.result.Problems = stats.Incomplete, limitProblems(stats.Problems)
	if l.full {
		l.result.NextCursor = l.question.Cursor(l.last)
	}
	l.result.Truncated = l.full || l.result.Incomplete
	return nil
}

// add counts a matching entry. It adds the entry to the answer unless an earlier answer has it or the answer is full.
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
	l.budgetLeft -= entryMembers + len(entry.Name) + len(entry.Path)
	// A cursor holds the path in base64.
	if len(l.result.Entries) == l.MaxEntries || l.budgetLeft < 2*len(path) && len(l.result.Entries) > 0 {
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

// modified returns the modification time of an entry as answers state it: UTC, to the second.
func modified(info security.FileInfo) time.Time { return info.ModTime.UTC().Truncate(time.Second) }

// comparePaths compares two paths in the order of a walk: a directory is before its entries, and these are before its next
// sibling.
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
