package chunking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/pattern"
)

// FindCodeArgs are the arguments of find_code.
type FindCodeArgs struct {
	// Pattern is code of the language. $NAME stands for one node, $_ for any one, and $$$NAME or $$$ for any number of siblings:
	// see package pattern.
	Pattern string `json:"pattern" jsonschema:"minLength=1"`
	// Language is the language of the pattern. Default: of the languages of the files in which the pattern is code, the one with most
	// files.
	Language string `json:"language,omitempty"`
	// Path is a glob for the paths of files.
	Path string `json:"path,omitempty" jsonschema:"description=Glob for files"`
	// Kind selects one kind of syntax node, if the pattern can be several.
	Kind string `json:"kind,omitempty" jsonschema:"description=Syntax node; if an answer asks for it"`
	// MaxResults limits the number of matches. Default: 20.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=1000,default=20"`
	// Cursor is NextCursor of an earlier result.
	Cursor string `json:"cursor,omitempty"`
}

// CodeResult is the result of find_code.
type CodeResult struct {
	// Matches are in the order of find_text: sources first. A match can be within another one.
	Matches []CodeMatch `json:"matches"`
	// NextCursor is the cursor of the next page, if there is one.
	NextCursor string `json:"nextCursor,omitempty"`
	// Note describes an empty result, a pattern that can be several kinds of code, and files that were not searched.
	Note string `json:"note,omitempty"`
}

// CodeMatch is a place that matches a pattern.
type CodeMatch struct {
	FilePath string `json:"filePath"`
	Line     int    `json:"line"`
	EndLine  int    `json:"endLine"`
	// ChunkID is the ID of the innermost chunk around the first line; "" for a line outside of all chunks.
	ChunkID string `json:"chunkId,omitempty"`
	// Text is the code in one line, at most 160 bytes of it.
	Text string `json:"text"`
	// Captures are the texts of the variables, each at most 80 bytes in one line.
	Captures map[string]string `json:"captures,omitempty"`
}

const (
	maxCapture = 80     // bytes of a capture in a result
	searchWait = 20_000 // milliseconds that a search waits for the first analysis
)

// FindCode implements the tool find_code. It reads the analyzed files, with the unsaved text of editors. Without an index it analyzes
// the project first.
func (c *Chunks) FindCode(ctx context.Context, args FindCodeArgs) (CodeResult, error) {
	limit, err := results(cmp.Or(args.MaxResults, defaultTextHits))
	if err != nil {
		return CodeResult{}, err
	}
	question := cursor.NewListID("code", args.Pattern, args.Language, args.Path, args.Kind)
	after, err := offset(question, args.Cursor)
	if err != nil {
		return CodeResult{}, err
	}
	s, err := c.newCodeSearch(ctx, args, false)
	if err != nil {
		return CodeResult{}, err
	}
	if err := s.run(ctx, after+limit); err != nil {
		return CodeResult{}, err
	}
	var all []CodeMatch
	for _, f := range s.found {
		all = append(all, f.describe()...)
	}
	page := all[min(after, len(all)):min(after+limit, len(all))]
	r := CodeResult{Matches: fitMatches(page, c.limits.Answer), Note: s.note(len(all))}
	if next := after + len(r.Matches); next < len(all) {
		r.NextCursor = question.Cursor(strconv.Itoa(next))
	}
	return r, nil
}

// codeSearch is the search for a pattern in the files of a project.
type codeSearch struct {
	chunks   *Chunks
	patterns map[source.Language]*pattern.Pattern // nil where it is refused
	files    []*index.File

	found      []*codeFile
	stopped    bool              // files were not read, because there are enough matches
	unread     []string          // paths of files that could not be read
	late       int               // files that were not read within textTime
	faulty     int               // searched files with syntax errors
	incomplete []string          // paths of files that were not compared to their end
	others     []source.Language // of selected files that are not searched

	refused map[source.Language]*refusal
}

