// Package gosource is the outline scanner of Go. It finds the same declarations as go/parser, five
// times as fast, in every text that go/parser accepts. For other texts it returns an UnsureError of
// package source.
package gosource

import (
	"context"
	"sync"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// Parse scans one file. The scanner is unsure at an unclosed comment, for example, or at brackets
// nested deeper than maxDepth. The error is then a *source.UnsureError with the line and the reason. The
// File then has the declarations that were found up to there.
func Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := scanners.Get().(*scanner)
	*s = scanner{src: src, at: lex.Begin(src), calls: o.Calls, parent: -1, scratch: s.emptied()}
	s.file()
	f := s.build(lang)
	doubt := s.doubt
	s.free()
	if doubt != nil {
		return f, doubt
	}
	return f, nil
}

// scanners is the pool of finished scanners, whose buffers later ones use.
var scanners = sync.Pool{New: func() any { return new(scanner) }}

// free returns a finished scanner to the pool, unless its buffers are large.
func (s *scanner) free() {
	if cap(s.found) > 1<<14 || cap(s.called) > 1<<14 {
		return
	}
	clear(s.found) // otherwise the pool would keep the text in memory
	*s = scanner{scratch: s.scratch}
	scanners.Put(s)
}

// scratch holds the buffers of a scanner, which later scanners use again.
type scratch struct {
	found   []found
	called  []call
	to      []int32 // for each element of found, its index in the File
	spans   []span  // the names of definitions; slices of it stay valid until the end of the scan
	numbers []int32 // the indices in found of the names in spans that are declared
}

func (s scratch) emptied() scratch {
	return scratch{s.found[:0], s.called[:0], s.to[:0], s.spans[:0], s.numbers[:0]}
}

// scanner is the state of one scan.
type scanner struct {
	src   []byte
	at    int
	calls bool                // calls are wanted
	doubt *source.UnsureError // the reason why the scan has ended early, or nil

	last    kind     // the kind of the token before at
	end     int      // the end of that token
	name    span     // the identifier before at: a call if a parenthesis follows; empty if none
	element bool     // the identifier before at belongs to a type, as byte in []byte(x), so it calls nothing
	docs    lex.Docs // the comments before at, which document a declaration that begins there
	depth   int      // the nesting depth of the recursive functions

	parent  int32     // the enclosing chunk, or -1
	local   bool      // in a function
	imports []span    // the paths with their quotes
	pending []binding // definitions (a, b := …) whose values are being read; the last is the innermost
	names   []span    // the last list of identifiers and commas, such as a, b: a := after it would define them

	scratch
}

// kind classifies a token by the meaning of a line end after it, and by whether an expression may
// begin after it.
type kind uint8

const (
	start   kind = iota // of a file, a statement or a bracket
	operand             // a name, a literal or a closing bracket: a line end after it ends the statement
	leave               // return, break and the like: a line end after it ends the statement, too
	comma
	define   // := or, in a declaration, =
	dot      // a selector follows
	operator // anything else
)

// span is a part of the text.
type span struct{ from, to int }

func (s *scanner) text(x span) []byte { return s.src[x.from:x.to] }

// found is a chunk. dropped is set if a later token shows that it is not a declaration.
type found struct {
	source.Chunk
	dropped bool
}

// call is a call of a name within a chunk.
type call struct {
	name span
	in   int32 // the index of the chunk in found, or -1
}

// maxDepth bounds recursion: brackets within brackets.
const maxDepth = 500

// unsure ends the scan at the present line, with a reason.
func (s *scanner) unsure(reason string) {
	if s.doubt == nil {
		line := 1
		for _, c := range s.src[:min(s.at, len(s.src))] {
			if c == '\n' {
				line++
			}
		}
		s.doubt = &source.UnsureError{Line: line, Reason: reason}
	}
	s.at = len(s.src)
}

// skip passes over blanks, comments and, if lines is true, line ends. It says
// whether there was a line end.
func (s *scanner) skip(lines bool) (newline bool) {
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '\n':
			if !lines {
				return true
			}
			newline = true
			s.at++
		case lex.Class[c] == lex.Space:
			s.at++
		case c == '/' && s.at+1 < len(s.src) && s.src[s.at+1] == '/':
			from := s.at
			s.at = lex.Line(s.src, s.at)
			s.comment(from)
		case c == '/' && s.at+1 < len(s.src) && s.src[s.at+1] == '*':
			from := s.at
			end, ok := lex.Block(s.src, s.at)
			s.at = end
			if !ok {
				s.unsure("the comment is not closed")
				return newline
			}
			for _, c := range s.src[from:end] {
				if c == '\n' && lines {
					newline = true
				} else if c == '\n' {
					s.at = from
					return true
				}
			}
			s.comment(from)
		default:
			return newline
		}
	}
	return newline
}

func (s *scanner) comment(from int) {
	end := s.at
	if s.src[end-1] == '\r' {
		end--
	}
	s.docs.Comment(s.src, from, end)
}

// peek is the byte at the position, 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.src) {
		return s.src[s.at]
	}
	return 0
}

// identifier reads an identifier, or returns an empty span.
func (s *scanner) identifier() span {
	from := s.at
	if c := s.peek(); lex.Class[c] == lex.Letter {
		s.at = lex.Identifier(s.src, s.at)
		s.end, s.last = s.at, operand
	}
	return span{from, s.at}
}

// add adds a chunk and returns its index.
func (s *scanner) add(c source.Chunk, decl int, name span, doc bool) int32 {
	c.Name, c.Decl, c.Ident, c.Parent = lex.Text(s.text(name)), int32(decl), int32(name.from), s.parent
	if doc {
		from, end := s.docs.Before(s.src, decl)
		c.Doc, c.DocEnd = int32(from), int32(end)
	}
	s.found = append(s.found, found{Chunk: c})
	return int32(len(s.found) - 1)
}

// within scans something as part of a chunk.
func (s *scanner) within(parent int32, local bool, scan func()) {
	before, was := s.parent, s.local
	s.parent, s.local = parent, local
	scan()
	s.parent, s.local = before, was
}

// inside reports whether a chunk lies within another, as it does unless the text is
// broken.
func inside(c, parent *source.Chunk) bool { return parent.Decl <= c.Decl && c.End <= parent.End }

// build makes the File.
func (s *scanner) build(lang source.Language) *source.File {
	b := source.NewBuilder(s.src, lang)
	b.Grow(len(s.found))
	to := append(s.to, make([]int32, len(s.found))...)
	s.to = to
	for i := range s.found {
		f := &s.found[i]
		parent := int32(-1)
		if f.Parent >= 0 {
			parent = to[f.Parent]
		}
		if f.dropped || f.End <= f.Ident || parent >= 0 && !inside(&f.Chunk, b.Chunk(int(parent))) {
			to[i] = parent
			continue
		}
		if f.Body <= f.Ident || f.Body > f.End {
			f.Body = 0
		}
		f.Parent = parent
		to[i] = int32(b.Add(f.Chunk))
	}
	for _, i := range s.imports {
		b.Import(lex.Text(s.src[i.from+1:i.to-1]), i.from)
	}
	for _, c := range s.called {
		in := s.callable(c.in)
		if in >= 0 {
			in = to[in]
		}
		b.Call(lex.Text(s.text(c.name)), c.name.from, int(in))
	}
	return b.File("outline")
}
