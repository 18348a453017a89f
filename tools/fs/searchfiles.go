package fs

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/glob"
)

const defaultFiles = 100

// SearchFilesArgs are the arguments of search_files.
type SearchFilesArgs struct {
	// Pattern chooses entries as ListArgs.Pattern does, and directories if it ends in a slash. One with nothing special in it is a name, or with a slash a path;
	// if there is no such entry, it is a part of a name or path, in any case. Entries whose names begin with a dot are looked at if
	// the pattern has such a name.
	Pattern string `json:"pattern" jsonschema:"description=Glob (*.go\\, src/**/*.go) or part of a name"`
	// IncludeIgnored looks also at what .gitignore leaves out, and at hidden entries. .git is never looked at.
	IncludeIgnored bool `json:"includeIgnored,omitempty" jsonschema:"default=false,description=And hidden"`
	// MaxResults bounds the entries of an answer, which can be fewer because of its budget. 0 is 100.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=1000,default=100"`
	// FileType is file, directory or all, the default. Links are neither.
	FileType string `json:"fileType,omitempty" jsonschema:"enum=file,enum=directory,enum=all,default=all"`
	// Path is the directory to search, relative to the project root, or absolute and inside the project. The default is the root.
	Path string `json:"path,omitempty"`
}

// SearchFilesResult is what search_files answers: entries in the order of their last change, the newest first.
type SearchFilesResult struct {
	Files []SearchResult `json:"files"`
	// TotalCount is the number of entries that match.
	TotalCount int `json:"totalCount"`
	// Truncated tells that there are more entries than these, or that Incomplete is set.
	Truncated bool `json:"truncated"`
	// Incomplete tells that not everything was looked at, because of time, of number or of Problems. TotalCount counts what
	// was seen.
	Incomplete bool `json:"incomplete,omitempty"`
	LeftOut
	// Note tells that the pattern was taken for a part of a name, or where else to look if nothing was found.
	Note string `json:"note,omitempty"`
	// Problems tell of a few directories that could not be read, at most 8.
	Problems []string `json:"problems,omitempty"`
}

// SearchResult is one entry that search_files has found.
type SearchResult struct {
	Path         string    `json:"path"`           // names the entry in another call
	Type         string    `json:"type"`           // file, directory, symlink, or other: a device, FIFO or socket
	Size         *int64    `json:"size,omitempty"` // of a file, in bytes
	LastModified time.Time `json:"lastModified"`   // UTC, to the second
}

// fileSearch is a search for entries.
type fileSearch struct {
	glob     *glob.Glob
	part     string // of the name or path, in lower case, if the pattern is plain
	fileType string
	hits     newest
	near     newest // entries that a plain pattern is only a part of
}

// SearchFiles is search_files.
func (f *Files) SearchFiles(ctx context.Context, args SearchFilesArgs) (SearchFilesResult, error) {
	limit, err := atMost(args.MaxResults, defaultFiles)
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
	s := &fileSearch{fileType: args.FileType, hits: newest{limit: limit}, near: newest{limit: limit}}
	if s.glob, err = compileGlob(args.Pattern, f.names(start)...); err != nil {
		return SearchFilesResult{}, err
	}
	if s.glob.Plain() {
		s.part = strings.ToLower(s.glob.String())
	}
	o := security.WalkOptions{Ignored: args.IncludeIgnored, Hidden: args.IncludeIgnored || s.glob.Hidden()}
	searching, done := hurry(ctx)
	defer done()
	stats, _, err := f.walkChosen(searching, start.Path, &glob.List{}, o, func(e *security.WalkEntry) error { return s.visit(searching, e) })
	if err != nil && (stats.Entries == 0 || !outOfTime(searching)) {
		return SearchFilesResult{}, err
	}
	stats.Incomplete = stats.Incomplete || err != nil
	return s.answer(f.room(start.Path), start.Path, stats), nil
}

// startDir describes the directory that a search starts in.
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

// visit describes an entry that matches. What others remove meanwhile has not been found.
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
		return ended(ctx)
	}
	to.add(found{path: info.Path, kind: info.Kind, size: info.Size, modified: info.ModTime})
	return nil
}

func (s *fileSearch) contains(name, rel string) bool {
	if s.glob.ByPath() {
		name = rel
	}
	return s.part != "" && strings.Contains(strings.ToLower(name), s.part)
}

// answer makes the result out of what was found, within a budget of bytes.
func (s *fileSearch) answer(room int, start string, stats security.WalkStats) SearchFilesResult {
	result := SearchFilesResult{Files: []SearchResult{}, Incomplete: stats.Incomplete, LeftOut: leftOut(stats, 0), Problems: few(stats.Problems)}
	hits := &s.hits
	if hits.total == 0 && s.near.total > 0 {
		hits = &s.near
		result.Note = "nothing is called " + quote(s.glob.String()) + "; these contain it"
	}
	result.TotalCount = hits.total
	for _, hit := range hits.first() {
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

// nothingFound says where a search has found nothing.
func nothingFound(start string, stats security.WalkStats, left LeftOut) string {
	return "nothing found among " + count(int64(stats.Entries), "entry") + " below " + start + left.advice()
}

// TextContent is what a model reads: a line for each entry, with the size of files, and around them what to know of the whole.
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

func (r *SearchFilesResult) extent() string {
	total := count(int64(r.TotalCount), "entry")
	if r.Incomplete {
		total = "more than " + total
	}
	if n := len(r.Files); n < r.TotalCount {
		return "the newest " + strconv.Itoa(n) + " of " + total + r.text()
	}
	return total + ", newest first" + r.text()
}

func writeProblems(b *strings.Builder, problems []string) {
	for _, problem := range problems {
		b.WriteString("[not read: " + problem + "]\n")
	}
}
