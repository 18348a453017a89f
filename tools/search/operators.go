package search

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/token"
	"github.com/dougu-go/dougu/tools/source"
)

// maxOperators limits the conditions in one query; further ones count as words.
const maxOperators = 16

// operators are the conditions in the text of a query, apart from its words.
type operators struct {
	words                    string   // the query without conditions
	types, excludedTypes     []string // lang:go and -lang:go
	paths, excludedPaths     []string // file:src and -file:src
	symbols, excludedSymbols []string // sym:Parse and -sym:Parse, in lower case
	excluded                 []string // -word and -"a text"
	count                    int      // number of conditions
}

// parseOperators splits the text of a query into words and conditions:
//
//	lang:go      the language or the extension of the file; -lang:go excludes it
//	file:src     a part of the path, or a glob; -file:src excludes it
//	sym:Parse    a part of the name of the declaration; -sym:Parse excludes it
//	-word        excludes results that contain the word, after the words that are searched
//	a OR b       either; words without OR are alternatives as well
//
// Several values of one condition are alternatives. Values with blanks are in double quotes.
func parseOperators(text string) operators {
	var o operators
	tokens := splitTokens(text)
	ended := len(tokens) // behind the last token that is neither a condition nor excluded
	for ended > 0 && (isCondition(tokens[ended-1]) || isExcluded(tokens[ended-1])) {
		ended--
	}
	var rest []string
	or := false
	for i, t := range tokens {
		switch {
		case o.count < maxOperators && o.condition(t):
			o.count++
		case i >= ended && len(rest) > 0 && o.count < maxOperators && isExcluded(t):
			o.excluded = append(o.excluded, strings.Trim(t[1:], `"`))
			o.count++
		case t == "OR" && len(rest) > 0 && i < ended-1:
			or = true
		default:
			rest = append(rest, t)
		}
	}
	switch {
	case or:
		o.words = alternatives(rest)
	case o.count == 0:
		o.words = text
	case len(rest) == 0:
		o.words = strings.Join(slices.Concat(o.symbols, o.paths), " ")
	default:
		o.words = strings.Join(rest, " ")
	}
	return o
}

// alternatives returns the text of a query whose parts are alternatives: a regular expression if each part is in quotes, else
// words, of which none is required.
func alternatives(parts []string) string {
	var patterns []string
	for _, part := range parts {
		inner, ok := unquote(part, '"')
		if !ok {
			return strings.ReplaceAll(strings.Join(parts, " "), `"`, " ")
		}
		patterns = append(patterns, strings.ReplaceAll(regexp.QuoteMeta(inner), "/", `\/`))
	}
	return "/" + strings.Join(patterns, "|") + "/"
}

// splitTokens splits a text at white space outside of double quotes.
func splitTokens(text string) []string {
	quoted := false
	return strings.FieldsFunc(text, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && unicode.IsSpace(r)
	})
}

// splitCondition returns the name and the value of a condition; negated is true for one with "-" before it.
func splitCondition(t string) (name, value string, negated, ok bool) {
	t, negated = strings.CutPrefix(t, "-")
	name, value, ok = strings.Cut(t, ":")
	value = strings.Trim(value, `"`)
	switch name = strings.ToLower(name); name {
	case "lang", "language", "file", "path", "sym", "symbol":
		// "file://host/name" and "sym::name" are text, as in a pasted message.
		return name, value, negated, ok && value != "" && !strings.HasPrefix(value, "//") && value[0] != ':'
	}
	return "", "", false, false
}

func isCondition(t string) bool {
	_, _, _, ok := splitCondition(t)
	return ok
}

// isExcluded reports whether a token is an excluded word or text. Options of one letter, such as -v, are text.
func isExcluded(t string) bool {
	inner, ok := strings.CutPrefix(t, "-")
	if text, quoted := unquote(inner, '"'); quoted {
		return ok && !strings.Contains(text, `"`)
	}
	first, size := utf8.DecodeRuneInString(inner)
	return ok && unicode.IsLetter(first) && len(inner) > size && !strings.ContainsAny(inner, `"=`)
}

