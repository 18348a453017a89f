package fs

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/glob"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// defaultFiles is the default of SearchFilesArgs.MaxResults.
const defaultFiles = 100

// SearchFilesArgs are the arguments of search_files.
type SearchFilesArgs struct {
	// Pattern selects entries as ListArgs.Pattern does. A trailing slash selects only directories. A pattern without wildcards
	// is a name, or with a slash a path; if no entry has this name, it selects entries that contain it, in any case. Hidden
	// entries are visited if the pattern contains a name with a leading dot.
	Pattern string `json:"pattern" jsonschema:"description=Glob (*.go\\, src/**/*.go) or part of a name"`
	// IncludeIgnored visits also entries that .gitignore excludes, and hidden entries. .git is never visited.
	IncludeIgnored bool `json:"includeIgnored,omitempty" jsonschema:"default=false,description=Hidden too"`
	// MaxResults is the most entries of an answer; the budget can allow fewer. 0 is 100.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=1000,default=100"`
	// FileType is file, directory or all, the default. A link is neither a file nor a directory.
	FileType string `json:"fileType,omitempty" jsonschema:"enum=file,enum=directory,enum=all,default=all"`
	// Path is the directory to search, relative to the project root, or absolute and inside the project. The default is the root.
	Path string `json:"path,omitempty"`
}

// SearchFilesResult is the result of search_files: entries by modification time, newest first.
type SearchFilesResult struct {
	Files []SearchResult `json:"files"`
	// TotalCount is the number of matching entries.
	TotalCount int `json:"totalCount"`
	// Truncated means that not all matching entries are listed, or that Incomplete is set.
	Truncated bool `json:"truncated"`
	// Incomplete means that the search did not visit everything: the time was up, there are too many entries, or there are
	// Problems. TotalCount counts the visited entries.
	Incomplete bool `json:"incomplete,omitempty"`
	LeftOut
	// Note reports that the entries only contain the pattern, or gives advice if there are no results.
	Note string `json:"note,omitempty"`
	// Problems describe at most 8 directories that could not be read.
	Problems []string `json:"problems,omitempty"`
}

// SearchResult is one entry that search_files found.
type SearchResult struct {
	Path         string    `json:"path"`           // path for other calls
	Type         string    `json:"type"`           // file, directory, symlink, or other: a device, FIFO or socket
	Size         *int64    `json:"size,omitempty"` // bytes, of a file
	LastModified time.Time `json:"lastModified"`   // UTC, to the second
}

// fileSearch is the state of one search_files call.
type fileSearch struct {
	glob     *glob.Glob
	part     string // pattern in lower case, for a search in names; empty if the pattern has wildcards
	fileType string
	hits     newestHits // entries that match the pattern
	near     newestHits // entries that only contain a pattern without wildcards
}

// SearchFiles implements search_files.
func (f *Files) SearchFiles(ctx context.Context, args SearchFilesArgs) (SearchFilesResult, error) {
	limit, err := checkMaxResults(args.MaxResults, defaultFiles)
	if err != nil {
		return SearchFilesResult{}, err
	}
	if args.FileType != "" && args.FileType != "all" && args.FileType != "file" && args.FileType != "directory" {
		return SearchFilesResult{}, invalid("use file, directory or all", "there is no fileType %s", quote(args.FileType))
	}
	start, err := f.startDir(ctx, args.Path)
	if err != nil {
		return SearchFilesResult{}, err
	}
	if name, ok := strings.CutSuffix(args.Pattern, "/"); ok && name != "" && (args.FileType == "" || args.FileType == "all") {
		args.Pattern, args.FileType = name, "directory"
	}
	s := &fileSearch{fileType: args.FileType, hits: newestHits{limit: limit}, near: newestHits{limit: limit}}
	if s.glob, err = compileGlob(args.Pattern, f.names(start)...); err != nil {
		return SearchFilesResult{}, err
	}
	if s.glob.Plain() {
		s.part = strings.ToLower(s.glob.String())
	}
	o := security.WalkOptions{Ignored: args.IncludeIgnored, Hidden: args.IncludeIgnored || s.glob.Hidden()}
	searching, done := shortenDeadline(ctx)
	defer done()
	stats, _, err := f.walkChosen(searching, start.Path, &glob.List{}, o, func(e *security.WalkEntry) error { return s.visit(searching, e) })
	if err != nil && (stats.Entries == 0 || !deadlinePassed(searching)) {
		return SearchFilesResult{}, err
	}
	stats.Incomplete = stats.Incomplete || err != nil
	return s.answer(f.room(start.Path), start.Path, stats), nil
}

