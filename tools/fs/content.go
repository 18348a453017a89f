package fs

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/grep"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/internal/glob"
)

const (
	defaultMatches = 100 // default of SearchContentArgs.MaxResults
	maxContext     = 20  // upper limit of SearchContentArgs.Context
)

// SearchContentArgs are the arguments of search_content.
type SearchContentArgs struct {
	// Pattern is a regular expression in the RE2 syntax of package regexp; \w, \d, \s and \b match Unicode. It is matched line
	// by line.
	Pattern string `json:"pattern" jsonschema:"description=Regular expression (RE2)"`
	// Literal matches the pattern as plain text.
	Literal bool `json:"literal,omitempty"`
	// Path is the directory to search, or one file, relative to the project root, or absolute and inside the project. The default is
	// the root.
	Path string `json:"path,omitempty" jsonschema:"description=Directory or file"`
	// Glob selects files with patterns in the syntax of ListArgs.Pattern, at most 64. A file must match one of them, if there
	// is one without "!". A pattern with a leading "!" excludes files and directories.
	Glob []string `json:"glob,omitempty" jsonschema:"description=*.go\\, !*_test.go"`
	// CaseSensitive distinguishes upper and lower case. The default is smart: true if the pattern has an upper-case letter.
	CaseSensitive *bool `json:"caseSensitive,omitempty" jsonschema:"description=Default: if pattern has capitals"`
	// Context is the number of lines to show before and after each match, at most 20.
	Context int `json:"context,omitempty" jsonschema:"minimum=0,maximum=20"`
	// OutputMode is content, the default, for matching lines; files for the files with matches; count for the number of matches
	// in each file.
	OutputMode string `json:"outputMode,omitempty" jsonschema:"enum=content,enum=files,enum=count"`
	// IncludeIgnored searches also files that .gitignore excludes, and hidden files. .git is never searched.
	IncludeIgnored bool `json:"includeIgnored,omitempty" jsonschema:"description=Hidden too"`
	// MaxResults is the most matching lines of an answer, or the most files if OutputMode is not content. The budget can allow
	// fewer. 0 is 100.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=1000,default=100"`
	// Cursor is the NextCursor of an earlier answer. The other arguments except MaxResults and Context must be the same.
	Cursor string `json:"cursor,omitempty"`
	// Multiline lets a match extend over several lines. The pattern is matched against the complete file, and . matches line
	// ends.
	Multiline bool `json:"multiline,omitempty"`
}

// SearchContentResult is the result of search_content: files by modification time, newest first, and in each the matching lines
// in order.
type SearchContentResult struct {
	Files []FileMatches `json:"files"` // files with matches
	// TotalMatches and TotalFiles count the matching lines and their files in all answers.
	TotalMatches int `json:"totalMatches"`
	TotalFiles   int `json:"totalFiles"`
	// Truncated means that more matches follow, or that Incomplete is set.
	Truncated bool `json:"truncated"`
	// NextCursor continues after the last line or file. It is empty after the last answer. A file that changed since the last
	// answer is treated as a new result.
	NextCursor string `json:"nextCursor,omitempty"`
	// Incomplete means that the search did not read everything: the time was up, there are too many entries, or a file could
	// not be read. The totals count the searched part.
	Incomplete bool `json:"incomplete,omitempty"`
	LeftOut
	// Binary is the number of files that were not searched because they are binary: they have a zero byte in their first 8 KiB
	// and no UTF-16 byte-order mark.
	Binary int `json:"binary,omitempty"`
	// TooLarge is the number of files that were not searched completely. The limit is sixteen times tools.Limits.MaxFile. With
	// Multiline a file above tools.Limits.MaxFile is not searched.
	TooLarge int `json:"tooLarge,omitempty"`
	// Note gives advice if nothing was found.
	Note string `json:"note,omitempty"`
	// Problems describe at most 8 files and 8 directories that could not be read.
	Problems []string `json:"problems,omitempty"`

	mode    string // SearchContentArgs.OutputMode
	context bool   // the answer has context lines
}

// FileMatches are the matches of one file.
type FileMatches struct {
	Path    string `json:"path"`    // path for other calls
	Matches int    `json:"matches"` // number of matching lines in the file
	// Unsaved is the name of the editor in whose unsaved text the matches are.
	Unsaved string `json:"unsaved,omitempty"`
	// Lines are the matching lines of this answer, with their context.
	Lines []MatchLine `json:"lines,omitzero"`
}

// MatchLine is a line of a file.
type MatchLine struct {
	Line    int    `json:"line"`              // from 1
	Text    string `json:"text"`              // line without its end; a long line is cut around the first match
	Context bool   `json:"context,omitempty"` // the line is context and does not match
}

