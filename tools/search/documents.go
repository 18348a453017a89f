package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/token"
)

// DocumentsArgs are the arguments of searchDocuments.
type DocumentsArgs struct {
	// Query is words, a name or a part of one, or a question of 1 to 1,000 characters. A query that is entirely "a text" in
	// quotes or /a regular expression/ is searched exactly. Quoted parts of a longer query must occur in each result. lang:go,
	// file:src and sym:Parse restrict the language, the path and the name of the results; "-" before them, or before a word at
	// the end, excludes. OR stands between alternatives.
	Query string `json:"query" jsonschema:"minLength=1,maxLength=1000,description=Words\\, a name\\, a question\\, \"exact text\" or /regex/; lang:go file:src sym:Parse -word narrow it"`
	// Filters restrict the search to some files; nil searches all.
	Filters *DocumentFilters `json:"filters,omitempty"`
	// Limit is the maximum number of results, from 1 to 100. 0 means 20.
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100,default=20,description=Maximum results"`
	// IncludeContent adds the matching lines to each result. nil means true.
	IncludeContent *bool `json:"includeContent,omitempty" jsonschema:"default=true,description=Include the matching lines"`
	// Mode is keyword, semantic or auto (default). auto searches by words, and also by meaning if Options.Embedding is set.
	Mode string `json:"mode,omitempty" jsonschema:"enum=auto,enum=keyword,enum=semantic,default=auto"`
	// Cursor is the NextCursor of an earlier result of the same query and filters.
	Cursor string `json:"cursor,omitempty"`
	// MaxBytes limits the text of the result, in bytes, from 1,000. 0 means the answer budget.
	MaxBytes int `json:"maxBytes,omitempty" jsonschema:"minimum=1000,description=Size of the answer"`
}

// DocumentFilters restrict a search to files that match all given filters.
type DocumentFilters struct {
	// FileTypes are file extensions, with or without a dot, or language names, at most 100. A file must match one.
	FileTypes []string `json:"fileTypes,omitempty" jsonschema:"description=Extensions (e.g. ['ts'\\, 'md'])"`
	// ModifiedAfter is a date, or a date and time in RFC 3339. Files modified later match.
	ModifiedAfter string `json:"modifiedAfter,omitempty" jsonschema:"description=Only files changed after this date-time"`
	// Path is a directory, a file or a glob pattern.
	Path string `json:"path,omitempty" jsonschema:"description=Path filter (e.g. 'src/')"`
}

// DocumentsResult is the result of searchDocuments.
type DocumentsResult struct {
	// Notice describes missing parts of the index and the files searched in their place, or filters that match no file. It is
	// empty if the complete index was searched. In the text form it precedes the results.
	Notice string `json:"notice,omitempty"`
	// Results are ordered by relevance, best first.
	Results []Document `json:"results"`
	// Metadata describes the search and the state of the index.
	Metadata DocumentsMetadata `json:"metadata"`
	// NextCursor requests the next page; empty on the last page.
	NextCursor string `json:"nextCursor,omitempty"`

	skippedHint string // text that names the tool which lists skipped files; empty if it is not offered
	compact     bool   // Options.CompactResults
}

// DocumentsMetadata describes a search and the index that it used.
type DocumentsMetadata struct {
	// TotalResults is the number of matching pieces, as a lower bound.
	TotalResults int `json:"totalResults"`
	// SearchTime is the duration of the search in milliseconds.
	SearchTime float64 `json:"searchTime"`
	// Mode is the search that was made: keyword, semantic, hybrid (both), exact, or substring (parts of words, if no whole word
	// matches).
	Mode string `json:"mode"`
	// Index is the state of the index; see IndexStatus.State.
	Index string `json:"index"`
	// IndexAge is the time since the last complete check for changes, in seconds: 0 while files are watched, -1 before the
	// first complete check.
	IndexAge float64 `json:"indexAge"`
	// PendingFiles is the number of changed files that are not indexed yet.
	PendingFiles int `json:"pendingFiles"`
	// Searched is the size of the searched index.
	Searched Searched `json:"searched"`
	// Skipped counts the files that are not indexed, by reason.
	Skipped []plugin.Skipped `json:"skipped,omitempty"`
	// Notes describe limits of the search and suggest other queries.
	Notes []string `json:"notes,omitempty"`
}

