package fs

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
)

const (
	defaultMaxEntries = 500
	// maxVisited and maxDepth bound a walk: how many entries it looks at, and how many directories deep.
	maxVisited = 200_000
	maxDepth   = 64
	// maxProblems and maxProblemText bound what is told about directories that could not be read: how many, in how many bytes.
	maxProblems    = 8
	maxProblemText = 1024
)

// ListArgs are the arguments of list_directory.
type ListArgs struct {
	// Path is relative to the project root, or absolute and inside the project. The default is the root.
	Path string `json:"path,omitempty" jsonschema:"default=."`
	// Recursive lists the directories below too, to a depth of 64. Links are not followed.
	Recursive bool `json:"recursive,omitempty" jsonschema:"default=false"`
	// IncludeHidden lists entries whose names begin with a dot, and what is below them.
	IncludeHidden bool `json:"includeHidden,omitempty" jsonschema:"default=false"`
	// Pattern chooses entries: a glob with *, ?, [a-z] and {a,b}, for the name, or if it has a slash for the path below the
	// directory, where ** stands for any number of directories. It has at most 256 bytes, and braces for at most 64
	// alternatives altogether.
	Pattern string `json:"pattern,omitempty" jsonschema:"description=Glob for names (*.go) or paths (src/**/*.go)"`
	// MaxEntries bounds the entries of an answer, which can be fewer because of its budget. 0 is 500.
	MaxEntries int `json:"maxEntries,omitempty" jsonschema:"minimum=1,default=500"`
	// Cursor is the NextCursor of an answer to the same arguments but for MaxEntries.
	Cursor string `json:"cursor,omitempty" jsonschema:"description=nextCursor of the last answer"`
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
	// Incomplete tells that not everything was looked at: there are more than 200,000 entries or more than 64 levels of
	// directories. TotalCount counts what was seen.
	Incomplete bool `json:"incomplete,omitempty"`
	// Hidden is the number of hidden entries that were left out, not counting what is in them.
	Hidden int `json:"hidden,omitempty"`
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
	match, err := compilePattern(args.Pattern)
	if err != nil {
		return ListResult{}, err
	}
	dir, err := f.root.OpenDir(ctx, args.Path)
	if err != nil {
		return ListResult{}, advise(err, security.NotDirectory, func(old string) string {
			return old + " A file is read with read_file."
		})
	}
	defer dir.Close()
	l := &listing{
		ListArgs: args,
		match:    match,
		result:   ListResult{Path: dir.Info().Path, Entries: []FileEntry{}},
	}
	// What is said around the entries counts too.
	l.room = max(f.limits.Answer-min(f.limits.Answer/4, 512+maxProblemText+len(l.result.Path)), minBudget)
	if l.after, err = args.position(l.result.Path); err != nil {
		return ListResult{}, err
	}
	if err := l.walk(ctx, dir, "", 1); err != nil {
		return ListResult{}, err
	}
	if l.full {
		l.result.NextCursor = args.cursor(l.result.Path, l.last)
	}
	l.result.Truncated = l.full || l.result.Incomplete
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
	for _, problem := range r.Problems {
		b.WriteString("[not read: " + problem + "]\n")
	}
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
	if r.Hidden > 0 {
		text += "; " + strconv.Itoa(r.Hidden) + " hidden"
	}
	return text
}

func (e *FileEntry) writeLine(b *strings.Builder) {
	b.WriteString(e.Path)
	switch e.Type {
	case "directory":
		b.WriteByte('/')
	case "file":
		b.WriteByte('\t')
		b.WriteString(number(e.Size))
	default:
		b.WriteString("\t" + e.Type)
	}
	b.WriteByte('\n')
}
