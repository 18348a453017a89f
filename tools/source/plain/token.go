package plain

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/dougu-go/dougu/tools/source"
)

// token is a word, a number, a string, a bracket or another mark.
type token struct {
	kind       tokenKind
	start, end int32
	// partner is the index of the token that closes an opening bracket, or opens a closing one. Without a partner it is -1.
	partner int32
	// line says that the token is the first of its line.
	line bool
}

type tokenKind uint8

const (
	mark    tokenKind = iota // one byte, or an arrow of R
	word                     // a name or a number
	text                     // a string
	open                     // ( [ {
	closing                  // ) ] }
)

// reader reads one text.
type reader struct {
	src    []byte
	lang   source.Language
	calls  bool
	tokens []token
	// comments are the spans of all comments, in order.
	comments []span
	out      *source.Builder
	problems int // the number of brackets without a partner
	at       int // the index of the next token
	// functions are the functions of an R file, in the order of their first tokens.
	functions []function
}

// function is a function with its first and last token, and its chunk.
type function struct{ from, last, chunk int }

type span struct{ start, end int32 }

// tokenize cuts the text into tokens and comments, and joins brackets with their partners.
func (r *reader) tokenize() {
	r.tokens = make([]token, 0, len(r.src)/4)
	var opened []int
	line := true
	for at := 0; at < len(r.src); {
		c := r.src[at]
		switch {
		case c == '\n':
			line = true
			at++
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == ',' && r.lang == graphql:
			at++
			continue
		case c == 0xef && bytes.HasPrefix(r.src[at:], []byte("\ufeff")):
			at += 3
			continue
		}
		if end := r.commentEnd(at); end > at {
			r.comments = append(r.comments, span{int32(at), int32(end)})
			at = end
			continue
		}
		t := token{kind: mark, start: int32(at), end: int32(at + 1), partner: -1, line: line}
		line = false
		switch {
		case c == '"' || c == '\'' && r.lang != graphql || c == '`':
			t.kind, t.end = text, int32(r.stringEnd(at))
			if c == '`' {
				t.kind = word
			}
		case isWord(c):
			for int(t.end) < len(r.src) && (isWord(r.src[t.end]) || r.src[t.end] == '.' && r.lang != graphql) {
				t.end++
			}
			t.kind = word
		case c == '(' || c == '[' || c == '{':
			t.kind = open
			opened = append(opened, len(r.tokens))
		case c == ')' || c == ']' || c == '}':
			t.kind = closing
			opened = r.closeBracket(&t, opened)
		case r.lang == rlang && bytes.HasPrefix(r.src[at:], []byte("<<-")):
			t.end = int32(at + 3)
		case r.lang == rlang && bytes.HasPrefix(r.src[at:], []byte("<-")):
			t.end = int32(at + 2)
		case r.lang == graphql && bytes.HasPrefix(r.src[at:], []byte("...")):
			t.end = int32(at + 3)
		}
		r.tokens = append(r.tokens, t)
		at = int(t.end)
	}
	for _, i := range opened {
		r.unclosed(i)
	}
}

// maxUnmatched is the number of innermost open brackets among which a closing bracket finds its partner.
const maxUnmatched = 64

// closeBracket joins a closing bracket with the innermost open one of its kind. Open brackets of another kind within are problems.
func (r *reader) closeBracket(t *token, opened []int) []int {
	want := byte('(')
	switch r.src[t.start] {
	case ']':
		want = '['
	case '}':
		want = '{'
	}
	for n := len(opened) - 1; n >= max(0, len(opened)-maxUnmatched); n-- {
		i := opened[n]
		if r.src[r.tokens[i].start] != want {
			continue
		}
		for _, lost := range opened[n+1:] {
			r.unclosed(lost)
		}
		t.partner = int32(i)
		r.tokens[i].partner = int32(len(r.tokens))
		return opened[:n]
	}
	if r.problems++; r.problems <= source.MaxProblems {
		r.out.Problem("the bracket "+string(r.src[t.start])+" closes nothing", int(t.start))
	}
	return opened
}

// unclosed reports an opening bracket without a partner.
func (r *reader) unclosed(i int) {
	if r.problems++; r.problems <= source.MaxProblems {
		r.out.Problem("the bracket "+r.text(i)+" is not closed", int(r.tokens[i].start))
	}
}

