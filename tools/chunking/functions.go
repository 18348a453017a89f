package chunking

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/source"
)

// ListFunctionsArgs are the arguments of list_functions_in_file.
type ListFunctionsArgs struct {
	// FilePath is absolute, or relative to the project.
	FilePath string `json:"filePath"`
	// Language is required only if the name of the file does not determine it.
	Language string `json:"language,omitempty"`
	// IncludeTypes also lists types, properties, variables, constants and modules.
	IncludeTypes bool `json:"includeTypes,omitempty" jsonschema:"default=false,description=Types and variables too"`
	// Cursor is NextCursor of an earlier result.
	Cursor string `json:"cursor,omitempty"`
}

// FindFunctionArgs are the arguments of find_function. FilePath and Language are described
// at ListFunctionsArgs.
type FindFunctionArgs struct {
	FilePath string `json:"filePath"`
	// FunctionQuery is a name or a part of one in any letter case, optionally preceded by
	// its container and a dot, or a part of the signature.
	FunctionQuery string `json:"functionQuery" jsonschema:"minLength=1,description=Part of a name or signature"`
	Language      string `json:"language,omitempty"`
	// MaxResults limits the number of functions. Default: 50.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=1000,default=50"`
	// Cursor is NextCursor of an earlier result.
	Cursor string `json:"cursor,omitempty"`
}

// FunctionsResult is the result of list_functions_in_file and find_function. Its text
// is the JSON list of Functions, or with Options.ShortLists one line for each of them.
type FunctionsResult struct {
	// Functions are in the order of the file, or after a search by descending score.
	Functions []Entry `json:"functions"`
	// TotalCount is the number of functions on all pages.
	TotalCount int `json:"totalCount"`
	// Truncated reports that later pages have more functions.
	Truncated bool `json:"truncated,omitempty"`
	// NextCursor is the cursor of the next page, if there is one. It becomes invalid when
	// the file changes.
	NextCursor string `json:"nextCursor,omitempty"`
	// FilePath is the path at the beginning of the IDs.
	FilePath string `json:"filePath"`
	Language string `json:"language"`
	// Parser is the parser that read the file: go/parser, outline, tree-sitter,
	// sourcekitten or symbols.
	Parser string `json:"parser"`
	// SHA256 is the digest of the file, in hexadecimal form.
	SHA256 string `json:"sha256"`
	// ParseErrors are the parts of the file that could not be parsed, at most 20.
	// Functions in them may be missing from the list.
	ParseErrors []ParseError `json:"parseErrors,omitempty"`

	after int    // functions on earlier pages
	short bool   // Options.ShortLists
	path  string // shortest end of the path that ids may have
	// grouped reports that the text has the container of consecutive functions once, above them.
	grouped bool
}

// Entry describes a chunk without its text.
type Entry struct {
	// ID identifies the chunk in get_chunk and other tools.
	ID string `json:"id"`
	// Signature is the declaration in one line, without body and attributes.
	Signature string `json:"signature"`
	// Kind is the kind of declaration: function, method, initializer, accessor, class and
	// others of source.Kind.
	Kind string `json:"kind,omitempty"`
	// Container is the dotted path of the enclosing types and functions.
	Container string `json:"container,omitempty"`
	// Line is the first line of the chunk, with its documentation, and EndLine the last.
	Line    int32 `json:"line,omitempty"`
	EndLine int32 `json:"endLine,omitempty"`
	// Score is the quality of the match, at most 600.
	Score int `json:"score,omitempty"`

	short string // short ID; empty before Chunks.shorten
	file  string // path at the start of ID; a path can contain "#"
}

// ParseError is a syntax error in a file.
type ParseError struct {
	Line    int32  `json:"line"`
	Message string `json:"message"`
}

// ListFunctions implements the tool list_functions_in_file.
func (c *Chunks) ListFunctions(ctx context.Context, args ListFunctionsArgs) (FunctionsResult, error) {
	s, err := c.open(ctx, args.FilePath, args.Language)
	if err != nil {
		return FunctionsResult{}, err
	}
	r := s.functions()
	r.short, r.path, r.grouped = c.options.ShortLists, c.shortener().file(s.Path), true
	list := cursor.NewListID("functions", s.Path, string(s.Language), s.digest(), strconv.FormatBool(args.IncludeTypes))
	if r.after, err = offset(list, args.Cursor); err != nil {
		return FunctionsResult{}, err
	}
	for i := range s.chunks {
		if !args.IncludeTypes && !isListed(&s.chunks[i]) && !c.options.Parsers.IsData(s.Language) {
			continue
		}
		// Further entries cannot fit, even in their shortest form.
		if r.TotalCount++; r.TotalCount > r.after && (r.TotalCount-r.after)*leastEntry <= c.limits.Answer {
			r.Functions = append(r.Functions, s.entry(i, 0))
		}
	}
	r.fit(c.limits.Answer, list)
	return r, nil
}

