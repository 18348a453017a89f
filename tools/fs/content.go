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
	defaultMatches = 100
	maxContext     = 20
)

// SearchContentArgs are the arguments of search_content.
type SearchContentArgs struct {
	// Pattern is a regular expression in the syntax of RE2, as package regexp has it, with \w, \d, \s and \b of Unicode. It is
	// matched line by line.
	Pattern string `json:"pattern" jsonschema:"description=Regular expression (RE2)"`
	// Literal takes the pattern as it stands.
	Literal bool `json:"literal,omitempty"`
	// Path is the directory to search, or one file, relative to the project root, or absolute and inside the project. The default is
	// the root.
	Path string `json:"path,omitempty" jsonschema:"description=Directory or file"`
	// Glob chooses files by patterns as ListArgs.Pattern has them: those that one of them matches, or all if there is none, but for those
	// that a pattern with "!" in front matches, or that are below such a directory. At most 64.
	Glob []string `json:"glob,omitempty" jsonschema:"description=*.go\\, !*_test.go"`
	// CaseSensitive says whether upper and lower case differ. The default is smart: they do if the pattern has an upper-case
	// letter.
	CaseSensitive *bool `json:"caseSensitive,omitempty" jsonschema:"description=Default: if pattern has capitals"`
	// Context is the number of lines to show before and after each, at most 20.
	Context int `json:"context,omitempty" jsonschema:"minimum=0,maximum=20"`
	// OutputMode is content, the default: the lines that match; files: the files that have any; or count: how many each of them has.
	OutputMode string `json:"outputMode,omitempty" jsonschema:"enum=content,enum=files,enum=count"`
	// IncludeIgnored searches also what .gitignore leaves out, and hidden entries. .git is never searched.
	IncludeIgnored bool `json:"includeIgnored,omitempty" jsonschema:"description=And hidden"`
	// MaxResults bounds the matching lines of an answer, or its files if OutputMode is not content; there can be fewer because of its
	// budget. 0 is 100.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=1000,default=100"`
	// Cursor is the NextCursor of an answer to the same arguments but for MaxResults and Context.
	Cursor string `json:"cursor,omitempty"`
	// Multiline lets a match go over several lines: the pattern sees the whole file, and . matches line ends too.
	Multiline bool `json:"multiline,omitempty"`
}

// SearchContentResult is what search_content answers: files in the order of their last change, the newest first, and in each the lines
// that match, in order.
type SearchContentResult struct {
	Files []FileMatches `json:"files"`
	// TotalMatches and TotalFiles count the lines that match and their files, in this answer and all others.
	TotalMatches int `json:"totalMatches"`
	TotalFiles   int `json:"totalFiles"`
	// Truncated tells that there is more behind this, or that Incomplete is set.
	Truncated bool `json:"truncated"`
	// NextCursor goes on behind the last line, or file; empty if there is no more. A file that has changed since the last answer
	// is searched as one that was found now.
	NextCursor string `json:"nextCursor,omitempty"`
	// Incomplete tells that not everything was searched: the time was up, there are too many entries, or something could not be
	// read. The totals count what was seen.
	Incomplete bool `json:"incomplete,omitempty"`
	LeftOut
	// Binary is the number of files that were not searched because they are no text: they have a zero byte in their first 8 KiB and no
	// byte-order mark of UTF-16.
	Binary int `json:"binary,omitempty"`
	// TooLarge is the number of files of which only the beginning was searched, see tools.Limits.MaxFile: sixteen times that,
	// or with Multiline none.
	TooLarge int `json:"tooLarge,omitempty"`
	// Note tells what else to try, if nothing was found.
	Note string `json:"note,omitempty"`
	// Problems tell of a few files and directories that could not be read, at most 8 of each.
	Problems []string `json:"problems,omitempty"`

	mode    string
	context bool
}

// FileMatches is a file that has matches.
type FileMatches struct {
	Path    string `json:"path"`    // names the file in another call
	Matches int    `json:"matches"` // lines of the whole file that match
	// Lines of the file: those that match and belong into this answer, and those around them.
	Lines []MatchLine `json:"lines,omitzero"`
}

// MatchLine is a line of a file.
type MatchLine struct {
	Line    int    `json:"line"`              // from 1
	Text    string `json:"text"`              // without its end; a long line is cut around the first match
	Context bool   `json:"context,omitempty"` // the line does not match itself
}

// contentSearch is a search in the content of files.
type contentSearch struct {
	SearchContentArgs
	files    *Files
	start    security.FileInfo
	matcher  *grep.Matcher
	chosen   glob.List
	question cursor.Question
	after    *position // what earlier answers have; nil is nothing
	room     int       // bytes of the answer that are left
}

// SearchContent is search_content.
func (f *Files) SearchContent(ctx context.Context, args SearchContentArgs) (SearchContentResult, error) {
	s, err := f.contentSearch(ctx, args)
	if err != nil {
		return SearchContentResult{}, err
	}
	searching, done := hurry(ctx)
	defer done()
	c := &census{search: s, hits: newest{limit: s.MaxResults + 1}}
	if err := c.take(searching); err != nil {
		return SearchContentResult{}, err
	}
	if outOfTime(ctx) {
		// The caller's clock has stopped the search. What was found is shown all the same, in a moment.
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(context.WithoutCancel(ctx), 250*time.Millisecond)
		defer stop()
	}
	result := c.result()
	hits := c.hits.first()
	s.show(ctx, hits, len(hits) < c.hits.total, &result)
	return result, nil
}

// contentSearch checks the arguments and applies the defaults.
func (f *Files) contentSearch(ctx context.Context, args SearchContentArgs) (*contentSearch, error) {
	s := &contentSearch{SearchContentArgs: args, files: f}
	if s.OutputMode == "" {
		s.OutputMode = modeContent
	}
	if s.Path == "" {
		s.Path = "."
	}
	var err error
	if s.MaxResults, err = atMost(args.MaxResults, defaultMatches); err != nil {
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
	s.question = cursor.Of("content", s.start.Path, s.Pattern, fmt.Sprint(s.Literal, s.Multiline, s.IncludeIgnored, o.Case), s.OutputMode, strings.Join(s.Glob, "\x00"))
	place, err := placeOf(s.question, s.Cursor)
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

// position is a place in the order of all matches.
type position struct {
	file found
	line int // in the file; math.MaxInt is behind it
}

// String is what parsePosition reads.
func (p position) String() string {
	return strconv.FormatInt(p.file.modified.UnixNano(), 10) + "/" + strconv.Itoa(p.line) + "/" + p.file.path
}

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

// behind is the last line of a file that earlier answers have: 0 if they have none of it, and math.MaxInt if they have all. The file that
// the last answer ended in keeps its place, whatever became of it.
func (p *position) behind(f found) int {
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