// refusal says why a pattern is not used in a language.
type refusal struct {
	files  int    // of the language that are therefore not searched
	reason string // in a note
	err    error  // for a call in which nothing else can be searched
}

// codeFile is a file with matches.
type codeFile struct {
	file    *index.File
	chunks  []source.Chunk
	path    string // as it is shown
	digest  string
	content string
	matches []pattern.Match
	faulty  bool
	partial bool // matches can be missing
}

// newCodeSearch compiles the pattern for the languages of the selected files. fresh says that the files of the project are compared
// with the index before.
func (c *Chunks) newCodeSearch(ctx context.Context, args FindCodeArgs, fresh bool) (*codeSearch, error) {
	if args.Path != "" && !doublestar.ValidatePattern(args.Path) {
		return nil, invalid("Write it with *, ?, [a-z], {a,b} and **.", "the pattern %s is malformed", quote(args.Path))
	}
	lang, err := c.language(args.Language)
	if err != nil {
		return nil, err
	}
	if fresh || c.index.Snapshot().Len() == 0 {
		analysis, err := c.Analyze(ctx, AnalyzeArgs{WaitMs: searchWait})
		switch {
		case err != nil:
			return nil, err
		case analysis.Status == "running":
			return nil, problem(codeNotAnalyzed, "Call again in a while.", "the analysis of the project is still running (%d of %d files)", analysis.Parsed, analysis.Files)
		}
	}
	snapshot, err := c.indexed(ctx)
	if err != nil {
		return nil, err
	}
	s := &codeSearch{chunks: c, patterns: map[source.Language]*pattern.Pattern{}, refused: map[source.Language]*refusal{}}
	files := textFiles(snapshot, index.Query{PathGlob: args.Path})
	languages := []source.Language{lang}
	if lang == "" {
		if languages, err = languagesOf(files, args.Path); err != nil {
			return nil, err
		}
	}
	if lang, err = s.choose(ctx, languages, args); err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.Language.Family() != lang.Family() {
			continue
		}
		switch refused, err := s.compile(ctx, f.Language, args); {
		case err != nil:
			return nil, err
		case refused != nil:
			refused.files++
		default:
			s.files = append(s.files, f)
		}
	}
	return s, nil
}

// languagesOf returns the languages of files, the one with most files first.
func languagesOf(files []*index.File, path string) ([]source.Language, error) {
	counts := map[source.Language]int{}
	for _, f := range files {
		counts[f.Language]++
	}
	switch {
	case len(counts) == 0 && path == "":
		return nil, problem(codeNotAnalyzed, "Call analyze_project first.", "no source files are known")
	case len(counts) == 0:
		return nil, invalid("Check path; find_file finds files.", "no analysed file matches path %s", quote(path))
	}
	return slices.SortedFunc(maps.Keys(counts), func(a, b source.Language) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	}), nil
}

// choose compiles the pattern for the first language in which it is code, and returns this language. The other languages, apart from
// those of its family, are not searched.
func (s *codeSearch) choose(ctx context.Context, languages []source.Language, args FindCodeArgs) (source.Language, error) {
	for i, lang := range languages {
		refused, err := s.compile(ctx, lang, args)
		if err != nil {
			return "", err
		}
		if refused != nil {
			continue
		}
		for _, other := range slices.Concat(languages[:i], languages[i+1:]) {
			if other.Family() != lang.Family() {
				s.others = append(s.others, other)
			}
		}
		return lang, nil
	}
	return "", s.refused[languages[0]].err
}

// compile compiles the pattern for a language, once. It returns the refusal if the pattern is not used there.
func (s *codeSearch) compile(ctx context.Context, lang source.Language, args FindCodeArgs) (*refusal, error) {
	if _, known := s.patterns[lang]; known {
		return s.refused[lang], nil
	}
	p, err := s.chunks.compile(ctx, lang, args)
	bad, isBad := errors.AsType[*pattern.Error](err)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case isBad:
		s.refused[lang] = &refusal{reason: "where the pattern is no code", err: invalid(bad.Next, "%s", bad.Message)}
	case errors.Is(err, source.ErrUnchecked):
		s.refused[lang] = &refusal{reason: "for which there are no patterns", err: invalid("Use find_text.", "there are no patterns for %s: %v", lang, err)}
	case err != nil:
		return nil, err
	}
	s.patterns[lang] = p
	return s.refused[lang], nil
}

