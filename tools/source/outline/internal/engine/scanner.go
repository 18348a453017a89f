// Package engine has the parts that outline scanners of languages with brackets are made
// of. A Table says how a text is cut into tokens, of which brackets know their
// partners. The package of a language reads its declarations from the tokens, with
// a Scanner that keeps the chunks found: it goes over a bracket in one step, and
// looks ahead and back without reading anything twice.
package engine

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// Scanner reads one text. Embed it, and call Parse.
type Scanner struct {
	Src    []byte
	Tokens []Token
	At     int // the index of the token at hand
	Last   int // the index of the token End; some more of it follow
	Context
	B     *source.Builder
	Calls bool // calls are asked for
	Depth int  // of declarations within each other

	notes   []note
	ended   int32 // the largest end of a closed chunk, as an offset; chunks closed later end there or after it
	doubt   string
	doubtAt int
}

// Context is the surroundings of a token: the innermost chunk, and the innermost that is
// callable; -1 is none.
type Context struct{ Parent, Callable int }

// scratch is the memory that a Scanner needs until it is done, and the next one can use.
type scratch struct {
	tokens []Token
	notes  []note
	open   []bracket
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// maxScratch bounds, in tokens, the memory that is kept for the next Scanner.
const maxScratch = 1 << 18

// Parse reads a text. read is called when the tokens are there.
func (s *Scanner) Parse(ctx context.Context, src []byte, lang source.Language, o source.Options, table *Table, read func()) (*source.File, error) {
	room := scratches.Get().(*scratch)
	*s = Scanner{Src: src, B: source.NewBuilder(src, lang), Calls: o.Calls, Context: Context{-1, -1}}
	l := Lexer{Table: table, Src: src, Tokens: slices.Grow(room.tokens[:0], min(len(src)/6, maxScratch)), notes: room.notes[:0], open: room.open[:0], Doubt: s.Unsure, sure: func() bool { return s.doubt == "" }}
	l.At = lex.Begin(src)
	if bytes.HasPrefix(src[l.At:], []byte("#!")) {
		l.At = lex.Line(src, l.At)
	}
	err := l.run(ctx)
	room.tokens, room.notes, room.open = l.Tokens, l.notes, l.open
	defer func() {
		if cap(room.tokens) <= maxScratch {
			scratches.Put(room)
		}
	}()
	if err != nil {
		return nil, err
	}
	s.Tokens, s.notes, s.Last = l.Tokens, l.notes, len(l.Tokens)-ends
	read()
	s.Tokens, s.notes = nil, nil
	file := s.B.File("outline")
	if s.doubt == "" {
		return file, nil
	}
	return file, &source.UnsureError{Line: 1 + bytes.Count(src[:s.doubtAt], []byte("\n")), Reason: s.doubt}
}

// Unsure notes the doubt that is nearest to the beginning of the text.
func (s *Scanner) Unsure(at int, reason string) {
	if at = min(at, len(s.Src)); s.doubt == "" || at < s.doubtAt {
		s.doubt, s.doubtAt = reason, at
	}
}

// MarkUnsure notes a doubt about the token at hand.
func (s *Scanner) MarkUnsure(reason string) { s.Unsure(int(s.Tok().Start), reason) }

// Tok is the token at hand.
func (s *Scanner) Tok() *Token { return &s.Tokens[s.At] }

// Is reports whether the token with an index is of a kind.
func (s *Scanner) Is(i int, kind Kind) bool { return s.Tokens[i].Kind == kind }

// IsByte reports whether the token with an index is this one byte.
func (s *Scanner) IsByte(i int, c byte) bool {
	t := &s.Tokens[i]
	return t.End == t.Start+1 && s.Src[t.Start] == c
}

// Bytes is the text of a token.
func (s *Scanner) Bytes(i int) []byte { return s.Src[s.Tokens[i].Start:s.Tokens[i].End] }

// IsText reports whether the token with an index has this text.
func (s *Scanner) IsText(i int, text string) bool { return string(s.Bytes(i)) == text }

// Name is the text of a token without back-quotes.
func (s *Scanner) Name(i int) string {
	t := &s.Tokens[i]
	if t.Has(Quoted) {
		return lex.Text(s.Src[t.Start+1 : t.End-1])
	}
	return lex.Text(s.Src[t.Start:t.End])
}

// Newline reports whether a line feed precedes the token with an index.
func (s *Scanner) Newline(i int) bool { return s.Tokens[i].Has(Newline) }

// Skip is the index after a token, or after its partner if it is a bracket.
func (s *Scanner) Skip(i int) int {
	t := &s.Tokens[i]
	if !t.Kind.Opens() {
		return min(i+1, s.Last)
	}
	return s.after(i)
}

// after is the index after the bracket that closes the one with an index. If nothing closes it, after
// is the index of the token that ends its content, for example the closing bracket around it.
func (s *Scanner) after(i int) int {
	m := int(s.Tokens[i].Match)
	if s.Tokens[m].Kind.Closes() && int(s.Tokens[m].Match) == i {
		return m + 1
	}
	return m
}

// Group is the index at which the content of a bracket ends, and the one after it.
func (s *Scanner) Group(i int) (end, after int) { return int(s.Tokens[i].Match), s.after(i) }

// Add notes a chunk that begins with the token first, whose signature begins with
// the token sig and whose name is the token ident.
func (s *Scanner) Add(kind source.Kind, first, sig int, name string, ident int) int {
	c := source.Chunk{
		Kind: kind, Name: name, Parent: int32(s.Parent),
		Decl: s.Tokens[first].Start, Sig: s.Tokens[sig].Start, Ident: s.Tokens[ident].Start,
	}
	if s.Tokens[first].Has(Documented) {
		n, _ := slices.BinarySearchFunc(s.notes, int32(first), func(n note, i int32) int { return int(n.token - i) })
		c.Doc, c.DocEnd = s.notes[n].start, s.notes[n].end
	}
	return s.B.Add(c)
}

// Close ends a chunk with the token before the one at hand.
func (s *Scanner) Close(chunk int) {
	if s.At == 0 {
		return
	}
	c := s.B.Chunk(chunk)
	s.ended = max(s.ended, s.Tokens[s.At-1].End, c.Ident+1, c.Body+1)
	c.End = s.ended
}

// Body notes that the body of a chunk begins with the token with an index.
func (s *Scanner) Body(chunk, i int) { s.B.Chunk(chunk).Body = s.Tokens[i].Start }

// Within makes a chunk the innermost one and returns the former surroundings.
func (s *Scanner) Within(chunk int, callable bool) (before Context) {
	before = s.Context
	s.Parent = chunk
	if callable {
		s.Callable = chunk
	}
	return before
}

// Call notes a call of the name with an index.
func (s *Scanner) Call(i int) {
	if s.Calls {
		s.B.Call(s.Name(i), int(s.Tokens[i].Start), s.Callable)
	}
}

// Deeper reports whether a declaration may be read within another; the caller ends
// it with s.Depth--.
func (s *Scanner) Deeper() bool {
	if s.Depth++; s.Depth <= MaxDepth {
		return true
	}
	s.MarkUnsure("declarations are nested too deeply")
	return false
}

// AppendPlain appends the text of the tokens from an index to another, without comments and without
// blanks except between two words.
func (s *Scanner) AppendPlain(text []byte, from, to int) []byte {
	for i := from; i < to; i++ {
		if i > from && s.Tokens[i].Kind <= Value && s.Tokens[i-1].Kind <= Value && s.Tokens[i].Has(Spaced) {
			text = append(text, ' ')
		}
		text = append(text, s.Bytes(i)...)
	}
	return text
}
