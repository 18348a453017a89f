package symbols

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/source"
)

// Symbol is a declaration that a language server has found in a text.
type Symbol struct {
	// Name is the name in the server's form: "push(_:at:)", "Stack".
	Name string
	// Kind is the name of a SymbolKind of the protocol in lower case: "function", "enummember".
	Kind string
	// Range is the range of the declaration, and Selection the range of its name.
	Range, Selection Range
}

// Range is a range of text. End is the position after its last character.
type Range struct{ Start, End Position }

// Position is a position between two characters.
type Position struct {
	Line   int // from 1
	Column int // from 1, in UTF-16 code units
}

// Lister returns the symbols of a text, in any order; their ranges determine the nesting. It must
// return when ctx ends, and be safe for concurrent use.
type Lister func(ctx context.Context, text string, lang source.Language) ([]Symbol, error)

// Rest finds the parts of a File that a language server does not list: imports and calls. A
// source.Parser or *source.Parsers implements it.
type Rest interface {
	Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error)
}

// Options configure a Parser. List and Languages must be set.
type Options struct {
	// List returns the symbols of a text in one of Languages.
	List Lister
	// Languages are the languages that the Parser supports.
	Languages []source.Language
	// Rest finds imports, and calls if Options.Calls of the parse is set. With nil, the result has
	// neither.
	Rest Rest
	// Timeout is the maximum time for one text; 0 means 10 s.
	Timeout time.Duration
	// Pause is the time after an error during which List is not called, so that a failed server
	// delays one text and not all. 0 means 30 s.
	Pause time.Duration
}

const (
	name           = "symbols"
	defaultTimeout = 10 * time.Second
	defaultPause   = 30 * time.Second
	maxSymbols     = 100_000
	maxDepth       = 200
	maxLine        = 64 << 10 // bytes of a line with a symbol: the conversion of columns takes too long in longer lines
)

// ErrPaused reports that List failed less than Options.Pause ago and was not called.
var ErrPaused = errors.New("the language server has failed a moment ago")

// Parser is a source.Parser for the symbols of a language server. It is safe for concurrent use.
type Parser struct {
	o      Options
	paused atomic.Int64 // the end of the pause in nanoseconds since 1970
}

// New returns a Parser with defaults for zero durations.
func New(o Options) *Parser {
	o.Timeout, o.Pause = cmp.Or(o.Timeout, defaultTimeout), cmp.Or(o.Pause, defaultPause)
	return &Parser{o: o}
}

// Name returns "symbols".
func (p *Parser) Name() string { return name }

// Languages returns Options.Languages.
func (p *Parser) Languages() []source.Language { return p.o.Languages }

// Parse implements source.Parser. Symbols that cannot belong to the text are a *source.UnsureError
// without a File. The other errors are the error of ctx, ErrPaused, or a wrapped error of the
// Lister or of Rest. The text must be valid UTF-8.
func (p *Parser) Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	if !utf8.Valid(src) {
		return nil, errors.New("language servers read UTF-8 only, and the text is not")
	}
	found, err := p.list(ctx, string(withoutMark(src)), lang)
	if err != nil {
		return nil, err
	}
	// The reader converts symbols to chunks, and adds comments, attributes and bodies from the text.
	r := &reader{src: src, lang: lang, lines: linesOf(src), builder: source.NewBuilder(src, lang)}
	if err := r.read(found); err != nil {
		return nil, err
	}
	if p.o.Rest != nil {
		rest, err := p.o.Rest.Parse(ctx, src, lang, o)
		var unsure *source.UnsureError
		if err != nil && (rest == nil || !errors.As(err, &unsure)) {
			return nil, fmt.Errorf("reading imports and calls: %w", err)
		}
		r.rest(rest, o.Calls) // adds the imports and calls
	}
	file := r.builder.File(name)
	if err := file.Check(int64(len(src))); err != nil {
		return nil, r.unsure(0, "%v", err)
	}
	return file, nil
}

// list calls Options.List, or returns ErrPaused during a pause.
func (p *Parser) list(ctx context.Context, text string, lang source.Language) ([]Symbol, error) {
	if time.Now().UnixNano() < p.paused.Load() {
		return nil, ErrPaused
	}
	asking, cancel := context.WithTimeout(ctx, p.o.Timeout)
	defer cancel()
	found, err := p.o.List(asking, text, lang)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		p.paused.Store(time.Now().Add(p.o.Pause).UnixNano())
		return nil, fmt.Errorf("listing the symbols of a text: %w", err)
	case len(found) > maxSymbols:
		return nil, &source.UnsureError{Line: 1, Reason: fmt.Sprintf("the language server names more than %d symbols", maxSymbols)}
	}
	return found, nil
}

// withoutMark returns a text without its byte-order mark.
func withoutMark(src []byte) []byte { return bytes.TrimPrefix(src, []byte("\uFEFF")) }