// isListed reports whether a chunk is a function, or a property with a body of several lines: the body of a view in SwiftUI.
func isListed(c *source.Chunk) bool {
	return c.Kind.IsCallable() || c.HasCode() && c.EndLine > c.IdentLine+1
}

// FindFunction implements the tool find_function.
func (c *Chunks) FindFunction(ctx context.Context, args FindFunctionArgs) (FunctionsResult, error) {
	limit, err := results(args.MaxResults)
	if err != nil {
		return FunctionsResult{}, err
	}
	s, err := c.open(ctx, args.FilePath, args.Language)
	if err != nil {
		return FunctionsResult{}, err
	}
	r := s.functions()
	r.short, r.path = c.options.ShortLists, c.shortener().file(s.Path)
	query := strings.TrimSpace(args.FunctionQuery)
	hits := s.search(query)
	r.TotalCount = len(hits)
	list := cursor.NewListID("function", s.Path, string(s.Language), s.digest(), query)
	if r.after, err = offset(list, args.Cursor); err != nil {
		return FunctionsResult{}, err
	}
	hits = hits[min(r.after, len(hits)):]
	for _, hit := range hits[:min(limit, len(hits))] {
		r.Functions = append(r.Functions, s.entry(hit.Chunk, hit.Score))
	}
	r.fit(c.limits.Answer, list)
	return r, nil
}

// search finds functions whose name matches the query or whose signature contains it.
func (s *parsedFile) search(query string) []index.Hit {
	hits, _ := index.SnapshotOf(s.File).Search(index.Query{Text: query, Callable: true, Limit: index.MaxLimit})
	part := strings.ToLower(normal(query))
	if part == "" {
		return hits
	}
	seen := make(map[int]bool, len(hits))
	for _, hit := range hits {
		seen[hit.Chunk] = true
	}
	var exact, within []index.Hit
	for i := range s.chunks {
		c := &s.chunks[i]
		if !c.Kind.IsCallable() || seen[i] {
			continue
		}
		switch signature := strings.ToLower(normal(c.Signature)); {
		case signature == part:
			exact = append(exact, index.Hit{File: s.File, Chunk: i, Score: exactSignature})
		case strings.Contains(signature, part):
			within = append(within, index.Hit{File: s.File, Chunk: i, Score: partOfSignature})
		}
	}
	return append(append(exact, hits...), within...)
}

// Scores of matching signatures. They extend the scores of index.Hit.
const (
	exactSignature  = 600
	partOfSignature = 50
)

// results validates the requested number of results; 0 selects the default of 50.
func results(asked int) (int, error) {
	switch {
	case asked == 0:
		return index.DefaultLimit, nil
	case asked < 0 || asked > 1000:
		return 0, invalid("Give a maxResults of 1 to 1000.", "maxResults %d is out of bounds", asked)
	}
	return asked, nil
}

// functions returns a result for the file without its functions.
func (s *parsedFile) functions() FunctionsResult {
	return FunctionsResult{
		Functions: []Entry{}, FilePath: s.Path, Language: string(s.Language), Parser: s.Parser, SHA256: s.digest(), ParseErrors: parseErrors(s.Problems),
	}
}

func parseErrors(problems []source.Problem) []ParseError {
	var errs []ParseError
	for _, p := range problems {
		errs = append(errs, ParseError{p.Line, p.Message})
	}
	return errs
}

func (s *parsedFile) entry(i, score int) Entry { return entry(s.File, i, &s.chunks[i], score) }

func entry(f *index.File, i int, c *source.Chunk, score int) Entry {
	return Entry{ID: f.ID(i), Signature: c.Signature, Kind: c.Kind.String(), Container: c.Container, Line: c.StartLine, EndLine: c.EndLine, Score: score, file: f.Path}
}

// fit reduces the result to a budget of bytes: it first shortens the entries, then removes
// the last ones.
func (r *FunctionsResult) fit(room int, list cursor.ListID) {
	if size(r.Functions) > room {
		for i := range r.Functions {
			f := &r.Functions[i]
			*f = Entry{ID: f.ID, Signature: f.Signature, Line: f.Line, file: f.file}
		}
	}
	r.Functions = cut(r.Functions, room)
	r.NextCursor = nextCursor(list, r.after+len(r.Functions), r.TotalCount)
	r.Truncated = r.NextCursor != ""
}

