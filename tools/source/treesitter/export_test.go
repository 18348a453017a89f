package treesitter

import (
	"context"
	"io/fs"
	"time"

	"github.com/dougu-go/dougu/tools/source"
)

// Limits override the limits of a text and of the parser's memory, in bytes. A value of 0 keeps the
// default.
type Limits struct {
	Memory  int // of an instance
	KeepAll int
	Time    time.Duration // of the processor, for every text
	Busy    int           // limit of wall time as a multiple of Time
}

func (l Limits) limits() limits {
	own := defaultLimits()
	if l.Memory > 0 {
		own.pages = uint32(l.Memory >> 16)
	}
	if l.KeepAll > 0 {
		own.keepAll = l.KeepAll
	}
	if l.Time > 0 {
		own.least, own.perByte, own.most = l.Time, 0, l.Time
	}
	if l.Busy > 0 {
		own.busy = l.Busy
	}
	return own
}

// NewLimited is New with other limits.
func NewLimited(o Options, l Limits) *Parser { return newParser(o, files, grammars(), l.limits()) }

// NewWith makes a Parser of other modules and queries.
func NewWith(o Options, files fs.FS, l Limits, languages ...source.Language) *Parser {
	var all []grammar
	for _, lang := range languages {
		all = append(all, grammar{language: lang})
	}
	return newParser(o, files, all, l.limits())
}

// Held is how many bytes a parser holds for each language while idle.
func (p *Parser) Held() map[source.Language]int {
	p.keeper.lock.Lock()
	defer p.keeper.lock.Unlock()
	held := map[source.Language]int{}
	for _, e := range p.keeper.alive {
		held[e.grammar.language] = e.held()
	}
	return held
}

// Running is how many texts of a language are read, or wait for the grammar to
// be compiled.
func (p *Parser) Running(lang source.Language) int {
	p.keeper.lock.Lock()
	defer p.keeper.lock.Unlock()
	return p.parsers[lang].running
}

// Found is the result of a grammar for a text, as the module writes it.
type Found struct {
	Declarations, Calls []uint32

	f *found
	g *grammar
}

// Find runs the queries alone.
func (p *Parser) Find(ctx context.Context, src []byte, lang source.Language) (*Found, error) {
	e := p.parsers[lang]
	f, err := e.read(ctx, src, source.Options{Calls: true})
	if err != nil {
		return nil, err
	}
	return &Found{f.matches[declarations], f.matches[calls], f, &e.grammar}, nil
}

// Build makes the File of the result.
func (f *Found) Build(ctx context.Context, src []byte) (*source.File, error) {
	f.f.matches = [queries][]uint32{f.Declarations, f.Calls}
	return build(ctx, src, f.g, f.f, source.Options{Calls: true})
}

// Within calls f, which may last for a limit of processor time, and for a multiple of that limit of wall time.
func Within(ctx context.Context, limit time.Duration, busy int, f func(context.Context) error) error {
	_, err := within(ctx, limits{least: limit, most: limit, busy: busy}, 0, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) })
	return err
}
