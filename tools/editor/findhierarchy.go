package editor

import (
	"context"
	"fmt"
	iofs "io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/source"
)

const (
	maxHierarchyDepth = 3
	maxRelated        = 100 // declarations in a result of find_hierarchy
	maxCalleeNames    = 50  // names of called functions that are looked up by name
)

// FindHierarchyArgs are the arguments of find_hierarchy.
type FindHierarchyArgs struct {
	Target
	// Direction is supertypes, subtypes, callers or callees.
	Direction string `json:"direction" jsonschema:"enum=supertypes,enum=subtypes,enum=callers,enum=callees"`
	// Depth is the number of levels. The default is 1.
	Depth int `json:"depth,omitempty" jsonschema:"minimum=1,maximum=3,default=1"`
}

// FindHierarchyResult is the result of find_hierarchy.
type FindHierarchyResult struct {
	// Symbol is the ID of the declaration, or its name.
	Symbol  string          `json:"symbol"`
	Related []RelatedSymbol `json:"related"`
	// Truncated means that there are more.
	Truncated bool     `json:"truncated,omitempty"`
	Notes     []string `json:"notes,omitempty"`

	direction string
}

// RelatedSymbol is a declaration in a hierarchy.
type RelatedSymbol struct {
	// ID is the ID of the declaration. Outside of the project it is the path, "#" and the name.
	ID   string `json:"id"`
	Kind string `json:"kind,omitempty"`
	Line int    `json:"line,omitempty"`
	// Calls are the lines of the calls: in this declaration for callers, in the caller for callees.
	Calls []int `json:"calls,omitempty"`
	// Related is the next level.
	Related []RelatedSymbol `json:"related,omitempty"`

	at *namePosition // nil for a declaration outside of the project
}

// FindHierarchy returns the super- or subtypes of a type, or the callers or callees of a function. It is the tool
// find_hierarchy. Without a language server that has the hierarchy, it compares names.
func (e *Editor) FindHierarchy(ctx context.Context, args FindHierarchyArgs) (FindHierarchyResult, error) {
	relation := adapter.Relation(args.Direction)
	if !slices.Contains([]adapter.Relation{adapter.Supertypes, adapter.Subtypes, adapter.Callers, adapter.Callees}, relation) {
		return FindHierarchyResult{}, invalid("use supertypes, subtypes, callers or callees", "there is no direction %s", quote(args.Direction))
	}
	if args.Depth == 0 {
		args.Depth = 1
	}
	if args.Depth < 1 || args.Depth > maxHierarchyDepth {
		return FindHierarchyResult{}, invalid(fmt.Sprintf("give a depth from 1 to %d", maxHierarchyDepth), "the depth %d is not possible", args.Depth)
	}
	a, err := e.resolveTarget(ctx, args.Target)
	if err != nil {
		return FindHierarchyResult{}, err
	}
	h := &hierarchy{e: e, relation: relation, files: &fileCache{e: e}, seen: make(map[string]bool), started: time.Now()}
	r := FindHierarchyResult{Symbol: h.describe(ctx, a), direction: args.Direction}
	h.seen[r.Symbol] = true
	if r.Related, err = h.expand(ctx, a, args.Depth); err != nil {
		return FindHierarchyResult{}, err
	}
	if r.Related == nil {
		r.Related = []RelatedSymbol{}
	}
	r.Truncated, r.Notes = h.more, append(slices.Clone(a.doc.notes), h.notes...)
	return r, nil
}

// hierarchy is the state of one call of find_hierarchy.
type hierarchy struct {
	e        *Editor
	relation adapter.Relation
	files    *fileCache
	seen     map[string]bool // IDs of declarations that are expanded already
	count    int             // declarations so far
	started  time.Time
	more     bool
	notes    []string
}

func (h *hierarchy) note(text string) {
	if text != "" && !slices.Contains(h.notes, text) {
		h.notes = append(h.notes, text)
	}
}

// describe returns the ID of the declaration at a position, or its name.
func (h *hierarchy) describe(ctx context.Context, a namePosition) string {
	if f := h.files.symbols(ctx, &a.doc.projectFile); f != nil {
		if i := symbolAt(f, h.files.lines(ctx, &a.doc.projectFile), a.at); i >= 0 && f.Symbol(i).Name == a.name {
			return f.ID(i)
		}
	}
	return a.name
}

// expand returns the relatives of a declaration, of as many levels.
func (h *hierarchy) expand(ctx context.Context, a namePosition, depth int) ([]RelatedSymbol, error) {
	related, err := h.relatives(ctx, a)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(related, func(x, y RelatedSymbol) int { return strings.Compare(x.ID, y.ID) })
	if left := maxRelated - h.count; len(related) > left {
		related, h.more = related[:left], true
	}
	h.count += len(related)
	for i := range related {
		r := &related[i]
		if depth == 1 || r.at == nil || h.seen[r.ID] {
			continue
		}
		h.seen[r.ID] = true
		if r.Related, err = h.expand(ctx, *r.at, depth-1); err != nil {
			return nil, err
		}
	}
	return related, nil
}

