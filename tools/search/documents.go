package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// DocumentsArgs are the arguments of searchDocuments.
type DocumentsArgs struct {
	// Query is words, a name or a part of one, a question; or "a text" in quotes or /a regular expression/, which is found as it
	// stands. Quoted parts of a longer query must be in what is found.
	Query   string           `json:"query" jsonschema:"minLength=1,maxLength=1000,description=Words\\, a name\\, a question\\, \"exact text\" or /regex/"`
	Filters *DocumentFilters `json:"filters,omitempty"`
	// Limit is how many results are answered at most. 0 is 20.
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100,default=20,description=Maximum results"`
	// IncludeContent is true unless it is false.
	IncludeContent *bool `json:"includeContent,omitempty" jsonschema:"default=true,description=Include the matching lines"`
	// Mode is auto, the default: by words, and by meaning if that is set up; or one of them.
	Mode string `json:"mode,omitempty" jsonschema:"enum=auto,enum=keyword,enum=semantic,default=auto"`
	// Cursor is the nextCursor of an answer to the same query.
	Cursor string `json:"cursor,omitempty"`
	// MaxBytes bounds the text of the answer. 0 is the usual budget.
	MaxBytes int `json:"maxBytes,omitempty" jsonschema:"minimum=1000,description=Size of the answer"`
}

// DocumentFilters leave out files.
type DocumentFilters struct {
	// FileTypes are extensions, with or without a dot, or languages; a file must be of one.
	FileTypes []string `json:"fileTypes,omitempty" jsonschema:"description=Extensions (e.g. ['ts'\\, 'md'])"`
	// ModifiedAfter is a date, or a date with a time in RFC 3339.
	ModifiedAfter string `json:"modifiedAfter,omitempty" jsonschema:"description=Only files changed after this date-time"`
	// Path is a directory, a file or a glob.
	Path string `json:"path,omitempty" jsonschema:"description=Path filter (e.g. 'src/')"`
}

// DocumentsResult is what searchDocuments answers.
type DocumentsResult struct {
	// Notice says which part of the index was missing and which files were searched instead, or that no file fits the filters; empty where the
	// whole index was searched. It is read before the results.
	Notice string `json:"notice,omitempty"`
	// Results are those that fit best first.
	Results  []Document        `json:"results"`
	Metadata DocumentsMetadata `json:"metadata"`
	// NextCursor gives the next ones, if there are more.
	NextCursor string `json:"nextCursor,omitempty"`

	skippedHint string // how to learn why files are not indexed; empty where no tool says that
}

// DocumentsMetadata tells how, and in what, was searched.
type DocumentsMetadata struct {
	// TotalResults is how many fit, at least.
	TotalResults int `json:"totalResults"`
	// SearchTime is in milliseconds.
	SearchTime float64 `json:"searchTime"`
	// Mode is how was searched: keyword, semantic, hybrid (both), exact, or substring where no whole word fits.
	Mode string `json:"mode"`
	// Index is the state of the index; IndexAge for how long nobody has looked for changes, in seconds: 0 while they are noticed at
	// once, -1 if nobody has looked at everything yet. PendingFiles have changed since.
	Index        string           `json:"index"`
	IndexAge     float64          `json:"indexAge"`
	PendingFiles int              `json:"pendingFiles"`
	Searched     Searched         `json:"searched"`
	Skipped      []plugin.Skipped `json:"skipped,omitempty"`
	// Notes say what was not searched, and what else to try.
	Notes []string `json:"notes,omitempty"`
}

// Searched says in how much was searched.
type Searched struct {
	Files  int `json:"files"`
	Pieces int `json:"pieces"`
	// Live files are not in the index as they are now, and were read for this search.
	Live int `json:"live,omitempty"`
}

