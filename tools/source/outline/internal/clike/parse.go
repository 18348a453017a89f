// Package clike finds the declarations of C and C++.
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

// maxDepth is how deep scopes may lie in each other.
const maxDepth = 200

// Parse finds the declarations of src, which is in C or in C++.
func Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	s := newScanner(src, lang, o)
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	if s.doubt != nil {
		// Branches of conditionals that do not fit together: read once more, with
		// brackets in the first column as the ends of functions.
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

	at     int      // the offset of the scan
	stack  []scope  // the open scopes, outermost first
	conds  []cond   // the open conditionals of the preprocessor
	docs   lex.Docs // documentation before at
	chunks []chunk  // the declarations
	found  []call   // the calls
	build  *source.Builder

	head  []token // the tokens of the current declaration
	first int     // the offset of its beginning
	init  bool    // the head has reached the initializers of a constructor
	after *scope  // the type whose body is the head's first token

	colon bool // the head contains a colon
	lists int  // the number of initializer lists in the head

	// Offsets before which a bracket or a list of declarations is known to have no end, so that no
	// search for it is repeated.
	compares, unpaired, modern int

	dry          bool // directives are skipped without effect
	conditionals int  // conditionals opened since dry was set

	stmt int // the beginning of the current statement in a function

	doubt   *string // the reason of the doubt, or nil
	doubtAt int     // the offset of the doubt
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

// unsure notes the first doubt.
func (s *scanner) unsure(at int, reason string) {
	if s.doubt == nil {
		s.doubt, s.doubtAt = &reason, min(at, len(s.src))
	}
}

func (s *scanner) run(ctx context.Context) error {
	for checked := 0; s.at < len(s.src); {
		if s.at-checked > 1<<20 || checked == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			checked = s.at
		}
		if s.top().kind.code() {
			s.body()
		} else {
			s.declarations()
		}
	}
	for len(s.stack) > 1 {
		top := s.top()
		if top.kind != inLocal {
			s.unsure(top.open, "the bracket is not closed")
		}
		s.pop(len(s.src))
	}
	if len(s.conds) > 0 {
		s.unsure(len(s.src), "a conditional is not closed")
	}
	return nil
}

// file passes the declarations to the Builder and returns its File.
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

// path is the dotted path of a chunk with a dot at its end.
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

func (s *scanner) inType(i int32) bool {
	for ; i >= 0; i = s.chunks[i].Parent {
		if c := &s.chunks[i]; !c.dropped && c.Name != "" {
			return c.Kind.IsType()
		}
	}
	return false
}

func (s *scanner) text(from, to int) string { return string(s.src[from:to]) }
