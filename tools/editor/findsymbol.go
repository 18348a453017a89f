package editor

import (
	"context"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/symbols"
	"github.com/dougu-go/dougu/tools/source"
)

const (
	defaultSymbolLimit = 20
	maxSymbolLimit     = 200
	maxSymbolDepth     = 5
	maxSymbolInfo      = 2 << 10 // bytes of documentation of a symbol
	maxInfoSymbols     = 5       // symbols with documentation of a language server
	maxShownSignature  = 160     // bytes of a signature
)

// FindSymbolArgs are the arguments of find_symbol.
type FindSymbolArgs struct {
	// Symbol is a name path: method, Class/method, /Class at the top level, name[1] for the second of several; or an ID of an
	// answer or of the chunk tools. Empty selects the top-level declarations of the file Path.
	Symbol string `json:"symbol,omitempty" jsonschema:"maxLength=1000,description=Name path: method\\, Class/method\\, /Class\\, name[1]; or an id"`
	// Path is a file or a directory. Empty is the project.
	Path string `json:"path,omitempty" jsonschema:"description=File or directory"`
	// Substring lets the last name be a part of the declared name.
	Substring bool `json:"substring,omitempty"`
	// Kind is "callable", "type" or a kind of source.Kind.
	Kind string `json:"kind,omitempty" jsonschema:"description=callable\\, type\\, method\\, class …"`
	// Depth is the number of levels of members that are listed below each symbol.
	Depth int `json:"depth,omitempty" jsonschema:"minimum=0,maximum=5"`
	// Body returns the code, with decorators and without the documentation comment.
	Body bool `json:"body,omitempty"`
	// Info returns the signature and the documentation of a language server, or the documentation comment without one.
	Info bool `json:"info,omitempty" jsonschema:"description=Documentation"`
	// Limit is the number of symbols. The default is 20.
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=200,default=20"`
}

// FindSymbolResult is the result of find_symbol.
type FindSymbolResult struct {
	Symbols []SymbolInfo `json:"symbols"`
	// Truncated means that there are more symbols.
	Truncated bool     `json:"truncated,omitempty"`
	Notes     []string `json:"notes,omitempty"`
}

// SymbolInfo is a declaration.
type SymbolInfo struct {
	// ID is the path of the file, "#" and the qualified name. The chunk tools use the same IDs.
	ID   string `json:"id"`
	Kind string `json:"kind"`
	// Line and EndLine are the first and the last line, from 1, without the documentation comment.
	Line      int    `json:"line"`
	EndLine   int    `json:"endLine"`
	Signature string `json:"signature,omitempty"`
	// Info is the documentation. InfoBy is the adapter that returned it; empty for the comment in the file.
	Info   string `json:"info,omitempty"`
	InfoBy string `json:"infoBy,omitempty"`
	// Body is the code. BodyTruncated means that it is longer than the room of an answer.
	Body          string `json:"body,omitempty"`
	BodyTruncated bool   `json:"bodyTruncated,omitempty"`
	// Members are the declarations within, of as many levels as the argument depth.
	Members []SymbolMember `json:"members,omitempty"`
}

// SymbolMember is a declaration within another one.
type SymbolMember struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Line int    `json:"line"`
	// EndLine is the last line.
	EndLine   int            `json:"endLine"`
	Signature string         `json:"signature,omitempty"`
	Members   []SymbolMember `json:"members,omitempty"`
}

