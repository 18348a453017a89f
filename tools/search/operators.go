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
//	a OR b       one of both, which also holds for words without OR
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
		// "file://host/name" and "sym::name" are text, as in a message that somebody has pasted.
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

// drops reports whether the conditions exclude a hit by its language or by the name of its piece.
func (o *operators) drops(h *hit) bool {
	if len(o.excludedTypes) > 0 {
		var f index.Filter
		for _, kind := range o.excludedTypes {
			addType(&f, kind)
		}
		if m, err := f.Matcher(); err == nil && m.File(h.file) {
			return true
		}
	}
	if len(o.symbols)+len(o.excludedSymbols) == 0 {
		return false
	}
	name := strings.ToLower(fullName(h.piece))
	contains := func(part string) bool { return strings.Contains(name, part) }
	return len(o.symbols) > 0 && !slices.ContainsFunc(o.symbols, contains) || slices.ContainsFunc(o.excludedSymbols, contains)
}

// dropExcluded removes the hits that the conditions of q exclude. Hits with excluded words are recognized by their text, their
// name and their path.
func (s *Search) dropExcluded(ctx context.Context, q *documentQuery, all *hitList) error {
	o := &q.operators
	if len(o.excluded)+len(o.symbols)+len(o.excludedSymbols)+len(o.excludedTypes) == 0 {
		return nil
	}
	before := len(all.hits)
	texts := make(map[string][]byte) // by path
	var words token.Scanner
	kept := all.hits[:0:0]
	for i := range all.hits {
		h := &all.hits[i]
		if o.drops(h) {
			continue
		}
		if len(o.excluded) > 0 {
			text, ok := texts[h.file.Path]
			if !ok {
				var err error
				if text, _, err = h.source.read(ctx, h.file.Path); ctx.Err() != nil {
					return fmt.Errorf("reading files for excluded words: %w", context.Cause(ctx))
				} else if err != nil {
					text = nil // the page says that the file cannot be read
				}
				texts[h.file.Path] = text
			}
			if o.excludesText(&words, h.file.Path+"\n"+fullName(h.piece)+"\n"+pieceText(text, h.piece)) {
				continue
			}
		}
		kept = append(kept, *h)
	}
	all.hits = kept
	if len(kept) < before {
		all.total = len(kept)
	}
	return nil
}

// pieceText returns the text of a piece, or the part of it that the file still has.
func pieceText(text []byte, p index.Piece) string {
	end := min(max(int(p.Range.End), 0), len(text))
	return string(text[min(max(int(p.Range.Start), 0), end):end])
}

// excludesText reports whether a text contains an excluded word, as a word or as a part of a name, or an excluded text.
func (o *operators) excludesText(words *token.Scanner, text string) bool {
	for _, excluded := range o.excluded {
		if strings.ContainsFunc(excluded, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' || r >= utf8.RuneSelf
		}) {
			if strings.Contains(strings.ToLower(text), strings.ToLower(excluded)) {
				return true
			}
			continue
		}
		wanted := strings.ToLower(excluded)
		for _, g := range token.ParseQuery(excluded).Groups {
			if g.Whole != "" {
				wanted = g.Whole
			}
		}
		for w := range words.Words([]byte(text)) {
			if string(w.Text) == wanted {
				return true
			}
		}
	}
	return false
}

// note describes the excluded words, because a word that begins with a hyphen can also be meant literally.
func (o *operators) note() string {
	if len(o.excluded) == 0 {
		return ""
	}
	return fmt.Sprintf("without results that contain %s; quote a word to search for it with its hyphen", quoteAll(o.excluded))
}
