// Package script is the outline scanner of TypeScript, TSX and JavaScript with JSX.
//
// It reads a text once, as a parser of the language would, but builds no tree: it recognizes
// statements, expressions and types only to find their ends and their declarations. The context
// decides the meaning of "/", "<" and "{". A few constructs need unlimited lookahead: type
// arguments or a comparison, an arrow function within a conditional expression. There the scanner
// attempts one reading, and returns to the saved state if it fails. The text read again by attempts
// is limited to four times the length of the source and 64 KiB.
//
// The kinds of declarations are defined in package source. In this family of languages,
// declarations are:
//   - functions, methods, accessors, overloads and signatures with a name; call, construct and
//     index signatures have none and are omitted;
//   - a function or class that is the entire value of a variable, property, default export or
//     assignment statement (a.b.c = function), under that name. Parentheses, as, satisfies and !
//     around the value are ignored, and a = b = function declares the first name;
//   - variables of a file or namespace, each name of a pattern by itself, but not variables in
//     blocks; fields, and constructor parameters that declare fields; properties of interfaces and
//     of the object types that a type alias consists of.
package script

import (
	"bytes"
	"context"
	"sync"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// maxDepth limits the depth of the recursive functions. One bracket in the text can need three of
// these levels: statement, expression and type.
const maxDepth = 600

// scanner is the state of one scan.
type scanner struct {
	src       []byte   // the text
	tok       token    // the current token
	prevEnd   int      // the end of the previous token
	docs      lex.Docs // documentation before the current token
	commented int      // the offset of the last comment
	plain     bool     // JavaScript: no type arguments in expressions
	jsx       bool     // "<" may begin an element

	found   []found // the declarations, in the order of their beginnings
	calls   []call  // the calls
	imports []call  // the imports, by their paths
	// The indices of the declarations in the File, and of their innermost callable chunks.
	number, within []int32
	parent         int32          // parent of the next declaration: an index in found, or -1
	top            bool           // directly in a file or namespace, where variables count
	callee         token          // the name just read, if a "(" makes it a call
	want           source.Options // the options of the parse

	depth  int  // the nesting depth of the recursive functions
	trying int  // the number of open attempts
	failed bool // the innermost attempt cannot succeed
	far    int  // the offset up to which the attempt that failed last has read; back charges it to the budget
	budget int  // the number of bytes that failed attempts may still read

	ctx     context.Context // ends a long scan
	checked int             // the offset at which ctx was checked last
	err     error           // of ctx
	doubtAt int             // the offset of the doubt
	reason  string          // the reason of the doubt, or ""
}

// call is a call or an import, by its text.
type call struct {
	start, end int32
	in         int32 // the enclosing callable chunk: an index in found, or -1
}

// Parse finds the declarations of a text in TypeScript, TSX or JavaScript. Where
// it does not understand the text it returns its best guess and a
// *source.UnsureError; the other errors come from ctx.
func Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	s := scanners.Get().(*scanner)
	defer s.free()
	*s = scanner{
		found: s.found[:0], calls: s.calls[:0], imports: s.imports[:0], number: s.number[:0], within: s.within[:0],
		src: src, ctx: ctx, want: o, parent: -1, top: true,
		commented: -1,
		plain:     lang == source.JavaScript, jsx: lang != source.TypeScript,
		budget: 4*len(src) + 1<<16,
	}
	s.tok.end = lex.Begin(src)
	if bytes.HasPrefix(src[s.tok.end:], []byte("#!")) {
		s.tok.end = lex.Line(src, s.tok.end)
	}
	s.next()
	for s.tok.kind != end {
		s.statements()
		if s.tok.kind != end {
			s.doubt("a bracket closes nothing")
			s.next()
		}
	}
	if s.err != nil {
		return nil, s.err
	}
	file := s.file(lang)
	if s.reason != "" {
		line := 1 + bytes.Count(src[:s.doubtAt], []byte("\n"))
		return file, &source.UnsureError{Line: line, Reason: s.reason}
	}
	return file, nil
}

// scanners is the pool of finished scanners, whose buffers later ones use.
var scanners = sync.Pool{New: func() any { return new(scanner) }}

func (s *scanner) free() {
	if cap(s.found) <= 1<<15 && cap(s.calls) <= 1<<15 {
		*s = scanner{found: s.found, calls: s.calls, imports: s.imports, number: s.number, within: s.within}
		scanners.Put(s)
	}
}

// doubt records that the scanner does not understand the text at the current token. During
// an attempt, the attempt fails instead.
func (s *scanner) doubt(reason string) {
	if s.trying > 0 {
		if !s.failed {
			s.failed, s.far = true, s.tok.end
		}
		s.stop()
		return
	}
	if s.reason == "" {
		s.reason, s.doubtAt = reason, s.tok.start
	}
}

// stop ends the scan, or the open attempt: it sets the current token to the end of the text, at
// which every function returns.
func (s *scanner) stop() {
	s.tok = token{kind: end, newline: true, start: len(s.src), end: len(s.src)}
}

// enter increments the depth, and checks ctx once for each MiB. It returns false, and ends the scan, if
// the nesting is too deep or ctx has ended.
func (s *scanner) enter() bool {
	s.depth++
	if s.depth > maxDepth {
		s.doubt("brackets are nested too deeply")
		s.stop()
		return false
	}
	if s.tok.start-s.checked > 1<<20 {
		s.checked = s.tok.start
		if s.err = s.ctx.Err(); s.err != nil {
			s.stop()
			return false
		}
	}
	return true
}

// mark is a saved state of the scanner, to which a failed attempt returns.
type mark struct {
	tok                   token
	prevEnd, depth        int
	docs                  lex.Docs
	commented             int
	found, calls, imports int
	parent                int32
	callee                token
}

// try begins an attempt to read an ambiguous text in one of several ways.
func (s *scanner) try() mark {
	s.trying++
	s.failed = false
	return mark{s.tok, s.prevEnd, s.depth, s.docs, s.commented, len(s.found), len(s.calls), len(s.imports), s.parent, s.callee}
}

// keep ends an attempt that succeeded.
func (s *scanner) keep() { s.trying-- }

// back ends an attempt that failed. It restores the state that try has saved, without the
// declarations and calls of the attempt, and charges the text that was read to the budget.
func (s *scanner) back(m mark) {
	if !s.failed {
		s.far = s.tok.end
	}
	s.trying--
	s.failed = false
	s.budget -= s.far - m.tok.start
	if s.err != nil {
		return
	}
	s.tok, s.prevEnd, s.depth, s.parent, s.callee = m.tok, m.prevEnd, m.depth, m.parent, m.callee
	s.docs, s.commented = m.docs, m.commented
	s.found, s.calls, s.imports = s.found[:m.found], s.calls[:m.calls], s.imports[:m.imports]
	if s.budget < 0 {
		s.doubt("too much of it can be read in several ways")
		s.stop()
	}
}