// condition adds a condition. It returns false if the token is none.
func (o *operators) condition(t string) bool {
	name, value, negated, ok := splitCondition(t)
	if !ok {
		return false
	}
	var list *[]string
	switch name[:1] {
	case "l":
		list = pick(negated, &o.excludedTypes, &o.types)
		value = strings.ToLower(strings.TrimLeft(value, "*."))
	case "s":
		list = pick(negated, &o.excludedSymbols, &o.symbols)
		value = strings.ToLower(value)
	default:
		list = pick(negated, &o.excludedPaths, &o.paths)
	}
	if value == "" {
		return false
	}
	*list = append(*list, value)
	return true
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// apply adds the conditions to the filter of a query. Conditions on the path or the type of files are an error if the filter
// has one as well.
func (o *operators) apply(s *Search, f *index.Filter) error {
	if len(o.types) > 0 && len(f.Extensions) > 0 {
		return invalid("Leave one of them out.", "the query has a condition lang:, and filters has fileTypes")
	}
	if len(o.paths) > 0 && len(f.Paths) > 0 {
		return invalid("Leave one of them out.", "the query has a condition file:, and filters has a path")
	}
	for _, kind := range o.types {
		addType(f, kind)
	}
	var err error
	if f.Paths, err = s.appendPatterns(f.Paths, o.paths); err != nil {
		return err
	}
	f.Exclude, err = s.appendPatterns(f.Exclude, o.excludedPaths)
	return err
}

// appendPatterns appends patterns for parts of paths. A part without wildcards matches files and directories that contain it.
func (s *Search) appendPatterns(patterns, parts []string) ([]string, error) {
	for _, part := range parts {
		pattern, err := s.pathPattern(part)
		if err != nil {
			return nil, err
		}
		if strings.ContainsAny(pattern, "*?[{") {
			patterns = append(patterns, pattern)
			continue
		}
		patterns = append(patterns, pattern, "**/*"+pattern+"*", "**/*"+pattern+"*/**")
	}
	return patterns, nil
}

// addType adds a language or an extension to a filter. Aliases such as golang and c++ are names of languages, and TypeScript
// includes TSX.
func addType(f *index.Filter, kind string) {
	f.Extensions, f.Languages = append(f.Extensions, kind), append(f.Languages, kind)
	lang, ok := source.LanguageNamed(kind)
	if !ok {
		lang = source.Language(languageAliases[kind])
	}
	if lang != "" && string(lang) != kind {
		f.Languages = append(f.Languages, string(lang))
	}
	if lang == source.TypeScript {
		f.Languages = append(f.Languages, string(source.TSX))
	}
}

// languageAliases are common names of languages whose files have other extensions as well.
var languageAliases = map[string]string{"md": "markdown", "yml": "yaml", "bash": "shell", "sh": "shell", "zsh": "shell", "htm": "html"}

// excluder removes hits by the conditions of a query that an index does not know.
type excluder struct {
	operators *operators
	types     *index.Matcher  // of excluded languages; nil without them
	words     map[string]bool // excluded words in the form of an index
	texts     []string        // excluded texts, in lower case
	scanner   token.Scanner
}

func newExcluder(o *operators) (*excluder, error) {
	e := &excluder{operators: o, words: make(map[string]bool)}
	if len(o.excludedTypes) > 0 {
		var f index.Filter
		for _, kind := range o.excludedTypes {
			addType(&f, kind)
		}
		var err error
		if e.types, err = f.Matcher(); err != nil {
			return nil, err
		}
	}
	for _, excluded := range o.excluded {
		groups := token.ParseQuery(excluded).Groups
		if len(groups) == 1 && groups[0].Text == excluded && groups[0].Whole != "" {
			e.words[groups[0].Whole] = true
		} else {
			e.texts = append(e.texts, strings.ToLower(excluded))
		}
	}
	return e, nil
}

// excludes reports whether the language, the name or the text of a hit is excluded. The path and the name count as text. The
// scanner makes it unsafe for concurrent use.
func (e *excluder) excludes(h *hit, text []byte) bool {
	if e.types != nil && e.types.File(h.file) {
		return true
	}
	o := e.operators
	name := strings.ToLower(fullName(h.piece))
	contains := func(part string) bool { return strings.Contains(name, part) }
	if len(o.symbols) > 0 && !slices.ContainsFunc(o.symbols, contains) || slices.ContainsFunc(o.excludedSymbols, contains) {
		return true
	}
	if len(o.excluded) == 0 {
		return false
	}
	whole := h.file.Path + "\n" + fullName(h.piece) + "\n" + pieceText(text, h.piece)
	lower := strings.ToLower(whole)
	if slices.ContainsFunc(e.texts, func(text string) bool { return strings.Contains(lower, text) }) {
		return true
	}
	for w := range e.scanner.Words([]byte(whole)) {
		if e.words[string(w.Text)] {
			return true
		}
	}
	return false
}

// dropExcluded removes the hits that the conditions of q exclude. For excluded words it reads the files of the hits, one at a time.
func (s *Search) dropExcluded(ctx context.Context, q *documentQuery, all *hitList) error {
	o := &q.operators
	if len(o.excluded)+len(o.symbols)+len(o.excludedSymbols)+len(o.excludedTypes) == 0 {
		return nil
	}
	e, err := newExcluder(o)
	if err != nil {
		return err
	}
	byFile := make(map[string][]int) // hits by path
	for i := range all.hits {
		path := all.hits[i].file.Path
		byFile[path] = append(byFile[path], i)
	}
	excluded := make([]bool, len(all.hits))
	for path, hits := range byFile {
		var text []byte
		if len(o.excluded) > 0 {
			// A file that cannot be read has no text here; the page reports it.
			text, _, _ = all.hits[hits[0]].source.read(ctx, path)
			if ctx.Err() != nil {
				return fmt.Errorf("reading files for excluded words: %w", context.Cause(ctx))
			}
		}
		for _, i := range hits {
			excluded[i] = e.excludes(&all.hits[i], text)
		}
	}
	kept := make([]hit, 0, len(all.hits))
	for i, h := range all.hits {
		if !excluded[i] {
			kept = append(kept, h)
		}
	}
	if len(kept) < len(all.hits) {
		all.total = len(kept)
	}
	all.hits = kept
	return nil
}

// pieceText returns the text of a piece, or the part of it that the file still has.
func pieceText(text []byte, p index.Piece) string {
	end := min(max(int(p.Range.End), 0), len(text))
	return string(text[min(max(int(p.Range.Start), 0), end):end])
}

// note describes the excluded words, because a word that begins with a hyphen can also be meant literally.
func (o *operators) note() string {
	if len(o.excluded) == 0 {
		return ""
	}
	return fmt.Sprintf("without results that contain %s; quote a word to search for it with its hyphen", quoteAll(o.excluded))
}
