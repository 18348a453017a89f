package search

import (
	"fmt"
	"hash/fnv"
	"regexp/syntax"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/dougu-go/dougu/tools/grep"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/token"
)

const (
	defaultDocuments = 20
	maxDocuments     = 100
	maxQuery         = 1000 // characters
	minAnswer        = 1000 // bytes
	maxFileTypes     = 100
)

// Modes of searchDocuments.
const (
	modeAuto     = "auto"
	modeKeyword  = "keyword"
	modeSemantic = "semantic"
)

// documentQuery is a call of searchDocuments with checked arguments.
type documentQuery struct {
	given       string      // the query as given
	text        string      // the query without operators
	operators   operators   // conditions in the query
	words       token.Query // parsed words of text
	filter      index.Filter
	filterGiven index.Filter // the filter without the conditions of the query
	mode        string
	exact       *exactPattern // pattern of an exact search; nil for other queries
	limit       int           // results per page
	after       int           // number of hits on earlier pages
	seenDigest  string        // digest of the hits on earlier pages
	maxBytes    int           // size of the text form
	content     bool          // whether results contain lines of the file
	cursorKey   cursor.ListID // binds cursors to the query, mode and filters
}

// parseQuery checks the arguments of searchDocuments and applies the defaults. The errors are INVALID_PARAMS and
// INVALID_CURSOR.
func (s *Search) parseQuery(args DocumentsArgs) (*documentQuery, error) {
	q := &documentQuery{given: strings.TrimSpace(args.Query), mode: args.Mode, limit: args.Limit, maxBytes: args.MaxBytes, content: args.IncludeContent == nil || *args.IncludeContent}
	if n := len([]rune(args.Query)); q.given == "" || n > maxQuery {
		return nil, invalid("Give words, a name, a question, \"a text\" in quotes or /a regular expression/.", "the query has %d characters, and must have 1 to %d", n, maxQuery)
	}
	if q.limit == 0 {
		q.limit = defaultDocuments
	}
	if q.limit < 0 || q.limit > maxDocuments {
		return nil, invalid("Give 1 to 100.", "the limit %d is out of range", q.limit)
	}
	if q.maxBytes == 0 {
		q.maxBytes = s.limits.Answer
	}
	if q.maxBytes < minAnswer || q.maxBytes > s.limits.MaxAnswer {
		return nil, invalid(fmt.Sprintf("Give %d to %d, or leave it out.", minAnswer, s.limits.MaxAnswer), "maxBytes is %d", args.MaxBytes)
	}
	switch q.mode {
	case "":
		q.mode = modeAuto
	case modeAuto, modeKeyword:
	case modeSemantic:
		if s.options.Embedding == nil {
			return nil, invalid("Leave the mode out.", "search by meaning is not set up")
		}
	default:
		return nil, invalid("Give auto, keyword or semantic.", "there is no mode %s", quote(q.mode))
	}
	var err error
	if args.Filters != nil {
		if q.filter, err = s.filter(*args.Filters); err != nil {
			return nil, err
		}
	}
	if err = q.parseText(s); err != nil {
		return nil, err
	}
	if q.exact != nil && q.mode == modeSemantic {
		return nil, invalid("Leave the mode out, or the quotes or slashes.", "an exact text is not searched by meaning")
	}
	q.words = token.ParseQuery(q.text)
	return q, q.parseCursor(args.Cursor)
}

// parseText separates the conditions from the words of the query, and recognizes an exact text or pattern.
func (q *documentQuery) parseText(s *Search) (err error) {
	q.text = q.given
	if q.exact, err = parseExact(q.given); q.exact != nil || err != nil {
		return err
	}
	q.operators = parseOperators(q.given)
	q.text = q.operators.words
	if q.text == "" {
		return invalid("Add words, a name or \"a text\" that the results shall contain.", "the query has only conditions")
	}
	q.filterGiven = q.filter
	if err := q.operators.apply(s, &q.filter); err != nil {
		return err
	}
	q.exact, err = parseExact(q.text)
	return err
}

// parseCursor sets the position of the page from a cursor.
func (q *documentQuery) parseCursor(at string) error {
	q.cursorKey = cursor.NewListID("documents", q.given, q.mode, filterKey(q.filter))
	place, ok := q.cursorKey.Position(at)
	if !ok {
		return invalidCursorError()
	}
	if place == "" {
		return nil
	}
	number, seen, ok := strings.Cut(place, ".")
	after, err := strconv.Atoi(number)
	if !ok || err != nil || after < 0 {
		return invalidCursorError()
	}
	q.after, q.seenDigest = after, seen
	return nil
}

// nextCursor returns a cursor for the page behind the first n hits. It contains a digest of these hits, so that a changed list
// is detected.
func (q *documentQuery) nextCursor(hits []hit, n int) string {
	return q.cursorKey.Cursor(strconv.Itoa(n) + "." + hitDigest(hits[:n]))
}

