package editor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/symbols"
	"github.com/dougu-go/dougu/tools/source"
)

const (
	// symbolSearchTime is the default limit of a search for a name in the files of the project.
	symbolSearchTime = 10 * time.Second
	// maxSourceEntries limits the entries that are examined for a source file before the symbol tools are listed.
	maxSourceEntries = 20_000
)

// byName is the note of an answer without a language server.
const byName = "by name only, no language server: may miss or include others"

// parsedSymbol is a declaration of a document.
type parsedSymbol struct {
	doc  *document
	file *symbols.File
	n    int
}

func (s parsedSymbol) chunk() *source.Chunk { return s.file.Symbol(s.n) }
func (s parsedSymbol) id() string           { return s.file.ID(s.n) }

// unique is the part of the ID after the path.
func (s parsedSymbol) unique() string { return strings.TrimPrefix(s.id(), s.file.Path+"#") }

// position returns the position of the name.
func (s parsedSymbol) position() namePosition {
	return namePosition{s.doc, adapter.NewText(s.doc.text.Content).Position(int(s.chunk().Ident)), s.chunk().Name}
}

// hasSources reports whether the project has a file that a parser knows, or that a language server covers.
func (e *Editor) hasSources() bool {
	if e.sources.Load() {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), e.options.ToolTimeout)
	defer cancel()
	found := false
	for _, dir := range e.dirs {
		_, _ = e.root.Walk(ctx, dir, security.WalkOptions{MaxEntries: maxSourceEntries}, func(entry *security.WalkEntry) error {
			if entry.Kind == security.RegularFile && e.hasParser(entry.Name) {
				found = true
				return iofs.SkipAll
			}
			return nil
		})
		if found {
			break
		}
	}
	e.sources.Store(found)
	return found
}

// hasParser reports, by the name of a file, whether a parser knows its language.
func (e *Editor) hasParser(name string) bool {
	if e.options.Parsers == nil {
		return false
	}
	lang, ok := e.options.Parsers.LanguageOf(name, nil)
	return ok && e.options.Parsers.Supports(lang)
}

// parseDocument reads the declarations of a document. A panic of a parser becomes an error.
func (e *Editor) parseDocument(ctx context.Context, d *document) (f *symbols.File, err error) {
	defer func() {
		if v := recover(); v != nil {
			f, err = nil, fmt.Errorf("reading the symbols of %s: panic: %v", quote(d.path), v)
		}
	}()
	if e.options.Parsers == nil {
		return nil, noParser(d.path)
	}
	f, err = symbols.Parse(ctx, e.options.Parsers, d.path, d.text.Content)
	switch {
	case errors.Is(err, source.ErrLanguage):
		return nil, noParser(d.path)
	case ctx.Err() != nil:
		return nil, ended(ctx)
	case err != nil:
		return nil, problem(codeNoParser, "Read the file, and edit it by text.", "cannot read the symbols of %s: %s", quote(d.path), truncateText(err.Error()))
	}
	return f, nil
}

func noParser(path string) error {
	return problem(codeNoParser, "Read the file, and edit it by text.", "no parser reads the symbols of %s", quote(path))
}

// symbolQuery selects declarations.
type symbolQuery struct {
	path    string // a file or a directory; "" is the project
	pattern symbols.Pattern
	kinds   func(source.Kind) bool // nil is all
	accept  func(name string) bool // names of files in a directory; nil is all files with a parser
	most    int
}

// symbolMatches are the result of a symbolQuery.
type symbolMatches struct {
	all  []parsedSymbol
	more bool     // there are more than symbolQuery.most
	note string   // why declarations may be missing
	near []string // names in the file, if nothing was found in it
}

