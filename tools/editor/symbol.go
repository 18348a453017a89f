package editor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// Target selects a name by path, line and column; by path, line and name; or by its name in a file or the project.
type Target struct {
	// Path is relative to the project root, or absolute and inside the project.
	Path string `json:"path,omitempty"`
	// Line and Column count from 1, the column in UTF-16 code units.
	Line   int `json:"line,omitempty" jsonschema:"minimum=1"`
	Column int `json:"column,omitempty" jsonschema:"minimum=1"`
	// Symbol is a name or a qualified name, for example Type.method. With Options.Parsers, it can be any name path or ID of
	// find_symbol. With Line, the name must be in that line, and Column is
	// not needed.
	Symbol string `json:"symbol,omitempty" jsonschema:"description=Type.method\\, instead of column or of path"`
}

// namePosition is a name at a position of a document.
type namePosition struct {
	doc  *document
	at   adapter.Position
	name string
}

// resolveTarget finds the position of a target.
func (e *Editor) resolveTarget(ctx context.Context, t Target) (namePosition, error) {
	switch {
	case t.Line < 0 || t.Column < 0 || t.Column > 0 && t.Line == 0 || t.Line > 0 && t.Path == "":
		return namePosition{}, invalid("give path, line and column, or a symbol", "a position has a path, a line and a column")
	case t.Line > 0 && t.Column == 0 && t.Symbol == "":
		return namePosition{}, invalid("give the column, or the name in the line as symbol", "it is not clear which name of line %d is meant", t.Line)
	case t.Line == 0 && t.Symbol == "":
		return namePosition{}, invalid("give path, line and column, or a symbol", "it is not clear which name is meant")
	case t.Line == 0 && e.options.Parsers != nil:
		a, err := e.resolveParsed(ctx, t)
		if !hasCode(err, codeSymbolNotFound, codeNoParser) {
			return a, err
		}
		if a, other := e.resolveSymbol(ctx, t); !hasCode(other, codeSymbolNotFound, codeNoLanguageServer) {
			return a, other
		}
		return namePosition{}, err
	case t.Line == 0:
		return e.resolveSymbol(ctx, t)
	}
	doc, err := e.openDocument(ctx, t.Path)
	if err != nil {
		return namePosition{}, err
	}
	text := adapter.NewText(doc.text.Content)
	if t.Line > text.Lines() {
		return namePosition{}, problem(codeBadRange, "Give a line up to "+number(text.Lines())+".", "%s has %s", quote(doc.path), plural.Count(text.Lines(), "line"))
	}
	line := text.Line(t.Line)
	if t.Column == 0 {
		name := lastName(t.Symbol)
		i := indexWord(line, name)
		if i < 0 {
			return namePosition{}, problem(codeSymbolNotFound, "Read the line, and give a name from it.", "line %d of %s does not have the name %s: %s", t.Line, quote(doc.path), quote(name), quote(strings.TrimSpace(line)))
		}
		start, _ := text.Offset(adapter.Position{Line: t.Line, Column: 1})
		return namePosition{doc, text.Position(start + i), name}, nil
	}
	at := adapter.Position{Line: t.Line, Column: t.Column}
	offset, err := text.Offset(at)
	if err != nil {
		return namePosition{}, problem(codeBadRange, "Give a position that the document has.", "%s: %v", quote(doc.path), err)
	}
	return namePosition{doc, at, wordAt(doc.text.Content, offset)}, nil
}

// resolveParsed finds the declaration of a symbol by the parsers.
func (e *Editor) resolveParsed(ctx context.Context, t Target) (namePosition, error) {
	s, err := e.oneSymbol(ctx, t.Path, t.Symbol, true)
	if err != nil {
		return namePosition{}, err
	}
	return s.position(), nil
}

// resolveSymbol finds the declaration of a symbol.
func (e *Editor) resolveSymbol(ctx context.Context, t Target) (namePosition, error) {
	found, err := e.candidateSymbols(ctx, t)
	if err != nil {
		return namePosition{}, err
	}
	wanted := splitName(t.Symbol)
	var matching []adapter.Symbol
	for _, s := range found {
		is := splitName(s.Container + "." + s.Name)
		if len(is) >= len(wanted) && len(wanted) > 0 && slices.Equal(is[len(is)-len(wanted):], wanted) {
			matching = append(matching, s)
		}
	}
	if inside := slices.DeleteFunc(slices.Clone(matching), func(s adapter.Symbol) bool {
		_, err := e.locateAdapterPath(ctx, s.Location.Path)
		return err != nil
	}); len(inside) > 0 {
		matching = inside
	}
	if shortest := slices.DeleteFunc(slices.Clone(matching), func(s adapter.Symbol) bool {
		return len(splitName(s.Container+"."+s.Name)) != len(wanted)
	}); len(shortest) == 1 {
		matching = shortest // an exact match is preferred to a match of the last names
	}
	switch {
	case len(matching) == 0:
		return namePosition{}, problem(codeSymbolNotFound, "Give path, line and column.", "nothing is declared as %s%s", quote(t.Symbol), suggestNames(found))
	case len(matching) > 1:
		return namePosition{}, problem(codeAmbiguousSymbol, "Give path and line of the one that is meant, too.", "%s is declared at several places: %s", quote(t.Symbol), e.describeLocations(ctx, matching))
	}
	s := matching[0]
	p, err := e.locateAdapterPath(ctx, s.Location.Path)
	if err != nil {
		return namePosition{}, err
	}
	doc, err := e.openDocument(ctx, p.path)
	if err != nil {
		return namePosition{}, err
	}
	at, ok := findName(doc, s, wanted[len(wanted)-1])
	if !ok {
		return namePosition{}, problem(codeSymbolNotFound, "Give path, line and column.", "%s does not have the name %s where it is said to be declared", quote(doc.path), quote(t.Symbol))
	}
	return namePosition{doc, at, wanted[len(wanted)-1]}, nil
}