// hitDigest returns a digest of the files and pieces of hits, in order.
func hitDigest(hits []hit) string {
	h := fnv.New64a()
	for _, hit := range hits {
		for _, part := range []string{hit.file.Path, hit.piece.Kind, fullName(hit.piece)} {
			h.Write(strconv.AppendQuote(nil, part))
		}
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// changedListError is the error of a cursor whose preceding results have changed.
func changedListError() error {
	return problem(codeInvalidCursor, "Call without a cursor to start at the first result.", "the results before the cursor have changed, so that the next page would omit or repeat results")
}

func invalidCursorError() error {
	return problem(codeInvalidCursor, "Repeat the arguments of the call that the cursor is from, or call without a cursor.", "the cursor does not belong to these arguments")
}

// filterKey returns a cache key for a filter.
func filterKey(f index.Filter) string {
	return fmt.Sprintf("%q %q %q %d", f.Paths, f.Extensions, f.Languages, f.ModifiedAfter.UnixNano())
}

// filter converts and checks the filters of a call.
func (s *Search) filter(f DocumentFilters) (index.Filter, error) {
	var to index.Filter
	if len(f.FileTypes) > maxFileTypes {
		return to, invalid("Give fewer, or none.", "there are %d fileTypes, the maximum is %d", len(f.FileTypes), maxFileTypes)
	}
	for _, kind := range f.FileTypes {
		kind = strings.ToLower(strings.TrimLeft(strings.TrimSpace(kind), "*."))
		if kind == "" || strings.ContainsAny(kind, "/\\ ") {
			return to, invalid("Give extensions, such as ts and md, or languages.", "%s is no file type", quote(kind))
		}
		addType(&to, kind)
	}
	if f.ModifiedAfter != "" {
		after, err := parseTime(f.ModifiedAfter)
		if err != nil {
			return to, err
		}
		to.ModifiedAfter = after
	}
	if p := strings.TrimSpace(f.Path); p != "" {
		pattern, err := s.pathPattern(p)
		if err != nil {
			return to, err
		}
		if pattern != "." {
			to.Paths = []string{pattern}
		}
	}
	return to, nil
}

// pathPattern checks a path or glob and returns it relative to the project.
func (s *Search) pathPattern(p string) (string, error) {
	if !doublestar.ValidatePattern(p) {
		return "", invalid("Give a directory such as src/, a file, or a glob such as src/**/*.ts.", "the path %s is malformed", quote(p))
	}
	return s.indexPath(p), nil
}

// parseTime parses a date, or a date with a time. Without a time zone the time is in UTC.
func parseTime(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, invalid("Write it as 2026-01-31T12:00:00Z or 2026-01-31.", "modifiedAfter %s is no date", quote(text))
}

// exactPattern is a literal text or a regular expression to search in files.
type exactPattern struct {
	pattern  string
	literal  bool
	matcher  *grep.Matcher
	literals index.Literals // literals that each matching file contains
}

// parseExact parses a query that is entirely in quotes or between slashes. It returns nil for other queries.
func parseExact(text string) (*exactPattern, error) {
	e := &exactPattern{literal: true}
	if inner, ok := unquote(text, '"'); ok && !strings.Contains(inner, `"`) {
		e.pattern = inner
	} else if inner, ok := unquote(text, '/'); ok && isRegexp(inner) {
		e.pattern, e.literal = inner, false
	} else {
		return nil, nil
	}
	var err error
	o := grep.Options{Literal: e.literal}
	if e.matcher, err = grep.Compile(e.pattern, o); err != nil {
		return nil, grep.WithAdvice(err, `put the text in quotes ("…") instead of slashes to search for exactly this text`, "")
	}
	sets, err := grep.Literals(e.pattern, o)
	e.literals = literalConditions(sets)
	return e, err
}

// unquote removes c from both ends of text. ok is false if c is missing at one end, or nothing else remains.
func unquote(text string, c byte) (string, bool) {
	if len(text) < 3 || text[0] != c || text[len(text)-1] != c {
		return "", false
	}
	inner := text[1 : len(text)-1]
	return inner, strings.TrimSpace(inner) != ""
}

// isRegexp reports whether the text between two slashes is a regular expression, not a path such as /usr/lib/.
func isRegexp(pattern string) bool {
	if strings.Contains(pattern, "/") && !strings.Contains(pattern, `\/`) && !strings.ContainsAny(pattern, `\*+?()[]{}|^$`) {
		return false
	}
	_, err := syntax.Parse(pattern, syntax.Perl)
	return err == nil || strings.ContainsAny(pattern, `\*+?()[]{}|^$`)
}