// commentEnd returns the end of the comment that begins at an offset, or the offset itself.
func (r *reader) commentEnd(at int) int {
	rest := r.src[at:]
	switch {
	case r.lang == protobuf && bytes.HasPrefix(rest, []byte("/*")):
		if end := bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			return at + 2 + end + 2
		}
		return len(r.src)
	case r.lang == protobuf && bytes.HasPrefix(rest, []byte("//")), r.lang != protobuf && rest[0] == '#':
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			return at + end
		}
		return len(r.src)
	}
	return at
}

// stringEnd returns the end of the string that begins at an offset. A string of one line ends with its line, and is a problem then.
func (r *reader) stringEnd(at int) int {
	rest := r.src[at:]
	if r.lang == graphql && bytes.HasPrefix(rest, []byte(`"""`)) {
		if end := bytes.Index(rest[3:], []byte(`"""`)); end >= 0 {
			return at + 3 + end + 3
		}
		r.out.Problem("the string has no end", at)
		return len(r.src)
	}
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\\' && rest[0] != '`':
			i++
		case c == rest[0]:
			return at + i + 1
		case c == '\n' && r.lang != rlang:
			r.out.Problem("the string has no end", at)
			return at + i
		}
	}
	r.out.Problem("the string has no end", at)
	return len(r.src)
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
}

// text returns the text of token i, or "" behind the last token.
func (r *reader) text(i int) string {
	if i < 0 || i >= len(r.tokens) {
		return ""
	}
	return string(r.src[r.tokens[i].start:r.tokens[i].end])
}

// is reports whether token i is the word or mark s.
func (r *reader) is(i int, s string) bool {
	return i >= 0 && i < len(r.tokens) && r.tokens[i].kind != text && string(r.src[r.tokens[i].start:r.tokens[i].end]) == s
}

func (r *reader) isWord(i int) bool { return i >= 0 && i < len(r.tokens) && r.tokens[i].kind == word }

// past returns the index behind token i, and behind the closing bracket if i opens one.
func (r *reader) past(i int) int {
	if i < len(r.tokens) && r.tokens[i].kind == open && r.tokens[i].partner > int32(i) {
		return int(r.tokens[i].partner) + 1
	}
	return i + 1
}

// end returns the offset behind token i, or the end of the text.
func (r *reader) end(i int) int32 {
	if i < 0 || i >= len(r.tokens) {
		return int32(len(bytes.TrimRight(r.src, " \t\r\n")))
	}
	return r.tokens[i].end
}

// documentation sets the comments that end in the line before a declaration, or in its own line, as the documentation of a chunk.
func (r *reader) documentation(c *source.Chunk) {
	behind, _ := slices.BinarySearchFunc(r.comments, c.Decl, func(at span, decl int32) int { return cmp.Compare(at.start, decl) })
	for i := behind - 1; i >= 0; i-- {
		at, to := r.comments[i], c.Decl
		if c.DocEnd > 0 {
			to = c.Doc
		}
		if gap := r.src[at.end:to]; len(bytes.TrimSpace(gap)) > 0 || bytes.Count(gap, []byte("\n")) > 1 || !r.isOwnLine(at.start) {
			return
		}
		if c.Doc = at.start; c.DocEnd == 0 {
			c.DocEnd = at.end
		}
	}
}

// isOwnLine reports whether only blanks precede an offset in its line.
func (r *reader) isOwnLine(at int32) bool {
	line := r.src[bytes.LastIndexByte(r.src[:at], '\n')+1 : at]
	return len(bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))) == 0
}

// add adds a chunk whose first token is from, whose name is token name, and whose last token is last. body is the index of its first
// bracket, or -1.
func (r *reader) add(kind source.Kind, from, name, body, last, parent int) int {
	c := source.Chunk{
		Kind: kind, Name: trimQuotes(r.text(name)), Parent: int32(parent),
		Decl: r.tokens[from].start, Ident: r.tokens[name].start, End: r.end(last),
	}
	if body >= 0 && body < len(r.tokens) {
		c.Body = r.tokens[body].start
	}
	r.documentation(&c)
	return r.out.Add(c)
}

func trimQuotes(s string) string {
	if n := len(s); n > 2 && (s[0] == '"' || s[0] == '\'' || s[0] == '`') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}
