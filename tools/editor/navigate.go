package editor

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/punctuation"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/symbols"
)

const (
	maxDefinitions = 20     // definitions in a result
	maxLocations   = 10_000 // locations that are examined
	maxCodeLines   = 60     // lines of a declaration
	maxLine        = 400    // bytes of a line of source, or of a path outside of the project
)

// FindDefinitionArgs are the arguments of find_definition.
type FindDefinitionArgs struct {
	Target
}

// FindDefinitionResult is the result of find_definition.
type FindDefinitionResult struct {
	Definitions []Definition `json:"definitions"`
	Truncated   bool         `json:"truncated,omitempty"`
	Notes       []string     `json:"notes,omitempty"`
}

// Definition is a declaration with its code.
type Definition struct {
	Path string `json:"path"` // as Change.Path; absolute for a file outside of the project
	// Outside means that the file is not in the project. Its code is not shown.
	Outside bool `json:"outside,omitempty"`
	// Line and Column are the position of the name.
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Kind   string `json:"kind,omitempty"`
	// StartLine is the first line of Code. EndLine is the last line of the declaration; Code may end before it.
	StartLine int    `json:"startLine,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	Code      string `json:"code,omitempty"`
}

// FindDefinition returns the declarations of a name. It is the tool find_definition.
func (e *Editor) FindDefinition(ctx context.Context, args FindDefinitionArgs) (FindDefinitionResult, error) {
	a, err := e.resolveTarget(ctx, args.Target)
	if err != nil {
		return FindDefinitionResult{}, err
	}
	found, by, err := queryNavigators(ctx, e, &a.doc.projectFile, "find the definition", func(ctx context.Context, n adapter.Navigator) ([]adapter.Location, error) {
		return n.Definition(ctx, a.doc.adapterDocument(), a.at)
	})
	if e.options.Parsers != nil && hasCode(err, codeNoLanguageServer) {
		return e.definitionsByName(ctx, a)
	}
	if err != nil {
		return FindDefinitionResult{}, err
	}
	r := FindDefinitionResult{Definitions: []Definition{}, Notes: slices.Clone(a.doc.notes)}
	s := &fileCache{e: e}
	found = s.sorted(ctx, found)
	r.Truncated = s.cut || len(found) > maxDefinitions
	room := e.limits.Answer / 2
	for _, l := range found[:min(len(found), maxDefinitions)] {
		d, ok := s.definition(ctx, l, room)
		if !ok {
			r.Notes = append(r.Notes, "one is in a blocked file")
			continue
		}
		if room -= len(d.Code) + len(d.Path) + 120; room < 0 && len(r.Definitions) > 0 {
			r.Truncated = true
			break
		}
		r.Definitions = append(r.Definitions, d)
	}
	if len(r.Definitions) == 0 && len(r.Notes) == 0 {
		r.Notes = append(r.Notes, "no definition of "+quote(a.name)+" is known")
	}
	if reason, next := e.unindexed(by, a.doc.projectFile); reason != "" {
		r.Notes = append(r.Notes, punctuation.Clause(punctuation.Sentences("the definition may be in another file: "+reason, next)))
	}
	return r, nil
}

// definitionsByName returns the declaration at a position, or the declarations of the project with its name.
func (e *Editor) definitionsByName(ctx context.Context, a namePosition) (FindDefinitionResult, error) {
	if a.name == "" {
		return FindDefinitionResult{}, problem(codeSymbolNotFound, "Give the position of a name, or the symbol.", "there is no name at line %d, column %d of %s", a.at.Line, a.at.Column, quote(a.doc.path))
	}
	var all []parsedSymbol
	found := symbolMatches{}
	if f, err := e.parseDocument(ctx, a.doc); err == nil {
		for i := range f.Len() {
			if s := (parsedSymbol{a.doc, f, i}); f.Symbol(i).Name == a.name && s.position().at == a.at {
				all = append(all, s)
			}
		}
	}
	if len(all) == 0 {
		extensions := family(a.doc.path)
		accept := func(name string) bool { return slices.Contains(extensions, strings.ToLower(path.Ext(name))) }
		var err error
		if found, err = e.searchSymbols(ctx, symbolQuery{accept: accept, pattern: symbols.ParsePattern(a.name, false), most: maxDefinitions}); err != nil {
			return FindDefinitionResult{}, err
		}
		all = found.all
	}
	r := FindDefinitionResult{Definitions: []Definition{}, Truncated: found.more, Notes: append(slices.Clone(a.doc.notes), byName)}
	if found.note != "" {
		r.Notes = append(r.Notes, found.note)
	}
	room := e.limits.Answer / 2
	for _, s := range all {
		c, at := s.chunk(), s.position().at
		code := s.file.BodyLines(s.n)
		if lines := strings.SplitAfterN(code, "\n", maxCodeLines+1); len(lines) > maxCodeLines {
			code = strings.Join(lines[:maxCodeLines], "")
		}
		code = cutBytes(code, max(room, 1))
		if room -= len(code) + len(s.doc.path) + 120; room < 0 && len(r.Definitions) > 0 {
			r.Truncated = true
			break
		}
		r.Definitions = append(r.Definitions, Definition{
			Path: s.doc.path, Line: at.Line, Column: at.Column, Kind: c.Kind.String(), StartLine: int(c.Line), EndLine: int(c.EndLine), Code: code,
		})
	}
	return r, nil
}

// cutBytes returns a text, or its first complete lines if it is longer than that many bytes.
func cutBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return cutLines(text, most)
}

// FindReferencesArgs are the arguments of find_references.
type FindReferencesArgs struct {
	Target
	// Cursor is the NextCursor of a result for the same arguments.
	Cursor string `json:"cursor,omitempty"`
}

// FindReferencesResult is the result of find_references: the uses and the declaration of a name.
type FindReferencesResult struct {
	TotalCount int              `json:"totalCount"`
	Files      []FileReferences `json:"files"`
	// Outside counts references in files that are hidden or outside of the project. TotalCount does not include them.
	Outside int `json:"outside,omitempty"`
	// Notes say why references may be missing.
	Notes      []string `json:"notes,omitempty"`
	Truncated  bool     `json:"truncated,omitempty"`
	NextCursor string   `json:"nextCursor,omitempty"`
}

// FileReferences are the references in one file.
type FileReferences struct {
	Path       string      `json:"path"`
	References []Reference `json:"references"`
}

// Reference is a position and the text of its line.
type Reference struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
	// Symbol is the name path of the declaration around the reference. It needs Options.Parsers.
	Symbol string `json:"symbol,omitempty"`
}

// FindReferences returns the references of a name. It is the tool find_references.
func (e *Editor) FindReferences(ctx context.Context, args FindReferencesArgs) (FindReferencesResult, error) {
	t := args.Target
	question := cursor.NewListID("references", t.Path, number(t.Line), number(t.Column), t.Symbol)
	place, ok := question.Position(args.Cursor)
	from, err := strconv.Atoi("0" + place)
	if !ok || err != nil {
		return FindReferencesResult{}, problem(codeInvalidCursor, "Repeat the arguments of the call that the cursor is from, or call without it.", "the cursor does not belong to these arguments")
	}
	a, err := e.resolveTarget(ctx, t)
	if err != nil {
		return FindReferencesResult{}, err
	}
	servers, cancel := context.WithTimeout(ctx, e.options.referencesTime)
	defer cancel()
	found, by, late, err := e.askReferences(ctx, servers, a)
	r := FindReferencesResult{Files: []FileReferences{}}
	if e.options.Parsers != nil && (late || hasCode(err, codeNoLanguageServer)) {
		var note string
		if found, note, err = e.occurrences(ctx, a); note != "" {
			r.Notes = append(r.Notes, note)
		}
		if late {
			r.Notes = append(r.Notes, e.lateServer())
		} else {
			r.Notes = append(r.Notes, byName)
		}
	}
	if err != nil {
		return FindReferencesResult{}, err
	}
	s := &fileCache{e: e}
	found = slices.DeleteFunc(s.sorted(ctx, found), func(l adapter.Location) bool { return s.place(ctx, l.Path) == nil })
	r.TotalCount, r.Outside, r.Truncated = len(found), s.outside, s.cut
	if reason, next := e.unindexed(by, a.doc.projectFile); reason != "" {
		r.Notes = append(r.Notes, punctuation.Clause(punctuation.Sentences("there may be more references: "+reason, next)))
	}
	room := e.limits.Answer - min(e.limits.Answer/4, 512)
	for i := min(from, len(found)); i < len(found); i++ {
		l := found[i]
		p := s.place(ctx, l.Path)
		text := ""
		if lines := s.lines(ctx, p); lines != nil {
			text = truncate.Cut(strings.TrimSpace(lines.Line(l.Range.Start.Line)), maxLine)
		}
		if room -= 60 + len(text) + len(p.path)/2; room < 0 && i > from {
			r.Truncated, r.NextCursor = true, question.Cursor(number(i))
			break
		}
		if n := len(r.Files); n == 0 || r.Files[n-1].Path != p.path {
			r.Files = append(r.Files, FileReferences{Path: p.path})
		}
		last := &r.Files[len(r.Files)-1]
		ref := Reference{Line: l.Range.Start.Line, Column: l.Range.Start.Column, Text: text}
		if f := s.symbols(ctx, p); f != nil {
			if i := symbolAt(f, s.lines(ctx, p), l.Range.Start); i >= 0 {
				ref.Symbol = truncate.Cut(f.NamePath(i), maxLine)
				room -= len(ref.Symbol)
			}
		}
		last.References = append(last.References, ref)
	}
	return r, nil
}

// TextContent returns the result as text for a model.
func (r FindDefinitionResult) TextContent() string {
	var b strings.Builder
	for _, d := range r.Definitions {
		kind := ""
		if d.Kind != "" {
			kind = " (" + d.Kind + ")"
		}
		fmt.Fprintf(&b, "[%s:%d:%d%s]\n", d.Path, d.Line, d.Column, kind)
		n := d.StartLine
		for line := range strings.Lines(d.Code) {
			fmt.Fprintf(&b, "%d\t%s\n", n, strings.TrimRight(line, "\r\n"))
			n++
		}
		if d.Code != "" && n <= d.EndLine {
			fmt.Fprintf(&b, "[… to line %d]\n", d.EndLine)
		}
	}
	writeNotes(&b, r.Notes)
	if r.Truncated {
		b.WriteString("[there are more]\n")
	}
	return b.String()
}

// TextContent returns the result as text for a model.
func (r FindReferencesResult) TextContent() string {
	var b strings.Builder
	writeNotes(&b, r.Notes)
	b.WriteString("[" + plural.Count(r.TotalCount, "reference"))
	if r.Outside > 0 {
		b.WriteString(", and " + number(r.Outside) + " outside of the project")
	}
	b.WriteString("]\n")
	for _, f := range r.Files {
		b.WriteString(f.Path + "\n")
		symbol := ""
		for _, ref := range f.References {
			if ref.Symbol != symbol {
				symbol = ref.Symbol
				b.WriteString(" in " + cmp.Or(symbol, "no declaration") + "\n")
			}
			fmt.Fprintf(&b, "  %d:%d %s\n", ref.Line, ref.Column, ref.Text)
		}
	}
	if r.NextCursor != "" {
		b.WriteString("[continue with cursor=" + r.NextCursor + "]\n")
	}
	return b.String()
}
