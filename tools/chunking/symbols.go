package chunking

import (
	"cmp"
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
	// Query is a name, a part of one, or its initial letters, in any letter case,
	// optionally preceded by the container and a dot. Several words are searched in the
	// name, the container and the path. Without a match a similar spelling is searched.
	Query string `json:"query" jsonschema:"minLength=1,description=Name\\, part or words: push\\, Stack.push\\, read config"`
	// Kind is a name of source.Kind, or "callable" or "type".
	Kind string `json:"kind,omitempty" jsonschema:"description=callable\\, type\\, method\\, class …"`
	// Language restricts the search to files of a language.
	Language string `json:"language,omitempty"`
	// Path is a glob for the paths of files.
	Path string `json:"path,omitempty" jsonschema:"description=Glob for files"`
	// MaxResults limits the number of symbols. Default: 10; the wanted symbol is nearly
	// always among the first five.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=1000,default=10"`
	// Cursor is NextCursor of an earlier result.
	Cursor string `json:"cursor,omitempty"`
}

// SymbolsResult is the result of the tool search_symbols.
type SymbolsResult struct {
	// Symbols are the matching declarations, by descending score.
	Symbols []Entry `json:"symbols"`
	// TotalCount is the number of matching symbols.
	TotalCount int `json:"totalCount"`
	// NextCursor is the cursor of the next page, if there is one.
	NextCursor string `json:"nextCursor,omitempty"`
	// Match names the search that was needed if no name begins with the query.
	Match string `json:"match,omitempty"`
	// Note describes an empty result, unread files, or the limit of pages.
	Note string `json:"note,omitempty"`

	after int // symbols on earlier pages
}

const (
	defaultSymbols = 10
	// maxShown limits a signature in the text of a result, in bytes.
	maxShown = 200
	// maxListed limits a signature in the list of a file, and maxValue the signature of a variable, a constant or a
	// property in the text of search_symbols, in bytes.
	maxListed = 120
	maxValue  = 80
)

// maxPages limits the position that a cursor can reach.
const maxPages = index.MaxLimit

// SearchSymbols implements the tool search_symbols. It searches the analyzed files.
func (c *Chunks) SearchSymbols(ctx context.Context, args SearchSymbolsArgs) (SymbolsResult, error) {
	q, err := c.query(args)
	if err != nil {
		return SymbolsResult{}, err
	}
	byDefault := args.MaxResults == 0
	if byDefault {
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
	snapshot, err := c.indexed(ctx)
	if err != nil {
		return SymbolsResult{}, err
	}
	hits, total, step := snapshot.SearchBroadly(q)
	behind := false
	if isGuess(total, step) {
		var changed bool
		if changed, behind = c.catchUp(ctx); changed {
			snapshot = c.index.Snapshot()
			hits, total, step = snapshot.SearchBroadly(q)
		}
	}
	r := SymbolsResult{Symbols: []Entry{}, TotalCount: total, after: after}
	if total > 0 {
		r.Match = stepNames[step]
	}
	if total == 0 {
		r.Note = c.nothing(snapshot, q)
	} else if c.index.Damage() != "" {
		r.Note = c.missing()
	}
	if behind && isGuess(total, step) {
		r.Note = strings.TrimPrefix(r.Note+"; "+noteBehind, "; ")
	}
	for _, hit := range hits[min(after, len(hits)):] {
		r.Symbols = append(r.Symbols, found(hit))
	}
	if byDefault && after == 0 && step == index.ByName {
		r.Symbols = r.Symbols[:countNamed(r.Symbols)]
	}
	r.Symbols = cut(r.Symbols, c.limits.Answer)
	c.shorten(ctx, r.Symbols)
	switch next := after + len(r.Symbols); {
	case next < maxPages:
		r.NextCursor = nextCursor(question, next, total)
	case next < total:
		r.Note = "no cursor leads further than " + number(maxPages) + " symbols: narrow query, kind, language or path"
	}
	return r, nil
}

// isGuess reports whether a search has found nothing, or only names that resemble the query.
func isGuess(total int, step index.Step) bool {
	return total == 0 || step == index.BySpelling || step == index.ByLetters
}

// countNamed returns the number of symbols whose name is the query, in any letter case. It returns the number of all if there is none,
// or if the first is a package, which is seldom the wanted one.
func countNamed(symbols []Entry) int {
	n := 0
	for n < len(symbols) && symbols[n].Score >= scoreOfName {
		n++
	}
	if n == 0 || symbols[0].Kind == source.Module.String() {
		return len(symbols)
	}
	return n
}

// scoreOfName is the least score of a symbol whose name is the query; see index.Hit.
const scoreOfName = 500

// stepNames are the texts of SymbolsResult.Match.
var stepNames = map[index.Step]string{
	index.BySubstring: "inside longer names",
	index.ByParts:     "names and places with all words",
	index.BySomeParts: "names and places with most of the words",
	index.BySpelling:  "no such name; similar spelling",
	index.ByLetters:   "names with these letters in order",
}

// nothing describes the files that were searched without a hit.
func (c *Chunks) nothing(s *index.Snapshot, q index.Query) string {
	if s.Len() == 0 {
		return c.emptiness() + ": call analyze_project first"
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
		return index.Query{}, invalid("Write it with *, ?, [a-z], {a,b} and **.", "the pattern %s is malformed", quote(args.Path))
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
			return index.Query{}, invalid("Use callable, type, or one of "+kindNames()+".", "there is no kind %s", quote(args.Kind))
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

// TextContent returns a line for each symbol, below the path of its file: its short ID, lines and signature.
func (r SymbolsResult) TextContent() string {
	var b strings.Builder
	b.WriteString("[" + cmp.Or(pageNote(r.after, len(r.Symbols), r.TotalCount, ""), number(r.TotalCount)) + " found")
	if r.Match != "" {
		b.WriteString(": " + r.Match)
	}
	if r.Note != "" {
		b.WriteString("; " + r.Note)
	}
	b.WriteString("]\n")
	file := ""
	for i := range r.Symbols {
		s := &r.Symbols[i]
		if s.file != file {
			file = s.file
			b.WriteString(file + "\n")
		}
		shown, kind := maxListed, ""
		if k, ok := source.KindNamed(s.Kind); ok && k.IsValue() {
			shown, kind = maxValue, s.Kind+" "
		}
		b.WriteString(" " + s.handle() + " " + s.lines() + " " + kind + truncate.Cut(s.Signature, shown) + "\n")
	}
	if r.NextCursor != "" {
		b.WriteString("[more: cursor=" + r.NextCursor + "]\n")
	}
	return b.String()
}
