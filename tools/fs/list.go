package fs

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/cursor"
)

const defaultMaxEntries = 500

// ListArgs are the arguments of list_directory.
type ListArgs struct {
	// Path is relative to the project root, or absolute and inside the project. The default is the root.
	Path string `json:"path,omitempty" jsonschema:"default=."`
	// Recursive lists the directories below too, to a depth of 64. Links are not followed.
	Recursive bool `json:"recursive,omitempty" jsonschema:"default=false"`
	// IncludeHidden lists entries whose names begin with a dot, and what is below them.
	IncludeHidden bool `json:"includeHidden,omitempty" jsonschema:"default=false"`
	// IncludeIgnored lists what .gitignore leaves out, too. What is in a directory that is itself left out is listed by Path.
	IncludeIgnored bool `json:"includeIgnored,omitempty"`
	// Pattern chooses entries: a glob with *, ?, [a-z] and {a,b}, for the name, or if it has a slash for the path below the
	// directory, where ** stands for any number of directories. A path may also begin with that of the directory. A pattern has at
	// most 256 bytes, and braces for at most 64 alternatives altogether.
	Pattern string `json:"pattern,omitempty" jsonschema:"description=Glob for names (*.go) or paths (src/**/*.go)"`
	// MaxEntries bounds the entries of an answer, which can be fewer because of its budget. 0 is 500.
	MaxEntries int `json:"maxEntries,omitempty" jsonschema:"minimum=1,default=500"`
	// Cursor is the NextCursor of an answer to the same arguments but for MaxEntries.
	Cursor string `json:"cursor,omitempty"`
}

// ListResult is what list_directory answers: entries in the order of their names by bytes, each directory directly before
// what is in it.
type ListResult struct {
	Entries []FileEntry `json:"entries"`
	// TotalCount is the number of entries that match, in this answer and all others.
	TotalCount int    `json:"totalCount"`
	Path       string `json:"path"` // of the directory, as ReadResult.Path
	// Truncated tells that there are entries behind these, or that Incomplete is set.
	Truncated bool `json:"truncated"`
	// NextCursor goes on behind the last entry, even if entries appear or disappear meanwhile; empty if there is no more.
	NextCursor string `json:"nextCursor,omitempty"`
	// Incomplete tells that not everything was looked at: there are more than 200,000 entries, more than 64 levels of
	// directories, or Problems. TotalCount counts what was seen.
	Incomplete bool `json:"incomplete,omitempty"`
	LeftOut
	// Problems tell of a few entries that could not be read, at most 8.
	Problems []string `json:"problems,omitempty"`

	skipped int // entries that match and come before these
}

// FileEntry is one entry of a directory.
type FileEntry struct {
	Name         string    `json:"name"`
	Path         string    `json:"path"`         // names the entry in another call
	Type         string    `json:"type"`         // file, directory, symlink, or other: a device, FIFO or socket
	Size         int64     `json:"size"`         // in bytes, as the system says
	LastModified time.Time `json:"lastModified"` // UTC, to the second
	Permissions  string    `json:"permissions"`  // such as rw-r--r--
}

// List is list_directory.
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
		ListArgs: args,
		result:   ListResult{Path: start.Path, Entries: []FileEntry{}},
		room:     f.room(start.Path),
		question: cursor.Of("list", start.Path, args.Pattern, strconv.FormatBool(args.Recursive), strconv.FormatBool(args.IncludeHidden), strconv.FormatBool(args.IncludeIgnored)),
	}
	if l.after, err = placeOf(l.question, args.Cursor); err != nil {
		return ListResult{}, err
	}
	if args.Pattern != "" {
		if l.glob, err = compileGlob(args.Pattern, f.names(start)...); err != nil {
			return ListResult{}, err
		}
	}
	if err := l.walk(ctx, f.root); err != nil {
		return ListResult{}, advise(err, security.NotDirectory, func(old string) string {
			return old + " A file is read with read_file."
		})
	}
	return l.result, nil
}

// TextContent is what a model reads: a line for each entry, with the size of files, and around them what to know of the
// whole.
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

// extent tells how many entries there are.
func (r *ListResult) extent() string {
	total := count(int64(r.TotalCount), "entry")
	if r.Incomplete {
		total = "more than " + total
	}
	text := total
	if n := len(r.Entries); n != r.TotalCount && n > 0 {
		text = "entries " + strconv.Itoa(r.skipped+1) + " to " + strconv.Itoa(r.skipped+n) + " of " + total
	}
	return text + r.text()
}

func (e *FileEntry) writeLine(b *strings.Builder) { writeEntry(b, e.Path, e.Type, e.Size) }

// writeEntry writes the line of an entry: a directory has a slash, a file its size.
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