// Searched is the number of files and pieces in the searched indexes.
type Searched struct {
	Files  int `json:"files"`
	Pieces int `json:"pieces"`
	// Live is the number of files that were read directly because the index lacks their current version.
	Live int `json:"live,omitempty"`
}

// SearchDocuments implements searchDocuments. The content of results is read from the files during the call. Errors:
// INVALID_PARAMS, INVALID_CURSOR, INDEX_UNAVAILABLE, CIRCUIT_OPEN, and the error of ctx.
func (s *Search) SearchDocuments(ctx context.Context, args DocumentsArgs) (DocumentsResult, error) {
	began := time.Now()
	q, err := s.parseQuery(args)
	if err != nil {
		return DocumentsResult{}, err
	}
	if len(s.documents) == 0 {
		return DocumentsResult{}, noDocumentsError()
	}
	unsaved := s.indexUnsaved(ctx)
	q, all, unmatched, err := s.findOrCorrect(ctx, q)
	if err != nil {
		return DocumentsResult{}, err
	}
	if q.after > 0 && (q.after > len(all.hits) || hitDigest(all.hits[:q.after]) != q.seenDigest) {
		return DocumentsResult{}, changedListError()
	}
	r := DocumentsResult{Notice: all.notice, Results: []Document{}, Metadata: s.documentsMetadata(all), skippedHint: tools.Advice(ctx, " (get_index_status says why)"), compact: s.options.CompactResults}
	shownFor := *q
	if all.partSearch != nil {
		shownFor.exact = all.partSearch
	}
	page, err := s.showPage(ctx, &shownFor, all.hits)
	if err != nil {
		return DocumentsResult{}, err
	}
	r.Results = append(r.Results, page.results...)
	r.Metadata.Notes = append(r.Metadata.Notes, page.notes...)
	if page.end < len(all.hits) {
		r.NextCursor = q.nextCursor(all.hits, page.end)
	} else if all.total > len(all.hits) {
		r.Metadata.Notes = append(r.Metadata.Notes, fmt.Sprintf("only the best %d results are available: narrow the search with filters or more words", len(all.hits)))
	}
	if unsaved != "" {
		r.Metadata.Notes = append(r.Metadata.Notes, unsaved)
	}
	if note := q.operators.note(); note != "" {
		r.Metadata.Notes = append(r.Metadata.Notes, note)
	}
	if len(r.Results) == 0 && r.NextCursor == "" {
		r.Notice = strings.Join(slices.DeleteFunc([]string{r.Notice, unmatched}, func(text string) bool { return text == "" }), "\n")
		if unmatched == "" {
			r.Metadata.Notes = append(r.Metadata.Notes, q.advice(all))
		}
	}
	r.Metadata.SearchTime = milliseconds(time.Since(began))
	return r, nil
}

// findOrCorrect returns the hits of q. Without hits it searches again, once: below the path that the filter can only mean, or
// with corrected spelling, or with the whole text of the query as words. The hits then have a note, and the returned query is the
// corrected one. unmatched names the filter that no indexed file matches, if there is one.
func (s *Search) findOrCorrect(ctx context.Context, q *documentQuery) (used *documentQuery, all *hitList, unmatched string, err error) {
	all, err = s.findDocuments(ctx, q)
	if err != nil || len(all.hits) > 0 {
		return q, all, "", err
	}
	unmatched, meant := s.explainUnmatchedFilter(ctx, q)
	corrected, note := *q, ""
	switch {
	case meant != "":
		corrected.filter.Paths = []string{meant}
		note = fmt.Sprintf("no indexed file matches the path %s; these results are from %s", quote(q.filter.Paths[0]), quote(meant))
	case unmatched != "" && len(q.operators.paths) == 0 || q.exact != nil:
		return q, all, unmatched, nil
	case len(all.corrections) > 0:
		corrected.setWords(q.corrected(all.corrections))
		note = fmt.Sprintf("no match for %s; these results are for %s", quote(q.text), quote(corrected.text))
	case q.operators.count > 0:
		corrected.setWords(q.given)
		corrected.operators, corrected.filter = operators{}, q.filterGiven
		note = "no match under the conditions of the query; these results are for all of its words, without conditions"
	default:
		return q, all, "", nil
	}
	again, err := s.findDocuments(ctx, &corrected)
	if err != nil || len(again.hits) == 0 {
		return q, all, unmatched, err
	}
	noted := *again // the list can be in the cache
	noted.notes = append(slices.Clone(again.notes), note)
	return &corrected, &noted, "", nil
}

