// Package kotlin finds the declarations of Kotlin, in files (.kt) and scripts
// (.kts).
//
// The code within bodies is only passed over, bracket by bracket, for the words
// that introduce a declaration. Where nothing but the language's rules about line
// feeds says where a declaration ends (fun f() = …, val x = …), the expression is
// followed operand by operand, as the compiler's parser does.
//
// What the language leaves open, this package decides so:
//
//   - The Name of an extension is that of the function or property; the Container
//     of one that stands at the top level is its receiver type, as it is written but
//     without type arguments: List for fun <T> List<T>.second(). It is a Method
//     or a Property. Extensions within a type belong to that type.
//   - A function with the modifier operator is an Operator.
//   - The primary constructor is an Initializer if it has the word constructor;
//     its val and var parameters are properties of the class in any case.
//   - A companion object without a name is called Companion.
//   - A property whose value is a function literal is a Lambda, local ones too. At
//     the top level a const is a Constant, any other property a Variable, unless
//     it has accessors or a receiver. The Body of a property is where its value
//     begins if that takes more than a line, or its first accessor.
//   - init blocks are no chunks, what is declared in them belongs to the class.
package kotlin

import (
	"context"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

const (
	maxDepth = 200     // of brackets and declarations within each other
	interval = 1 << 20 // bytes between two looks at the context
	patience = 4       // bytes looked at in search of type arguments, for a byte of text
)

// Parse finds the declarations of a text.
func Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	plain := map[int]bool{}
	s := scan(ctx, src, lang, o, plain)
	if s.again {
		s = scan(ctx, src, lang, o, plain)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.doubt == "" {
		return s.b.File("outline"), nil
	}
	s.b.Problem(s.doubt, s.doubtAt)
	file := s.b.File("outline")
	line := int(file.Problems[0].Line)
	file.Problems = nil
	return file, &source.UnsureError{Line: line, Reason: s.doubt}
}

// scan reads a text. It adds to plain where a value looked like a function literal
// and was none: if there are any, the text has to be read again with that in mind.
func scan(ctx context.Context, src []byte, lang source.Language, o source.Options, plain map[int]bool) *scanner {
	s := &scanner{
		ctx: ctx, src: src, b: source.NewBuilder(src, lang), calls: o.Calls, around: around{-1, -1}, open: -1,
		look: interval, budget: patience*len(src) + 4096, plain: plain, last: len(plain) > 0,
	}
	s.at = lex.Begin(src)
	if s.at+1 < len(src) && src[s.at] == '#' && src[s.at+1] == '!' {
		s.at = lex.Line(src, s.at)
	}
	s.skip()
	s.scope(inFile, 0)
	return s
}

// scanner reads a text token by token. Blanks and comments are passed over as
// soon as a token has been read, so that the next one is always at hand.
type scanner struct {
	ctx   context.Context
	src   []byte
	b     *source.Builder
	docs  lex.Docs
	calls bool

	at        int  // where the next token begins
	end       int  // where the last token ended
	newline   bool // whether a line feed stands between the two
	commented bool // whether a comment does

	around
	depth  int
	look   int // where ctx is looked at next
	prefix prefix
	open   int    // the property to which an accessor may yet belong, or -1
	text   []byte // labels and receivers that are being written

	budget int          // bytes that may yet be looked at in search of type arguments
	plain  map[int]bool // the val or var whose value begins with a function literal and is none
	again  bool         // plain has grown
	last   bool         // plain will not be looked at again

	doubt   string
	doubtAt int
}

// around is what a token stands in: the innermost chunk, and the innermost that is
// callable; -1 is none.
type around struct{ parent, callable int }

// prefix is what stands before the word that introduces a declaration:
// annotations and modifiers.
type prefix struct {
	on          bool
	start       int
	sig         int // the first modifier after the annotations, or the word itself
	doc, docEnd int
	modifiers   word
}

// next says that a token ends at a position, and goes to the one after it.
func (s *scanner) next(end int) {
	s.end, s.at, s.newline, s.commented = end, end, false, false
	s.skip()
}

// skip passes over blanks and comments.
func (s *scanner) skip() {
	src, at := s.src, s.at
	for at < len(src) {
		switch c := src[at]; {
		case c == '\n':
			s.newline = true
			at++
		case lex.Class[c] == lex.Space:
			at++
		case c == '/' && at+1 < len(src) && src[at+1] == '/':
			end := lex.Line(src, at)
			s.docs.Comment(src, at, end)
			s.commented = true
			at = end
		case c == '/' && at+1 < len(src) && src[at+1] == '*':
			end, ok := lex.NestedBlock(src, at)
			if !ok {
				s.unsure("a comment is not closed", at)
			}
			s.docs.Comment(src, at, end)
			s.commented = true
			at = end
		default:
			s.at = at
			return
		}
	}
	s.at = at
}

// is says that the next token begins with this byte.
func (s *scanner) is(c byte) bool { return s.at < len(s.src) && s.src[s.at] == c }

// peek is the byte so many bytes after the beginning of the next token, or 0.
func (s *scanner) peek(n int) byte {
	if s.at+n < len(s.src) {
		return s.src[s.at+n]
	}
	return 0
}

// unsure notes the first doubt.
func (s *scanner) unsure(reason string, at int) {
	if s.doubt == "" {
		s.doubt, s.doubtAt = reason, min(at, len(s.src))
	}
}

// stop gives up: nothing of the text is left to read.
func (s *scanner) stop() { s.at, s.end = len(s.src), len(s.src) }

// begin notes that a declaration may begin with the next token.
func (s *scanner) begin() {
	if s.prefix.on {
		return
	}
	s.prefix = prefix{on: true, start: s.at, sig: -1}
	if s.commented {
		s.prefix.doc, s.prefix.docEnd = s.docs.Before(s.src, s.at)
	}
}

// take is the prefix of the declaration that the next token introduces.
func (s *scanner) take() prefix {
	s.begin()
	p := s.prefix
	if p.sig < 0 {
		p.sig = s.at
	}
	s.prefix = prefix{}
	s.open = -1
	return p
}

// add notes a chunk that begins with a prefix.
func (s *scanner) add(kind source.Kind, p prefix, name string, ident int) int {
	return s.b.Add(source.Chunk{
		Kind: kind, Name: name, Parent: int32(s.parent),
		Doc: int32(p.doc), DocEnd: int32(p.docEnd), Decl: int32(p.start), Sig: int32(p.sig), Ident: int32(ident),
	})
}

// within makes a chunk the innermost one and answers with what was around before.
func (s *scanner) within(chunk int, callable bool) (before around) {
	before = s.around
	s.parent = chunk
	if callable {
		s.callable = chunk
	}
	return before
}

// call notes a call.
func (s *scanner) call(start, end int) {
	if s.calls && end > start {
		s.b.Call(unquoted(s.src[start:end]), start, s.callable)
	}
}

// unquoted is an identifier without back-quotes.
func unquoted(name []byte) string {
	if len(name) > 2 && name[0] == '`' {
		name = name[1 : len(name)-1]
	}
	return string(name)
}