// FindSymbol returns declarations by name path. It is the tool find_symbol.
func (e *Editor) FindSymbol(ctx context.Context, args FindSymbolArgs) (FindSymbolResult, error) {
	if args.Limit == 0 {
		args.Limit = defaultSymbolLimit
	}
	kinds, err := kindFilter(args.Kind)
	switch {
	case err != nil:
		return FindSymbolResult{}, err
	case args.Limit < 1 || args.Limit > maxSymbolLimit || args.Depth < 0 || args.Depth > maxSymbolDepth:
		return FindSymbolResult{}, invalid(fmt.Sprintf("give a limit up to %d and a depth up to %d", maxSymbolLimit, maxSymbolDepth), "the limit %d or the depth %d is not possible", args.Limit, args.Depth)
	case args.Symbol == "" && args.Path == "":
		return FindSymbolResult{}, invalid("give a name path, or the path of a file for its outline", "neither symbol nor path is given")
	}
	if args.Symbol == "" {
		return e.outline(ctx, args, kinds)
	}
	q := e.newSymbolQuery(ctx, args.Path, args.Symbol, args.Substring)
	if q.pattern.Name() == "" {
		return FindSymbolResult{}, invalid("give a name path, for example Class/method", "%s is no name path", quote(args.Symbol))
	}
	q.kinds, q.most = kinds, args.Limit
	found, err := e.searchSymbols(ctx, q)
	if err != nil {
		return FindSymbolResult{}, err
	}
	if len(found.all) == 0 && found.note == "" && args.Kind == "" {
		return FindSymbolResult{}, symbolNotFound(args.Symbol, q.path, found)
	}
	r := e.describeSymbols(ctx, found.all, args)
	r.Truncated = r.Truncated || found.more
	if found.note != "" {
		r.Notes = append(r.Notes, found.note)
	}
	return r, nil
}

// outline returns the top-level declarations of a file.
func (e *Editor) outline(ctx context.Context, args FindSymbolArgs, kinds func(source.Kind) bool) (FindSymbolResult, error) {
	d, err := e.openDocument(ctx, args.Path)
	if err != nil {
		return FindSymbolResult{}, err
	}
	f, err := e.parseDocument(ctx, d)
	if err != nil {
		return FindSymbolResult{}, err
	}
	var all []parsedSymbol
	more := false
	for _, i := range f.Children(-1) {
		if f.IsPackageClause(i) || kinds != nil && !kinds(f.Symbol(i).Kind) || args.Depth > 0 && f.OuterType(i) >= 0 {
			continue
		}
		if more = len(all) == args.Limit; more {
			break
		}
		all = append(all, parsedSymbol{d, f, i})
	}
	r := e.describeSymbols(ctx, all, args)
	r.Truncated = r.Truncated || more
	return r, nil
}

// kindFilter returns the condition of an argument kind; nil for all kinds.
func kindFilter(name string) (func(source.Kind) bool, error) {
	switch name {
	case "":
		return nil, nil
	case "callable":
		return source.Kind.IsCallable, nil
	case "type":
		return source.Kind.IsType, nil
	}
	kind, ok := source.KindNamed(name)
	if !ok {
		return nil, invalid("use callable, type, or a kind such as function, method, class, struct, interface, enum, property, variable, constant", "there is no kind %s", quote(name))
	}
	return func(k source.Kind) bool { return k == kind }, nil
}

// describeSymbols describes declarations within the budget of an answer.
func (e *Editor) describeSymbols(ctx context.Context, all []parsedSymbol, args FindSymbolArgs) FindSymbolResult {
	r := FindSymbolResult{Symbols: []SymbolInfo{}}
	room := e.limits.Answer - min(e.limits.Answer/4, 512)
	notes := make(map[string]bool)
	for n, s := range all {
		c := s.chunk()
		one := SymbolInfo{ID: s.id(), Kind: c.Kind.String(), Line: int(c.Line), EndLine: int(c.EndLine), Signature: truncate.Cut(c.Signature, maxShownSignature)}
		if args.Info {
			one.Info, one.InfoBy = e.symbolInfo(ctx, s, n < maxInfoSymbols)
		}
		if args.Depth > 0 {
			one.Members = members(s.file, s.n, args.Depth, &room)
		}
		if args.Body {
			one.Body = s.file.BodyLines(s.n)
			if most := max(room-len(one.Info)-200, 0); len(one.Body) > most {
				one.Body, one.BodyTruncated = cutLines(one.Body, most), true
			} else {
				e.bodies.Record(ctx, one.ID, digest([]byte(one.Body)))
			}
		}
		if room -= 60 + len(one.ID) + len(one.Signature) + len(one.Info) + len(one.Body); room < 0 && n > 0 {
			r.Truncated = true
			break
		}
		r.Symbols = append(r.Symbols, one)
		for _, note := range s.doc.notes {
			if !notes[note] {
				notes[note] = true
				r.Notes = append(r.Notes, note)
			}
		}
		if doubt := s.file.Doubt(s.n); doubt != nil && args.Body {
			r.Notes = append(r.Notes, fmt.Sprintf("%s may end elsewhere, because of a syntax error in line %d", one.ID, doubt.Line))
		}
	}
	return r
}