// setWords replaces the words of the query.
func (q *documentQuery) setWords(text string) {
	q.given, q.text, q.exact, q.words = text, text, nil, token.ParseQuery(text)
}

// corrected returns the words of the query with corrected spelling.
func (q *documentQuery) corrected(corrections map[string]string) string {
	var b strings.Builder
	at := 0
	for _, g := range q.words.Groups {
		if to := corrections[strings.ToLower(g.Text)]; to != "" && g.Start >= at {
			b.WriteString(q.text[at:g.Start] + to)
			at = g.End
		}
	}
	return b.String() + q.text[at:]
}

// advice suggests another query if there are no results.
func (q *documentQuery) advice(all *hitList) string {
	nothing := "no results"
	if len(all.similar) > 0 {
		nothing = "no results; similar names: " + strings.Join(all.similar, ", ")
	}
	switch {
	case len(q.filter.Paths)+len(q.filter.Extensions) > 0 || !q.filter.ModifiedAfter.IsZero():
		return nothing + ": try the query without filters"
	case q.exact != nil:
		return "no exact match: try the words without quotes or slashes"
	case len(all.similar) > 0:
		return nothing
	}
	return "no results, neither for words nor for parts of words: try other words"
}

// documentsMetadata combines the state of all indexes with the figures of the search.
func (s *Search) documentsMetadata(all *hitList) DocumentsMetadata {
	m := DocumentsMetadata{TotalResults: all.total, Mode: all.mode, Notes: append([]string(nil), all.notes...), Searched: Searched{Live: all.live}}
	sum := indexSum{state: plugin.Ready}
	for _, d := range s.documents {
		sum.add(d.Status())
	}
	m.Index, m.IndexAge, m.PendingFiles, m.Skipped = string(sum.state), sum.age, sum.pending, sum.skipped
	m.Searched.Files, m.Searched.Pieces = sum.files, sum.pieces
	return m
}

// blocks returns the notice, one text per result, and a summary.
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

// summary returns the number of results, the state of the index, the notes and the cursor.
func (r DocumentsResult) summary() string {
	m := r.Metadata
	var b strings.Builder
	fmt.Fprintf(&b, "[%d of %s", len(r.Results), plural.Count(m.TotalResults, "result"))
	if !r.compact || m.Mode != modeKeyword {
		b.WriteString(", " + m.Mode)
	}
	if !r.compact {
		fmt.Fprintf(&b, ", %.1f ms", m.SearchTime)
	}
	if m.Index != string(plugin.Ready) {
		fmt.Fprintf(&b, "; index %s", m.Index)
	}
	if m.IndexAge < 0 || m.IndexAge >= 1 || m.PendingFiles > 0 {
		b.WriteString("; " + describeAge(m.IndexAge, m.PendingFiles))
	}
	if skipped := total(m.Skipped); skipped > 0 {
		fmt.Fprintf(&b, "; %s %s not indexed%s", plural.Count(skipped, "file"), plural.Are(skipped), r.skippedHint)
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

// total returns the number of skipped files.
func total(skipped []plugin.Skipped) int {
	n := 0
	for _, s := range skipped {
		n += s.Files
	}
	return n
}

// milliseconds converts d to milliseconds with two decimals.
func milliseconds(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}
