package editor

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/symbols"
	"github.com/dougu-go/dougu/tools/source"
)

const (
	// maxShownUses limits the uses that delete_symbol returns.
	maxShownUses = 10
	// maxReferencesTime is the time that language servers get to find references or to compute a rename. A server that starts, or one
	// for a language without static types, can read each file of the project that contains the name.
	maxReferencesTime = 20 * time.Second
	// maxCheckedMembers limits the members whose uses delete_symbol looks for.
	maxCheckedMembers = 50
)

// symbolUses are the references to a declaration from other code.
type symbolUses struct {
	lines []string // path, line and text of the first maxShownUses
	total int
	more  bool   // there are more than total
	note  string // how the references were found, if not by a language server alone
	// incomplete is the reason why there may be further references; "" if there are none.
	incomplete string
}

// usesOfSymbol returns the references to a declaration. Other code can use the members of a module, an extension or an
// enumeration without its name, so their references count, too.
func (e *Editor) usesOfSymbol(ctx context.Context, s parsedSymbol) (uses symbolUses, err error) {
	targets := []int{s.n}
	switch s.chunk().Kind {
	case source.Extension:
		targets = nil // its name is that of the type
		fallthrough
	case source.Module, source.Enum, source.Object:
		for i := range s.file.Len() {
			if c := s.file.Symbol(i); i != s.n && c.Start >= s.chunk().Start && c.End <= s.chunk().End {
				targets = append(targets, i)
			}
		}
	}
	if len(targets) > maxCheckedMembers {
		uses.incomplete = fmt.Sprintf("it has %d members, and at most %d are checked; delete its members first", len(targets), maxCheckedMembers)
		return uses, nil
	}
	servers, cancel := context.WithTimeout(ctx, e.options.referencesTime)
	defer cancel()
	for n, i := range targets {
		if err := e.addUses(ctx, servers, &uses, parsedSymbol{s.doc, s.file, i}, s); err != nil {
			return uses, err
		}
		if len(uses.lines) == maxShownUses {
			uses.more = uses.more || n+1 < len(targets)
			break
		}
	}
	return uses, nil
}

// askReferences asks language servers for references until the context servers ends. late means that they have not answered by then.
func (e *Editor) askReferences(ctx, servers context.Context, a namePosition) (found []adapter.Location, by string, late bool, err error) {
	found, by, err = queryNavigators(servers, e, &a.doc.projectFile, "find references", func(ctx context.Context, n adapter.Navigator) ([]adapter.Location, error) {
		return n.References(ctx, a.doc.adapterDocument(), a.at)
	})
	return found, by, err != nil && servers.Err() != nil && ctx.Err() == nil, err
}

// lateServer says that the result was found by name because no language server answered in time.
func (e *Editor) lateServer() string {
	return fmt.Sprintf("by name, as the language server did not answer within %v: comments and strings count, too", e.options.referencesTime)
}

// addUses adds the references to target from code outside of a declaration. servers ends when language servers are too late.
func (e *Editor) addUses(ctx, servers context.Context, uses *symbolUses, target, outside parsedSymbol) error {
	a := target.position()
	found, by, late, err := e.askReferences(ctx, servers, a)
	reason := ""
	if err == nil {
		reason, _ = e.unindexed(by, a.doc.projectFile)
	}
	cache := &fileCache{e: e}
	if late || hasCode(err, codeNoLanguageServer) || reason != "" {
		named, note, err := e.occurrences(ctx, a)
		if err != nil {
			return err
		}
		if found = append(found, named...); note != "" {
			uses.incomplete = note
		}
		uses.note = "by name, as no language server has indexed the project: comments and strings count, too, but other declarations of the name do not"
		if late {
			uses.note = e.lateServer()
		}
		uses.more = uses.more || len(named) >= maxLocations
	} else if err != nil {
		return err
	}
	c := outside.chunk()
	for _, l := range cache.sorted(ctx, found) {
		p := cache.place(ctx, l.Path)
		if p == nil {
			continue
		}
		lines := cache.lines(ctx, p)
		if p.abs == outside.doc.abs && lines != nil {
			if offset, err := lines.Offset(l.Range.Start); err == nil && int(c.Start) <= offset && offset < int(c.End) {
				continue
			}
		}
		if isDeclaration(cache.symbols(ctx, p), lines, l.Range.Start) {
			continue
		}
		if uses.total++; len(uses.lines) == maxShownUses {
			continue
		}
		text := ""
		if lines != nil {
			text = " " + truncate.Cut(strings.TrimSpace(lines.Line(l.Range.Start.Line)), 120)
		}
		uses.lines = append(uses.lines, fmt.Sprintf("%s:%d%s", p.path, l.Range.Start.Line, text))
	}
	uses.more = uses.more || cache.cut
	return ctx.Err()
}

// isDeclaration reports whether a position is the name of a declaration, for example of an overload or of a method of another type.
// Names in interfaces are uses: a method can implement them. So are names of variables where an import declares them.
func isDeclaration(f *symbols.File, text *adapter.Text, at adapter.Position) bool {
	if f == nil || text == nil {
		return false
	}
	offset, err := text.Offset(at)
	if err != nil {
		return false
	}
	for i := range f.Len() {
		c := f.Symbol(i)
		if int(c.Ident) != offset {
			continue
		}
		if c.Parent >= 0 && f.Symbol(int(c.Parent)).Kind == source.Interface {
			return false
		}
		return c.Kind.IsCallable() || c.Kind.IsType() || c.Kind == source.Property || c.Kind == source.EnumCase
	}
	return false
}

// occurrences returns the places of a name as a word, in the files of its language. note says why places may be missing.
func (e *Editor) occurrences(ctx context.Context, a namePosition) (found []adapter.Location, note string, err error) {
	extensions := family(a.doc.path)
	accept := func(name string) bool { return slices.Contains(extensions, strings.ToLower(path.Ext(name))) }
	note, err = e.walkSources(ctx, "", accept, []string{a.name}, func(d *document) error {
		text := adapter.NewText(d.text.Content)
		for from := 0; len(found) < maxLocations; {
			i := indexWord(d.text.Content[from:], a.name)
			if i < 0 {
				break
			}
			start := from + i
			from = start + len(a.name)
			found = append(found, adapter.Location{Path: d.abs, Range: adapter.Range{Start: text.Position(start), End: text.Position(from)}})
		}
		return nil
	})
	return found, note, err
}
