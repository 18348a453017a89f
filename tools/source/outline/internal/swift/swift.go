// Package swift finds the declarations of Swift.
//
// It reads tokens, and understands declarations, types and brackets; of
// statements and expressions it knows only what tells where they end. Every
// branch of #if counts, as if the lines of the directives were not there.
package swift

import (
	"bytes"
	"context"
	"sync"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// maxDepth is the depth of brackets that the scanner follows.
const maxDepth = 200

// rooms are for the chunks of texts to come.
var rooms = sync.Pool{New: func() any { return new([]source.Chunk) }}

// maxRoom bounds, in chunks, what is kept of them.
const maxRoom = 4096

// Parse is the scanner for Swift.
func Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	p := &parser{lexer: lexer{src: src}, ctx: ctx, text: string(src), builder: source.NewBuilder(src, lang), wantCalls: o.Calls, owner: -1, callable: -1}
	room := rooms.Get().(*[]source.Chunk)
	p.chunks = (*room)[:0]
	defer func() {
		if clear(p.chunks); cap(p.chunks) <= maxRoom {
			*room = p.chunks
			rooms.Put(room)
		}
	}()
	p.at = lex.Begin(src)
	if bytes.HasPrefix(src[p.at:], []byte("#!")) {
		p.at = lex.Line(src, p.at)
	}
	p.next()
	for p.statements(file); p.tok.kind != tEOF; p.statements(file) {
		p.doubtAt(p.tok.start, "a bracket closes that is not open")
		p.next()
	}
	if p.err != nil {
		return nil, p.err
	}
	if len(p.branches) > 0 {
		p.doubtAt(len(src)-1, "#if is not closed")
	}
	f := p.file()
	if p.doubt != nil {
		return f, p.doubt
	}
	return f, nil
}

// parser reads one text.
type parser struct {
	lexer
	ctx       context.Context
	checked   int // up to where ctx was looked at
	err       error
	text      string // src, for names
	builder   *source.Builder
	chunks    []source.Chunk
	wantCalls bool
	calls     []call
	depth     int
	owner     int  // the chunk around, or -1
	callable  int  // the callable chunk around, or -1
	pattern   bool // what looks like a call is a pattern
	ended     int  // no chunk that ends from here on ends before it
	labels    []byte
	doubt     *source.UnsureError
}

// call is a call by position.
type call struct {
	name   string
	at, in int
}

// scope says what statements stand in.
type scope uint8

const (
	file scope = iota
	members
	cases // the members of an enum
	code
)

// head is what stands before the word that names the kind of a declaration.
type head struct {
	decl, sig int
	docs      lex.Docs
}

// begin notes that the token at hand may be the first of a declaration.
func (p *parser) begin(h *head) {
	if h.decl < 0 {
		h.decl, h.docs = p.tok.before(), p.docs
	}
}

// modified notes that the attributes have ended.
func (p *parser) modified(h *head) {
	p.begin(h)
	if h.sig < 0 {
		h.sig = p.tok.before()
	}
}

// add makes a chunk of the declared name src[from:to].
func (p *parser) add(kind source.Kind, h head, from, to int) int {
	c := source.Chunk{Kind: kind, Name: p.text[from:to], Decl: int32(h.decl), Sig: int32(h.sig), Ident: int32(from), Parent: int32(p.owner)}
	if doc, end := h.docs.Before(p.src, h.decl); end > 0 {
		c.Start, c.Doc, c.DocEnd = int32(doc), int32(doc), int32(end)
	}
	p.chunks = append(p.chunks, c)
	return len(p.chunks) - 1
}

// end closes a chunk after the token that was read last.
func (p *parser) end(i int) {
	c := &p.chunks[i]
	p.ended = max(p.ended, p.prev.after(), int(c.Ident)+1)
	if c.Body > 0 {
		p.ended = max(p.ended, int(c.Body)+1)
	}
	c.End = int32(p.ended)
}

// within reads something as part of a chunk.
func (p *parser) within(i int, read func()) {
	owner, callable := p.owner, p.callable
	if p.owner = i; p.chunks[i].Kind.Callable() {
		p.callable = i
	}
	read()
	p.owner, p.callable = owner, callable
}

// drop takes a chunk back; what lies in it belongs to the one around it.
func (p *parser) drop(i int) { p.chunks[i].Kind = source.Invalid }

// doubtAt says that the scanner is lost.
func (p *parser) doubtAt(at int, reason string) {
	if p.doubt == nil {
		at = min(max(at, 0), len(p.src))
		p.doubt = &source.UnsureError{Line: 1 + bytes.Count(p.src[:at], []byte("\n")), Reason: reason}
	}
}

// stop reads no further.
func (p *parser) stop() {
	p.at = len(p.src)
	p.tok = token{kind: tEOF, start: p.at, end: p.at, newline: true}
	p.branches = p.branches[:0]
}

// enter goes one bracket deeper; it is false if that is too deep.
func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.doubtAt(p.tok.start, "the brackets are nested too deeply")
		p.stop()
		p.depth--
		return false
	}
	if p.at-p.checked > 1<<20 {
		p.checked = p.at
		if p.err = p.ctx.Err(); p.err != nil {
			p.stop()
		}
	}
	return true
}

// file hands everything to the builder.
func (p *parser) file() *source.File {
	p.builder.Grow(len(p.chunks))
	number := make([]int, len(p.chunks))
	find := func(i int) int {
		for i >= 0 && p.chunks[i].Kind == source.Invalid {
			i = int(p.chunks[i].Parent)
		}
		if i < 0 {
			return -1
		}
		return number[i]
	}
	for i := range p.chunks {
		c := &p.chunks[i]
		if c.Kind == source.Invalid {
			continue
		}
		added := *c
		added.Parent = int32(find(int(c.Parent)))
		number[i] = p.builder.Add(added)
	}
	for _, c := range p.calls {
		in := c.in
		for in >= 0 && !p.chunks[in].Kind.Callable() { // a closure that turned out to be called at once
			in = int(p.chunks[in].Parent)
		}
		p.builder.Call(c.name, c.at, find(in))
	}
	return p.builder.File("outline")
}