// entryMembers is the approximate size in bytes of an entry's JSON without its strings.
const entryMembers = 90

// leastEntry is the size in bytes of the shortest entry.
const leastEntry = 36

func (e *Entry) size() int {
	members := entryMembers
	if e.Kind == "" {
		members = leastEntry
	}
	return members + len(e.ID) + len(e.Signature) + len(e.Kind) + len(e.Container)
}

func size(entries []Entry) int {
	total := 0
	for i := range entries {
		total += entries[i].size()
	}
	return total
}

// cut returns the first entries that fit in room bytes, at least one.
func cut(entries []Entry, room int) []Entry {
	for i := range entries {
		if room -= entries[i].size(); room < 0 && i > 0 {
			return entries[:i]
		}
	}
	return entries
}

// TextContent returns the text for the model; see FunctionsResult.
func (r FunctionsResult) TextContent() string {
	if !r.short {
		return asJSON(r.Functions)
	}
	if len(r.Functions) == 0 {
		return "[no functions]"
	}
	var b strings.Builder
	if !r.grouped {
		fmt.Fprintf(&b, "[lines, name, signature; ids are %s#name]", r.path)
		for i := range r.Functions {
			b.WriteString("\n" + r.Functions[i].line("", true))
		}
		return b.String()
	}
	overloads := make(map[string]int) // functions by name without labels
	for i := range r.Functions {
		overloads[r.Functions[i].name("", false)]++
	}
	fmt.Fprintf(&b, "[lines, signature; ids: %s#name, indented …#heading.name]", r.path)
	heading := ""
	for i := range r.Functions {
		e := &r.Functions[i]
		if e.Container != "" && e.Container != heading {
			b.WriteString("\n" + e.Container + ":")
		}
		b.WriteByte('\n')
		if heading = e.Container; heading != "" {
			b.WriteByte(' ')
		}
		b.WriteString(e.line(heading, overloads[e.name("", false)] > 1))
	}
	return b.String()
}

// line returns the lines, the name behind the "#" of the ID, and the signature. The name does not repeat the container
// above it, has labels only if wanted, and is left out if the signature contains it.
func (e *Entry) line(container string, labels bool) string {
	var b strings.Builder
	if e.Line > 0 {
		b.WriteString(strconv.Itoa(int(e.Line)))
	}
	if e.EndLine > e.Line {
		b.WriteString("-" + strconv.Itoa(int(e.EndLine)))
	}
	signature := truncate.Line(e.Signature, maxListed)
	if name := e.name(container, labels); !containsWord(signature, name) {
		b.WriteString(" " + name)
	}
	b.WriteString(" " + signature)
	return b.String()
}

// name returns the part of the ID behind the "#" and the container. Without labels of parameters it still identifies a
// function that is not overloaded.
func (e *Entry) name(container string, labels bool) string {
	name := e.within()
	if container != "" {
		name = strings.TrimPrefix(name, container+".")
	}
	if open := strings.IndexByte(name, '('); !labels && open > 0 && strings.HasSuffix(name, ")") {
		name = name[:open]
	}
	return name
}

// within returns the part of the ID behind the path and "#".
func (e *Entry) within() string { return strings.TrimPrefix(e.ID, e.file+"#") }

// containsWord reports whether a text contains a name that is not a part of a longer one.
func containsWord(text, name string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(name)
		if (start == 0 || !isWord(text[start-1])) && (end == len(text) || !isWord(text[end])) {
			return true
		}
		at = start + 1
	}
}

// TextNote describes omitted entries and parse errors.
func (r FunctionsResult) TextNote() string {
	var notes []string
	if shown := pageNote(r.after, len(r.Functions), r.TotalCount, r.NextCursor); shown != "" {
		notes = append(notes, "["+shown+"]")
	}
	return strings.Join(append(notes, problemNotes(r.ParseErrors)...), "\n")
}

// problemNotes describes the first parse errors.
func problemNotes(problems []ParseError) []string {
	const most = 3
	var notes []string
	for _, p := range problems[:min(len(problems), most)] {
		notes = append(notes, "[line "+number(p.Line)+" could not be read: "+p.Message+"]")
	}
	switch more := len(problems) - most; {
	case len(problems) >= source.MaxProblems:
		notes = append(notes, "[and at least "+number(more)+" more places]")
	case more > 0:
		notes = append(notes, "[and "+number(more)+" more places]")
	}
	return notes
}