// candidateSymbols returns the symbols of the target's file, or the project's symbols with a similar name.
func (e *Editor) candidateSymbols(ctx context.Context, t Target) ([]adapter.Symbol, error) {
	if t.Path == "" {
		found, _, err := queryNavigators(ctx, e, nil, "find "+quote(t.Symbol), func(ctx context.Context, n adapter.Navigator) ([]adapter.Symbol, error) {
			return n.FindSymbols(ctx, lastName(t.Symbol))
		})
		return found, err
	}
	doc, err := e.openDocument(ctx, t.Path)
	if err != nil {
		return nil, err
	}
	return e.documentSymbols(ctx, doc)
}

// documentSymbols returns the declarations of a document.
func (e *Editor) documentSymbols(ctx context.Context, doc *document) ([]adapter.Symbol, error) {
	found, _, err := queryNavigators(ctx, e, &doc.projectFile, "find what "+quote(doc.path)+" declares", func(ctx context.Context, n adapter.Navigator) ([]adapter.Symbol, error) {
		return n.Symbols(ctx, doc.adapterDocument())
	})
	found = slices.Clone(found)
	for i := range found {
		found[i].Location.Path = doc.abs // symbols of a document are in that document
	}
	return found, err
}

// queryNavigators returns the result of the first navigator that supports a query.
func queryNavigators[T any](ctx context.Context, e *Editor, p *projectFile, what string, question func(context.Context, adapter.Navigator) (T, error)) (answer T, by string, err error) {
	refused := refusals{}
	for a, n := range adaptersWith[adapter.Navigator](e, p) {
		answer, err := retryAdapter(ctx, e, a, computeTimeout, func(ctx context.Context) (T, error) { return question(ctx, n) })
		switch {
		case isUnsupported(err):
			refused[a.Name()] = err
			continue
		case err != nil:
			return answer, a.Name(), failed(codeLanguageServer, "trying to "+what, err)
		}
		return answer, a.Name(), nil
	}
	return answer, "", missingCapability[adapter.Navigator](e, codeNoLanguageServer, what, p, refused)
}

// splitName splits a qualified name, for example Type.method, pkg/Type#method or (*Type).Method(int).
func splitName(path string) []string {
	if i := strings.LastIndexByte(path, '('); i > 0 && !strings.HasPrefix(path[i:], "(*") && strings.HasSuffix(path, ")") && !strings.HasSuffix(path[:i], ".") {
		path = path[:i]
	}
	return strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("./#:()*", r) })
}

func lastName(path string) string {
	all := splitName(path)
	if len(all) == 0 {
		return path
	}
	return all[len(all)-1]
}

// findName returns the position of a declared name in its document.
func findName(doc *document, s adapter.Symbol, name string) (adapter.Position, bool) {
	text := adapter.NewText(doc.text.Content)
	for _, r := range []adapter.Range{s.Selection, s.Location.Range} {
		start, err := text.Offset(normalizeRange(r).Start)
		if err != nil {
			continue
		}
		end, err := text.Offset(normalizeRange(r).End)
		if err != nil || end <= start {
			end = min(start+len(name), len(doc.text.Content))
		}
		if i := indexWord(doc.text.Content[start:end], name); i >= 0 {
			return text.Position(start + i), true
		}
	}
	return adapter.Position{}, false
}

// indexWord returns the offset of a name as a complete word, or -1.
func indexWord(text, name string) int {
	for from := 0; name != ""; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			break
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(name):])
		if !isWordRune(before) && !isWordRune(after) {
			return i
		}
		from = i + len(name)
	}
	return -1
}

// wordAt returns the name at an offset or directly before it.
func wordAt(text string, offset int) string {
	start, end := offset, offset
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		if !isWordRune(r) {
			break
		}
		start -= size
	}
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !isWordRune(r) {
			break
		}
		end += size
	}
	return text[start:end]
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || r == '_' || r == '$')
}

// describeLocations lists the locations of symbols for an error message.
func (e *Editor) describeLocations(ctx context.Context, symbols []adapter.Symbol) string {
	const most = 8
	var all []string
	for i, s := range symbols {
		if i == most {
			all = append(all, "…")
			break
		}
		where := "a file outside of the project"
		if p, err := e.locateAdapterPath(ctx, s.Location.Path); err == nil {
			where = fmt.Sprintf("%s:%d", p.path, normalizeRange(s.Location.Range).Start.Line)
		}
		all = append(all, fmt.Sprintf("%s (%s)", where, truncate.Cut(s.Kind, maxName)))
	}
	return strings.Join(all, ", ")
}

// suggestNames lists a few existing names for an error message.
func suggestNames(symbols []adapter.Symbol) string {
	const most = 8
	var all []string
	for _, s := range symbols[:min(len(symbols), most)] {
		all = append(all, truncate.Cut(s.Name, maxName))
	}
	if len(all) == 0 {
		return ""
	}
	return "; there are " + strings.Join(all, ", ")
}
