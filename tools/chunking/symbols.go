package chunking

import (
	"context"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/source"
)

// SearchSymbolsArgs are the arguments of search_symbols.
type SearchSymbolsArgs struct {
	// Query is a name, a part of one, or its first letters, in any case; before a
	// dot stands the container.
	Query string `json:"query" jsonschema:"minLength=1,description=Name or part of one: push\\, Stack.push"`
	// Kind is that of source.Kind, or "callable" or "type".
	Kind string `json:"kind,omitempty" jsonschema:"description=callable\\, type\\, method\\, class …"`
	// Language is that of the files.
	Language string `json:"language,omitempty"`
	// Path is a glob for the paths of files.
	Path string `json:"path,omitempty" jsonschema:"description=Glob for files"`
	// MaxResults bounds the symbols of the answer. 0 is 10: what is looked for is
	// nearly always among the first five.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=1000,default=10"`
	// Cursor is the nextCursor of an answer that was cut.
	Cursor string `json:"cursor,omitempty"`
}

// SymbolsResult is the result of the tool search_symbols.
type SymbolsResult struct {
	// Symbols are the matching declarations, best first.
	Symbols []Entry `json:"symbols"`
	// TotalCount is how many fit.
	TotalCount int `json:"totalCount"`
	// NextCursor gives the next ones, if there are more.
	NextCursor string `json:"nextCursor,omitempty"`
	// Note says why nothing was found and which files were not looked at, or that there are more
	// symbols than a cursor leads to.
	Note string `json:"note,omitempty"`

	after int // symbols that earlier answers have
}

const (
	defaultSymbols = 10
	// maxShown bounds a signature in the text of an answer, in bytes.
	maxShown = 200
)

// maxPages bounds how far a cursor leads.
const maxPages = index.MaxLimit

// SearchSymbols is search_symbols: it searches the files that were analysed.
func (c *Chunks) SearchSymbols(_ context.Context, args SearchSymbolsArgs) (SymbolsResult, error) {
	q, err := c.query(args)
	if err != nil {
		return SymbolsResult{}, err
	}
	if args.MaxResults == 0 {
		args.MaxResults = defaultSymbols
	}
	limit, err := results(args.MaxResults)
	if err != nil {
		return SymbolsResult{}, err
	}
	question := cursor.NewListID("symbols", args.Query, args.Kind, args.Language, args.Path)
	after, err := offset(question, args.Cursor)
	if err != nil {
		return SymbolsResult{}, err
	}
	q.Limit = min(after+limit, maxPages)
	snapshot := c.index.Snapshot()
	hits, total := snapshot.Search(q)
	r := SymbolsResult{Symbols: []Entry{}, TotalCount: total, after: after}
	if total == 0 {
		r.Note = c.nothing(snapshot, q)
	}
	for _, hit := range hits[min(after, len(hits)):] {
		r.Symbols = append(r.Symbols, found(hit))
	}
	r.Symbols = cut(r.Symbols, c.limits.Answer)
	switch next := after + len(r.Symbols); {
	case next < maxPages:
		r.NextCursor = nextCursor(question, next, total)
	case next < total:
		r.Note = "no cursor leads further than " + number(maxPages) + " symbols: narrow query, kind, language or path"
	}
	return r, nil
}

// nothing names the files that were searched without a hit.
func (c *Chunks) nothing(s *index.Snapshot, q index.Query) string {
	if s.Len() == 0 {
		return "no project has been analysed: call analyze_project first"
	}
	byLanguage, fits := make(map[string]int), 0
	for _, f := range s.Files() {
		byLanguage[string(f.Language)]++
		if q.Includes(f) {
			fits++
		}
	}
	note := number(fits) + " of " + number(s.Len()) + " indexed files were searched (" + byExtension(byLanguage) + ")"
	if fits == 0 {
		note = "no indexed file has this language and path; indexed are " + byExtension(byLanguage)
	}
	if missing := c.missing(); missing != "" {
		note += "; " + missing
	}
	return note
}

// found returns the entry of a hit. Its lines are missing if the stored data is damaged
// and the file has changed.
func found(hit index.Hit) Entry {
	c := hit.File.Symbol(hit.Chunk)
	if parsed, err := hit.File.Parsed(); err == nil {
		c = parsed.Chunks[hit.Chunk]
	}
	return entry(hit.File, hit.Chunk, &c, hit.Score)
}

func (c *Chunks) query(args SearchSymbolsArgs) (index.Query, error) {
	lang, err := c.language(args.Language)
	if err != nil {
		return index.Query{}, err
	}
	q := index.Query{Text: strings.TrimSpace(args.Query), Language: lang, PathGlob: args.Path}
	if args.Path != "" && !doublestar.ValidatePattern(args.Path) {
		return index.Query{}, invalid("write it with *, ?, [a-z], {a,b} and **", "the pattern %s is malformed", quote(args.Path))
	}
	switch args.Kind {
	case "":
	case "callable":
		q.Callable = true
	case "type":
		for k := source.Function; k <= source.Module; k++ {
			if k.IsType() {
				q.Kinds = append(q.Kinds, k)
			}
		}
	default:
		kind, ok := source.KindNamed(args.Kind)
		if !ok {
			return index.Query{}, invalid("use callable, type, or one of "+kindNames(), "there is no kind %s", quote(args.Kind))
		}
		q.Kinds = []source.Kind{kind}
	}
	return q, nil
}

func kindNames() string {
	var names []string
	for k := source.Function; k <= source.Module; k++ {
		names = append(names, k.String())
	}
	return strings.Join(names, ", ")
}

// TextContent is a line for each symbol.
func (r SymbolsResult) TextContent() string {
	var b strings.Builder
	b.WriteString("[" + number(r.TotalCount) + " found")
	if shown := pageNote(r.after, len(r.Symbols), r.TotalCount, ""); shown != "" {
		b.WriteString(", shown " + shown)
	}
	if r.Note != "" {
		b.WriteString("; " + r.Note)
	}
	b.WriteString("]\n")
	for i := range r.Symbols {
		s := &r.Symbols[i]
		b.WriteString(s.ID + " [" + s.Kind + ", " + number(s.Line) + "-" + number(s.EndLine) + "] " + truncate.Cut(s.Signature, maxShown) + "\n")
	}
	if r.NextCursor != "" {
		b.WriteString("[more: cursor=" + r.NextCursor + "]\n")
	}
	return b.String()
}