// SearchDocuments is searchDocuments. What it shows is read from the files at that moment, never from the index.
func (s *Search) SearchDocuments(ctx context.Context, args DocumentsArgs) (DocumentsResult, error) {
	began := time.Now()
	q, err := s.question(args)
	if err != nil {
		return DocumentsResult{}, err
	}
	if len(s.documents) == 0 {
		return DocumentsResult{}, noDocuments()
	}
	all, err := s.find(ctx, q)
	if err != nil {
		return DocumentsResult{}, err
	}
	if q.after > 0 && (q.after > len(all.hits) || digestOf(all.hits[:q.after]) != q.seen) {
		return DocumentsResult{}, changedList()
	}
	r := DocumentsResult{Notice: all.notice, Results: []Document{}, Metadata: s.documentsMetadata(all), skippedHint: tools.Advice(ctx, " (get_index_status says why)")}
	shownFor := *q
	if all.parts != nil {
		shownFor.exact = all.parts
	}
	page, err := s.showPage(ctx, &shownFor, all.hits)
	if err != nil {
		return DocumentsResult{}, err
	}
	r.Results = append(r.Results, page.results...)
	r.Metadata.Notes = append(r.Metadata.Notes, page.notes...)
	if page.end < len(all.hits) {
		r.NextCursor = q.cursor(all.hits, page.end)
	} else if all.total > len(all.hits) {
		r.Metadata.Notes = append(r.Metadata.Notes, fmt.Sprintf("only the best %d results can be looked at: narrow the search with filters or more words", len(all.hits)))
	}
	if len(r.Results) == 0 && r.NextCursor == "" {
		unfit := s.unfitFilter(ctx, q)
		r.Notice = strings.Join(slices.DeleteFunc([]string{r.Notice, unfit}, func(text string) bool { return text == "" }), "\n")
		if unfit == "" {
			r.Metadata.Notes = append(r.Metadata.Notes, q.advice(all))
		}
	}
	r.Metadata.SearchTime = milliseconds(time.Since(began))
	return r, nil
}

// advice is what to try when nothing was found.
func (q *question) advice(all *found) string {
	nothing := "nothing fits"
	if len(all.similar) > 0 {
		nothing = "nothing fits; names like it: " + strings.Join(all.similar, ", ")
	}
	switch {
	case len(q.filter.Paths)+len(q.filter.Extensions) > 0 || !q.filter.ModifiedAfter.IsZero():
		return nothing + ": try without filters"
	case q.exact != nil:
		return "nothing has exactly this: try the words without quotes or slashes"
	case len(all.similar) > 0:
		return nothing
	}
	return "nothing fits, as a word or within one: try other words"
}

// documentsMetadata sums up what was searched.
func (s *Search) documentsMetadata(all *found) DocumentsMetadata {
	m := DocumentsMetadata{TotalResults: all.total, Mode: all.mode, Notes: append([]string(nil), all.notes...), Searched: Searched{Live: all.live}}
	sum := indexSum{state: plugin.Ready}
	for _, d := range s.documents {
		sum.add(d.Status())
	}
	m.Index, m.IndexAge, m.PendingFiles, m.Skipped = string(sum.state), sum.age, sum.pending, sum.skipped
	m.Searched.Files, m.Searched.Pieces = sum.files, sum.pieces
	return m
}

// blocks are the notice, a text for each result, and one for further remarks.
func (r DocumentsResult) blocks() []mcp.Content {
	var content []mcp.Content
	if r.Notice != "" {
		content = append(content, mcp.TextContent{Text: "[" + strings.ReplaceAll(r.Notice, "\n", "]\n[") + "]"})
	}
	for _, d := range r.Results {
		content = append(content, mcp.TextContent{Text: d.text()})
	}
	return append(content, mcp.TextContent{Text: r.summary()})
}

// summary says how many results there are, and what was not searched.
func (r DocumentsResult) summary() string {
	m := r.Metadata
	var b strings.Builder
	fmt.Fprintf(&b, "[%d of %d results, %s, %.1f ms", len(r.Results), m.TotalResults, m.Mode, m.SearchTime)
	if m.Index != string(plugin.Ready) {
		fmt.Fprintf(&b, "; index %s", m.Index)
	}
	if m.IndexAge != 0 || m.PendingFiles > 0 {
		b.WriteString("; " + currency(m.IndexAge, m.PendingFiles))
	}
	if skipped := total(m.Skipped); skipped > 0 {
		fmt.Fprintf(&b, "; %d files are not indexed%s", skipped, r.skippedHint)
	}
	b.WriteString("]")
	for _, note := range m.Notes {
		b.WriteString("\n[" + note + "]")
	}
	if r.NextCursor != "" {
		b.WriteString("\n[more: cursor=" + r.NextCursor + "]")
	}
	return b.String()
}

func total(skipped []plugin.Skipped) int {
	n := 0
	for _, s := range skipped {
		n += s.Files
	}
	return n
}

// milliseconds are those of a time, to a hundredth.
func milliseconds(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}