// cutLines returns the first complete lines of a text, of at most that many bytes.
func cutLines(text string, most int) string {
	return text[:strings.LastIndexByte(text[:min(most, len(text))], '\n')+1]
}

// symbolInfo returns the documentation of a declaration.
func (e *Editor) symbolInfo(ctx context.Context, s parsedSymbol, ask bool) (info, by string) {
	if ask {
		a := s.position()
		for ad, h := range adaptersWith[adapter.Hoverer](e, &s.doc.projectFile) {
			text, err := callAdapter(ctx, ad, computeTimeout, func(ctx context.Context) (string, error) { return h.Hover(ctx, a.doc.adapterDocument(), a.at) })
			switch {
			case err != nil && !isUnsupported(err):
				e.log.Warn("a language server did not return documentation", "adapter", ad.Name(), "error", err)
			case err == nil && strings.TrimSpace(text) != "":
				return truncate.Cut(strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")), maxSymbolInfo), ad.Name()
			}
		}
	}
	return truncate.Cut(strings.TrimSpace(s.file.Doc(s.n)), maxSymbolInfo), ""
}

// members returns the declarations within a declaration. Methods that are declared outside of their type belong to it, too.
func members(f *symbols.File, parent, depth int, room *int) []SymbolMember {
	if depth == 0 {
		return nil
	}
	children := f.Children(parent)
	for i := range f.Len() {
		if f.OuterType(i) == parent {
			children = append(children, i)
		}
	}
	var all []SymbolMember
	for _, i := range children {
		c := f.Symbol(i)
		if *room -= 40 + len(c.Name) + min(len(c.Signature), maxShownSignature); *room < 0 {
			break
		}
		all = append(all, SymbolMember{
			Name: c.Name, Kind: c.Kind.String(), Line: int(c.Line), EndLine: int(c.EndLine), Signature: truncate.Cut(c.Signature, maxShownSignature),
			Members: members(f, i, depth-1, room),
		})
	}
	return all
}

// TextContent returns the result as text for a model. The path of several symbols of a file is written once: "path#" and the rest
// of each ID.
func (r FindSymbolResult) TextContent() string {
	var b strings.Builder
	group := ""
	for i, s := range r.Symbols {
		file, name := cutID(s.ID)
		id, margin := s.ID, ""
		if file != group {
			group = ""
		}
		if group == "" && i+1 < len(r.Symbols) {
			if next, _ := cutID(r.Symbols[i+1].ID); next == file {
				group = file
				b.WriteString(file + "#\n")
			}
		}
		if group != "" {
			id, margin = name, " "
		}
		fmt.Fprintf(&b, "%s%s [%s, %d-%d] %s\n", margin, id, s.Kind, s.Line, s.EndLine, s.Signature)
		if s.Info != "" {
			b.WriteString(s.Info + "\n")
		}
		writeMembers(&b, s.Members, margin+"  ")
		if s.Body != "" {
			b.WriteString(strings.TrimRight(s.Body, "\r\n") + "\n")
		}
		if s.BodyTruncated {
			fmt.Fprintf(&b, "[cut: read on in the file, to line %d]\n", s.EndLine)
		}
	}
	if len(r.Symbols) == 0 {
		b.WriteString("[no symbols]\n")
	}
	writeNotes(&b, r.Notes)
	if r.Truncated {
		b.WriteString("[there are more: give a path, a kind or a longer name path]\n")
	}
	return b.String()
}

// cutID returns the path and the name of an ID.
func cutID(id string) (file, name string) {
	file, name, _ = strings.Cut(id, "#")
	return file, name
}

func writeMembers(b *strings.Builder, all []SymbolMember, margin string) {
	for _, m := range all {
		fmt.Fprintf(b, "%s%s [%s, %d-%d] %s\n", margin, m.Name, m.Kind, m.Line, m.EndLine, m.Signature)
		writeMembers(b, m.Members, margin+"  ")
	}
}