// relatives returns the direct relatives of a declaration: by the first language server that has the hierarchy, otherwise by
// name.
func (h *hierarchy) relatives(ctx context.Context, a namePosition) ([]RelatedSymbol, error) {
	known := false
	for ad, p := range adaptersWith[adapter.HierarchyProvider](h.e, &a.doc.projectFile) {
		found, err := retryAdapter(ctx, h.e, ad, computeTimeout, func(ctx context.Context) (related []adapter.Related, err error) {
			related, known, err = p.Hierarchy(ctx, a.doc.adapterDocument(), a.at, h.relation)
			return related, err
		})
		switch {
		case isUnsupported(err):
			continue
		case err != nil:
			return nil, failed(codeLanguageServer, "looking for "+string(h.relation), err)
		case !known:
			return nil, problem(codeSymbolNotFound, "Give a type for supertypes and subtypes, a function for callers and callees.", "%s has no %s for %s", ad.Name(), h.relation, quote(a.name))
		}
		if reason, next := h.e.unindexed(ad.Name(), a.doc.projectFile); reason != "" {
			h.note("there may be more: " + reason + ". " + strings.TrimSuffix(next, "."))
		}
		return h.convert(ctx, found), nil
	}
	return h.relativesByName(ctx, a)
}

// convert describes the declarations of a language server.
func (h *hierarchy) convert(ctx context.Context, found []adapter.Related) []RelatedSymbol {
	var all []RelatedSymbol
	for _, one := range found[:min(len(found), maxLocations)] {
		s := one.Symbol
		at := normalizeRange(s.Selection).Start
		r := RelatedSymbol{Kind: truncate.Cut(s.Kind, maxName), Line: at.Line}
		f := h.files.file(ctx, s.Location.Path)
		switch {
		case f.hidden || !filepath.IsAbs(s.Location.Path):
			h.note("one is in a blocked file")
			continue
		case f.place == nil:
			r.ID = truncate.Cut(filepath.ToSlash(s.Location.Path), maxLine) + "#" + truncate.Cut(s.Name, maxName)
		default:
			p := *f.place
			r.ID = p.path + "#" + truncate.Cut(s.Name, maxName)
			text := h.files.lines(ctx, &p)
			if text == nil {
				break
			}
			r.at = &namePosition{h.files.file(ctx, p.abs).doc, at, s.Name}
			if file := h.files.symbols(ctx, &p); file != nil {
				if i := symbolAt(file, text, at); i >= 0 {
					r.ID, r.Kind = file.ID(i), file.Symbol(i).Kind.String()
				}
			}
		}
		for _, call := range one.Calls {
			if line := normalizeRange(call).Start.Line; !slices.Contains(r.Calls, line) {
				r.Calls = append(r.Calls, line)
			}
		}
		slices.Sort(r.Calls)
		all = append(all, r)
	}
	return all
}

// relativesByName returns relatives by comparing names in the declarations of the parsers.
func (h *hierarchy) relativesByName(ctx context.Context, a namePosition) ([]RelatedSymbol, error) {
	f, err := h.e.parseDocument(ctx, a.doc)
	if err != nil {
		return nil, err
	}
	h.note(byName)
	if time.Since(h.started) > h.e.options.searchTime { // a search of all files for each declaration takes long
		h.more = true
		return nil, nil
	}
	if f.Language == source.Go && (h.relation == adapter.Supertypes || h.relation == adapter.Subtypes) {
		h.note("types of Go implement interfaces without their names; only embedded types are found")
	}
	own := -1
	for i := range f.Len() {
		if (parsedSymbol{a.doc, f, i}).position().at == a.at {
			own = i
		}
	}
	s := parsedSymbol{a.doc, f, own}
	switch {
	case h.relation == adapter.Callers:
		return h.search(ctx, a.doc, []string{a.name}, func(s parsedSymbol) ([]int, bool) { return callLines(s, a.name) })
	case h.relation == adapter.Subtypes:
		return h.search(ctx, a.doc, []string{a.name}, func(s parsedSymbol) ([]int, bool) {
			c := s.chunk()
			return nil, c.Kind.IsType() && (c.Name != a.name || c.Kind == source.Extension) && indexWord(heritage(s), a.name) >= 0
		})
	case own < 0:
		return nil, problem(codeSymbolNotFound, "Give the declaration, for example by its name path.", "%s is not declared at line %d of %s", quote(a.name), a.at.Line, quote(a.doc.path))
	case h.relation == adapter.Supertypes:
		return h.declared(ctx, s, namesIn(heritage(s)), source.Kind.IsType)
	}
	var names []string
	calls := make(map[string][]int)
	for _, call := range f.Calls() {
		if call.Chunk >= 0 && f.Symbol(int(call.Chunk)).Start >= s.chunk().Start && f.Symbol(int(call.Chunk)).End <= s.chunk().End {
			if calls[call.Name] == nil {
				names = append(names, call.Name)
			}
			calls[call.Name] = append(calls[call.Name], int(call.Line))
		}
	}
	related, err := h.declared(ctx, s, names, source.Kind.IsCallable)
	for i := range related {
		related[i].Calls = slices.Compact(calls[related[i].at.name])
	}
	return related, err
}