// startDir returns the directory in which a search starts. A file is an error.
func (f *Files) startDir(ctx context.Context, path string) (security.FileInfo, error) {
	if path == "" {
		path = "."
	}
	start, err := f.root.Stat(ctx, path)
	if err == nil && start.Kind != security.Directory {
		err = &security.Error{Code: security.NotDirectory, AttemptedPath: path, Message: quote(path) + " is a file.",
			Next: "Give the directory that it is in as path."}
	}
	return start, err
}

// visit records a matching entry. It ignores an entry that another program has removed meanwhile.
func (s *fileSearch) visit(ctx context.Context, e *security.WalkEntry) error {
	if s.fileType != "" && s.fileType != "all" && s.fileType != e.Kind.String() {
		return nil
	}
	to := &s.hits
	if rel := e.Rel(); !s.glob.Match(e.Name, rel) {
		if !s.contains(e.Name, rel) {
			return nil
		}
		to = &s.near
	}
	info, err := e.Info(ctx)
	if err != nil {
		return contextError(ctx)
	}
	to.add(found{path: info.Path, kind: info.Kind, size: info.Size, modified: info.ModTime})
	return nil
}

// contains reports whether the name, or the path for a path pattern, contains the pattern.
func (s *fileSearch) contains(name, rel string) bool {
	if s.glob.ByPath() {
		name = rel
	}
	return s.part != "" && strings.Contains(strings.ToLower(name), s.part)
}

// answer returns the result, within a budget of room bytes.
func (s *fileSearch) answer(room int, start string, stats security.WalkStats) SearchFilesResult {
	result := SearchFilesResult{Files: []SearchResult{}, Incomplete: stats.Incomplete, LeftOut: leftOut(stats, 0), Problems: limitProblems(stats.Problems)}
	hits := &s.hits
	if hits.total == 0 && s.near.total > 0 {
		hits = &s.near
		result.Note = "nothing is called " + quote(s.glob.String()) + "; these contain it"
	}
	result.TotalCount = hits.total
	for _, hit := range hits.sorted() {
		if room -= entryMembers + len(hit.path); room < 0 && len(result.Files) > 0 {
			break
		}
		file := SearchResult{Path: hit.path, Type: hit.kind.String(), LastModified: hit.modified.UTC().Truncate(time.Second)}
		if hit.kind == security.RegularFile {
			file.Size = new(hit.size)
		}
		result.Files = append(result.Files, file)
	}
	if result.TotalCount == 0 {
		result.Note = nothingFound(start, stats, result.LeftOut)
	}
	result.Truncated = result.Incomplete || len(result.Files) < result.TotalCount
	return result
}

// nothingFound returns the note for a search without results.
func nothingFound(start string, stats security.WalkStats, left LeftOut) string {
	return "nothing found among " + plural.Count(int64(stats.Entries), "entry") + " below " + start + left.includeAdvice()
}

// TextContent returns the text for the model: a header line, one line for each entry with the size of files, and notes.
func (r SearchFilesResult) TextContent() string {
	var b strings.Builder
	b.WriteByte('[')
	if r.TotalCount > 0 {
		b.WriteString(r.extent())
	}
	if r.TotalCount > 0 && r.Note != "" {
		b.WriteString("; ")
	}
	b.WriteString(r.Note + "]\n")
	for i := range r.Files {
		file := &r.Files[i]
		size := int64(0)
		if file.Size != nil {
			size = *file.Size
		}
		writeEntry(&b, file.Path, file.Type, size)
	}
	writeProblems(&b, r.Problems)
	switch {
	case r.Incomplete:
		b.WriteString("[not everything was looked at; search a directory below with path]\n")
	case r.Truncated:
		b.WriteString("[cut here; narrow pattern or path to see others]\n")
	}
	return b.String()
}

// extent describes the number of entries for the header line.
func (r *SearchFilesResult) extent() string {
	total := plural.Count(int64(r.TotalCount), "entry")
	if r.Incomplete {
		total = "more than " + total
	}
	if n := len(r.Files); n < r.TotalCount {
		return "the newest " + strconv.Itoa(n) + " of " + total + r.text()
	}
	return total + ", newest first" + r.text()
}

// writeProblems writes one line for each problem.
func writeProblems(b *strings.Builder, problems []string) {
	for _, problem := range problems {
		b.WriteString("[not read: " + problem + "]\n")
	}
}
