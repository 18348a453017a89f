package chunking

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/internal/glob"
)

const (
	defaultFiles = 200
	maxFiles     = 2000
)

// FindFileArgs are the arguments of find_file.
type FindFileArgs struct {
	// Pattern is a glob (*.swift, src/**/*.swift), a name, a path, or a part of one in any
	// letter case.
	Pattern string `json:"pattern" jsonschema:"minLength=1,description=Part of a name or path\\, or glob: *.swift\\, src/**/*.swift"`
	// MaxResults limits the number of files. Default: 200.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=2000,default=200"`
	// Cursor is NextCursor of an earlier result.
	Cursor string `json:"cursor,omitempty"`
}

// FindFileResult is the result of the tool find_file. Its text is the JSON list of
// Files.
type FindFileResult struct {
	// Files are absolute paths: the best matches first, then by path.
	Files []string `json:"files"`
	// TotalCount is the number of matching files.
	TotalCount int `json:"totalCount"`
	// Truncated reports that later pages have more files, or that the search was
	// incomplete.
	Truncated bool `json:"truncated,omitempty"`
	// NextCursor is the cursor of the next page, if there is one. It becomes invalid when
	// the number of files changes.
	NextCursor string `json:"nextCursor,omitempty"`
	// LeftOut is the number of entries that were not searched: hidden or ignored files,
	// files blocked by rules, and names that no call accepts. Entries inside directories of
	// this kind are not counted.
	LeftOut int `json:"leftOut,omitempty"`

	after      int  // files on earlier pages
	incomplete bool // the search ended early
}

// FindFile implements the tool find_file. It searches all directories of the Root that are
// neither ignored nor hidden.
func (c *Chunks) FindFile(ctx context.Context, args FindFileArgs) (FindFileResult, error) {
	limit := args.MaxResults
	if limit == 0 {
		limit = defaultFiles
	}
	if limit < 1 || limit > maxFiles {
		return FindFileResult{}, invalid("Give a maxResults of 1 to 2000.", "maxResults %d is out of bounds", limit)
	}
	s := &fileSearch{}
	result := FindFileResult{Files: []string{}}
	for i, top := range c.root.Dirs() {
		top = filepath.ToSlash(top)
		pattern, err := glob.Compile(args.Pattern, top)
		if err != nil {
			return FindFileResult{}, badPattern(err)
		}
		start := top
		if i == 0 {
			start = "."
		}
		stats, err := c.root.Walk(ctx, start, security.WalkOptions{Workers: runtime.GOMAXPROCS(0), Hidden: pattern.Hidden()}, func(e *security.WalkEntry) error {
			s.visit(e, pattern, top)
			return nil
		})
		if err != nil {
			return FindFileResult{}, err
		}
		result.incomplete = result.incomplete || stats.Incomplete
		result.LeftOut += stats.Skipped + stats.Withheld + stats.Unusable
	}
	found := s.exact
	if len(found) == 0 {
		found = s.part
	}
	slices.SortFunc(found, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(path.Base(a)), len(path.Base(b))), strings.Compare(a, b))
	})
	result.TotalCount = len(found)
	list := cursor.NewListID("files", args.Pattern, strconv.Itoa(len(found)))
	var err error
	if result.after, err = offset(list, args.Cursor); err != nil {
		return FindFileResult{}, err
	}
	found = found[min(result.after, len(found)):]
	room := c.limits.Answer
	for _, file := range found[:min(len(found), limit)] {
		if room -= len(file) + 4; room < 0 && len(result.Files) > 0 {
			break
		}
		result.Files = append(result.Files, file)
	}
	result.NextCursor = nextCursor(list, result.after+len(result.Files), result.TotalCount)
	result.Truncated = result.incomplete || result.NextCursor != ""
	return result, nil
}

// fileSearch collects the files that a pattern names, and the files whose path contains
// it.
type fileSearch struct {
	mu          sync.Mutex
	exact, part []string
}

func (s *fileSearch) visit(e *security.WalkEntry, pattern *glob.Glob, top string) {
	if e.Kind != security.RegularFile {
		return
	}
	rel := e.Rel()
	to := &s.exact
	if !pattern.Match(e.Name, rel) {
		if !pattern.Plain() || !strings.Contains(strings.ToLower(rel), strings.ToLower(pattern.String())) {
			return
		}
		to = &s.part
	}
	s.mu.Lock()
	*to = append(*to, filepath.FromSlash(strings.TrimSuffix(top, "/")+"/"+rel))
	s.mu.Unlock()
}

// TextContent returns the paths as a JSON list.
func (r FindFileResult) TextContent() string { return asJSON(r.Files) }

// TextNote describes omitted entries of the list.
func (r FindFileResult) TextNote() string {
	var notes []string
	if r.incomplete {
		notes = append(notes, "[not all directories were looked at: there may be other files]")
	}
	if shown := pageNote(r.after, len(r.Files), r.TotalCount, r.NextCursor); shown != "" {
		notes = append(notes, "["+shown+"]")
	}
	if r.TotalCount == 0 && r.LeftOut > 0 {
		notes = append(notes, "[nothing found; "+number(r.LeftOut)+" hidden, ignored or withheld entries were not looked at]")
	}
	return strings.Join(notes, "\n")
}

// asJSON encodes a value as the text of a result. It does not escape the characters <,
// > and &.
func asJSON(value any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "[]"
	}
	return strings.TrimSuffix(b.String(), "\n")
}
