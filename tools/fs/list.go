package fs

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// defaultMaxEntries is the default of ListArgs.MaxEntries.
const defaultMaxEntries = 500

// ListArgs are the arguments of list_directory.
type ListArgs struct {
	// Path is relative to the project root, or absolute and inside the project. The default is the root.
	Path string `json:"path,omitempty" jsonschema:"default=."`
	// Recursive lists the directories below, to a depth of 64. Links are not followed.
	Recursive bool `json:"recursive,omitempty" jsonschema:"default=false"`
	// IncludeHidden lists entries whose names begin with a dot, and the entries below them.
	IncludeHidden bool `json:"includeHidden,omitempty" jsonschema:"default=false"`
	// IncludeIgnored lists entries that .gitignore excludes. Without it, an excluded directory is listed only if Path names it.
	IncludeIgnored bool `json:"includeIgnored,omitempty"`
	// Pattern is a glob with *, ?, [a-z] and {a,b}. It matches the name, or, if it contains a slash, the path below the
	// directory, where ** matches any number of directories. A path pattern may begin with the path of the directory. A pattern
	// has at most 256 bytes and 64 alternatives.
	Pattern string `json:"pattern,omitempty" jsonschema:"description=Glob for names (*.go) or paths (src/**/*.go)"`
	// MaxEntries is the most entries of an answer; the budget can allow fewer. 0 is 500.
	MaxEntries int `json:"maxEntries,omitempty" jsonschema:"minimum=1,default=500"`
	// Cursor is the NextCursor of an earlier answer. The other arguments except MaxEntries must be the same.
	Cursor string `json:"cursor,omitempty"`
}

// ListResult is the result of list_directory: entries in the order of their names by bytes, each directory directly before its
// entries.
type ListResult struct {
	Entries []FileEntry `json:"entries"` // entries of this answer
	// TotalCount is the number of matching entries in all answers.
	TotalCount int    `json:"totalCount"`
	Path       string `json:"path"` // path of the directory, as ReadResult.Path
	// Truncated means that more entries follow, or that Incomplete is set.
	Truncated bool `json:"truncated"`
	// NextCursor continues after the last entry, even if entries appear or disappear meanwhile. It is empty after the last
	// answer.
	NextCursor string `json:"nextCursor,omitempty"`
	// Incomplete means that the walk did not visit everything: there are more than 200,000 entries, more than 64 levels of
	// directories, or Problems. TotalCount counts the visited entries.
	Incomplete bool `json:"incomplete,omitempty"`
	LeftOut
	// Problems describe at most 8 entries that could not be read.
	Problems []string `json:"problems,omitempty"`

	skipped int // matching entries of earlier answers
}

// FileEntry describes one entry of a directory.
type FileEntry struct {
	Name         string    `json:"name"`         // last element of the path
	Path         string    `json:"path"`         // path for other calls
	Type         string    `json:"type"`         // file, directory, symlink, or other: a device, FIFO or socket
	Size         int64     `json:"size"`         // bytes that the system reports
	LastModified time.Time `json:"lastModified"` // UTC, to the second
	Permissions  string    `json:"permissions"`  // for example rw-r--r--
}

// List implements list_directory.
func (f *Files) List(ctx context.Context, args ListArgs) (ListResult, error) {
	if args.Path == "" {
		args.Path = "."
	}
	if args.MaxEntries == 0 {
		args.MaxEntries = defaultMaxEntries
	}
	if args.MaxEntries < 0 {
		return ListResult{}, invalid("give a maxEntries of 1 or more", "maxEntries %d is out of bounds", args.MaxEntries)
	}
	start, err := f.root.Stat(ctx, args.Path)
	if err != nil {
		return ListResult{}, err
	}
	l := &listing{
		ListArgs:   args,
		result:     ListResult{Path: start.Path, Entries: []FileEntry{}},
		budgetLeft: f.room(start.Path),
		question:   cursor.NewListID("list", start.Path, args.Pattern, strconv.FormatBool(args.Recursive), strconv.FormatBool(args.IncludeHidden), strconv.FormatBool(args.IncludeIgnored)),
	}
	if l.after, err = cursorPosition(l.question, args.Cursor); err != nil {
		return ListResult{}, err
	}
	if args.Pattern != "" {
		if l.glob, err = compileGlob(args.Pattern, f.names(start)...); err != nil {
			return ListResult{}, err
		}
	}
	if err := l.walk(ctx, f.root); err != nil {
		return ListResult{}, withNextStep(err, security.NotDirectory, func(old string) string {
			return old + " A file is read with read_file."
		})
	}
	return l.result, nil
}

// TextContent returns the text for the model: a header line, one line for each entry with the size of files, and notes.
func (r ListResult) TextContent() string {
	var b strings.Builder
	b.WriteString("[" + r.Path + ": " + r.extent() + "]\n")
	for i := range r.Entries {
		r.Entries[i].writeLine(&b)
	}
	writeProblems(&b, r.Problems)
	if r.Incomplete {
		b.WriteString("[not everything was looked at; list a directory below]\n")
	}
	if r.NextCursor != "" {
		b.WriteString("[continue with cursor=" + r.NextCursor + "]\n")
	}
	return b.String()
}

// extent describes the number of entries for the header line.
func (r *ListResult) extent() string {
	total := plural.Count(int64(r.TotalCount), "entry")
	if r.Incomplete {
		total = "more than " + total
	}
	text := total
	if n := len(r.Entries); n != r.TotalCount && n > 0 {
		text = "entries " + strconv.Itoa(r.skipped+1) + " to " + strconv.Itoa(r.skipped+n) + " of " + total
	}
	return text + r.text()
}

// writeLine writes the line of the entry.
func (e *FileEntry) writeLine(b *strings.Builder) { writeEntry(b, e.Path, e.Type, e.Size) }

// writeEntry writes the line of an entry: a directory has a slash, a file its size, another entry its type.
func writeEntry(b *strings.Builder, path, kind string, size int64) {
	b.WriteString(path)
	switch kind {
	case "directory":
		b.WriteByte('/')
	case "file":
		b.WriteByte('\t')
		b.WriteString(number(size))
	default:
		b.WriteString("\t" + kind)
	}
	b.WriteByte('\n')
}
