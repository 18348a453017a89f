package engine

import (
	"bytes"
	"context"
	"strings"

	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

const (
	// MaxDepth is the depth to which brackets are followed.
	MaxDepth = 200
	// interval is the number of bytes between two looks at the context.
	interval = 1 << 20
	// ends is how many tokens End a text has, so that a few tokens after one are
	// always there.
	ends = 5
)

// Lexer cuts a text into tokens.
type Lexer struct {
	*Table
	Src    []byte
	At     int // where the next token is looked for
	Tokens []Token
	Doubt  func(at int, reason string)
	sure   func() bool // there is no doubt yet

	Flags Flag // of the next token
	// Branches are for Read: how many brackets were open at each conditional that is.
	Branches []int

	docs   lex.Docs
	notes  []note
	open   []bracket
	within []Literal // the strings whose code is being read
}

// bracket is one that is not closed yet.
type bracket struct {
	token int32
	code  bool // it holds code of a string
}

// note is the documentation before a token.
type note struct{ token, start, end int32 }

// Open is the number of brackets that are open.
func (l *Lexer) Open() int { return len(l.open) }

// Last is the token before the one that is read, the zero Token at the beginning.
func (l *Lexer) Last() Token {
	if len(l.Tokens) == 0 {
		return Token{}
	}
	return l.Tokens[len(l.Tokens)-1]
}

// run reads the text to its end.
func (l *Lexer) run(ctx context.Context) error {
	src, look := l.Src, 0
	l.Flags = Spaced
	for l.At < len(src) {
		at, flags := l.At, l.Flags
		for at < len(src) {
			if class := l.begins[src[at]]; class == beginsSpace {
				flags |= Spaced
			} else if class == beginsLine {
				flags |= Spaced | Newline
			} else {
				break
			}
			at++
		}
		l.At, l.Flags = at, flags
		if at == len(src) {
			break
		}
		c := src[at]
		if c == '/' && l.comment() {
			continue
		}
		if l.At >= look {
			if err := ctx.Err(); err != nil {
				return err
			}
			look = l.At + interval
		}
		l.token(c)
	}
	l.unclosed(0)
	l.At = len(src)
	if len(l.Branches) > 0 {
		l.Doubt(max(len(src)-1, 0), "a conditional is not closed")
	}
	for range ends {
		l.Flags |= Newline
		l.put(Token{Kind: End, Start: int32(l.At)})
	}
	return nil
}

// token reads the token that begins with c.
func (l *Lexer) token(c byte) {
	t := Token{Start: int32(l.At)}
	switch l.begins[c] {
	case beginsSpecial:
		switch {
		case l.Read(l, t):
		case lex.Class[c] == lex.Letter:
			l.word(t)
		default:
			l.sign(t)
		}
	case beginsWord:
		l.word(t)
	case beginsDigit:
		l.At = lex.Identifier(l.Src, l.At)
		t.Kind = Value
		l.put(t)
	case beginsQuote:
		literal, from := l.Literal(l.Src, l.At)
		if from == 0 {
			l.word(t)
			return
		}
		l.At = from
		l.Content(t, literal)
	case beginsBackquote:
		line := l.Src[l.At+1 : lex.Line(l.Src, l.At)]
		n := bytes.IndexByte(line, '`')
		if n <= 0 {
			t.Kind = Prefix
			l.At++
		} else {
			t.Kind, t.Flags = Word, Quoted
			l.At += n + 2
		}
		l.put(t)
	default:
		l.sign(t)
	}
}

func (l *Lexer) word(t Token) {
	l.At = lex.Identifier(l.Src, l.At)
	t.Kind = Word
	if n := len(l.Tokens); n == 0 || l.Tokens[n-1].Kind != Dot {
		t.Word = l.Keyword(l.Src[t.Start:l.At])
	}
	l.put(t)
}

// sign reads a bracket or an operator.
func (l *Lexer) sign(t Token) {
	l.At, t.Kind = l.operator(l.Src, l.At)
	switch {
	case t.Kind.Opens():
		l.bracket(t)
	case t.Kind.Closes():
		l.close(t)
	default:
		l.put(t)
	}
}

// put adds a token that ends at l.At.
func (l *Lexer) put(t Token) {
	t.End = int32(l.At)
	t.Flags |= l.Flags
	if t.Flags&Documented != 0 {
		if start, end := l.docs.Before(l.Src, int(t.Start)); end > 0 && t.Kind != End {
			l.notes = append(l.notes, note{int32(len(l.Tokens)), int32(start), int32(end)})
		} else {
			t.Flags &^= Documented
		}
	}
	l.Flags = 0
	l.Tokens = append(l.Tokens, t)
}

// Put adds a token that ends at l.At.
func (l *Lexer) Put(t Token) { l.put(t) }

// bracket adds an opening bracket.
func (l *Lexer) bracket(t Token) {
	if len(l.open) >= MaxDepth {
		l.Doubt(int(t.Start), "brackets are nested too deeply")
		l.At = len(l.Src)
		return
	}
	l.open = append(l.open, bracket{int32(len(l.Tokens)), t.Has(Code)})
	l.put(t)
}

// close adds a closing bracket.
func (l *Lexer) close(t Token) {
	n := len(l.open)
	t.Match = -1
	if n == 0 || l.Tokens[l.open[n-1].token].Kind+closes != t.Kind {
		for t.Kind == RightBrace && n > 0 && l.Tokens[l.open[n-1].token].Kind != LeftBrace {
			n--
		}
		if t.Kind != RightBrace || n == 0 {
			l.Doubt(int(t.Start), "the brackets do not match")
			l.put(t)
			return
		}
		l.unclosed(n)
	}
	b := l.open[n-1]
	l.open = l.open[:n-1]
	t.Match = b.token
	l.Tokens[b.token].Match = int32(len(l.Tokens))
	if !b.code {
		l.put(t)
		return
	}
	t.Flags |= Code
	l.put(t)
	n = len(l.within) - 1
	x := l.within[n]
	l.within = l.within[:n]
	l.Content(Token{Start: int32(l.At)}, x)
}

// unclosed ends the open brackets from a number on, which nothing closes.
func (l *Lexer) unclosed(from int) {
	for _, b := range l.open[from:] {
		l.Tokens[b.token].Match = int32(len(l.Tokens))
		if l.sure() {
			l.Doubt(int(l.Tokens[b.token].Start), "a bracket is not closed")
		}
		if b.code {
			l.within = l.within[:len(l.within)-1]
		}
	}
	l.open = l.open[:from]
}

// comment passes over the comment at hand, if there is one.
func (l *Lexer) comment() bool {
	if l.At+1 >= len(l.Src) {
		return false
	}
	start, ok := l.At, true
	switch l.Src[l.At+1] {
	case '/':
		l.At = lex.Line(l.Src, l.At)
	case '*':
		if l.At, ok = lex.NestedBlock(l.Src, l.At); !ok {
			l.Doubt(start, "a comment is not closed")
		}
	default:
		return false
	}
	l.docs.Comment(l.Src, start, l.At)
	l.Flags |= Documented | Spaced
	return true
}

// Content reads the rest of a literal from l.At on, up to its end or to code
// within it.
func (l *Lexer) Content(t Token, x Literal) {
	src := l.Src
	t.Kind = Value
	for ; l.At < len(src); l.At++ {
		switch c := src[l.At]; {
		case c == x.Close[0] && hasPrefix(src[l.At:], x.Close):
			l.At += len(x.Close)
			for x.Greedy && l.At < len(src) && src[l.At] == c {
				l.At++
			}
			l.put(t)
			return
		case x.Code != "" && c == x.Code[0] && hasPrefix(src[l.At:], x.Code):
			open := l.At + len(x.Code) - 1
			l.At = open
			l.put(t)
			l.At = open + 1
			l.within = append(l.within, x)
			l.bracket(Token{Kind: l.kinds[src[open]], Flags: Code, Start: int32(open)})
			return
		case x.Escape != "" && c == x.Escape[0] && hasPrefix(src[l.At:], x.Escape):
			l.At += len(x.Escape)
			if l.At < len(src) && src[l.At] == '\n' && !x.Lines {
				l.At--
			}
		case c == '\n' && !x.Lines:
			l.Doubt(int(t.Start), "a string is not closed")
			l.put(t)
			return
		}
	}
	l.At = len(src)
	l.Doubt(int(t.Start), "a string is not closed")
	l.put(t)
}

func hasPrefix(src []byte, prefix string) bool {
	return len(src) >= len(prefix) && string(src[:len(prefix)]) == prefix
}

// Marked is a text with marks after it.
func Marked(text string, mark string, n int) string { return text + strings.Repeat(mark, n) }