// newSymbolQuery reads a name path or an ID. An ID contains its path.
func (e *Editor) newSymbolQuery(ctx context.Context, path, symbol string, substring bool) symbolQuery {
	for at := strings.IndexByte(symbol, '#'); at > 0; {
		if info, err := e.root.Stat(ctx, symbol[:at]); err == nil && info.Kind == security.RegularFile {
			return symbolQuery{path: info.Path, pattern: symbols.IDPattern(symbol[at+1:])}
		}
		next := strings.IndexByte(symbol[at+1:], '#') // a path may contain "#"
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return symbolQuery{path: path, pattern: symbols.ParsePattern(symbol, substring)}
}

// searchSymbols returns the declarations that a query selects, in the order of the paths.
func (e *Editor) searchSymbols(ctx context.Context, q symbolQuery) (r symbolMatches, err error) {
	add := func(d *document) error {
		f, err := e.parseDocument(ctx, d)
		if err != nil {
			return err
		}
		for _, i := range f.Find(q.pattern) {
			if q.kinds != nil && !q.kinds(f.Symbol(i).Kind) {
				continue
			}
			if len(r.all) == q.most {
				r.more = true
				return nil
			}
			r.all = append(r.all, parsedSymbol{d, f, i})
		}
		if len(r.all) == 0 {
			for i := range min(f.Len(), 200) {
				r.near = append(r.near, f.NamePath(i))
			}
		}
		return nil
	}
	if q.path != "" {
		info, err := e.root.Stat(ctx, q.path)
		if err != nil {
			return r, err
		}
		if info.Kind != security.Directory {
			d, err := e.openDocument(ctx, q.path)
			if err != nil {
				return r, err
			}
			return r, add(d)
		}
	}
	accept := e.hasParser
	if q.accept != nil {
		accept = q.accept
	}
	r.note, err = e.walkSources(ctx, q.path, accept, []string{q.pattern.Name()}, func(d *document) error {
		if err := add(d); err != nil && ctx.Err() != nil {
			return err
		}
		if r.more {
			return iofs.SkipAll
		}
		return nil
	})
	if len(r.all) > 0 || q.path == "" {
		r.near = nil
	}
	return r, err
}

// walkSources visits the documents of a directory, or of the project, whose name is accepted and that contain one of the words on
// the disk. The search ends with iofs.SkipAll, and after Options.searchTime. note says why documents may be missing.
func (e *Editor) walkSources(ctx context.Context, dir string, accept func(name string) bool, words []string, visit func(d *document) error) (note string, err error) {
	limited, cancel := context.WithTimeout(ctx, e.options.searchTime)
	defer cancel()
	dirs := e.dirs
	if dir != "" {
		dirs = []string{dir}
	}
	var buf []byte
	read, complete, done := 0, true, false
	for _, dir := range dirs {
		stats, err := e.root.Walk(limited, dir, security.WalkOptions{}, func(entry *security.WalkEntry) error {
			if entry.Kind != security.RegularFile || !accept(entry.Name) {
				return nil
			}
			if read++; read > maxNameFiles {
				complete = false
				return iofs.SkipAll
			}
			raw, err := entry.ReadFile(limited, buf, int(e.limits.MaxFile))
			buf = raw
			if err != nil {
				complete = false
				return ended(limited)
			}
			// The bytes of a text in another encoding, such as UTF-16, do not contain the word.
			if bytes.IndexByte(raw, 0) < 0 && !slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(raw, []byte(word)) }) {
				return nil
			}
			d, err := e.openDocument(limited, entry.Path())
			if err != nil {
				return ended(limited)
			}
			err = visit(d)
			done = done || errors.Is(err, iofs.SkipAll)
			return err
		})
		switch {
		case ctx.Err() != nil:
			return "", ended(ctx)
		case err != nil && limited.Err() == nil:
			return "", err
		}
		if complete = complete && err == nil && !stats.Incomplete; done || !complete {
			break
		}
	}
	if !complete {
		note = "not all files were searched; give a path"
	}
	return note, nil
}

// oneSymbol returns the only declaration that a name path or an ID selects. With a declaration and its definition, as in C, or
// with overload signatures, navigate returns the one with a body; otherwise several are an error.
func (e *Editor) oneSymbol(ctx context.Context, path, symbol string, navigate bool) (parsedSymbol, error) {
	q := e.newSymbolQuery(ctx, path, symbol, false)
	if q.pattern.Name() == "" {
		return parsedSymbol{}, invalid("give a name path, for example Class/method", "%s is no name path", quote(symbol))
	}
	q.most = 200
	r, err := e.searchSymbols(ctx, q)
	switch {
	case err != nil:
		return parsedSymbol{}, err
	case len(r.all) == 0:
		return parsedSymbol{}, symbolNotFound(symbol, q.path, r)
	case len(r.all) == 1:
		return r.all[0], nil
	}
	if navigate && isOneDeclaration(r.all) {
		for _, s := range r.all {
			if s.chunk().Body > 0 {
				return s, nil
			}
		}
		return r.all[0], nil
	}
	atLeast := ""
	if r.more {
		atLeast = "more than "
	}
	return parsedSymbol{}, problem(codeAmbiguousSymbol, "Give one of these ids as symbol: "+listIDs(r.all)+".", "%s can be %s%s", quote(symbol), atLeast, plural.Count(len(r.all), "declaration"))
}

// isOneDeclaration reports whether declarations have one name path in one file or in files of C.
func isOneDeclaration(all []parsedSymbol) bool {
	return !slices.ContainsFunc(all[1:], func(s parsedSymbol) bool {
		return s.file.NamePath(s.n) != all[0].file.NamePath(all[0].n) || s.file.Path != all[0].file.Path && s.file.Language.Family() != source.C
	})
}

// listIDs names the first eight declarations.
func listIDs(all []parsedSymbol) string {
	const most = 8
	var ids []string
	for _, s := range all[:min(len(all), most)] {
		ids = append(ids, fmt.Sprintf("%s (line %d)", truncate.Cut(s.id(), maxLine), s.chunk().Line))
	}
	if len(all) > most {
		ids = append(ids, "…")
	}
	return strings.Join(ids, ", ")
}

func symbolNotFound(symbol, path string, r symbolMatches) error {
	where, next := "the project", "Call find_symbol with substring=true, or with a path."
	if path != "" {
		where = quote(path)
	}
	if near := suggestPaths(symbol, r.near); near != "" {
		next = "There are " + near + "."
	}
	if r.note != "" {
		where += ", of which not all files were searched,"
	}
	return problem(codeSymbolNotFound, next, "%s does not declare %s", where, quote(symbol))
}

// suggestPaths lists the name paths that are most similar to a name path, at most eight.
func suggestPaths(symbol string, known []string) string {
	const most = 8
	name := strings.ToLower(lastName(symbol))
	ranked := slices.Clone(known)
	slices.SortStableFunc(ranked, func(a, b string) int {
		similar := func(path string) int {
			if name != "" && strings.Contains(strings.ToLower(path), name) {
				return 0
			}
			return 1
		}
		return similar(a) - similar(b)
	})
	var all []string
	for _, path := range ranked[:min(len(ranked), most)] {
		all = append(all, truncate.Cut(path, maxName))
	}
	return strings.Join(all, ", ")
}

// symbolAt returns the innermost declaration around a position of a document.
func symbolAt(f *symbols.File, text *adapter.Text, at adapter.Position) int {
	offset, err := text.Offset(at)
	if f == nil || err != nil {
		return -1
	}
	return f.Enclosing(offset)
}
