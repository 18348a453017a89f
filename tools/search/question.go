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

// The modes of searchDocuments.
const (
	modeAuto     = "auto"
	modeKeyword  = "keyword"
	modeSemantic = "semantic"
)

// question is a call of searchDocuments, understood.
type question struct {
	text    string
	words   token.Query
	filter  index.Filter
	mode    string
	exact   *exact // nil unless all of the query is a text or a regular expression
	limit   int
	after   int    // how many results earlier answers have seen
	seen    string // digest of these results
	room    int    // bytes of the answer
	content bool
	same    cursor.Question // as those of the other pages
}

// question checks the arguments of searchDocuments and applies the defaults.
func (s *Search) question(args DocumentsArgs) (*question, error) {
	q := &question{text: strings.TrimSpace(args.Query), mode: args.Mode, limit: args.Limit, room: args.MaxBytes, content: args.IncludeContent == nil || *args.IncludeContent}
	if n := len([]rune(args.Query)); q.text == "" || n > maxQuery {
		return nil, invalid("Give words, a name, a question, \"a text\" in quotes or /a regular expression/.", "the query has %d characters, and must have 1 to %d", n, maxQuery)
	}
	if q.limit == 0 {
		q.limit = defaultDocuments
	}
	if q.limit < 0 || q.limit > maxDocuments {
		return nil, invalid("Give 1 to 100.", "the limit %d is out of range", q.limit)
	}
	if q.room == 0 {
		q.room = s.limits.Answer
	}
	if q.room < minAnswer || q.room > s.limits.MaxAnswer {
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
	if q.exact, err = parseExact(q.text); err != nil {
		return nil, err
	}
	if q.exact != nil && q.mode == modeSemantic {
		return nil, invalid("Leave the mode out, or the quotes or slashes.", "an exact text is not searched by meaning")
	}
	q.words = token.ParseQuery(q.text)
	return q, q.turn(args.Cursor)
}

// turn finds the page that a cursor means.
func (q *question) turn(at string) error {
	q.same = cursor.Of("documents", q.text, q.mode, filterKey(q.filter))
	place, ok := q.same.Place(at)
	if !ok {
		return invalidCursor()
	}
	if place == "" {
		return nil
	}
	number, seen, ok := strings.Cut(place, ".")
	after, err := strconv.Atoi(number)
	if !ok || err != nil || after < 0 {
		return invalidCursor()
	}
	q.after, q.seen = after, seen
	return nil
}

// cursor leads behind the first n hits. It holds a digest of them, because a list in which one of them is missing goes on elsewhere.
func (q *question) cursor(hits []hit, n int) string {
	return q.same.Cursor(strconv.Itoa(n) + "." + digestOf(hits[:n]))
}

// digestOf tells the beginnings of lists apart by the pieces in them.
func digestOf(hits []hit) string {
	h := fnv.New64a()
	for _, hit := range hits {
		for _, part := range []string{hit.file.Path, hit.piece.Kind, fullName(hit.piece)} {
			h.Write(strconv.AppendQuote(nil, part))
		}
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

func changedList() error {
	return problem(codeInvalidCursor, "Call without a cursor: the list begins anew.", "the results before the cursor have changed since, so that others would be left out or repeated")
}

func invalidCursor() error {
	return problem(codeInvalidCursor, "Repeat the arguments of the call that the cursor is from, or call without a cursor.", "the cursor does not belong to these arguments")
}

// filterKey tells filters apart.
func filterKey(f index.Filter) string {
	return fmt.Sprintf("%q %q %q %d", f.Paths, f.Extensions, f.Languages, f.ModifiedAfter.UnixNano())
}

// filter is what files must fulfil.
func (s *Search) filter(f DocumentFilters) (index.Filter, error) {
	var to index.Filter
	if len(f.FileTypes) > maxFileTypes {
		return to, invalid("Give fewer, or none.", "there are %d fileTypes, and may be %d", len(f.FileTypes), maxFileTypes)
	}
	for _, kind := range f.FileTypes {
		kind = strings.ToLower(strings.TrimLeft(strings.TrimSpace(kind), "*."))
		if kind == "" || strings.ContainsAny(kind, "/\\ ") {
			return to, invalid("Give extensions, such as ts and md, or languages.", "%s is no file type", quote(kind))
		}
		// A name such as go may mean either; a file must fit one.
		to.Extensions, to.Languages = append(to.Extensions, kind), append(to.Languages, kind)
	}
	if f.ModifiedAfter != "" {
		after, err := parseTime(f.ModifiedAfter)
		if err != nil {
			return to, err
		}
		to.ModifiedAfter = after
	}
	if p := strings.TrimSpace(f.Path); p != "" {
		if !doublestar.ValidatePattern(p) {
			return to, invalid("Give a directory such as src/, a file, or a glob such as src/**/*.ts.", "the path %s is malformed", quote(f.Path))
		}
		if clean := s.indexPath(p); clean != "." {
			to.Paths = []string{clean}
		}
	}
	return to, nil
}

// parseTime reads a date, or a date with a time.
func parseTime(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, invalid("Write it as 2026-01-31T12:00:00Z or 2026-01-31.", "modifiedAfter %s is no date", quote(text))
}

// exact is a text that is looked for as it stands, or a regular expression.
type exact struct {
	pattern  string
	literal  bool
	matcher  *grep.Matcher
	literals index.Literals // that every file with a match has
}

// parseExact understands a query that is all in quotes or between slashes; nil for any other.
func parseExact(text string) (*exact, error) {
	e := &exact{literal: true}
	if inner, ok := between(text, '"'); ok && !strings.Contains(inner, `"`) {
		e.pattern = inner
	} else if inner, ok := between(text, '/'); ok && regular(inner) {
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
	e.literals = literals(sets)
	return e, err
}

// between is what stands between two of the same characters at both ends.
func between(text string, c byte) (string, bool) {
	if len(text) < 3 || text[0] != c || text[len(text)-1] != c {
		return "", false
	}
	inner := text[1 : len(text)-1]
	return inner, strings.TrimSpace(inner) != ""
}

// regular tells a regular expression from a path such as /usr/lib/.
func regular(pattern string) bool {
	if strings.Contains(pattern, "/") && !strings.Contains(pattern, `\/`) && !strings.ContainsAny(pattern, `\*+?()[]{}|^$`) {
		return false
	}
	_, err := syntax.Parse(pattern, syntax.Perl)
	return err == nil || strings.ContainsAny(pattern, `\*+?()[]{}|^$`)
}
