// Package clike finds the declarations of C and C++, and calls if the options ask for them. It builds no syntax tree.
//
// The scanner reads the text before any preprocessor. If the branches of a conditional leave a
// declaration unfinished or a bracket open, it follows the first branch and skips the others, as
// ctags does. It reads all branches that are complete. Macros are not expanded; their meaning is
// derived from the form of the surrounding text.
package clike

import (
	"bytes"
	"context"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// maxDepth is the maximum number of nested scopes.
const maxDepth = 200

// Parse finds the declarations of src, a text in C or C++. The scanner is unsure, or in doubt, if the text has a bracket without an
// end or a similar fault. Then Parse scans the text once more with another rule and takes the better result. If a doubt remains,
// Parse returns the File together with a *source.UnsureError. If ctx ends, Parse returns no File and the error of ctx.
func Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	s := newScanner(src, lang, o)
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	if s.doubt != nil {
		// A usual reason is a conditional of the preprocessor whose branches open
		// different brackets. So the second scan ends a function at a closing
		// bracket in the first column.
		again := newScanner(src, lang, o)
		again.columns = true
		if err := again.run(ctx); err != nil {
			return nil, err
		}
		if again.doubt == nil || len(again.chunks) > len(s.chunks) {
			s = again
		}
	}
	f := s.file()
	if s.doubt != nil {
		return f, &source.UnsureError{Line: 1 + bytes.Count(src[:s.doubtAt], []byte("\n")), Reason: *s.doubt}
	}
	return f, nil
}

// scanner is the state of one scan.
type scanner struct {
	src     []byte
	lang    source.Language
	cpp     bool // the language is C++
	calls   bool // calls are wanted
	columns bool // a bracket in the first column ends a function

	at int // the offset of the scan
	// stack has the open scopes, outermost first. A scope is the file, or an open bracket with its kind: a type, a namespace, a
	// function or other code. inLocal is one statement of a function that may declare a type.
	stack  []scope
	conds  []cond   // the open conditionals of the preprocessor
	docs   lex.Docs // documentation before at
	chunks []chunk  // the declarations
	found  []call   // the calls
	build  *source.Builder

	// head has the tokens of the current declaration before its body. After the body of a type the head continues, because names
	// of variables can follow: the body is then the first token.
	head     []token
	first    int    // the offset of the beginning of the declaration
	init     bool   // the head has reached the initializers of a constructor
	bodyType *scope // the type whose body is the first token of the head, or nil

	colon bool // the head contains a colon
	lists int  // the number of initializer lists in the head

	// A search ahead that fails is not repeated from an offset before its end.
	noAngles int // end of the last failed search for the end of template arguments: "<" before it is a comparison
	noPair   int // end of the last failed search for a closing bracket
	noParams int // end of the last failed search for parameter declarations between "f(a, b)" and the body, as in old C

	lookAhead    bool // the text will be read again: directives change no state of the scan
	conditionals int  // conditionals opened minus conditionals closed since lookAhead was set

	stmt int // the beginning of the current statement in a function

	doubt   *string // the reason of the first doubt, or nil
	doubtAt int     // the offset of the first doubt
}

// chunk is a source.Chunk whose Parent is an index in scanner.chunks.
type chunk struct {
	source.Chunk
	dropped bool // not a chunk after all
}

// call is a call with its offset, and the index of the chunk around it.
type call struct {
	name     string
	at, from int
}

func newScanner(src []byte, lang source.Language, o source.Options) *scanner {
	s := &scanner{src: src, lang: lang, cpp: lang == source.CPP, calls: o.Calls, at: lex.Begin(src), build: source.NewBuilder(src, lang)}
	s.stack = append(s.stack, scope{kind: inFile, chunk: -1})
	return s
}

// unsure records a doubt at an offset. Only the first doubt is kept.
func (s *scanner) unsure(at int, reason string) {
	if s.doubt == nil {
		s.doubt, s.doubtAt = &reason, min(at, len(s.src))
	}
}

// run scans the text. Its only error is that of ctx.
func (s *scanner) run(ctx context.Context) error {
	for checked := 0; s.at < len(s.src); {
		if s.at-checked > 1<<20 || checked == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			checked = s.at
		}
		if s.top().kind.isCode() { // statements, not declarations
			s.body()
		} else {
			s.declarations()
		}
	}
	for len(s.stack) > 1 {
		top := s.top()
		if top.kind != inLocal { // a statement has no bracket of its own
			s.unsure(top.open, "the bracket is not closed")
		}
		s.pop(len(s.src))
	}
	if len(s.conds) > 0 {
		s.unsure(len(s.src), "a conditional is not closed")
	}
	return nil
}

// file passes the declarations to the Builder and returns its File. Functions in a type become methods.
func (s *scanner) file() *source.File {
	number := make([]int32, len(s.chunks))
	for i := range s.chunks {
		c := s.chunks[i].Chunk
		if c.Parent >= 0 {
			c.Parent = number[c.Parent]
		}
		if s.chunks[i].dropped || c.Name == "" {
			number[i] = c.Parent
			continue
		}
		if c.Container != "" && c.Parent >= 0 {
			c.Container = s.path(s.chunks[i].Parent) + c.Container
		}
		if c.Kind == source.Function && s.inType(s.chunks[i].Parent) {
			c.Kind = source.Method
		}
		number[i] = int32(s.build.Add(c))
	}
	for _, c := range s.found {
		in := c.from
		for in >= 0 && (s.chunks[in].dropped || !s.chunks[in].Kind.IsCallable()) {
			in = int(s.chunks[in].Parent)
		}
		if in >= 0 {
			in = int(number[in])
		}
		s.build.Call(c.name, c.at, in)
	}
	return s.build.File("outline")
}

// path returns the dotted path of a chunk with a dot at its end.
func (s *scanner) path(i int32) string {
	path := ""
	for ; i >= 0; i = s.chunks[i].Parent {
		if c := &s.chunks[i]; !c.dropped && c.Name != "" {
			path = c.Name + "." + path
			if c.Container != "" {
				path = c.Container + "." + path
			}
		}
	}
	return path
}

// inType reports whether the innermost named chunk of i and the chunks around it is a type.
func (s *scanner) inType(i int32) bool {
	for ; i >= 0; i = s.chunks[i].Parent {
		if c := &s.chunks[i]; !c.dropped && c.Name != "" {
			return c.Kind.IsType()
		}
	}
	return false
}

func (s *scanner) text(from, to int) string { return string(s.src[from:to]) }
