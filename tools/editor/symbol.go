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
)

// Target says which name is meant: by a path, a line and a column; by a path, a line and the name; or by the name, in a file or
// in the whole project.
type Target struct {
	// Path is relative to the project root, or absolute and inside the project.
	Path string `json:"path,omitempty"`
	// Line and Column count from 1, the column in UTF-16 code units.
	Line   int `json:"line,omitempty" jsonschema:"minimum=1"`
	Column int `json:"column,omitempty" jsonschema:"minimum=1"`
	// Symbol is the name, which may be a path of names: Type.method. With a line it stands there, and Column is not needed.
	Symbol string `json:"symbol,omitempty" jsonschema:"description=Type.method\\, instead of column or of path"`
}

// aim is a name in a document.
type aim struct {
	doc  *document
	at   adapter.Position
	name string
}

// aim finds the name that is meant.
func (e *Editor) aim(ctx context.Context, t Target) (aim, error) {
	switch {
	case t.Line < 0 || t.Column < 0 || t.Column > 0 && t.Line == 0 || t.Line > 0 && t.Path == "":
		return aim{}, invalid("give path, line and column, or a symbol", "a position has a path, a line and a column")
	case t.Line > 0 && t.Column == 0 && t.Symbol == "":
		return aim{}, invalid("give the column, or the name in the line as symbol", "it is not clear which name of line %d is meant", t.Line)
	case t.Line == 0 && t.Symbol == "":
		return aim{}, invalid("give path, line and column, or a symbol", "it is not clear which name is meant")
	case t.Line == 0:
		return e.aimAtSymbol(ctx, t)
	}
	doc, err := e.read(ctx, t.Path)
	if err != nil {
		return aim{}, err
	}
	text := adapter.NewText(doc.text.Content)
	if t.Line > text.Lines() {
		return aim{}, problem(codeBadRange, "Give a line up to "+number(text.Lines())+".", "%s has %s", quote(doc.path), count(text.Lines(), "line"))
	}
	line := text.Line(t.Line)
	if t.Column == 0 {
		name := lastName(t.Symbol)
		i := wordIn(line, name)
		if i < 0 {
			return aim{}, problem(codeSymbolNotFound, "Read the line, and give a name that stands in it.", "line %d of %s does not have the name %s: %s", t.Line, quote(doc.path), quote(name), quote(strings.TrimSpace(line)))
		}
		start, _ := text.Offset(adapter.Position{Line: t.Line, Column: 1})
		return aim{doc, text.Position(start + i), name}, nil
	}
	at := adapter.Position{Line: t.Line, Column: t.Column}
	offset, err := text.Offset(at)
	if err != nil {
		return aim{}, problem(codeBadRange, "Give a position that the document has.", "%s: %v", quote(doc.path), err)
	}
	return aim{doc, at, wordAt(doc.text.Content, offset)}, nil
}

// aimAtSymbol finds a declaration by its name.
func (e *Editor) aimAtSymbol(ctx context.Context, t Target) (aim, error) {
	found, err := e.symbols(ctx, t)
	if err != nil {
		return aim{}, err
	}
	wanted := names(t.Symbol)
	var matching []adapter.Symbol
	for _, s := range found {
		is := names(s.Container + "." + s.Name)
		if len(is) >= len(wanted) && len(wanted) > 0 && slices.Equal(is[len(is)-len(wanted):], wanted) {
			matching = append(matching, s)
		}
	}
	if inside := slices.DeleteFunc(slices.Clone(matching), func(s adapter.Symbol) bool {
		_, err := e.foreign(ctx, s.Location.Path)
		return err != nil
	}); len(inside) > 0 {
		matching = inside
	}
	if shortest := slices.DeleteFunc(slices.Clone(matching), func(s adapter.Symbol) bool {
		return len(names(s.Container+"."+s.Name)) != len(wanted)
	}); len(shortest) == 1 {
		matching = shortest // what is called just that, and not only so at its end
	}
	switch {
	case len(matching) == 0:
		return aim{}, problem(codeSymbolNotFound, "Give path, line and column.", "nothing is declared as %s%s", quote(t.Symbol), nearby(found))
	case len(matching) > 1:
		return aim{}, problem(codeAmbiguousSymbol, "Give path and line of the one that is meant, too.", "%s is declared at several places: %s", quote(t.Symbol), e.places(ctx, matching))
	}
	s := matching[0]
	p, err := e.foreign(ctx, s.Location.Path)
	if err != nil {
		return aim{}, err
	}
	doc, err := e.read(ctx, p.path)
	if err != nil {
		return aim{}, err
	}
	at, ok := nameIn(doc, s, wanted[len(wanted)-1])
	if !ok {
		return aim{}, problem(codeSymbolNotFound, "Give path, line and column.", "%s does not have the name %s where it is said to be declared", quote(doc.path), quote(t.Symbol))
	}
	return aim{doc, at, wanted[len(wanted)-1]}, nil
}

