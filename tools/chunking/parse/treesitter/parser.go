package treesitter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// Options configure a Parser. The zero value is useful.
type Options struct {
	// CacheDir is where compiled grammars are kept between runs, about 4 MB for
	// each; empty keeps them in memory only. Nobody else may write there: what is
	// in it is run as machine code. A directory that cannot be used is not an
	// error, it only costs time.
	CacheDir string
	// Instances is how many texts of one language are read at the same time; 0
	// stands for the number of processors that Go uses.
	Instances int
}

// Errors for texts that take more than a source file can need.
var (
	ErrMemory = fmt.Errorf("%w: the syntax tree needs more than 256 MiB", parse.ErrTooComplex)
	ErrTime   = fmt.Errorf("%w: it takes too long", parse.ErrTooComplex)
	ErrClosed = errors.New("the parser is closed")
)

// Parser is the parse.Parser of this package. It must be made by New, and closed.
type Parser struct {
	grammars map[parse.Language]*engine
	checkers map[parse.Language]*engine // with the queries of rules
	keeper   *keeper
}

// New makes a Parser. It compiles nothing yet.
func New(o Options) *Parser {
	return newParser(o, files, grammars(), usual())
}

func newParser(o Options, files fs.FS, grammars []grammar, l limits) *Parser {
	p := &Parser{grammars: map[parse.Language]*engine{}, checkers: map[parse.Language]*engine{}}
	if !compilerWorks() {
		return p
	}
	p.keeper = newKeeper(o, l)
	for _, g := range grammars {
		p.grammars[g.language] = newEngine(g, files, p.keeper)
		p.checkers[g.language] = newEngine(g, files, p.keeper)
		p.checkers[g.language].rules = rulesOf(g.language)
	}
	return p
}

// Name is "tree-sitter".
func (p *Parser) Name() string { return name }

const name = "tree-sitter"

// Languages are those that have a grammar, sorted: all of parse.Languages, or
// none where WebAssembly cannot be compiled to machine code.
func (p *Parser) Languages() []parse.Language {
	var known []parse.Language
	for lang := range p.grammars {
		known = append(known, lang)
	}
	slices.Sort(known)
	return known
}

// Parse implements parse.Parser. Places that the grammar does not allow are
// problems of the File. The errors are parse.ErrLanguage, parse.ErrTooLong,
// ErrMemory, ErrTime, ErrClosed, and that of ctx.
func (p *Parser) Parse(ctx context.Context, src []byte, lang parse.Language, o parse.Options) (*parse.File, error) {
	e, ok := p.grammars[lang]
	switch {
	case !ok:
		return nil, fmt.Errorf("%w %q", parse.ErrLanguage, lang)
	case len(src) > parse.MaxSource:
		return nil, parse.ErrTooLong
	}
	f, err := e.read(ctx, src, o)
	if err != nil {
		return nil, fmt.Errorf("parsing %s: %w", lang, err)
	}
	file, err := within(ctx, e.keeper.limits.time(len(src)), func(ctx context.Context) (*parse.File, error) {
		return build(ctx, src, &e.grammar, f, o)
	})
	if err != nil {
		return nil, fmt.Errorf("parsing %s: %w", lang, err)
	}
	return file, nil
}

// Close releases the grammars. Calls of Parse that are running end as they would
// have; later ones fail.
func (p *Parser) Close() error {
	if p.keeper == nil {
		return nil
	}
	return p.keeper.close()
}