// contentSearch is a validated search_content call.
type contentSearch struct {
	SearchContentArgs
	files    *Files
	start    security.FileInfo // directory or file
	matcher  *grep.Matcher
	chosen   glob.List // Glob
	question cursor.ListID
	after    *position // end of the earlier answers; nil at the beginning
	room     int       // bytes of the answer that are left
}

// SearchContent implements search_content. It first counts all matches and then reads the newest files again for the answer.
func (f *Files) SearchContent(ctx context.Context, args SearchContentArgs) (SearchContentResult, error) {
	s, err := f.contentSearch(ctx, args)
	if err != nil {
		return SearchContentResult{}, err
	}
	searching, done := shortenDeadline(ctx)
	defer done()
	c := &matchCounter{search: s, hits: newestHits{limit: s.MaxResults + 1}}
	if err := c.run(searching); err != nil {
		return SearchContentResult{}, err
	}
	if deadlinePassed(ctx) {
		// The deadline of the caller has stopped the search. Building the answer from the results so far gets another 250 ms.
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(context.WithoutCancel(ctx), 250*time.Millisecond)
		defer stop()
	}
	result := c.result()
	hits := c.hits.sorted()
	s.show(ctx, hits, len(hits) < c.hits.total, &result)
	return result, nil
}

// contentSearch validates the arguments and applies the defaults.
func (f *Files) contentSearch(ctx context.Context, args SearchContentArgs) (*contentSearch, error) {
	s := &contentSearch{SearchContentArgs: args, files: f}
	if s.OutputMode == "" {
		s.OutputMode = modeContent
	}
	if s.Path == "" {
		s.Path = "."
	}
	var err error
	if s.MaxResults, err = checkMaxResults(args.MaxResults, defaultMatches); err != nil {
		return nil, err
	}
	switch {
	case s.OutputMode != modeContent && s.OutputMode != modeFiles && s.OutputMode != modeCount:
		return nil, invalid("use content, files or count", "there is no outputMode %s", quote(s.OutputMode))
	case s.Context < 0 || s.Context > maxContext:
		return nil, invalid("give a context of 0 to 20", "context %d is out of bounds", s.Context)
	case s.Pattern == "":
		return nil, invalid("give a pattern; search_files lists files", "the pattern is empty")
	}
	o := grep.Options{Literal: s.Literal, Multiline: s.Multiline}
	switch {
	case s.CaseSensitive == nil:
	case *s.CaseSensitive:
		o.Case = grep.Sensitive
	default:
		o.Case = grep.Insensitive
	}
	if s.matcher, err = grep.Compile(s.Pattern, o); err != nil {
		return nil, grep.WithAdvice(err, "set literal to search for exactly this text", "set multiline and use \\n")
	}
	if s.start, err = f.root.Stat(ctx, s.Path); err != nil {
		return nil, err
	}
	if s.chosen, err = compileGlobs(s.Glob, f.names(s.start)...); err != nil {
		return nil, err
	}
	s.room = f.room(s.start.Path)
	s.question = cursor.NewListID("content", s.start.Path, s.Pattern, fmt.Sprint(s.Literal, s.Multiline, s.IncludeIgnored, o.Case), s.OutputMode, strings.Join(s.Glob, "\x00"))
	place, err := cursorPosition(s.question, s.Cursor)
	if err != nil || place == "" {
		return s, err
	}
	s.after, err = parsePosition(place)
	return s, err
}

const (
	modeContent = "content"
	modeFiles   = "files"
	modeCount   = "count"
)

// position is a position in the order of all matches. It is stored in cursors.
type position struct {
	file found
	line int // line in the file; math.MaxInt is after its last line
}

// String formats the position for parsePosition.
func (p position) String() string {
	return strconv.FormatInt(p.file.modified.UnixNano(), 10) + "/" + strconv.Itoa(p.line) + "/" + p.file.path
}

// parsePosition parses the text of a cursor.
func parsePosition(place string) (*position, error) {
	modified, rest, _ := strings.Cut(place, "/")
	line, path, ok := strings.Cut(rest, "/")
	nanos, err := strconv.ParseInt(modified, 10, 64)
	n, err2 := strconv.Atoi(line)
	if !ok || err != nil || err2 != nil || n < 0 {
		return nil, badCursor()
	}
	return &position{file: found{path: path, modified: time.Unix(0, nanos)}, line: n}, nil
}

// lastShownLine returns the last line of a file that earlier answers contain: 0 for none, math.MaxInt for all. The file in which the
// last answer ended keeps its position even if its modification time has changed.
func (p *position) lastShownLine(f found) int {
	switch {
	case p == nil:
		return 0
	case f.path == p.file.path:
		return p.line
	case compareFound(f, p.file) < 0:
		return math.MaxInt
	}
	return 0
}