// compile compiles the pattern of a call for a language. The errors are those of pattern.Compile.
func (c *Chunks) compile(ctx context.Context, lang source.Language, args FindCodeArgs) (*pattern.Pattern, error) {
	p, err := pattern.Compile(ctx, c.options.Parsers, lang, args.Pattern)
	if err != nil || args.Kind == "" {
		return p, err
	}
	restricted, ok := p.Restrict(args.Kind)
	if !ok {
		return nil, &pattern.Error{Message: "the pattern is no " + quote(args.Kind), Next: "Use one of " + strings.Join(p.Kinds(), ", ") + "."}
	}
	return restricted, nil
}

// run searches the files in their order until there are more than most matches, also counting matches within others.
func (s *codeSearch) run(ctx context.Context, most int) (err error) {
	matches := 0
	enough := func() bool { // while there are unread files
		s.stopped = matches > most
		return s.stopped
	}
	s.late, err = scan(ctx, s.files, enough, s.read, func(f *codeFile, failed error) {
		switch {
		case failed != nil:
			s.unread = append(s.unread, f.path)
			return
		case f == nil:
			return
		}
		if f.faulty {
			s.faulty++
		}
		if f.partial {
			s.incomplete = append(s.incomplete, f.path)
		}
		if matches += len(f.matches); len(f.matches) > 0 {
			s.found = append(s.found, f)
		}
	})
	return err
}

// read returns the matches in a file; nil if it cannot have one. With an error it returns the path alone.
func (s *codeSearch) read(ctx context.Context, f *index.File) (*codeFile, error) {
	found, err := s.matches(ctx, f)
	if err != nil {
		found = &codeFile{path: f.Path}
	}
	return found, err
}

func (s *codeSearch) matches(ctx context.Context, f *index.File) (*codeFile, error) {
	raw, info, err := s.chunks.root.ReadFile(ctx, f.Path, source.MaxSource)
	if err != nil {
		return nil, err
	}
	text, err := textfile.Decode(raw, textfile.Auto)
	if err != nil {
		return nil, err
	}
	p := s.patterns[f.Language]
	content := []byte(text.Content)
	if !p.Candidate(content) {
		return nil, nil
	}
	r, err := p.Find(ctx, content)
	if err != nil {
		return nil, err
	}
	found := &codeFile{path: info.Path, digest: hexDigest(raw), content: text.Content, matches: r.Matches, faulty: r.Faulty, partial: r.Incomplete != ""}
	if len(r.Matches) > 0 {
		found.file, found.chunks, err = s.chunks.chunksOf(ctx, f, raw)
	}
	return found, err
}

// note describes what was not searched, and how the pattern was understood.
func (s *codeSearch) note(matches int) string {
	var notes []string
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if matches == 0 {
		add("%s searched", plural.Count(len(s.files)-len(s.unread)-s.late, "indexed file"))
	}
	if kinds := s.kinds(); len(kinds) > 1 {
		add("the code is of the kinds %s: kind selects one", strings.Join(kinds, ", "))
	}
	if len(s.others) > 0 {
		add("not searched: %s; language selects one", source.LanguageNames(s.others[:min(len(s.others), maxCandidates)]))
	}
	for _, lang := range slices.Sorted(maps.Keys(s.refused)) {
		if r := s.refused[lang]; r.files > 0 {
			add("not searched: %s, %s", plural.Count(r.files, string(lang)+" file"), r.reason)
		}
	}
	if n := len(s.unread); n > 0 {
		add("%s could not be read or parsed", plural.Count(n, "file"))
	}
	if s.late > 0 {
		add("%s not searched in time: narrow path", plural.Count(s.late, "file"))
	}
	if n := len(s.incomplete); n > 0 {
		add("%s searched only in part, because comparing takes too long", plural.Count(n, "file"))
	}
	if s.faulty > 0 {
		add("matches can be missing in %s with syntax that the grammar does not know", plural.Count(s.faulty, "file"))
	}
	if missing := s.chunks.missing(); missing != "" {
		add("%s", missing)
	}
	return strings.Join(notes, "; ")
}

