// Package java finds the declarations in Java source.
//
// The scanner reads a text once. In the body of a type it reads the members in order. In the bodies
// of methods, in initializers and in arguments it skips everything except possible declarations:
// local types, anonymous classes, and lambdas with a name. A text whose brackets or strings do not
// match is an UnsureError of package source.
package java

import (
	"bytes"
	"context"
	"sync"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

const (
	// maxDepth limits the nesting of brackets and declarations.
	maxDepth = 200
	// checkEvery is the number of bytes between two checks of the context.
	checkEvery = 1 << 20
)

// Parse reads a compilation unit or a module declaration.
func Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	s := &scanner{
		scratch: scratches.Get().(*scratch),
		src:     src, at: lex.Begin(src), b: source.NewBuilder(src, lang),
		calls: o.Calls, ctx: ctx, check: checkEvery,
	}
	defer s.free()
	s.b.Grow(len(src) / 450)
	s.unit()
	if s.err != nil {
		return nil, s.err
	}
	if s.doubt != nil {
		return s.b.File("outline"), s.doubt
	}
	return s.b.File("outline"), nil
}

// scanner is the state of one Parse.
type scanner struct {
	*scratch
	src   []byte
	at    int             // the text before this offset has been read
	b     *source.Builder // receives the declarations
	docs  lex.Docs        // documentation before at
	calls bool            // calls are wanted
	depth int             // the nesting depth of the recursive functions
	// loud is the offset at which the last pass failed. A pass (quiet.go) skips a pair of brackets with
	// its text, if it is sure that the text has no declaration. No pass begins before loud again.
	loud int

	ctx   context.Context
	check int                 // the offset at which ctx is checked next
	err   error               // the error of ctx, which ends the scan
	doubt *source.UnsureError // the first doubt; the scan goes on unless stop is called, too
}

// scratch holds the buffers of a scanner, which later scanners use again.
type scratch struct {
	labels []byte              // of all methods
	opened [maxDepth + 1]int32 // the open brackets during a pass
	names  []name              // names of the calls in the text of a pass
}

// name is the range of a name.
type name struct{ at, end int }

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// free gives the scratch to the next scanner, unless it has become large.
func (s *scratch) free() {
	if cap(s.labels) > 1<<20 || cap(s.names) > 1<<14 {
		return
	}
	s.labels, s.names = s.labels[:0], s.names[:0]
	scratches.Put(s)
}

// scope is the context of a declaration: the enclosing chunk and the enclosing callable chunk.
type scope struct{ parent, callable int }

// unsure notes the first doubt.
func (s *scanner) unsure(at int, reason string) {
	if s.doubt == nil {
		at = min(at, len(s.src))
		s.doubt = &source.UnsureError{Line: 1 + bytes.Count(s.src[:at], []byte("\n")), Reason: reason}
	}
}

// stop ends the scan.
func (s *scanner) stop() { s.at = len(s.src) }

// deeper increments s.depth for a bracket. If the nesting is too deep, it ends the scan and
// returns false. In both cases the caller decrements s.depth at its end.
func (s *scanner) deeper() bool {
	s.depth++
	if s.depth <= maxDepth {
		return true
	}
	s.unsure(s.at, "brackets are nested too deep")
	s.stop()
	return false
}

// cancelled reports whether ctx has ended, and then ends the scan. It checks ctx once for each
// checkEvery bytes.
func (s *scanner) cancelled() bool {
	if s.at < s.check {
		return false
	}
	s.check = s.at + checkEvery
	if s.err = s.ctx.Err(); s.err != nil {
		s.stop()
	}
	return s.err != nil
}

// byteAt is the byte at a position, 0 at the end.
func (s *scanner) byteAt(at int) byte {
	if at < len(s.src) {
		return s.src[at]
	}
	return 0
}

// unit reads the text: package and import declarations (clause), and members. After a bracket that
// closes nothing it continues behind the bracket.
func (s *scanner) unit() {
	top := scope{-1, -1}
	for {
		s.blanks()
		if s.at >= len(s.src) || s.cancelled() {
			return
		}
		switch c := s.src[s.at]; {
		case c == ';':
			s.at++
		case c == '}':
			s.unsure(s.at, "a bracket closes that was not opened")
			s.at++
		case c == '{':
			s.block(top)
		case !s.clause():
			s.member(top)
		}
	}
}

// members reads the body of a type, from the offset after its opening bracket to the offset after
// the closing one.
func (s *scanner) members(in scope) {
	defer func() { s.depth-- }()
	if !s.deeper() {
		return
	}
	for {
		s.blanks()
		if s.at >= len(s.src) {
			s.unsure(s.at, "the body of a type is not closed")
			return
		}
		switch s.src[s.at] {
		case '}':
			s.at++
			return
		case ';':
			s.at++
		case '{':
			s.block(in)
		default:
			s.member(in)
		}
		if s.cancelled() {
			return
		}
	}
}

// block reads code in braces, such as the body of a method or an initializer. The opening brace is
// at s.at.
func (s *scanner) block(in scope) { s.inside(s.at, in) }
