package treesitter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// Options configure a Parser. The zero value is useful.
type Options struct {
	// CacheDir is the directory of compiled grammars, about 4 MB each, for later runs. If it is
	// empty, they are kept in memory only. Only the user of the process may have write access: its
	// files are run as machine code. An unusable directory is not an error; grammars are then
	// compiled again.
	CacheDir string
	// Instances is the maximum number of texts of one language that are parsed concurrently; 0
	// means runtime.GOMAXPROCS.
	Instances int
}

// Errors of Parser. ErrMemory and ErrTime wrap source.ErrTooComplex.
var (
	// ErrMemory reports a text whose syntax tree exceeds the memory limit of an instance.
	ErrMemory = fmt.Errorf("%w: the syntax tree needs more than 256 MiB", source.ErrTooComplex)
	// ErrTime reports a text that exceeds the limit of processor time, which grows from 2 s to 20 s
	// with its length. A parse that lasts five times as long returns source.ErrBusy.
	ErrTime = fmt.Errorf("%w: it takes too much processor time", source.ErrTooComplex)
	// ErrClosed reports a call after Close.
	ErrClosed = errors.New("the parser is closed")
)

// Parser is a source.Parser and source.Checker. It must be made by New and closed. It is safe for
// concurrent use.
type Parser struct {
	// An engine runs the compiled grammar of one language on texts, in instances of its WebAssembly module.
	parsers  map[source.Language]*engine // engines with the queries of declarations, for Parse
	checkers map[source.Language]*engine // engines with the queries of syntax rules, for Check
	// keeper is the pool of compiled grammars and idle instances, which all engines share.
	keeper *keeper
}

// New returns a Parser. Grammars are compiled at their first use.
func New(o Options) *Parser {
	return newParser(o, files, grammars(), defaultLimits())
}

// newParser returns a Parser for grammars whose modules and queries are in files. It has no languages on an architecture without a
// WebAssembly compiler.
func newParser(o Options, files fs.FS, grammars []grammar, l limits) *Parser {
	p := &Parser{parsers: map[source.Language]*engine{}, checkers: map[source.Language]*engine{}}
	if !compilerWorks() {
		return p
	}
	p.keeper = newKeeper(o, l)
	for _, g := range grammars {
		p.parsers[g.language] = newEngine(g, files, p.keeper)
		p.checkers[g.language] = newEngine(g, files, p.keeper)
		p.checkers[g.language].rules = rulesOf(g.language)
	}
	return p
}

// Name returns "tree-sitter".
func (p *Parser) Name() string { return name }

const name = "tree-sitter"

// Definitions implements source.Definer for the languages that package source does not know.
func (p *Parser) Definitions() []source.Definition {
	var all []source.Definition
	for _, e := range p.parsers {
		if added := e.grammar.added; added != nil {
			d := *added
			d.Language = e.grammar.language
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b source.Definition) int { return strings.Compare(string(a.Language), string(b.Language)) })
	return all
}

// Languages returns the languages with a grammar, sorted: all of source.Languages and those of Definitions, or none on
// architectures without a WebAssembly compiler.
func (p *Parser) Languages() []source.Language {
	var known []source.Language
	for lang := range p.parsers {
		known = append(known, lang)
	}
	slices.Sort(known)
	return known
}

// Parse implements source.Parser. Text that the grammar does not allow is a problem
// in the File. The errors are source.ErrLanguage, source.ErrTooLong, ErrMemory,
// ErrTime, source.ErrBusy, ErrClosed, and the error of ctx.
//
// Parse has two steps with the same time limits each. The engine runs the queries of
// the grammar on the text. Then build makes the File of their matches.
func (p *Parser) Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	e, ok := p.parsers[lang]
	switch {
	case !ok:
		return nil, fmt.Errorf("%w %q", source.ErrLanguage, lang)
	case len(src) > source.MaxSource:
		return nil, source.ErrTooLong
	}
	matches, err := e.read(ctx, src, o)
	if err != nil {
		return nil, fmt.Errorf("parsing %s: %w", lang, err)
	}
	file, err := within(ctx, e.keeper.limits, len(src), func(ctx context.Context) (*source.File, error) {
		return build(ctx, src, &e.grammar, matches, o)
	})
	if err != nil {
		return nil, fmt.Errorf("parsing %s: %w", lang, err)
	}
	return file, nil
}

// Close releases the grammars. Running calls of Parse continue to their end; later
// calls return ErrClosed.
func (p *Parser) Close() error {
	if p.keeper == nil {
		return nil
	}
	return p.keeper.close()
}
