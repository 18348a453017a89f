// Package python finds the declarations in Python source.
//
// The scanner reads a text by logical lines. It skips strings, brackets and comments, and examines
// the statements that declare something. A declaration ends with its last statement, as in the ast
// module; the indentation of the following line determines that end.
package python

import (
	"bytes"
	"context"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

const (
	// maxDepth limits the nesting of brackets, of blocks and of strings. Python itself
	// accepts at most 200 brackets and 100 blocks.
	maxDepth = 200
	// checkEvery is the number of bytes between two checks of the context.
	checkEvery = 1 << 20
	// none stands for a missing index of a chunk, and for a missing offset.
	none = -1
)

// Parse reads a module.
func Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	s := &scanner{
		src: src, at: lex.Begin(src), b: source.NewBuilder(src, lang), calls: o.Calls,
		indents: []int{0}, decorator: none, bodiless: none, outer: &outer, inner: &inner,
	}
	if s.calls {
		s.outer, s.inner = &outerNames, &innerNames
	}
	s.b.Grow(len(src) / 600)
	check := checkEvery
	for s.next() {
		s.line()
		if s.at >= check {
			check = s.at + checkEvery
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	s.leave(none)
	if s.doubt != nil {
		return s.b.File("outline"), s.doubt
	}
	return s.b.File("outline"), nil
}

// scanner is the state of one Parse.
type scanner struct {
	src []byte
	at  int             // the text before this offset has been read
	end int             // the end of the last statement, or of the head of the last block
	b   *source.Builder // receives the declarations

	open    []block // blocks that the next line may belong to, outermost first
	indents []int   // the open levels of indentation, in columns
	indent  int     // the indentation of the current line
	expect  bool    // the next line begins a block

	decorator int  // the offset of the first decorator of the next declaration, or none
	accessor  bool // a decorator makes the method an accessor
	bodiless  int  // the declaration whose body begins with the next statement, or none

	equals []int          // the offsets of the assignment operators in a statement
	colon  int            // the offset of its annotation, or none
	stack  [maxDepth]byte // the open brackets
	outer  *[256]bool     // bytes to skip outside of brackets; outerNames keeps names, for calls
	inner  *[256]bool     // bytes to skip within brackets; innerNames keeps names, for calls

	calls  bool                // calls are wanted
	called []call              // the calls in the current statement
	depth  int                 // the nesting depth of f-strings
	doubt  *source.UnsureError // the first doubt; the scan goes on
}

// block is a declaration with an indented body.
type block struct {
	indent, chunk, callable int
	typ                     bool
}

// call is the range of the name of a called function.
type call struct{ at, end int }

// unsure notes the first doubt.
func (s *scanner) unsure(at int, reason string) {
	if s.doubt == nil {
		at = min(at, len(s.src))
		s.doubt = &source.UnsureError{Line: 1 + bytes.Count(s.src[:at], []byte("\n")), Reason: reason}
	}
}

// byteAt is the byte at a position, 0 at the end.
func (s *scanner) byteAt(at int) byte {
	if at < len(s.src) {
		return s.src[at]
	}
	return 0
}

// next advances to the next line with a statement, and closes the declarations that end before it.
// It returns false at the end of the text.
func (s *scanner) next() bool {
	column := 0
	for s.at < len(s.src) {
		switch s.src[s.at] {
		case ' ':
			column++
			s.at++
		case '\t':
			column = (column/8 + 1) * 8
			s.at++
		case '\n', '\f', '\r':
			column = 0
			s.at++
		case '#':
			s.at = lex.Line(s.src, s.at)
		case '\\':
			joined := s.joined(s.at) // the next line, if the backslash ends this one
			if joined == s.at {
				s.indented(column)
				return true
			}
			s.at = joined
		default:
			s.indented(column)
			return true
		}
	}
	return false
}

// indented compares the indentation of a line with that of the blocks around.
func (s *scanner) indented(column int) {
	top := len(s.indents) - 1
	switch {
	case column > s.indents[top]:
		if !s.expect {
			s.unsure(s.at, "a line is indented deeper without a reason")
		}
		s.indents = append(s.indents, column)
	case s.expect:
		s.unsure(s.at, "a block without statements")
		s.bodiless = none
		fallthrough
	default:
		for column < s.indents[top] {
			top--
		}
		s.indents = s.indents[:top+1]
		if column != s.indents[top] {
			s.unsure(s.at, "a line is indented as none before it")
			s.indents = append(s.indents, column)
		}
	}
	s.expect, s.indent = false, column
	s.leave(column)
}

// leave closes the declarations that do not contain a line with this indentation. leave(none)
// closes all.
func (s *scanner) leave(column int) {
	for n := len(s.open) - 1; n >= 0 && s.open[n].indent >= column; n-- {
		s.b.Close(s.open[n].chunk, s.end)
		s.open = s.open[:n]
	}
}

// currentBlock returns the declaration that contains the next statement.
func (s *scanner) currentBlock() block {
	if n := len(s.open); n > 0 {
		return s.open[n-1]
	}
	return block{chunk: none, callable: none}
}