// symbols are the declarations of the file that is named, or those of the project whose names are like the one that is meant.
func (e *Editor) symbols(ctx context.Context, t Target) ([]adapter.Symbol, error) {
	if t.Path == "" {
		found, _, err := navigate(ctx, e, nil, "find "+quote(t.Symbol), func(ctx context.Context, n adapter.Navigator) ([]adapter.Symbol, error) {
			return n.FindSymbols(ctx, lastName(t.Symbol))
		})
		return found, err
	}
	doc, err := e.read(ctx, t.Path)
	if err != nil {
		return nil, err
	}
	return e.declared(ctx, doc)
}

// declared is what a document declares.
func (e *Editor) declared(ctx context.Context, doc *document) ([]adapter.Symbol, error) {
	found, _, err := navigate(ctx, e, &doc.place, "find what "+quote(doc.path)+" declares", func(ctx context.Context, n adapter.Navigator) ([]adapter.Symbol, error) {
		return n.Symbols(ctx, doc.adapted())
	})
	found = slices.Clone(found)
	for i := range found {
		found[i].Location.Path = doc.abs // it is said to be of this document
	}
	return found, err
}

// navigate asks one adapter after another what names mean.
func navigate[T any](ctx context.Context, e *Editor, p *place, what string, question func(context.Context, adapter.Navigator) (T, error)) (answer T, by string, err error) {
	refused := refusals{}
	for a, n := range able[adapter.Navigator](e, p) {
		answer, err := askAgain(ctx, e, a, thought, func(ctx context.Context) (T, error) { return question(ctx, n) })
		switch {
		case passes(err):
			refused[a.Name()] = err
			continue
		case err != nil:
			return answer, a.Name(), failed(codeLanguageServer, "trying to "+what, err)
		}
		return answer, a.Name(), nil
	}
	return answer, "", missing[adapter.Navigator](e, codeNoLanguageServer, what, p, refused)
}

// names splits a path of names, such as Type.method, pkg/Type#method or (*Type).Method(int).
func names(path string) []string {
	if i := strings.LastIndexByte(path, '('); i > 0 && !strings.HasPrefix(path[i:], "(*") && strings.HasSuffix(path, ")") && !strings.HasSuffix(path[:i], ".") {
		path = path[:i]
	}
	return strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("./#:()*", r) })
}

func lastName(path string) string {
	all := names(path)
	if len(all) == 0 {
		return path
	}
	return all[len(all)-1]
}

// nameIn finds the name of a declaration in its document.
func nameIn(doc *document, s adapter.Symbol, name string) (adapter.Position, bool) {
	text := adapter.NewText(doc.text.Content)
	for _, r := range []adapter.Range{s.Selection, s.Location.Range} {
		start, err := text.Offset(orderly(r).Start)
		if err != nil {
			continue
		}
		end, err := text.Offset(orderly(r).End)
		if err != nil || end <= start {
			end = min(start+len(name), len(doc.text.Content))
		}
		if i := wordIn(doc.text.Content[start:end], name); i >= 0 {
			return text.Position(start + i), true
		}
	}
	return adapter.Position{}, false
}

// wordIn is where a text has a name as a whole word, or -1.
func wordIn(text, name string) int {
	for from := 0; name != ""; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			break
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(name):])
		if !wordRune(before) && !wordRune(after) {
			return i
		}
		from = i + len(name)
	}
	return -1
}

// wordAt is the name that an offset is in, or directly behind.
func wordAt(text string, offset int) string {
	start, end := offset, offset
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		if !wordRune(r) {
			break
		}
		start -= size
	}
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !wordRune(r) {
			break
		}
		end += size
	}
	return text[start:end]
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || r == '_' || r == '$')
}

// places shows where some symbols are declared.
func (e *Editor) places(ctx context.Context, symbols []adapter.Symbol) string {
	const most = 8
	var all []string
	for i, s := range symbols {
		if i == most {
			all = append(all, "…")
			break
		}
		where := "a file outside of the project"
		if p, err := e.foreign(ctx, s.Location.Path); err == nil {
			where = fmt.Sprintf("%s:%d", p.path, orderly(s.Location.Range).Start.Line)
		}
		all = append(all, fmt.Sprintf("%s (%s)", where, truncate.Cut(s.Kind, maxName)))
	}
	return strings.Join(all, ", ")
}

// nearby shows a few of the names that there are.
func nearby(symbols []adapter.Symbol) string {
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