// heritage returns the part of a type's declaration that can name other types: from its name to its body, or for an extension and
// a type without a body the whole signature. Members of a struct of Go can be embedded types.
func heritage(s parsedSymbol) string {
	c := s.chunk()
	start, end := int(c.Ident), int(c.End)
	if c.Body > c.Ident {
		end = int(c.Body)
	}
	if c.Kind == source.Extension {
		start = int(c.Sig)
	}
	text := s.file.Text[start:min(end, start+4<<10)]
	if s.file.Language == source.Go {
		for _, i := range s.file.Children(s.n) {
			if m := s.file.Symbol(i); m.Kind == source.Property && strings.HasSuffix(strings.TrimSpace(s.file.Text[m.Decl:m.End]), m.Name) {
				text += " " + m.Name
			}
		}
	}
	return text
}

// namesIn returns the identifiers of a text without repetitions.
func namesIn(text string) []string {
	var names []string
	for name := range words(text) {
		if first := []rune(name)[0]; !unicode.IsDigit(first) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// callLines returns the lines in which a declaration calls a function of that name, directly and not in an inner function.
func callLines(s parsedSymbol, name string) ([]int, bool) {
	var lines []int
	for _, call := range s.file.Calls() {
		if call.Name == name && int(call.Chunk) == s.n && !slices.Contains(lines, int(call.Line)) {
			lines = append(lines, int(call.Line))
		}
	}
	return lines, len(lines) > 0
}

// declared returns the declarations with one of the names and a suitable kind, in the files of the language.
func (h *hierarchy) declared(ctx context.Context, s parsedSymbol, names []string, suits func(source.Kind) bool) ([]RelatedSymbol, error) {
	if len(names) > maxCalleeNames {
		names, h.more = names[:maxCalleeNames], true
	}
	if len(names) == 0 {
		return nil, nil
	}
	id := s.id()
	return h.search(ctx, s.doc, names, func(other parsedSymbol) ([]int, bool) {
		c := other.chunk()
		return nil, suits(c.Kind) && c.Kind != source.Extension && slices.Contains(names, c.Name) && other.id() != id
	})
}

// search returns the declarations that a condition accepts, in files of the language that contain one of the words.
func (h *hierarchy) search(ctx context.Context, from *document, words []string, accept func(s parsedSymbol) (calls []int, ok bool)) ([]RelatedSymbol, error) {
	var all []RelatedSymbol
	extensions := family(from.path)
	note, err := h.e.walkSources(ctx, "", func(name string) bool { return slices.Contains(extensions, strings.ToLower(path.Ext(name))) }, words, func(d *document) error {
		f, err := h.e.parseDocument(ctx, d)
		if err != nil {
			return ended(ctx)
		}
		for i := range f.Len() {
			s := parsedSymbol{d, f, i}
			calls, ok := accept(s)
			if !ok {
				continue
			}
			at := s.position()
			all = append(all, RelatedSymbol{ID: s.id(), Kind: s.chunk().Kind.String(), Line: at.at.Line, Calls: calls, at: &at})
			if len(all) > maxRelated {
				h.more = true
				return iofs.SkipAll
			}
		}
		return nil
	})
	h.note(note)
	return all, err
}

// TextContent returns the result as text for a model.
func (r FindHierarchyResult) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s of %s: %d]\n", r.direction, r.Symbol, len(r.Related))
	writeRelated(&b, r.Related, "")
	writeNotes(&b, r.Notes)
	if r.Truncated {
		b.WriteString("[there are more: use a smaller depth, or ask about one of these]\n")
	}
	return b.String()
}

func writeRelated(b *strings.Builder, all []RelatedSymbol, margin string) {
	for _, s := range all {
		fmt.Fprintf(b, "%s%s [%s, %d]", margin, s.ID, s.Kind, s.Line)
		if len(s.Calls) > 0 {
			b.WriteString(" calls in " + listNumbers(s.Calls))
		}
		b.WriteByte('\n')
		writeRelated(b, s.Related, margin+"  ")
	}
}