// kinds returns the kinds of nodes of the matches.
func (s *codeSearch) kinds() []string {
	kinds := map[string]bool{}
	for _, f := range s.found {
		for _, m := range f.matches {
			kinds[m.Kind] = true
		}
	}
	return slices.Sorted(maps.Keys(kinds))
}

// describe returns the matches of a file.
func (f *codeFile) describe() []CodeMatch {
	all := make([]CodeMatch, 0, len(f.matches))
	lines := textfile.NewLines(f.content)
	for _, m := range f.matches {
		d := CodeMatch{FilePath: f.path, Text: oneLine(f.content[m.Start:m.End], maxHitLine)}
		d.Line, _ = lines.Position(m.Start)
		d.EndLine, _ = lines.Position(m.End)
		if at := innermostAt(f.chunks, int32(d.Line)); at >= 0 {
			d.ChunkID = f.file.ID(at)
		}
		for _, c := range m.Captures {
			if d.Captures == nil {
				d.Captures = map[string]string{}
			}
			d.Captures[c.Name] = oneLine(f.content[c.Start:c.End], maxCapture)
		}
		all = append(all, d)
	}
	return all
}

// oneLine returns code with a blank for each white space, at most n bytes of it.
func oneLine(code string, n int) string {
	if len(code) > 16*n {
		code = strings.ToValidUTF8(code[:16*n], "")
	}
	return truncate.Line(strings.Join(strings.Fields(code), " "), n)
}

// fitMatches returns the first matches that fit in room bytes, at least one.
func fitMatches(matches []CodeMatch, room int) []CodeMatch {
	for i, m := range matches {
		room -= len(m.FilePath) + len(m.Text) + len(m.ChunkID) + 60
		for name, text := range m.Captures {
			room -= len(name) + len(text) + 4
		}
		if room < 0 && i > 0 {
			return matches[:i]
		}
	}
	return slices.Clip(append([]CodeMatch{}, matches...))
}

// TextContent returns the matches, grouped by file and chunk. Captures follow where the match is cut or has several lines.
func (r CodeResult) TextContent() string {
	var b strings.Builder
	b.WriteString("[not found")
	if len(r.Matches) > 0 {
		b.Reset()
		b.WriteString("[" + plural.Count(len(r.Matches), "place") + "; ids are path#name")
	}
	if r.Note != "" {
		b.WriteString("; " + r.Note)
	}
	b.WriteString("]\n")
	file, chunk := "", ""
	for _, m := range r.Matches {
		if m.FilePath != file {
			file, chunk = m.FilePath, ""
			b.WriteString(file + "\n")
		}
		if _, name, _ := strings.Cut(m.ChunkID, "#"); name != chunk {
			if chunk = name; chunk == "" {
				b.WriteString(" [outside of chunks]\n")
			} else {
				b.WriteString(" #" + chunk + "\n")
			}
		}
		b.WriteString("  " + strconv.Itoa(m.Line))
		if m.EndLine > m.Line {
			b.WriteString("-" + strconv.Itoa(m.EndLine))
		}
		b.WriteString(": " + m.Text)
		if m.EndLine > m.Line || len(m.Text) >= maxHitLine {
			for _, name := range slices.Sorted(maps.Keys(m.Captures)) {
				b.WriteString("  $" + name + "=" + m.Captures[name])
			}
		}
		b.WriteString("\n")
	}
	if r.NextCursor != "" {
		b.WriteString("[more: cursor=" + r.NextCursor + "]\n")
	}
	return b.String()
}
